//! Calls of the MPI library that fail on request. This program's own functions of these names come
//! before the library's. The profiling interface (MPI-3.1, 14.2) has the library's under other
//! names. Unsafe, because these are C functions. Handles are words in any library.

use redist_mpi::{Flavour, Library};
use redist_mpi_tests::of_the_library;
use std::ffi::{c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

static FAILING: Mutex<Option<&'static str>> = Mutex::new(None);

pub fn fail(call: &'static str) {
    *FAILING.lock().unwrap() = Some(call);
}

pub fn fail_no_more() {
    *FAILING.lock().unwrap() = None;
}

fn fails(call: &str) -> bool {
    let mut failing = FAILING.lock().unwrap();
    let is_it = *failing == Some(call);
    if is_it {
        *failing = None;
    }
    is_it
}

pub struct Sent {
    pub to: usize,
    pub bytes: usize,
    /// Nanoseconds by the clock that ranks of a machine share.
    pub when: u64,
}

static SENT: Mutex<Option<Vec<Sent>>> = Mutex::new(None);

pub fn note_sends() {
    *SENT.lock().unwrap() = Some(Vec::new());
}

/// Returns the messages sent since [`note_sends`], and notes no more.
pub fn sends() -> Vec<Sent> {
    SENT.lock().unwrap().take().unwrap_or_default()
}

pub fn now() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().expect("it is later than 1970");
    since.as_nanos() as u64
}

/// Fails without an effect, or notes the sent message, whose bytes the library counts.
///
/// # Safety
/// As the library demands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Isend(
    bytes: *const c_void,
    count: c_int,
    datatype: usize,
    to: c_int,
    tag: c_int,
    communicator: usize,
    request: *mut c_void,
) -> c_int {
    if fails("MPI_Isend") {
        return numbers().other_error;
    }
    if let Some(sent) = &mut *SENT.lock().unwrap() {
        sent.push(Sent { to: to as usize, bytes: count as usize, when: now() });
    }
    let of_the_library = of_the_library!(
        "PMPI_Isend",
        (*const c_void, c_int, usize, c_int, c_int, usize, *mut c_void)
    );
    // SAFETY: the arguments are as the library demands, as the caller promises.
    unsafe { of_the_library(bytes, count, datatype, to, tag, communicator, request) }
}

/// Functions that fail without an effect. If they are `collective`, they fail after their effect,
/// because other ranks would wait for one that does not take part.
macro_rules! failing {
    ($($name:ident, $own:literal ($($argument:ident: $type:ty),*), $collective:literal;)*) => {$(
        /// # Safety
        /// As the library demands.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let fails = fails(stringify!($name));
            if fails && !$collective {
                return numbers().other_error;
            }
            // SAFETY: the arguments are as the library demands, as the caller promises.
            let code = unsafe { of_the_library!($own, ($($type),*))($($argument),*) };
            if fails { numbers().other_error } else { code }
        }
    )*};
}

failing! {
    MPI_Irecv, "PMPI_Irecv"(
        bytes: *mut c_void, count: c_int, datatype: usize, from: c_int, tag: c_int,
        communicator: usize, request: *mut c_void
    ), false;
    MPI_Testsome, "PMPI_Testsome"(
        count: c_int, requests: *mut c_void, done: *mut c_int, indices: *mut c_int,
        statuses: *mut c_void
    ), false;
    MPI_Iallreduce, "PMPI_Iallreduce"(
        from: *const c_void, to: *mut c_void, count: c_int, datatype: usize, operation: usize,
        communicator: usize, request: *mut c_void
    ), false;
    MPI_Allreduce, "PMPI_Allreduce"(
        from: *const c_void, to: *mut c_void, count: c_int, datatype: usize, operation: usize,
        communicator: usize
    ), true;
    MPI_Win_allocate_shared, "PMPI_Win_allocate_shared"(
        bytes: isize, unit: c_int, info: usize, communicator: usize, base: *mut c_void,
        window: *mut c_void
    ), true;
    MPI_Win_sync, "PMPI_Win_sync"(window: usize), false;
}

static FREED: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of windows that this rank has freed.
pub fn freed_windows() -> usize {
    FREED.load(Ordering::Relaxed)
}

/// Calls the library's, and counts.
///
/// # Safety
/// As the library demands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Win_free(window: *mut c_void) -> c_int {
    FREED.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the argument is as the library demands, as the caller promises.
    unsafe { of_the_library!("PMPI_Win_free", (*mut c_void))(window) }
}

/// Argument of [`fail`] that makes the next window seem separate from memory.
pub const SEPARATE_WINDOW: &str = "MPI_WIN_MODEL";

/// Numbers that differ between libraries.
struct Numbers {
    other_error: c_int,
    window_model: c_int,
    /// `MPI_WIN_SEPARATE`.
    separate: c_int,
}

fn numbers() -> &'static Numbers {
    match Library::get().map(Library::flavour) {
        Ok(Flavour::Mpich) => &Numbers { other_error: 15, window_model: 0x6600_0009, separate: 1 },
        Ok(Flavour::OpenMpi) => &Numbers { other_error: 16, window_model: 11, separate: 1 },
        _ => &Numbers { other_error: 16, window_model: 605, separate: 322 },
    }
}

/// Calls the library's, unless [`SEPARATE_WINDOW`] was requested.
///
/// # Safety
/// As the library demands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Win_get_attr(
    window: usize,
    key: c_int,
    value: *mut c_void,
    found: *mut c_int,
) -> c_int {
    let of_the_library =
        of_the_library!("PMPI_Win_get_attr", (usize, c_int, *mut c_void, *mut c_int));
    // SAFETY: the arguments are as the library demands, as the caller promises.
    let code = unsafe { of_the_library(window, key, value, found) };
    if key == numbers().window_model && fails(SEPARATE_WINDOW) {
        // SAFETY: `value` is the place of a pointer to a number, as the library demands for this
        // key. The number outlives all callers.
        unsafe { value.cast::<*const c_int>().write(&raw const numbers().separate) };
    }
    code
}
