//! Two programs, a producer and a consumer, each of which knows only its own layout.

use crate::apart;
use crate::greeting;
use redist_mpi::{AsCommunicator, CommunicatorRef};
use redist_plan::layout::Layout;
use redist_plan::plan::Side;
use redist_runtime::Error;
use redist_runtime::transport::mpi::groups::{JoinedRanks, OwnCommunicator, duplicate};
use redist_runtime::transport::wire::{self, WireError};
use std::any::Any;
use std::path::Path;
use std::time::Duration;

/// A producer and a consumer on one communicator: the producer's ranks come first.
///
/// Plans bind to it as to any communicator. Each program gives its own layout with ranks from
/// [`first_rank`](Self::first_rank) on; [`handshake`](Self::handshake) returns the opposite
/// program's layout.
///
/// ```no_run
/// # mod redist {
/// # pub use {redist_coupling as exec, redist_runtime::*};
/// # pub mod mpi { pub use {redist_coupling::*, redist_runtime::transport::mpi::*}; }
/// # }
/// use redist::mpi::{Programs, initialize};
/// use redist::{Layout, Redistribution, TypedPlan, Side};
///
/// // The consumer of the first program's array: columns of what comes in any layout.
/// let mpi = initialize()?;
/// let coupling = Programs::of(&mpi.world()?)?.couple(Side::Destination, 0)?;
/// let (first, ranks) = (coupling.first_rank(), coupling.consumers());
/// let own: Layout<2> = format!("(*, block) onto {ranks} ranks {first}..").parse()?;
/// let (peer, extents) = coupling.handshake(own, None)?;
/// let mut bound = TypedPlan::<f64, 2>::new(extents, peer, own)?.bind(&coupling)?;
/// let mut columns = vec![0.0; bound.local_len(Side::Destination)];
/// bound.run(&[], &mut columns)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Coupling {
    ranks: JoinedRanks,
    role: Side,
    /// Ranks of the producer; they are the first ranks of the joined communicator.
    producers: usize,
}

impl Coupling {
    /// Couples two programs that are launched apart. Collective over `communicator`.
    ///
    /// Both name one file in a folder that rank 0 of either can write to, and wait for each other
    /// up to the limit. The file need not exist.
    ///
    /// Open MPI 4 needs a server of ports, `ompi-server -r FILE`, and `--ompi-server file:FILE` for
    /// each launcher, on whose node all its ranks are. Programs of one launch need neither. MPICH
    /// over UCX has no ports, so this fails there.
    ///
    /// # Errors
    /// [`Error::Rendezvous`] with the file, on all ranks of the programs that came. The opposite
    /// program has not come in time, the library cannot join them, or the file cannot be used. Else
    /// the MPI library fails; the same error on every rank.
    pub fn rendezvous(
        communicator: &impl AsCommunicator,
        role: Side,
        file: impl AsRef<Path>,
        limit: Duration,
    ) -> Result<Self, Error> {
        let own = duplicate(communicator)?;
        let both = apart::meet(&own, role == Side::Source, file.as_ref(), limit)?;
        Self::merged(both, own.size(), role)
    }

    /// Couples the ranks of two programs, of which this one has `own`. Collective.
    pub(crate) fn merged(
        communicator: OwnCommunicator,
        own: usize,
        role: Side,
    ) -> Result<Self, Error> {
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

    /// Couples the ranks of a communicator. Collective.
    pub(crate) fn of(
        communicator: OwnCommunicator,
        role: Side,
        producers: usize,
    ) -> Result<Self, Error> {
        Ok(Self { ranks: JoinedRanks::on(communicator)?, role, producers })
    }

    #[doc(hidden)]
    pub fn role(&self) -> Side {
        self.role
    }

    /// Returns this rank's number in the coupling.
    pub fn rank(&self) -> usize {
        self.ranks.communicator().rank()
    }

    /// Returns the number of ranks of both programs.
    #[doc(hidden)]
    pub fn size(&self) -> usize {
        self.ranks.communicator().size()
    }

    /// Returns the producer's number of ranks.
    pub fn producers(&self) -> usize {
        self.producers
    }

    /// Returns the consumer's number of ranks.
    pub fn consumers(&self) -> usize {
        self.size() - self.producers
    }

    /// Returns the rank of this program's rank 0 in the coupling.
    pub fn first_rank(&self) -> usize {
        match self.role {
            Side::Source => 0,
            Side::Destination => self.producers,
        }
    }

    /// Exchanges layouts and the extents of the array, as far as each program knows them.
    /// Collective; the cost grows only with the depth of a broadcast. Items of `redistribute!` and
    /// [`TypedPlan`](redist_runtime::exec::TypedPlan) take the returned layout.
    ///
    /// # Errors
    /// Neither program knows the extents, or they differ. A layout has another number of
    /// dimensions, or ranks of the other program. [`Error::DifferentWire`]: the other program has
    /// another version of the wire format. The MPI library fails.
    pub fn handshake<const D: usize>(
        &self,
        own: Layout<D>,
        extents: Option<[usize; D]>,
    ) -> Result<(Layout<D>, [usize; D]), Error> {
        let (ours, both) = (greeting::written(&(own, extents)), self.ranks.communicator());
        let from = both.broadcast_bytes(0, ours.as_bytes())?;
        let to = both.broadcast_bytes(self.producers, ours.as_bytes())?;
        let told = [self.read(greeting::read(&from))?, self.read(greeting::read(&to))?];
        let ([from, to], extents) = greeting::settled(told, self.producers(), self.size())
            .map_err(|text| self.disagreement(text))?;
        Ok((if self.role == Side::Source { to } else { from }, extents))
    }

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
        self.ranks.communicator().borrowed()
    }

    fn kept(&self) -> Option<&dyn Any> {
        Some(&self.ranks)
    }
}
