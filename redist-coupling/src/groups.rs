//! Groups of ranks, split, or joined within a launch or across launches. All is collective.

use redist_runtime::Error;
use redist_runtime::transport::mpi::groups::{OwnCommunicator, is_over, told};
use std::ffi::c_int;
use std::mem;

pub fn program(own: &OwnCommunicator) -> Result<usize, Error> {
    own.check(own.live().program())?.ok_or_else(|| {
        let reason = "the launcher does not number the programs of a launch (MPI_APPNUM)".into();
        Error::Coupling { rank: own.rank(), reason }
    })
}

pub fn split(own: &OwnCommunicator, color: usize, order: usize) -> Result<OwnCommunicator, Error> {
    own.check(own.live().split(color, order)).map(OwnCommunicator::adopt)
}

/// Joins these ranks, led by rank 0, with others, led by rank `leader` of `peers`.
pub fn intercommunicator(
    own: &OwnCommunicator,
    (peers, leader): (&OwnCommunicator, usize),
    tag: usize,
) -> Result<Intercommunicator, Error> {
    let tag = c_int::try_from(tag).unwrap_or(c_int::MAX);
    let joined = own.live().intercommunicator(peers.live(), leader, tag);
    own.check(joined).map(Some).map(Intercommunicator)
}

/// Opens a port on rank 0. All ranks fail alike.
pub fn open_port(own: &OwnCommunicator) -> Result<Option<Port>, Error> {
    let port = (own.rank() == 0).then(Port::open).transpose();
    let failed = port.as_ref().err().map(Error::to_string).unwrap_or_default();
    let reason = own.broadcast_text(0, &failed)?;
    if port.is_ok() && !reason.is_empty() {
        Err(Error::PeerFailed { rank: 0, reason })
    } else {
        port
    }
}

pub fn accept(own: &OwnCommunicator, port: Option<&Port>) -> Result<Intercommunicator, Error> {
    let port = port.and_then(|port| port.0.as_ref());
    own.check(own.live().accept(port)).map(Some).map(Intercommunicator)
}

pub fn connect(own: &OwnCommunicator, port: &str) -> Result<Intercommunicator, Error> {
    own.check(own.live().connect(port)).map(Some).map(Intercommunicator)
}

#[derive(Debug)]
pub struct Intercommunicator(Option<redist_mpi::Intercommunicator>);

impl Intercommunicator {
    /// Joins both groups in one communicator; the one that passes `high` comes second. Collective.
    pub fn merge(&self, high: bool) -> Result<OwnCommunicator, Error> {
        let both = self.0.as_ref().expect("it is there until this is dropped");
        both.merge(high).map(OwnCommunicator::adopt).map_err(|why| told(0, why))
    }
}

impl Drop for Intercommunicator {
    fn drop(&mut self) {
        if is_over() {
            mem::forget(self.0.take());
        }
    }
}

/// A port for other programs. Dropping closes it, unless MPI is about to be finalised.
#[derive(Debug)]
pub struct Port(Option<redist_mpi::Port>);

impl Port {
    fn open() -> Result<Self, Error> {
        let told = |why| told(0, why);
        let (world, alone) =
            (redist_mpi::world().map_err(told)?, redist_mpi::this_rank().map_err(told)?);
        // Libraries differ in the communicator on which they report errors.
        let _guards =
            [world.errors_returned().map_err(told)?, alone.errors_returned().map_err(told)?];
        Ok(Self(Some(redist_mpi::Port::open().map_err(told)?)))
    }

    pub fn name(&self) -> &str {
        self.0.as_ref().map_or("", redist_mpi::Port::name)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        if is_over() {
            mem::forget(self.0.take());
        }
    }
}
