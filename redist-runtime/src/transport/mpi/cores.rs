//! The cores that the ranks of a node may run on, by their affinity and by a container's quota, and the
//! caches of these cores.

use std::fs;
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

/// Returns the number of ranks that take turns on a core. It is 1 if a node has as many cores, on
/// which any of them may run. It is 0 if a node has more, or the system tells none. Each rank has noted
/// its cores.
pub(super) fn ranks_of_a_core<'a>(ranks: impl Iterator<Item = &'a AllowedCores>) -> u64 {
    let (mut all, mut quota, mut number) = ([0; WORDS], u64::MAX, 0);
    for AllowedCores { cores, quota: of_rank } in ranks {
        number += 1;
        all.iter_mut().zip(cores).for_each(|(all, own)| *all |= own.load(Ordering::Relaxed));
        quota = match of_rank.load(Ordering::Relaxed) {
            0 => quota,
            of_rank => quota.min(of_rank),
        };
    }
    match u64::from(count(all)).min(quota) {
        0 => 0,
        cores if number < cores => 0,
        cores => u64::div_ceil(number, cores),
    }
}

/// Returns the number of this thread's core, plus one; 0 if the system does not say.
pub(super) fn this_core() -> u64 {
    #[cfg(target_os = "linux")]
    return rustix::thread::sched_getcpu() as u64 + 1;
    #[cfg(not(target_os = "linux"))]
    return 0;
}

/// Caches of a core at most, as the system lists them: of each level, for instructions and for data.
const MOST_CACHES: usize = 8;

/// Returns the bytes of the second-level cache of this thread's core, if the system tells.
pub(super) fn second_cache() -> Option<u64> {
    let core = this_core().checked_sub(1)?;
    second_cache_by(|name| {
        fs::read_to_string(format!("/sys/devices/system/cpu/cpu{core}/cache/{name}")).ok()
    })
}

/// Reads it in the core's folder of caches: `index2/level` has `2`, and `index2/size` has `512K`.
fn second_cache_by(read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let text = |cache: usize, what| read(&format!("index{cache}/{what}"));
    let is_second = |cache: &usize| text(*cache, "level").is_some_and(|level| level.trim() == "2");
    let size = text((0..MOST_CACHES).find(is_second)?, "size")?;
    size.trim().strip_suffix('K')?.parse::<u64>().ok()?.checked_mul(1 << 10)
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
        let turns = |ranks: &[(u64, u64)]| {
            let noted: Vec<_> = ranks.iter().map(|(cores, quota)| rank(*cores, *quota)).collect();
            ranks_of_a_core(noted.iter())
        };
        // Not bound, and bound to a core each.
        assert_eq!(
            [turns(&[(0b11, 0); 2]), turns(&[(0b11, 0); 3]), turns(&[(0b11, 0); 8])],
            [1, 2, 4]
        );
        assert_eq!([turns(&[(0b01, 0), (0b10, 0)]), turns(&[(0b10, 0); 2])], [1, 2]);
        // A core is left to others.
        assert_eq!([turns(&[(0b111, 0); 2]), turns(&[(0b01, 0), (0b110, 0)])], [0; 2]);
        // A quota of a container.
        assert_eq!([1, 2, 3].map(|quota| turns(&[(0xFF, quota); 2])), [2, 1, 0]);
        // Nothing is known.
        assert_eq!(turns(&[(0, 0); 9]), 0);
    }

    #[test]
    fn a_second_level_cache_is_read_as_the_system_writes_it() {
        let read = |files: &[(&str, &str)]| {
            second_cache_by(|name| {
                let found = files.iter().find(|(path, _)| *path == name)?;
                Some(format!("{}\n", found.1))
            })
        };
        let others = [("index0/level", "1"), ("index0/size", "32K"), ("index3/level", "3")];
        let second = |size| read(&[&others[..], &[("index2/level", "2"), size]].concat());
        assert_eq!([read(&[]), read(&others)], [None; 2]);
        assert_eq!(second(("index2/size", "1280K")), Some(1280 << 10));
        for size in ["18446744073709551615K", "many", "", "K"] {
            assert_eq!(second(("index2/size", size)), None, "{size}");
        }
        assert_eq!(second(("index3/size", "512K")), None);
    }

    #[test]
    fn this_machine_tells_its_cores() {
        let own = AllowedCores::default();
        own.note();
        if cfg!(target_os = "linux") {
            assert!(count(own_cores()) > 0);
            assert!(ranks_of_a_core([&own].into_iter()) <= 1);
        }
    }
}
