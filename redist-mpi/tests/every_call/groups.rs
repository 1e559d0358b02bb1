//! Communicators made of others, and their kept values.

use crate::play::Fallible;
use redist_mpi::{Attribute, Communicator, Error, Flavour, Key, Operation, Port, this_rank};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub fn duplicate(world: &Communicator) -> Fallible {
    let own = world.duplicate()?;
    assert!(own.has_the_ranks_of(world)? && world.has_the_ranks_of(world)?);
    assert_eq!((own.rank(), own.size()), (world.rank(), world.size()));
    let alone = this_rank()?;
    assert_eq!((alone.rank(), alone.size()), (0, 1));
    let kept = world.duplicate()?;
    kept.keep();
    Ok(())
}

pub fn split(world: &Communicator) -> Fallible {
    let (rank, size) = (world.rank(), world.size());
    let backwards = world.split(0, size - rank)?;
    assert_eq!(backwards.rank(), size - 1 - rank);
    assert_eq!(backwards.has_the_ranks_of(world)?, size == 1);
    let half = world.split(rank % 2, rank)?;
    assert_eq!((half.rank(), half.size()), (rank / 2, (size + 1 - rank % 2) / 2));
    assert_eq!(half.has_the_ranks_of(world)?, size == 1);
    assert_eq!(world.split(1 << 40, 0).err(), Some(Error::TooLarge { value: 1 << 40 }));
    Ok(())
}

pub fn split_shared(world: &Communicator) -> Fallible {
    let node = world.split_shared(world.rank())?;
    assert!(node.size() <= world.size() && node.rank() < node.size());
    Ok(())
}

pub fn ranks_of(world: &Communicator) -> Fallible {
    let (rank, size) = (world.rank(), world.size());
    let half = world.split(rank % 2, rank)?;
    let all: Vec<_> = (0..size).filter(|other| other % 2 == rank % 2).map(Some).collect();
    assert_eq!(world.ranks_of(&half)?, all);
    let known = half.ranks_of(world)?;
    let is_right = |(other, known): (usize, &Option<usize>)| {
        *known == (other % 2 == rank % 2).then_some(other / 2)
    };
    assert!(known.iter().enumerate().all(is_right), "{known:?}");
    Ok(())
}

pub fn numbers(world: &Communicator) -> Fallible {
    assert!(world.largest_tag()? >= 32_767);
    // One program was launched; started without a launcher, it has no number.
    assert!(matches!(world.program()?, Some(0) | None));
    Ok(())
}

pub fn halves_join(world: &Communicator) -> Fallible {
    let (rank, size) = (world.rank(), world.size());
    if size == 1 {
        return Ok(());
    }
    let (is_second, half) = (rank >= size / 2, size / 2);
    let own = world.split(usize::from(is_second), rank)?;
    let peers = if is_second { 0 } else { half };
    let both = own.intercommunicator(world, peers, 3)?.merge(is_second)?;
    assert!(both.has_the_ranks_of(world)?);
    let reversed = own.intercommunicator(world, peers, 3)?.merge(!is_second)?;
    assert_eq!(reversed.size(), size);
    assert_eq!(reversed.rank() < size - half, is_second);
    Ok(())
}

/// Both programs are of one launch, which not every library can join.
pub fn ports(world: &Communicator) -> Fallible {
    let _returned = (world.errors_returned()?, this_rank()?);
    let alone = this_rank()?;
    let _also = alone.errors_returned()?;
    let own = world.duplicate()?;
    let port = (own.rank() == 0).then(Port::open).transpose();
    let is_open = u8::from(port.is_ok());
    let mut all_open = [0];
    own.allreduce(&[is_open], &mut all_open, Operation::Min)?;
    if all_open == [0] {
        let Some(Error::Call(error)) = port.err() else { return Ok(()) };
        assert_eq!(error.call, "MPI_Open_port", "{error}");
        return Ok(());
    }
    let port = port?;
    if let Some(port) = &port {
        assert!(!port.name().is_empty());
    }
    // Open MPI joins its own ranks by a port only with a server.
    if own.size() < 2 || own.library().flavour() == Flavour::OpenMpi {
        return Ok(());
    }
    let mut name = [0_u8; 1024];
    if let Some(port) = &port {
        name[..port.name().len()].copy_from_slice(port.name().as_bytes());
    }
    own.bcast(0, &mut name)?;
    let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
    let is_first = own.rank() == 0;
    let part = own.split(usize::from(is_first), own.rank())?;
    let joined = if is_first { part.accept(port.as_ref())? } else { part.connect(&name)? };
    assert_eq!(joined.merge(!is_first)?.size(), own.size());
    Ok(())
}

pub fn errors_returned(world: &Communicator) -> Fallible {
    let returned = world.errors_returned()?;
    let error = world.send(&[0_u8], world.size(), 0);
    assert!(matches!(error, Err(Error::Call(_))), "{error:?}");
    drop(returned);
    world.barrier()
}

struct Counted(&'static AtomicUsize);

impl Attribute for Counted {
    fn deleted(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

pub fn attributes(world: &Communicator) -> Fallible {
    static KEY: Key<Counted> = Key::new();
    static OTHER: Key<Counted> = Key::new();
    static DELETED: AtomicUsize = AtomicUsize::new(0);
    let own = world.duplicate()?;
    assert!(KEY.kept(&own)?.is_none());
    let value = Arc::new(Counted(&DELETED));
    KEY.keep(&own, Arc::clone(&value))?;
    let kept = KEY.kept(&own)?.expect("it is there");
    assert!(Arc::ptr_eq(&kept, &value));
    assert!(OTHER.kept(&own)?.is_none());
    assert!(KEY.kept(&own.duplicate()?)?.is_none(), "a duplicate is another");
    KEY.keep(&own, Arc::new(Counted(&DELETED)))?;
    assert_eq!(DELETED.load(Ordering::Relaxed), 1, "instead of the first");
    drop(own);
    assert_eq!(DELETED.load(Ordering::Relaxed), 2);
    assert_eq!(Arc::strong_count(&value), 2, "here, twice");
    Ok(())
}
