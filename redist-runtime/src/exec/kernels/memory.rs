//! How kernels reach memory.

use core::fmt;

/// How a kernel reaches the memory that it copies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// By loads and stores alone: best inside a core's own caches.
    Cached,
    /// With prefetches of both ends.
    Prefetched,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Memory::Cached => "cached",
            Memory::Prefetched => "fetched ahead",
        })
    }
}
