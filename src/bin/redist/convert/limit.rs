use rustix::process::{Resource, getrlimit};
use std::fs;

const UNLISTED: usize = 16;

pub fn files_left() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let open = fs::read_dir("/dev/fd").map_or(UNLISTED, Iterator::count);
    limit.saturating_sub(open)
}
