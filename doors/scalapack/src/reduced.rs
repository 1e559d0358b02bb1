use redist_mpi::{Communicator, Error, Operation};

/// Returns the bits that all ranks have set. Collective.
pub(crate) fn common_bits(communicator: &Communicator, bits: u64) -> Result<u64, Error> {
    if communicator.size() == 1 {
        return Ok(bits);
    }
    let mut common = [0];
    communicator.allreduce(&[bits], &mut common, Operation::BitAnd)?;
    Ok(common[0])
}

/// Returns the least of each number on all ranks. Collective.
pub(crate) fn least(communicator: &Communicator, numbers: &[i64]) -> Result<Vec<i64>, Error> {
    let mut least = vec![0; numbers.len()];
    communicator.allreduce(numbers, &mut least, Operation::Min)?;
    Ok(least)
}
