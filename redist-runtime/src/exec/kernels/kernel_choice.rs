//! Names of the kernels, and which kernel is chosen for what reason, for `explain`.

use super::Vectors;
use crate::layout::vocabulary::counted;
use core::fmt;

/// A way to copy a rank's rows between its local array and its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// No elements to copy.
    Idle,
    /// Vector shuffles that distribute short runs to messages in turn, or gather them.
    Network {
        /// Bytes of a run.
        run: usize,
        /// Number of messages.
        peers: usize,
        /// The instructions.
        vectors: Vectors,
    },
    /// Permutations of whole vectors, read from a table.
    Permute,
    /// Code that the compiler wrote for these blocks.
    Compiled {
        /// The instructions.
        vectors: Vectors,
    },
    /// Message by message, by copies of constant lengths, in tiles that fit a first-level cache.
    Tiles,
    /// Copies of one constant length, in array order.
    Moves {
        /// Bytes of a run.
        run: usize,
    },
    /// Masked vectors in array order, read from a table.
    Masked,
    /// Copies of any length in array order, read from a table.
    Table,
    /// `memcpy` in array order.
    Copy,
    /// Transposed squares with the side of a cache line, if each side's neighbours are strided.
    Squares,
    /// Element by element, if neighbours in a message are strided in the local array.
    Elements,
}

/// A kernel's way to reach memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Loads and stores only: best inside a core's own caches.
    Cached,
    /// Prefetches of both ends.
    Prefetched,
}

/// A kernel, with the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelChoice {
    /// The kernel.
    pub kernel: Kernel,
    /// Its way to reach memory.
    pub memory: Memory,
    /// Reason of the choice.
    pub reason: &'static str,
}

impl KernelChoice {
    pub(in crate::exec) fn is_compiled(&self) -> bool {
        matches!(self.kernel, Kernel::Compiled { .. })
    }

    pub(in crate::exec) fn without_reason(&self) -> String {
        match self.memory {
            Memory::Cached => self.kernel.to_string(),
            memory => format!("{}, {memory}", self.kernel),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kernel::Idle => f.write_str("nothing to copy"),
            Kernel::Network { run, peers, vectors } => {
                let (run, peers) = (counted(*run, "byte"), counted(*peers, "message"));
                write!(f, "a network for runs of {run} and {peers}, {vectors}")
            }
            Kernel::Permute => f.write_str("permuted vectors"),
            Kernel::Compiled { vectors } => write!(f, "code for these blocks, {vectors}"),
            Kernel::Tiles => f.write_str("message by message inside tiles"),
            Kernel::Moves { run } => write!(f, "inline copies of {}", counted(*run, "byte")),
            Kernel::Masked => write!(f, "a table of runs, masked copies, {}", Vectors::Avx512),
            Kernel::Table => f.write_str("a table of runs"),
            Kernel::Copy => f.write_str("one memcpy per run"),
            Kernel::Squares => f.write_str("squares of elements, transposed"),
            Kernel::Elements => f.write_str("element by element"),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Memory::Cached => "cached",
            Memory::Prefetched => "fetched ahead",
        })
    }
}

impl fmt::Display for KernelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.without_reason(), self.reason)
    }
}
