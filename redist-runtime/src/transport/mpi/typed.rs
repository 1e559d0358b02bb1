//! Exchanges by derived datatypes: one call, and no memory for messages but the library's own.

use super::communicator::OwnCommunicator;
use super::datatype::Datatype;
use super::preflight::all_prepared;
use crate::element::ElementType;
use crate::error::Error;
use crate::program::{Envelope, MessageLoops};
use crate::transport::{Lists, Messages, Typed};
use ::mpi::ffi::{self, MPI_Datatype};
use ::mpi::traits::{AsRaw, Equivalence};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Both directions of an exchange by `MPI_Alltoallw`.
#[derive(Debug)]
pub(super) struct Types {
    send: TypeLists,
    receive: TypeLists,
    /// All zero: types begin where the array does.
    displacements: Vec<c_int>,
    communicator: Arc<OwnCommunicator>,
}

/// A type for each rank of the communicator, with a count of 0 where nothing moves.
#[derive(Debug)]
struct TypeLists {
    types: Vec<MPI_Datatype>,
    counts: Vec<c_int>,
    /// Bytes that the array must have.
    end: usize,
    /// The types, which live as long as this.
    _made: Vec<Datatype>,
}

impl TypeLists {
    fn new(
        communicator: &OwnCommunicator,
        element: ElementType,
        envelopes: &[Envelope],
        loops: &[MessageLoops],
    ) -> Result<Self, Error> {
        let (ranks, any) = (communicator.size(), u8::equivalent_datatype().as_raw());
        let mut made =
            Self { types: vec![any; ranks], counts: vec![0; ranks], end: 0, _made: Vec::new() };
        for (envelope, message) in envelopes.iter().zip(loops) {
            let of_message = message_type(communicator.rank(), element, envelope, message)?;
            made.end = made.end.max(of_message.extent(communicator.rank())?.end);
            (made.types[envelope.rank], made.counts[envelope.rank]) = (of_message.raw(), 1);
            made._made.push(of_message);
        }
        Ok(made)
    }
}

/// The datatype of a message, which has as many bytes as the message: libraries count some things
/// in 32 bits.
fn message_type(
    rank: usize,
    element: ElementType,
    envelope: &Envelope,
    message: &MessageLoops,
) -> Result<Datatype, Error> {
    let made = Datatype::of(message, element, rank)?;
    let (found, wanted) = (made.bytes(rank)?, envelope.len.saturating_mul(element.bytes()));
    if found == wanted {
        return Ok(made);
    }
    let what = format!("a datatype of {wanted} bytes, for the message with rank {}", envelope.rank);
    let reason = format!("rank {rank} got one of {found} bytes; bind with the route `Messages`");
    Err(Error::Unavailable { what, reason })
}

impl Types {
    /// Collective; all ranks fail alike.
    pub fn new(
        communicator: Arc<OwnCommunicator>,
        element: ElementType,
        messages: &Messages,
    ) -> Result<Self, Error> {
        let [outgoing, incoming] = &messages.loops;
        let of =
            |lists: &Lists, loops| TypeLists::new(&communicator, element, &lists.envelopes, loops);
        let send = of(&messages.outgoing, outgoing);
        let both = send.and_then(|send| Ok((send, of(&messages.incoming, incoming)?)));
        all_prepared(&communicator, both.as_ref().err())?;
        let (send, receive) = both?;
        Ok(Self { send, receive, displacements: vec![0; communicator.size()], communicator })
    }
}

impl Typed for Types {
    /// Moves everything. Collective.
    ///
    /// # Panics
    /// If an array is shorter than what was bound says.
    fn exchange(&mut self, source: &[u8], destination: &mut [u8]) -> Result<(), Error> {
        let Self { send, receive, displacements, communicator } = self;
        assert!(source.len() >= send.end, "a source shorter than its plan");
        assert!(destination.len() >= receive.end, "a destination shorter than its plan");
        // What an empty slice points to may be what the library takes for MPI_IN_PLACE.
        let nothing = (&raw const send.end).cast::<c_void>();
        let from = if source.is_empty() { nothing } else { source.as_ptr().cast() };
        let to = if destination.is_empty() {
            nothing.cast_mut()
        } else {
            destination.as_mut_ptr().cast()
        };
        let at = displacements.as_ptr();
        // SAFETY: every list has an entry for each rank of the communicator, which is alive. `self`
        // owns the types, which describe bytes up to `end` (`Datatype::extent`), and so inside of
        // the arrays, as checked above; where an array is empty, `end` is 0, and no type is used.
        // The arrays do not overlap, since one is borrowed exclusively, and what is written are
        // whole elements: all ranks have compared their types and plans.
        let code = unsafe {
            let (counts, types) = (send.counts.as_ptr(), send.types.as_ptr());
            let (into, to_types) = (receive.counts.as_ptr(), receive.types.as_ptr());
            ffi::MPI_Alltoallw(from, counts, at, types, to, into, at, to_types, communicator.raw)
        };
        communicator.must("MPI_Alltoallw", code)
    }
}
