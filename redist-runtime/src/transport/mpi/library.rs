//! Differences between libraries, found by trying them: Open MPI 4.1, and MPICH 4.0 over UCX. Any
//! other library counts as the latter, which asks for more care.

use crate::transport::wire::report::PIECE_BYTES;
use std::sync::OnceLock;

/// The library of this program: the same on all ranks of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Library {
    /// Eager limit to another node, in bytes, less the library's heads: such a message is on its
    /// way when the sending call returns. By TCP, Open MPI has 64 KiB, MPICH between 16 and 24 KiB.
    pub unasked_bytes: usize,
    /// `true` if a rank may end while messages to it, which it never receives, are on their way.
    /// MPICH over UCX waits for ever then, so all messages of a move must be sent before any rank
    /// learns that another makes a different call.
    pub ends_with_messages_left: bool,
}

impl Library {
    /// To be called when MPI is initialised.
    pub fn linked() -> Self {
        static LINKED: OnceLock<Library> = OnceLock::new();
        *LINKED.get_or_init(|| {
            Self::named(redist_mpi::Library::get().map_or("", |found| found.version()))
        })
    }

    fn named(version: &str) -> Self {
        match version.starts_with("Open MPI") {
            true => Self { unasked_bytes: PIECE_BYTES, ends_with_messages_left: true },
            false => Self { unasked_bytes: 16 << 10, ends_with_messages_left: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_asks_for_care() {
        let named = |version| Library::named(version).ends_with_messages_left;
        assert!(named("Open MPI v4.1.4, package: Debian OpenMPI"));
        assert!(!named("MPICH Version:\t4.0.2"));
        assert!(!named(""));
    }
}
