//! Two programs, a producer and a consumer, each of which knows only its own layout.

use crate::apart;
use crate::greeting;
use crate::groups::{self, Intercommunicator, Port};
use crate::parts::{ArrayPart, CommonPart};
use redist_mpi::{AsCommunicator, CommunicatorRef};
use redist_plan::layout::Layout;
use redist_plan::plan::Side;
use redist_runtime::Error;
use redist_runtime::transport::mpi::groups::{JoinedRanks, OwnCommunicator, duplicate};
use redist_runtime::transport::wire::{self, WireError};
use std::any::Any;
use std::path::Path;
use std::time::Duration;

/// A producer and a consumer on one communicator: the producer's ranks first, then the consumer's.
///
/// Plans are bound to it as to any communicator. Each program states its own layout with ranks from
/// [`first_rank`](Coupling::first_rank) on, and gets the other's from
/// [`handshake`](Coupling::handshake).
#[derive(Debug)]
pub struct Coupling {
    ranks: JoinedRanks,
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
        let port = groups::open_port(&own);
        if own.rank() == 0 {
            publish(port.as_ref().ok().and_then(Option::as_ref).map_or("", Port::name));
        }
        Self::merged(groups::accept(&own, port?.as_ref())?, own.size(), role)
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
        Self::merged(groups::connect(&own, &port)?, own.size(), role)
    }

    /// Couples two programs that are launched apart: both name one file, which need not exist, in a
    /// folder that rank 0 of either can write to. The source waits there for the destination, and
    /// the destination for the source, for so long. Collective over `communicator`.
    ///
    /// Of Open MPI 4 this needs a server of ports, `ompi-server -r FILE`, and `--ompi-server
    /// file:FILE` for the launcher of each program; each launch has to be on one node then, that of
    /// its launcher. Programs of one launch need neither. MPICH over UCX has no
    /// ports, and so cannot do this at all.
    ///
    /// # Errors
    /// [`Error::Rendezvous`], with the file: the other program has not come in time, the library
    /// cannot join the two, or the file cannot be used; the same on every rank of a program, and on
    /// the other program as well, unless that has not come. Else as [`accept`](Coupling::accept).
    pub fn rendezvous(
        communicator: &impl AsCommunicator,
        role: Side,
        file: impl AsRef<Path>,
        limit: Duration,
    ) -> Result<Self, Error> {
        let own = duplicate(communicator)?;
        let inter = apart::meet(&own, role == Side::Source, file.as_ref(), limit)?;
        Self::merged(inter, own.size(), role)
    }

    pub(crate) fn merged(inter: Intercommunicator, own: usize, role: Side) -> Result<Self, Error> {
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
    pub(crate) fn of(
        communicator: OwnCommunicator,
        role: Side,
        producers: usize,
    ) -> Result<Self, Error> {
        Ok(Self { ranks: JoinedRanks::on(communicator)?, role, producers })
    }

    /// This program's role.
    pub fn role(&self) -> Side {
        self.role
    }

    /// This rank's number in the coupling.
    pub fn rank(&self) -> usize {
        self.ranks.communicator().rank()
    }

    /// Number of ranks of both programs.
    pub fn size(&self) -> usize {
        self.ranks.communicator().size()
    }

    /// Number of ranks of the producer.
    pub fn producers(&self) -> usize {
        self.producers
    }

    /// Number of ranks of the consumer.
    pub fn consumers(&self) -> usize {
        self.size() - self.producers
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
    fn exchange(&self, ours: &[u8]) -> Result<[Vec<u8>; 2], Error> {
        let both = self.ranks.communicator();
        Ok([both.broadcast_bytes(0, ours)?, both.broadcast_bytes(self.producers, ours)?])
    }

    /// As [`handshake`](Coupling::handshake), of programs that hold parts of one array: each tells
    /// which, and how it has dealt that to its ranks, and gets what both have. A plan of these
    /// layouts and extents moves that, between arrays that each program allocates for all of its
    /// part, whichever programs it is coupled with. `None`, for both, where the parts have nothing
    /// in common.
    ///
    /// Several programs can produce one array, and several consume it, coupled in pairs.
    ///
    /// # Errors
    /// As [`handshake`](Coupling::handshake); a layout that is already that of a section, or that
    /// permutes axes; a part that ends past the largest index.
    pub fn handshake_of_parts<const D: usize>(
        &self,
        own: Layout<D>,
        part: ArrayPart<D>,
    ) -> Result<Option<CommonPart<D>>, Error> {
        let is_whole = own.of.is_none() && own.axes.is_sorted();
        // Where this program's layout will not do, the other is told by what makes no sense.
        let told = if is_whole {
            greeting::written_place(&(part.at, part.extents))
        } else {
            String::new()
        };
        let [from, to] = self.exchange(told.as_bytes())?;
        if !is_whole {
            let text = format!("`{own}` is not a layout of the whole part, with its axes in order");
            return Err(self.disagreement(text));
        }
        let places =
            [self.read(greeting::read_place(&from))?, self.read(greeting::read_place(&to))?];
        let common = greeting::common(places).map_err(|text| self.disagreement(text))?;
        let Some((at, extents)) = common else { return Ok(None) };
        let inside = std::array::from_fn(|dimension| at[dimension] - part.at[dimension]);
        let own = own.of(part.extents).at(inside);
        let (peer, extents) = self.handshake(own, Some(extents))?;
        let (from, to) = if self.role() == Side::Source { (own, peer) } else { (peer, own) };
        Ok(Some(CommonPart { part: ArrayPart { at, extents }, from, to }))
    }

    /// Tells the other program this one's layout and the extents of the array, as far as it knows
    /// them, and gets the other's. Collective; its cost does not depend on the number of ranks but
    /// for the depth of a broadcast.
    ///
    /// The layout that comes back can be given to an item of `redistribute!`, or to
    /// [`RuntimePlan`](redist_runtime::exec::RuntimePlan), as it is.
    ///
    /// # Errors
    /// Neither program knows the extents, or they know different ones; a layout of another number
    /// of dimensions, or on ranks that are not its program's; [`Error::DifferentWire`] where the
    /// other program speaks another version of the wire format; what the library says.
    pub fn handshake<const D: usize>(
        &self,
        own: Layout<D>,
        extents: Option<[usize; D]>,
    ) -> Result<(Layout<D>, [usize; D]), Error> {
        let [from, to] = self.exchange(greeting::written(&(own, extents)).as_bytes())?;
        let told = [self.read(greeting::read(&from))?, self.read(greeting::read(&to))?];
        let ([from, to], extents) = greeting::settled(told, self.producers(), self.size())
            .map_err(|text| self.disagreement(text))?;
        Ok((if self.role() == Side::Source { to } else { from }, extents))
    }

    /// What was read of the other program's bytes, with this rank's words where it makes no sense.
    fn read<T>(&self, read: Result<T, WireError>) -> Result<T, Error> {
        read.map_err(|error| match error {
            WireError::Malformed(text) => self.disagreement(text),
            error => error.told_by(self.rank()),
        })
    }

    fn disagreement(&self, text: String) -> Error {
        Error::Coupling { rank: self.rank(), reason: text }
    }
}

impl AsCommunicator for Coupling {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, redist_mpi::Error> {
        self.ranks.communicator().live().borrowed()
    }

    fn kept(&self) -> Option<&dyn Any> {
        Some(&self.ranks)
    }
}
