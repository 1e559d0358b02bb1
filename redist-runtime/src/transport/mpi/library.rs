//! Differences between libraries, found by trying them: Open MPI 4.1, and MPICH 4.0 over UCX. Any
//! other library counts as the latter, which asks for more care.

use std::sync::OnceLock;

/// The library of this program: the same on all ranks of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Library {
    /// Eager limit to another node, in bytes, less the library's heads: such a message is on its
    /// way when the sending call returns. By TCP, Open MPI has 64 KiB, MPICH between 16 and 24 KiB.
    pub unasked_bytes: usize,
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
            true => Self { unasked_bytes: 60 << 10 },
            false => Self { unasked_bytes: 16 << 10 },
        }
    }
}
