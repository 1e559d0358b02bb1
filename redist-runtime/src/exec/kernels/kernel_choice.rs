//! The kernel that was chosen for a rank's rows.

use super::{Memory, Vectors};
use crate::layout::vocabulary::counted;
use core::fmt;

/// How the rows of a rank are copied between its local array and its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// There is nothing to copy.
    Idle,
    /// A network of vector shuffles that distributes short runs to a power of two of messages, or
    /// gathers them.
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
    /// Code that the compiler wrote out for these blocks.
    Written {
        /// The instructions.
        vectors: Vectors,
    },
    /// Message by message inside a tile that fits a first-level cache, by copies of constant
    /// lengths.
    Tiles,
    /// Copies of one constant length in the order of the local array.
    Moves {
        /// Bytes of a run.
        run: usize,
    },
    /// Masked vectors in the order of the local array, read from a table.
    Masked,
    /// Copies of any length in the order of the local array, read from a table.
    Table,
    /// `memcpy` in the order of the local array.
    Copy,
    /// Squares of elements with the sides of a cache line, transposed: neighbours in a message are
    /// strided in the local array, and neighbours there in the message.
    Squares,
    /// Element by element: neighbours in a message are strided in the local array.
    Elements,
}

/// A kernel, and why it was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelChoice {
    /// The kernel.
    pub kernel: Kernel,
    /// How it reaches memory.
    pub memory: Memory,
    /// Why it was chosen.
    pub reason: &'static str,
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
            Kernel::Written { vectors } => write!(f, "code for these blocks, {vectors}"),
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

impl fmt::Display for KernelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.memory {
            Memory::Cached => write!(f, "{}: {}", self.kernel, self.reason),
            memory => write!(f, "{}, {memory}: {}", self.kernel, self.reason),
        }
    }
}
