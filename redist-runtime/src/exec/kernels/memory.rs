use core::fmt;

/// A kernel's way to reach memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Loads and stores alone: best inside a core's own caches.
    Cached,
    /// Prefetches of both ends.
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
