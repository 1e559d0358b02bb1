//! Two programs, a producer and a consumer, each of which knows only its own layout.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::groups::{Intercommunicator, Port};
use super::live::duplicate;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::{Channel, Proposal, RankGroup, wire};
use redist_mpi::AsCommunicator;
use std::sync::Arc;

/// A producer and a consumer on one communicator: the producer's ranks first, then the consumer's.
///
/// Plans are bound to it as to any communicator. Each program states its own layout with ranks from
/// [`first_rank`](Coupling::first_rank) on, and gets the other's from
/// [`handshake`](Coupling::handshake).
#[derive(Debug)]
pub struct Coupling {
    context: Arc<Context>,
    role: Side,
    producers: usize,
}

impl Coupling {
    /// Waits for another program, started by itself, to [`connect`](Coupling::connect). Collective
    /// over `communicator`.
    ///
    /// `publish` is called on rank 0 with the name of the port, which the other program needs.
    /// Where the library has no ports the name is empty, and `connect` fails with it as this does,
    /// so that neither program waits for the other.
    ///
    /// OpenMPI joins programs of one launch so. MPICH over UCX, as Debian builds it, has no ports.
    ///
    /// # Errors
    /// What the library says; the same on every rank.
    pub fn accept(
        communicator: &impl AsCommunicator,
        role: Side,
        publish: impl FnOnce(&str),
    ) -> Result<Self, Error> {
        let own = duplicate(communicator)?;
        let port = own.open_port();
        if own.rank() == 0 {
            publish(port.as_ref().ok().and_then(Option::as_ref).map_or("", Port::name));
        }
        Self::merged(own.accept(port?.as_ref())?, own.size(), role)
    }

    /// Joins a program that [accepts](Coupling::accept) under the name `port`. Collective over
    /// `communicator`; only rank 0 needs the name.
    ///
    /// # Errors
    /// The name is empty, or what the library says; the same on every rank.
    pub fn connect(
        communicator: &impl AsCommunicator,
        role: Side,
        port: &str,
    ) -> Result<Self, Error> {
        let own = duplicate(communicator)?;
        let port = own.broadcast_text(0, port)?;
        if port.is_empty() {
            let text = "the name of the port is empty: the other program could not open one".into();
            return Err(Error::Coupling { rank: own.rank(), reason: text });
        }
        Self::merged(own.connect(&port)?, own.size(), role)
    }

    pub(super) fn merged(inter: Intercommunicator, own: usize, role: Side) -> Result<Self, Error> {
        let communicator = inter.merge(role == Side::Destination)?;
        let producers = if role == Side::Source { own } else { communicator.size() - own };
        let is_producer = u64::from(role == Side::Source);
        let [version, not_version] = wire::version_words();
        let [version, not_version, least, most] =
            communicator.minima([version, not_version, is_producer, !is_producer])?;
        wire::same_version(version, not_version)
            .map_err(|error| error.told_by(communicator.rank()))?;
        if least == !most {
            let text = format!(
                "both programs are the {role}; one has to be the source, the other the destination"
            );
            return Err(Error::Coupling { rank: communicator.rank(), reason: text });
        }
        Self::of(communicator, role, producers)
    }

    /// Of a communicator with the producer's ranks first. Collective.
    pub(super) fn of(
        communicator: OwnCommunicator,
        role: Side,
        producers: usize,
    ) -> Result<Self, Error> {
        Ok(Self { context: Context::on(communicator)?, role, producers })
    }

    /// This program's role.
    pub fn role(&self) -> Side {
        self.role
    }

    /// This rank's number in the coupling.
    pub fn rank(&self) -> usize {
        self.context.communicator().rank()
    }

    /// Number of ranks of both programs.
    pub fn size(&self) -> usize {
        self.context.communicator().size()
    }

    /// Number of ranks of the producer.
    pub fn producers(&self) -> usize {
        self.producers
    }

    /// Number of ranks of the consumer.
    pub fn consumers(&self) -> usize {
        Coupling::size(self) - self.producers
    }

    /// The rank that this program's rank 0 has in the coupling.
    pub fn first_rank(&self) -> usize {
        match self.role {
            Side::Source => 0,
            Side::Destination => self.producers,
        }
    }

    /// The bytes of each program, the producer's first, on all ranks of both. Collective; its cost
    /// does not depend on the number of ranks but for the depth of a broadcast.
    pub(crate) fn exchange(&self, ours: &[u8]) -> Result<[Vec<u8>; 2], Error> {
        let both = self.context.communicator();
        Ok([both.broadcast_bytes(0, ours)?, both.broadcast_bytes(self.producers, ours)?])
    }
}

impl RankGroup for Coupling {
    fn rank(&self) -> usize {
        Coupling::rank(self)
    }

    fn size(&self) -> usize {
        Coupling::size(self)
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error> {
        super::open(&self.context, proposal)
    }
}
