//! Threads, memory and open files of a run.

use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};
use std::fs;

/// Fewer threads run if their shares of memory would be smaller.
const MIN_SHARE: usize = 256 << 10;

/// Files that are open for a moment, beside the files that stay open.
const MOMENTARY: usize = 8;

/// Open files of this program where the system does not list them.
const UNLISTED: usize = 16;

/// Threads, each with its share of the memory, and a file that it may open. `beside` ranks share the
/// processors.
pub fn threads(asked: Option<usize>, memory: usize, beside: usize) -> usize {
    let own = || Some(std::thread::available_parallelism().ok()?.get() / beside.max(1));
    let threads = asked.or_else(own);
    let most = (memory / MIN_SHARE).min(open_files_left().saturating_sub(MOMENTARY) / 4);
    threads.unwrap_or(1).clamp(1, most.max(1))
}

/// The place where a rank runs; empty words where the system does not say them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RankPlace {
    /// The start of the system's kernel.
    boot: String,
    /// The machine's name.
    host: String,
    /// Processors that this rank may use.
    processors: String,
}

impl RankPlace {
    pub fn own() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let kernel = |of: &str| read(&format!("/proc/sys/kernel/{of}")).trim().to_owned();
        let status = read("/proc/self/status");
        let processors = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        Self {
            boot: kernel("random/boot_id"),
            host: kernel("hostname"),
            processors: processors.unwrap_or_default().trim().into(),
        }
    }

    /// Returns `true` if both may use the same processors, and no others.
    pub fn is_beside(&self, other: &Self) -> bool {
        (&self.boot, &self.processors) == (&other.boot, &other.processors)
    }

    /// Returns `true` if both see one state of every file at any time.
    pub fn is_near(&self, other: &Self) -> bool {
        (&self.boot, &self.host) == (&other.boot, &other.host)
    }
}

pub fn files_left(threads: usize) -> usize {
    open_files_left().saturating_sub(threads + MOMENTARY)
}

fn open_files_left() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let open = fs::read_dir("/dev/fd").map_or(UNLISTED, Iterator::count);
    limit.saturating_sub(open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_one_machine_are_near_and_may_be_beside() {
        let place = |boot: &str, host: &str, processors: &str| RankPlace {
            boot: boot.into(),
            host: host.into(),
            processors: processors.into(),
        };
        let own = place("b", "one", "0-3");
        assert!(
            own.is_near(&place("b", "one", "4-7")) && !own.is_beside(&place("b", "one", "4-7"))
        );
        assert!(!own.is_near(&place("c", "one", "0-3")) && !own.is_near(&place("b", "two", "0-3")));
        assert!(
            own.is_beside(&place("b", "two", "0-3")) && !own.is_beside(&place("c", "one", "0-3"))
        );
        assert!(RankPlace::own().is_near(&RankPlace::own()));
    }

    #[test]
    fn ranks_beside_each_other_divide_the_processors() {
        let all = threads(None, usize::MAX, 1);
        assert_eq!(threads(None, usize::MAX, 2), (all / 2).max(1));
        assert_eq!((threads(None, usize::MAX, 1000), threads(Some(3), usize::MAX, 2)), (1, 3));
    }
}
