//! Calls of the MPI library that fail on request. This program's own functions of these names come
//! before the library's. The profiling interface (MPI-3.1, 14.2) has the library's under other
//! names. Unsafe, because these are C functions. Handles are words in any library.

use redist_mpi::{Flavour, Library};
use redist_mpi_tests::of_the_library;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Mutex;
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

/// Returns the messages sent since [`note_sends`], and stops to note them.
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
        return other_error();
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
/// because other ranks would wait for a rank that does not take part.
macro_rules! failing {
    ($($name:ident, $own:literal ($($argument:ident: $type:ty),*), $collective:literal;)*) => {$(
        /// # Safety
        /// As the library demands.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let fails = fails(stringify!($name));
            if fails && !$collective {
                return other_error();
            }
            // SAFETY: the arguments are as the library demands, as the caller promises.
            let code = unsafe { of_the_library!($own, ($($type),*))($($argument),*) };
            if fails { other_error() } else { code }
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
}

/// Fails like a system without shared memory, or calls the system's function.
///
/// # Safety
/// As the system demands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shm_open(name: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    if fails("shm_open") {
        return -1;
    }
    // SAFETY: the name is a string of C, and means the function of this type in all systems.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"shm_open".as_ptr()) };
    assert!(!found.is_null(), "the system has shared memory");
    // SAFETY: as above. The arguments are as the system demands, as the caller promises.
    unsafe {
        std::mem::transmute::<
            *mut c_void,
            unsafe extern "C" fn(*const c_char, c_int, c_uint) -> c_int,
        >(found)(name, flags, mode)
    }
}

/// Returns the class of other errors, whose number differs between libraries.
fn other_error() -> c_int {
    match Library::get().map(Library::flavour) {
        Ok(Flavour::Mpich) => 15,
        _ => 16,
    }
}
