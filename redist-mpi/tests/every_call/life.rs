//! Before, during and after.

use crate::play::Fallible;
use redist_mpi::{
    AsCommunicator, Communicator, CommunicatorRef, Error, Flavour, Library, Threading, initialize,
    is_finalized, is_initialized, is_over, threading, world,
};

pub fn before() {
    assert_eq!(is_initialized(), Ok(false));
    assert_eq!(is_finalized(), Ok(false));
    assert_eq!(world().err(), Some(Error::NotInitialized));
}

pub fn after(world: &Communicator, own: Communicator) {
    assert!(is_over());
    assert_eq!(is_finalized(), Ok(true));
    assert_eq!(world.barrier(), Err(Error::Finalized));
    assert_eq!(world.borrowed().err(), Some(Error::Finalized));
    assert_eq!(own.duplicate().err(), Some(Error::Finalized));
    drop(own);
    assert_eq!(redist_mpi::world().err(), Some(Error::Finalized));
    assert_eq!(initialize().err(), Some(Error::Finalized));
}

pub fn a_library_says_what_it_is(world: &Communicator) -> Fallible {
    let library = Library::get()?;
    assert!(std::ptr::eq(library, world.library()), "it is found once");
    let says = match library.flavour() {
        Flavour::OpenMpi => "Open MPI",
        _ => "MPI",
    };
    assert!(library.version().contains(says), "{}", library.version());
    let bytes = if library.flavour() == Flavour::Mpich { 4 } else { size_of::<usize>() };
    assert_eq!(library.bytes_of_handle(), bytes);
    Ok(())
}

pub fn another_thread_is_told(_: &Communicator) -> Fallible {
    let elsewhere = std::thread::spawn(|| world().map(|world| world.rank()).err());
    let error = elsewhere.join().expect("no panic");
    let expected = (threading()? < Threading::Serialized).then_some(Error::Threads);
    assert_eq!(error, expected);
    Ok(())
}

pub fn initialising_twice_is_told(_: &Communicator) -> Fallible {
    assert_eq!(is_initialized(), Ok(true));
    assert_eq!(is_finalized(), Ok(false));
    assert!(!is_over());
    assert_eq!(initialize().err(), Some(Error::AlreadyInitialized));
    Ok(())
}

pub fn handles_come_back(world: &Communicator) -> Fallible {
    let own = world.duplicate()?;
    let (raw, number) = (own.as_raw(), own.as_fortran());
    // SAFETY: all are of `own`, which lives.
    let again = unsafe {
        let place = (&raw const raw).cast::<u8>();
        let skipped =
            if cfg!(target_endian = "big") { 8 - own.library().bytes_of_handle() } else { 0 };
        [
            CommunicatorRef::from_raw(raw)?,
            CommunicatorRef::from_fortran(number)?,
            CommunicatorRef::from_place(place.add(skipped).cast())?,
        ]
    };
    for again in again.iter().map(AsCommunicator::borrowed).chain([own.borrowed()]) {
        let again = again?;
        assert_eq!((again.as_raw(), again.has_the_ranks_of(&own)?), (raw, true));
        assert_eq!((again.rank(), again.size()), (world.rank(), world.size()));
    }
    Ok(())
}
