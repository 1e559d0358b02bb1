//! Counts calls, and prints them at the program's end, on request.

use crate::call::Call;
use crate::fault::{is_set, say};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// If set, and neither empty nor 0, each process prints its calls.
const STATISTICS: &str = "REDIST_SCALAPACK_STATISTICS";

static RECTANGLES: AtomicU64 = AtomicU64::new(0);
static TRAPEZOIDS: AtomicU64 = AtomicU64::new(0);
static PLANNED: AtomicU64 = AtomicU64::new(0);
static RANK: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn note_call(call: &Call) {
    static ASKED: OnceLock<()> = OnceLock::new();
    ASKED.get_or_init(|| {
        if is_set(STATISTICS) {
            RANK.store(redist_mpi::world().map_or(0, |world| world.rank()), Ordering::Relaxed);
            // SAFETY: the function does not unwind. Its library is not unloaded while the program
            // runs, which uses it.
            unsafe { libc::atexit(print) };
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
    let (rank, planned) = (RANK.load(Ordering::Relaxed), count(&PLANNED));
    say(&format!(
        "redist-scalapack: process {rank}: {rectangles} calls of p?gemr2d, {trapezoids} of p?trmr2d, \
         {planned} planned"
    ));
}
