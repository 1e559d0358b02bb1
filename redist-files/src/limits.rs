//! Threads, memory and open files of a run.

use rustix::process::{Resource, getrlimit};
use std::fs;

/// Fewer threads run if their shares of memory would be smaller.
const MIN_SHARE: usize = 256 << 10;

/// Files that are open for a moment, beside the files that stay open.
const MOMENTARY: usize = 8;

/// Open files of this program where the system does not list them.
const UNLISTED: usize = 16;

/// Threads, each with its share of the memory, and a file that it may open.
pub fn threads(asked: Option<usize>, memory: usize) -> usize {
    let threads = asked.or_else(|| Some(std::thread::available_parallelism().ok()?.get()));
    let most = (memory / MIN_SHARE).min(open_files_left().saturating_sub(MOMENTARY) / 4);
    threads.unwrap_or(1).clamp(1, most.max(1))
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
