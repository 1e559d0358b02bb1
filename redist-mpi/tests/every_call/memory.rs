//! Memory that ranks share.

use crate::play::Fallible;
use redist_mpi::Communicator;

pub fn shared_window(world: &Communicator) -> Fallible {
    let node = world.split_shared(world.rank())?;
    let window = node.shared_window(64 + node.rank() * 8)?;
    assert!(window.is_unified()?);
    let (own, bytes) = window.part(node.rank())?;
    assert_eq!(bytes, 64 + node.rank() * 8);
    // SAFETY: the part has that many bytes, aligned to 8, and others read it after the barrier.
    unsafe { own.cast::<u64>().write(node.rank() as u64 + 10) };
    window.sync()?;
    node.barrier()?;
    window.sync()?;
    for rank in 0..node.size() {
        let (part, bytes) = window.part(rank)?;
        assert_eq!(bytes, 64 + rank * 8);
        // SAFETY: the rank wrote to the beginning of its part before the barrier, and has not
        // written since.
        assert_eq!(unsafe { part.cast::<u64>().read() }, rank as u64 + 10);
    }
    node.barrier()?;
    drop(window);
    std::mem::forget(node.shared_window(8)?);
    node.keep();
    Ok(())
}
