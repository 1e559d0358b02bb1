//! The cores that the ranks of a node may run on: by their affinity, and by a container's quota.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;

/// Words of a set of cores, a bit for each core.
const WORDS: usize = 16;

/// The cores that a rank may run on, in memory that the ranks of its node read.
#[derive(Debug, Default)]
pub(super) struct AllowedCores {
    /// A set of cores; empty if the system does not tell.
    cores: [AtomicU64; WORDS],
    /// Cores that a quota leaves to the rank's container, or 0 if there is none.
    quota: AtomicU64,
}

impl AllowedCores {
    /// Notes what the system tells of this rank.
    pub fn note(&self) {
        let own = own_cores();
        self.cores.iter().zip(own).for_each(|(word, own)| word.store(own, Ordering::Relaxed));
        let quota = available_parallelism().map_or(0, |cores| cores.get() as u64);
        let is_less = quota < u64::from(count(own));
        self.quota.store(if is_less { quota } else { 0 }, Ordering::Relaxed);
    }
}

/// Returns `true` if the ranks of a node are more than the cores that any of them may run on. Each
/// has noted its cores.
pub(super) fn are_too_few<'a>(ranks: impl Iterator<Item = &'a AllowedCores>) -> bool {
    let (mut all, mut quota, mut number) = ([0; WORDS], u64::MAX, 0);
    for AllowedCores { cores, quota: of_rank } in ranks {
        number += 1;
        all.iter_mut().zip(cores).for_each(|(all, own)| *all |= own.load(Ordering::Relaxed));
        quota = match of_rank.load(Ordering::Relaxed) {
            0 => quota,
            of_rank => quota.min(of_rank),
        };
    }
    let cores = u64::from(count(all));
    cores > 0 && number > cores.min(quota)
}

fn count(cores: [u64; WORDS]) -> u32 {
    cores.iter().map(|word| word.count_ones()).sum()
}

/// Returns the cores of this thread, as far as they fit.
fn own_cores() -> [u64; WORDS] {
    let mut words = [0; WORDS];
    #[cfg(target_os = "linux")]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        let most = rustix::thread::CpuSet::MAX_CPU.min(64 * WORDS);
        (0..most)
            .filter(|core| set.is_set(*core))
            .for_each(|core| words[core / 64] |= 1 << (core % 64));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(cores: u64, quota: u64) -> AllowedCores {
        let rank = AllowedCores::default();
        rank.cores[0].store(cores, Ordering::Relaxed);
        rank.quota.store(quota, Ordering::Relaxed);
        rank
    }

    #[test]
    fn cores_are_counted_over_all_ranks() {
        let are_few = |ranks: &[(u64, u64)]| {
            are_too_few(
                ranks.iter().map(|(cores, quota)| rank(*cores, *quota)).collect::<Vec<_>>().iter(),
            )
        };
        // Not bound, and bound to a core each.
        assert!(!are_few(&[(0b11, 0), (0b11, 0)]) && are_few(&[(0b11, 0); 3]));
        assert!(!are_few(&[(0b01, 0), (0b10, 0)]) && are_few(&[(0b10, 0), (0b10, 0)]));
        // A quota of a container.
        assert!(are_few(&[(0xFF, 1), (0xFF, 1)]) && !are_few(&[(0xFF, 2), (0xFF, 2)]));
        // Nothing is known.
        assert!(!are_few(&[(0, 0); 9]));
    }

    #[test]
    fn this_machine_tells_its_cores() {
        let own = AllowedCores::default();
        own.note();
        if cfg!(target_os = "linux") {
            assert!(count(own_cores()) > 0 && !are_too_few([&own].into_iter()));
        }
    }
}
