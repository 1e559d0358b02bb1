//! Groups of ranks: split, joined with others of the same launch, or with a program that was
//! started by itself.

use super::attribute::is_over;
use super::communicator::OwnCommunicator;
use super::live::{duplicate_of, told};
use crate::error::Error;
use std::ffi::c_int;
use std::mem::ManuallyDrop;

/// Groups of ranks: made, split and joined. All collective.
impl OwnCommunicator {
    /// Another duplicate.
    pub fn again(&self) -> Result<Self, Error> {
        duplicate_of(self.live())
    }

    /// The largest tag that messages may have.
    pub fn largest_tag(&self) -> Result<c_int, Error> {
        self.check(self.live().largest_tag())
    }

    /// The number of this rank's program in the launch.
    pub fn program(&self) -> Result<usize, Error> {
        self.check(self.live().program())?.ok_or_else(|| {
            let reason =
                "the launcher does not number the programs of a launch (MPI_APPNUM)".into();
            Error::Coupling { rank: self.rank(), reason }
        })
    }

    /// The ranks with one color, numbered by `order`.
    pub fn split(&self, color: usize, order: usize) -> Result<Self, Error> {
        self.check(self.live().split(color, order)).map(Self::adopt)
    }

    /// Joins these ranks with others, whose leader is rank `leader` of `peers`; the leader here is
    /// rank 0.
    pub fn intercommunicator(
        &self,
        peers: &Self,
        leader: usize,
        tag: usize,
    ) -> Result<Intercommunicator, Error> {
        let tag = c_int::try_from(tag).unwrap_or(c_int::MAX);
        self.joined(self.live().intercommunicator(peers.live(), leader, tag))
    }

    /// A port on rank 0. All ranks fail alike.
    pub fn open_port(&self) -> Result<Option<Port>, Error> {
        let port = (self.rank() == 0).then(Port::open).transpose();
        let failed = port.as_ref().err().map(Error::to_string).unwrap_or_default();
        let reason = self.broadcast_text(0, &failed)?;
        if port.is_ok() && !reason.is_empty() {
            Err(Error::PeerFailed { rank: 0, reason })
        } else {
            port
        }
    }

    /// Waits for others to connect to a port, which rank 0 has opened.
    pub fn accept(&self, port: Option<&Port>) -> Result<Intercommunicator, Error> {
        self.joined(self.live().accept(port.map(|port| &*port.0)))
    }

    /// Connects to a port of this name.
    pub fn connect(&self, port: &str) -> Result<Intercommunicator, Error> {
        self.joined(self.live().connect(port))
    }

    fn joined(
        &self,
        joined: Result<redist_mpi::Intercommunicator, redist_mpi::Error>,
    ) -> Result<Intercommunicator, Error> {
        Ok(Intercommunicator(ManuallyDrop::new(self.check(joined)?)))
    }
}

/// Two groups of ranks that see each other. Freed when dropped, unless MPI is about to be
/// finalised.
#[derive(Debug)]
pub(super) struct Intercommunicator(ManuallyDrop<redist_mpi::Intercommunicator>);

impl Intercommunicator {
    /// All ranks of both groups on one communicator; the group that says `high` comes second.
    /// Collective over both.
    pub fn merge(&self, high: bool) -> Result<OwnCommunicator, Error> {
        self.0.merge(high).map(OwnCommunicator::adopt).map_err(|why| told(0, why))
    }
}

impl Drop for Intercommunicator {
    fn drop(&mut self) {
        if !is_over() {
            // SAFETY: this is dropped once, and nothing uses the value after it.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}

/// A port at which other programs can connect. Closed when dropped, unless MPI is about to be
/// finalised.
#[derive(Debug)]
pub(super) struct Port(ManuallyDrop<redist_mpi::Port>);

impl Port {
    fn open() -> Result<Self, Error> {
        let told = |why| told(0, why);
        let (world, alone) =
            (redist_mpi::world().map_err(told)?, redist_mpi::this_rank().map_err(told)?);
        // Libraries differ in the communicator that they report to.
        let _guards =
            [world.errors_returned().map_err(told)?, alone.errors_returned().map_err(told)?];
        Ok(Self(ManuallyDrop::new(redist_mpi::Port::open().map_err(told)?)))
    }

    /// The name that others connect to.
    pub fn name(&self) -> &str {
        self.0.name()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        if !is_over() {
            // SAFETY: this is dropped once, and nothing uses the value after it.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}
