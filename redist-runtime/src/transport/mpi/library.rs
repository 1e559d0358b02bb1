//! Differences between libraries, found by trying them: Open MPI 4.1, and MPICH 4.0 over UCX. Any
//! other library counts as the latter, which asks for more care.

/// Returns the eager limit to another node, in bytes, less the library's heads: such a message is on
/// its way when the sending call returns. By TCP, Open MPI has 64 KiB, MPICH between 16 and 24 KiB.
/// The same on all ranks of a job.
pub(super) fn unasked_bytes() -> usize {
    match redist_mpi::Library::get() {
        Ok(found) if found.version().starts_with("Open MPI") => 60 << 10,
        _ => 16 << 10,
    }
}
