//! The calls of MPI that are needed beside redist's own.

use mpi::ffi::{self, MPI_Comm};
use std::ffi::c_int;
use std::ptr::from_ref;

/// A handle, which may be of a communicator that is gone.
#[derive(Clone, Copy)]
pub(crate) struct Raw(pub MPI_Comm);

impl Raw {
    /// Of a number that Fortran knows the communicator by.
    pub fn from_fortran(number: c_int) -> Self {
        // SAFETY: the call looks a number up in a table, and returns a handle in any case.
        Self(unsafe { ffi::RSMPI_Comm_f2c(number) })
    }
}

/// A communicator that is alive while a routine runs.
#[derive(Clone, Copy)]
pub(crate) struct Communicator {
    pub raw: MPI_Comm,
    pub rank: usize,
    pub size: usize,
}

impl Communicator {
    /// # Safety
    /// It is an intracommunicator of this process, of the library that this is linked with, and is
    /// not freed while the value is used.
    pub unsafe fn new(raw: Raw) -> Self {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the communicator is alive, as the caller says; both numbers outlive the calls.
        unsafe {
            checked("MPI_Comm_rank", ffi::MPI_Comm_rank(raw.0, &mut rank));
            checked("MPI_Comm_size", ffi::MPI_Comm_size(raw.0, &mut size));
        }
        Self { raw: raw.0, rank: rank as usize, size: size as usize }
    }

    /// All processes.
    pub fn world() -> Self {
        // SAFETY: the constant is initialised before any code runs; the communicator lives as long
        // as MPI does, which a routine of ScaLAPACK may be called in only.
        unsafe { Self::new(Raw(ffi::RSMPI_COMM_WORLD)) }
    }

    /// The bits that all ranks have set. Collective.
    pub fn common_bits(self, bits: u64) -> u64 {
        if self.size == 1 {
            return bits;
        }
        let mut common = 0_u64;
        // SAFETY: the communicator is alive; both numbers are of the type that is stated, distinct
        // and live, and the type and the operation are constants of the library.
        let code = unsafe {
            let to = (&raw mut common).cast();
            let (kind, and) = (ffi::RSMPI_UINT64_T, ffi::RSMPI_BAND);
            ffi::MPI_Allreduce(from_ref(&bits).cast(), to, 1, kind, and, self.raw)
        };
        checked("MPI_Allreduce", code);
        common
    }

    /// The least of each number on all ranks, which bring equally many. Collective.
    pub fn least(self, numbers: &[i64]) -> Vec<i64> {
        let mut least = vec![0_i64; numbers.len()];
        let count = numbers.len().try_into().expect("a few for each process");
        // SAFETY: the communicator is alive; both lists have as many numbers of the type that is
        // stated as the call is told, and are distinct; the constants are the library's.
        let code = unsafe {
            let (from, to) = (numbers.as_ptr().cast(), least.as_mut_ptr().cast());
            let (kind, min) = (ffi::RSMPI_INT64_T, ffi::RSMPI_MIN);
            ffi::MPI_Allreduce(from, to, count, kind, min, self.raw)
        };
        checked("MPI_Allreduce", code);
        least
    }

    /// The rank here of each rank of another communicator; `None` where it has none. Local.
    pub fn ranks_of(self, other: Communicator) -> Vec<Option<usize>> {
        let theirs: Vec<c_int> = (0..other.size as c_int).collect();
        let mut here = vec![0; other.size];
        // SAFETY: both communicators are alive; the groups are made here, used, and freed once;
        // both lists have as many numbers as the call is told.
        let undefined = unsafe {
            let mut groups = [other.raw, self.raw].map(|raw| {
                let mut group = ffi::RSMPI_GROUP_NULL;
                checked("MPI_Comm_group", ffi::MPI_Comm_group(raw, &mut group));
                group
            });
            let (from, to) = (theirs.as_ptr(), here.as_mut_ptr());
            let count = other.size as c_int;
            let code = ffi::MPI_Group_translate_ranks(groups[0], count, from, groups[1], to);
            checked("MPI_Group_translate_ranks", code);
            for group in &mut groups {
                checked("MPI_Group_free", ffi::MPI_Group_free(group));
            }
            ffi::RSMPI_UNDEFINED
        };
        here.iter().map(|&rank| (rank != undefined).then_some(rank as usize)).collect()
    }
}

/// Errors of MPI end the program where the program has not asked for others; then this does.
pub(crate) fn checked(call: &str, code: c_int) {
    assert!(code == ffi::MPI_SUCCESS as c_int, "{call} failed, with code {code}");
}
