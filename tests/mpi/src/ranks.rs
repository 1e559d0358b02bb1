//! Parts of the ranks, and messages around.

use redist::mpi::Communicator;
use redist_mpi::Error;

/// Returns a communicator of the ranks that are in; `None` on all other ranks. Collective.
pub fn part(world: &Communicator, is_in: bool) -> Result<Option<Communicator>, Error> {
    let part = world.split(usize::from(!is_in), world.rank())?;
    Ok(is_in.then_some(part))
}

/// Returns a communicator of the same ranks in the other order. Collective.
pub fn reversed(world: &Communicator) -> Result<Communicator, Error> {
    world.split(0, world.size() - world.rank())
}

/// Sends this rank's number to the next one, and receives a number from a rank, or from any rank.
/// Collective.
pub fn passed_on(world: &Communicator, from: Option<usize>) -> Result<usize, Error> {
    let (rank, size) = (world.rank(), world.size());
    let (mine, mut theirs) = ([rank as u64], [0_u64]);
    // SAFETY: the number is left alone until the request is complete, below.
    let mut sent = unsafe { world.isend(mine.as_ptr().cast(), 8, (rank + 1) % size, 0) }?;
    world.recv(&mut theirs, from, None)?;
    sent.wait()?;
    Ok(theirs[0] as usize)
}
