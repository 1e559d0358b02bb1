//! Calls of the MPI library that fail when they are asked to: this program's own functions of these
//! names come before the library's, which the profiling interface (MPI-3.1, 14.2) has under others.
//!
//! Unsafe, since these are the C functions that the crate `mpi` declares.

use mpi::ffi::*;
use std::ffi::{c_int, c_void};
use std::sync::Mutex;
use std::time::SystemTime;

/// The name of the call that fails next.
static FAILING: Mutex<Option<&'static str>> = Mutex::new(None);

/// Has the next call of that name fail.
pub fn fail(call: &'static str) {
    *FAILING.lock().unwrap() = Some(call);
}

/// Has no call fail, whatever was asked for.
pub fn fail_no_more() {
    *FAILING.lock().unwrap() = None;
}

/// Whether a call has to fail.
fn fails(call: &str) -> bool {
    let mut failing = FAILING.lock().unwrap();
    let is_it = *failing == Some(call);
    if is_it {
        *failing = None;
    }
    is_it
}

/// A message, or a piece of one, of this rank's.
pub struct Sent {
    pub to: usize,
    pub bytes: usize,
    /// Nanoseconds by the clock that ranks of a machine share.
    pub when: u64,
}

/// What was sent since that is noted.
static SENT: Mutex<Option<Vec<Sent>>> = Mutex::new(None);

/// Notes what is sent from now on.
pub fn note_sends() {
    *SENT.lock().unwrap() = Some(Vec::new());
}

/// What was sent since [`note_sends`]; no more is noted.
pub fn sends() -> Vec<Sent> {
    SENT.lock().unwrap().take().unwrap_or_default()
}

/// Nanoseconds by the clock that ranks of a machine share.
pub fn now() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().expect("it is later than 1970");
    since.as_nanos() as u64
}

/// Fails without having done anything, or notes what it sends, of which the library counts bytes.
///
/// # Safety
/// As the library says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Isend(
    bytes: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    to: c_int,
    tag: c_int,
    communicator: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    if fails("MPI_Isend") {
        return MPI_ERR_OTHER as c_int;
    }
    if let Some(sent) = &mut *SENT.lock().unwrap() {
        sent.push(Sent { to: to as usize, bytes: count as usize, when: now() });
    }
    // SAFETY: the caller keeps to what the library says.
    unsafe { PMPI_Isend(bytes, count, datatype, to, tag, communicator, request) }
}

/// Functions that fail without having done anything, or, where they are `collective`, when they
/// have: as other ranks would wait for one that does not take part, whatever it says.
macro_rules! failing {
    ($($(#[$doc:meta])* $name:ident, $own:ident ($($argument:ident: $type:ty),*), $collective:literal;)*) => {$(
        /// # Safety
        /// As the library says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let fails = fails(stringify!($name));
            if fails && !$collective {
                return MPI_ERR_OTHER as c_int;
            }
            // SAFETY: the caller keeps to what the library says.
            let code = unsafe { $own($($argument),*) };
            if fails { MPI_ERR_OTHER as c_int } else { code }
        }
    )*};
}

failing! {
    MPI_Irecv, PMPI_Irecv(
        bytes: *mut c_void, count: c_int, datatype: MPI_Datatype, from: c_int, tag: c_int,
        communicator: MPI_Comm, request: *mut MPI_Request
    ), false;
    MPI_Waitsome, PMPI_Waitsome(
        count: c_int, requests: *mut MPI_Request, done: *mut c_int, indices: *mut c_int,
        statuses: *mut MPI_Status
    ), false;
    MPI_Iallreduce, PMPI_Iallreduce(
        from: *const c_void, to: *mut c_void, count: c_int, datatype: MPI_Datatype,
        operation: MPI_Op, communicator: MPI_Comm, request: *mut MPI_Request
    ), false;
    MPI_Allreduce, PMPI_Allreduce(
        from: *const c_void, to: *mut c_void, count: c_int, datatype: MPI_Datatype,
        operation: MPI_Op, communicator: MPI_Comm
    ), true;
    MPI_Win_allocate_shared, PMPI_Win_allocate_shared(
        bytes: MPI_Aint, unit: c_int, info: MPI_Info, communicator: MPI_Comm, base: *mut c_void,
        window: *mut MPI_Win
    ), true;
    MPI_Win_sync, PMPI_Win_sync(window: MPI_Win), false;
}

/// What [`fail`] is asked for so that the next window is said to be apart from memory.
pub const SEPARATE_WINDOW: &str = "MPI_WIN_MODEL";

/// `MPI_WIN_SEPARATE` of both libraries.
static SEPARATE: c_int = 1;

/// The library's, but for what it says when [`SEPARATE_WINDOW`] was asked for.
///
/// # Safety
/// As the library says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Win_get_attr(
    window: MPI_Win,
    key: c_int,
    value: *mut c_void,
    found: *mut c_int,
) -> c_int {
    // SAFETY: the caller keeps to what the library says.
    let code = unsafe { PMPI_Win_get_attr(window, key, value, found) };
    if key == MPI_WIN_MODEL as c_int && fails(SEPARATE_WINDOW) {
        // SAFETY: `value` is the place of a pointer to a number, as the caller keeps to what the
        // library says of this key; the number outlives all callers.
        unsafe { value.cast::<*const c_int>().write(&raw const SEPARATE) };
    }
    code
}
