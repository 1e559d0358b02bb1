//! What loops do about cache lines beside copying: it depends on where arrays live.

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

/// How a kernel reaches the memory that it copies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// By loads and stores alone, which is best inside a core's own caches.
    Cached,
    /// The lines of both ends are asked for before the copy gets there.
    Prefetched,
    /// What is read is asked for, and whole lines are stored past the caches.
    Nontemporal,
}

/// Bytes of a local array from which stores go past the caches.
static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Sets from how many bytes of a rank's local array on the plans that are bound from now on store past the caches when they
/// pack or unpack: for as much as is long gone from the caches when it is next needed. Never, by `None`, and if nobody
/// calls this.
///
/// Such stores do not read the lines that they overwrite. Whether that helps is a matter of the machine: `cargo bench
/// --bench kernels -- --nontemporal` measures it, and docs/performance.md says what it found. Only networks, runs
/// of a multiple of 64 bytes and runs of more than 256 have such stores, on x86-64, and only for what lies on a multiple of
/// 16 bytes in memory; all else is stored as ever. [`Packing::kernel`](crate::exec::Packing::kernel) tells.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{Memory, Redistribution, RuntimePlan, set_nontemporal_threshold};
///
/// let plan = RuntimePlan::<f64, 1>::parse([6400], "cyclic(160) onto 4", "cyclic(16) onto 4")?;
/// set_nontemporal_threshold(Some(8 * 1600));
/// # if cfg!(target_arch = "x86_64") {
/// assert_eq!(plan.packing(0).kernel().memory, Memory::Nontemporal);
/// # }
/// set_nontemporal_threshold(None);
/// assert_ne!(plan.packing(0).kernel().memory, Memory::Nontemporal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn set_nontemporal_threshold(bytes: Option<usize>) {
    THRESHOLD.store(bytes.unwrap_or(usize::MAX), Ordering::Relaxed);
}

/// Bytes of a local array from which plans that are bound now store past the caches.
pub(super) fn nontemporal_threshold() -> usize {
    THRESHOLD.load(Ordering::Relaxed)
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Memory::Cached => "cached",
            Memory::Prefetched => "fetched ahead",
            Memory::Nontemporal => "past the caches",
        })
    }
}
