//! Two programs, a producer and a consumer, each of which knows only its own layout.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::groups::{Intercommunicator, Port};
use super::live::LiveCommunicator;
use crate::error::Error;
use crate::plan::Side;
use crate::plan::schedule::CostModel;
use crate::transport::{Channel, Proposal, RankGroup, wire};
use ::mpi::ffi::MPI_Comm;
use ::mpi::traits::{AsRaw, Communicator};
use std::sync::Arc;

/// The most programs of one launch.
const MAX_PROGRAMS: usize = 1 << 20;

/// The programs of one launch: `mpirun -n 3 producer : -n 4 consumer`.
#[derive(Debug)]
pub struct Programs {
    world: OwnCommunicator,
    own: OwnCommunicator,
    program: usize,
    /// The lowest rank of each program in the world.
    leaders: Vec<u64>,
}

impl Programs {
    /// Sorts the ranks of the world by program (`MPI_APPNUM`). Collective over all of them.
    ///
    /// # Errors
    /// What the library says; or that it does not number the programs of a launch.
    pub fn of(world: &(impl Communicator + AsRaw<Raw = MPI_Comm>)) -> Result<Self, Error> {
        let world = LiveCommunicator::of(world).duplicate()?;
        let program = world.program()?;
        let own = world.split(program)?;
        let rank = world.rank();
        let [not_last, version, not_version] = {
            let [version, not_version] = wire::version_words();
            world.minima([!(program as u64), version, not_version])?
        };
        wire::same_version(version, not_version).map_err(|error| error.told_by(rank))?;
        let last = wire::at_most("programs", !not_last, MAX_PROGRAMS);
        let last = last.map_err(|error| error.told_by(rank))?;
        let mut leaders = vec![world.size() as u64; last + 1];
        leaders[program] = rank as u64;
        world.minima_of(&mut leaders)?;
        Ok(Self { world, own, program, leaders })
    }

    /// The number of this program in the launch, from 0.
    pub fn program(&self) -> usize {
        self.program
    }

    /// Number of programs in the launch.
    pub fn count(&self) -> usize {
        self.leaders.len()
    }

    /// This rank's number in its program.
    pub fn rank(&self) -> usize {
        self.own.rank()
    }

    /// Number of ranks of this program.
    pub fn size(&self) -> usize {
        self.own.size()
    }

    /// Couples this program, in the role of `role`, with another. Collective over both, which take
    /// opposite roles; a program that is coupled with several calls this once for each, in an order
    /// that cannot deadlock, such as that of the programs' numbers.
    ///
    /// # Errors
    /// There is no such program, or what the library says.
    pub fn couple(&self, role: Side, program: usize) -> Result<Coupling, Error> {
        let is_there = |leader: &&u64| **leader < self.world.size() as u64;
        let leader = self.leaders.get(program).filter(|_| program != self.program);
        let leader = leader.filter(is_there);
        let Some(&leader) = leader else {
            let others = self.leaders.len();
            let text = format!(
                "program {} cannot be coupled with program {program} of {others}",
                self.program
            );
            return Err(Error::Coupling { rank: self.own.rank(), reason: text });
        };
        let tag = self.program.min(program) * self.leaders.len() + self.program.max(program);
        self.own.join(&self.world, leader as usize, tag, role)
    }
}

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

impl OwnCommunicator {
    fn join(
        &self,
        peers: &OwnCommunicator,
        leader: usize,
        tag: usize,
        role: Side,
    ) -> Result<Coupling, Error> {
        Coupling::merged(self.intercommunicator(peers, leader, tag)?, self.size(), role)
    }
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
        communicator: &(impl Communicator + AsRaw<Raw = MPI_Comm>),
        role: Side,
        publish: impl FnOnce(&str),
    ) -> Result<Self, Error> {
        let own = LiveCommunicator::of(communicator).duplicate()?;
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
        communicator: &(impl Communicator + AsRaw<Raw = MPI_Comm>),
        role: Side,
        port: &str,
    ) -> Result<Self, Error> {
        let own = LiveCommunicator::of(communicator).duplicate()?;
        let port = own.broadcast_text(0, port)?;
        if port.is_empty() {
            let text = "the name of the port is empty: the other program could not open one".into();
            return Err(Error::Coupling { rank: own.rank(), reason: text });
        }
        Self::merged(own.connect(&port)?, own.size(), role)
    }

    fn merged(inter: Intercommunicator, own: usize, role: Side) -> Result<Self, Error> {
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

    fn cost_model(&self) -> CostModel {
        self.context.cost_model()
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error> {
        super::open(&self.context, proposal)
    }
}
