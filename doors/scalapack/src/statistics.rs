//! Counts calls, and prints them at the program's end, on request. Unsafe, because the loader and
//! the end of the program call this code.

use crate::blacs::address;
use crate::call::Call;
use crate::fault::{is_set, say};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// If set, and neither empty nor 0, each process prints its calls.
const STATISTICS: &str = "REDIST_SCALAPACK_STATISTICS";

static RECTANGLES: AtomicU64 = AtomicU64::new(0);
static TRAPEZOIDS: AtomicU64 = AtomicU64::new(0);
static PLANNED: AtomicU64 = AtomicU64::new(0);
/// Of `MPI_COMM_WORLD`.
static RANK: AtomicUsize = AtomicUsize::new(UNKNOWN);

/// The rank of a process that has made no call.
const UNKNOWN: usize = usize::MAX;

// SAFETY: the loader calls each function in this section once, after loading the library and before
// the program begins. This one takes the loader's arguments. It does not unwind, because functions
// of C's abort then.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

/// Prints at the end, also where no call is made: that shows a variable that has not arrived.
extern "C" fn loaded() {
    if is_set(STATISTICS) {
        // SAFETY: the function does not unwind. Its library is not unloaded while the program runs,
        // which is linked with it or was started with it.
        unsafe { libc::atexit(print) };
    }
}

pub(crate) fn note_call(call: &Call) {
    static ASKED: OnceLock<()> = OnceLock::new();
    ASKED.get_or_init(|| {
        if is_set(STATISTICS) {
            let rank = redist_mpi::world().map_or(UNKNOWN, |world| world.rank());
            RANK.store(rank, Ordering::Relaxed);
        }
    });
    let counter = if call.part.is_some() { &TRAPEZOIDS } else { &RECTANGLES };
    counter.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn note_plan() {
    PLANNED.fetch_add(1, Ordering::Relaxed);
}

extern "C" fn print() {
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (rectangles, trapezoids) = (count(&RECTANGLES), count(&TRAPEZOIDS));
    // Launchers and shells inherit the variable, and call no MPI library.
    if rectangles + trapezoids == 0 && !is_mpi_initialised() {
        return;
    }
    let process = match RANK.load(Ordering::Relaxed) {
        UNKNOWN => said_by_launcher().unwrap_or_else(|| std::process::id().to_string()),
        rank => rank.to_string(),
    };
    let planned = count(&PLANNED);
    say(&format!(
        "redist-scalapack: process {process}: {rectangles} calls of p?gemr2d, {trapezoids} of \
         p?trmr2d, {planned} planned"
    ));
}

/// Returns `true` if the process has loaded an MPI library, and has initialised it. MPI allows the
/// call after the end, too (MPI-3.1, 8.7).
fn is_mpi_initialised() -> bool {
    let Some(function) = address(c"MPI_Initialized") else { return false };
    let mut flag = 0;
    // SAFETY: a function of this name has this type in all MPI libraries. Its library is loaded,
    // because the loader unloads none before the functions of `atexit` have run.
    unsafe {
        let is_initialised =
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int) -> c_int>(function);
        is_initialised(&mut flag) == 0 && flag != 0
    }
}

/// Returns this process's number among the processes that a launcher has started.
pub(crate) fn said_by_launcher() -> Option<String> {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];
    names.iter().find_map(|name| std::env::var(name).ok())
}
