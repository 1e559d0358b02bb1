//! Messages that travel with the reports of nodes (`reports.rs`), from memory that a node's ranks
//! share. Unsafe: the memory is the library's, and other processes read packed messages.

use super::context::Context;
use super::library::Library;
use super::parcels::{Parcel, Parcels, PlacedMessages, WholePiece};
use super::preflight::all_prepared;
use super::window::{self, Window};
use crate::error::Error;
use crate::transport::joined::{JoinedLayout, JoinedMemory, LINE, Place};
use crate::transport::wire::report::{HEAD_BYTES, PIECE_BYTES};
use crate::transport::{Joining, Lists, Messages, Route, Way};
use std::mem;
use std::ops::Range;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct JoinedMessages {
    /// Declared before its window, so that it drops first.
    memory: Arc<PlacedMessages>,
    window: Option<Window>,
    id: u64,
    context: Arc<Context>,
    here: usize,
    places: OrderedPlaces,
    /// Pieces of reports that take this rank's next messages, if it is alone on its node.
    pieces: Vec<WholePiece>,
    begun: u64,
    pub bytes: usize,
}

pub struct JoinedRooms<'a>(&'a mut JoinedMessages);

impl<'a> JoinedRooms<'a> {
    pub fn add_to(self, rooms: &mut Vec<&'a mut [u8]>) {
        let number = self.0.number();
        let JoinedMessages { memory, here, places, pieces, .. } = self.0;
        // SAFETY: these are this rank's messages, each named once, and disjoint (`JoinedLayout`).
        // This value is used up, and there is one in a move (`rooms`). The rank has begun the move,
        // and votes when the channel, which is borrowed, is used again. It has ended the move
        // before, on which it has seen all ranks' votes. These have dropped all slices of the move
        // before that, as ranks do in any move before they vote again.
        let room = |bytes: &Range<usize>| unsafe {
            debug_assert!(bytes.end <= memory.layout.lens[*here]);
            memory.memory.room(number, bytes.clone())
        };
        let mut pieces = pieces.iter_mut();
        rooms.extend(places.outgoing.iter().map(|place| match place {
            Outgoing::Part(bytes) => room(bytes),
            Outgoing::Piece { .. } => {
                &mut pieces.next().expect("there is one for each (`rooms`)").bytes[HEAD_BYTES..]
            }
        }));
    }
}

impl JoinedMessages {
    /// Returns the joined messages of a plan and its way: another if joining was not asked for and
    /// there is no memory. Fails on every rank if asked-for joining is impossible. Collective.
    pub fn for_route(
        context: &Arc<Context>,
        joining: Joining<'_>,
        route: Route,
        way: (Way, &'static str),
    ) -> Result<((Way, &'static str), Option<Self>), Error> {
        let is_asked = route == Route::Joined;
        // With an explicit route, parcels may exceed the eager limit.
        let most = if is_asked { PIECE_BYTES } else { Library::linked().unasked_bytes };
        match Self::new(context, joining, most) {
            Ok(joined) => Ok((way, Some(joined))),
            Err(error) if is_asked => Err(error),
            Err(_) => {
                let reason = "the ranks of a node have no memory to join them in";
                Ok(((Way::Messages, reason), None))
            }
        }
    }

    /// Makes the memory for a plan's messages, up to `most` bytes in a parcel: the same on all
    /// ranks. Fails on every rank if there is no memory, or a message is longer. Collective.
    #[expect(
        clippy::arc_with_non_send_sync,
        reason = "votes have shares of it, which may be dropped where MPI is finalised; nothing else leaves the thread"
    )]
    pub fn new(context: &Arc<Context>, joining: Joining<'_>, most: usize) -> Result<Self, Error> {
        let (nodes, rank) = (context.nodes()?, context.communicator().rank());
        let layout = JoinedLayout::new(nodes, rank, joining.bytes, most);
        let here = nodes.place(rank);
        let bytes = part_bytes(&layout, here, most);
        all_prepared(context.communicator(), bytes.as_ref().err())?;
        let bytes = bytes?;
        let node = context.node()?;
        let window = Window::allocate(node, bytes + LINE);
        // All ranks learn if a node has no memory, before others use theirs.
        all_prepared(context.communicator(), window.as_ref().err())?;
        let window = window?;
        let parts = window.parts(node.size(), LINE);
        let reports = context.meetings().reports();
        // Before other ranks know that they may send it.
        let expected = reports.map_or(Ok(()), |reports| reports.expect(&layout));
        let parts = parts.and_then(|parts| expected.map(|()| parts));
        all_prepared(context.communicator(), parts.as_ref().err())?;
        let parts = parts?;
        // SAFETY: this rank's part has `bytes` bytes from a multiple of a line on, mapped here by
        // the library. No other rank reads them before all meet below (`common_number`).
        unsafe { parts[here].write_bytes(0, bytes) };
        // SAFETY: every rank of the node has found the same lengths from the plan, and has made its
        // part as long (`part_bytes`). The window is of these ranks alone, all of which come here.
        // It is initialised above. `self` has the window, and drops it when nothing borrows the
        // memory any more, or never. The window is freed when all ranks have dropped theirs
        // (`Context::free_windows`). No rank goes on before all have met below, the window
        // synchronised.
        let memory = unsafe { JoinedMemory::new(parts, layout.lens.clone(), here) };
        window.synchronise()?;
        let id = window::common_number(context.communicator(), window::next_number())?;
        context.lasting().note_window(id, Arc::default());
        Ok(Self {
            memory: Arc::new(PlacedMessages { memory, layout }),
            window: Some(window),
            id,
            context: Arc::clone(context),
            here,
            places: OrderedPlaces::default(),
            pieces: Vec::new(),
            begun: 0,
            bytes,
        })
    }

    pub fn note_messages(&mut self, messages: &Messages) {
        self.places = OrderedPlaces::new(&self.memory.layout, self.here, messages);
        self.pieces.reserve(self.places.outgoing.len());
    }

    fn number(&self) -> u64 {
        self.begun - 1
    }

    pub fn restart(&mut self) {
        self.begun += 1;
    }

    /// Returns memory to pack into: once in a move that has begun, before this rank votes.
    pub fn rooms(&mut self) -> Result<JoinedRooms<'_>, Error> {
        // Leftovers of a move that was called off.
        self.pieces.clear();
        let reports = self.context.meetings().reports();
        for place in &self.places.outgoing {
            if let (Outgoing::Piece { to, len }, Some(reports)) = (place, reports) {
                let bytes = reports.piece_of(HEAD_BYTES + len)?;
                self.pieces.push(WholePiece { to: *to, bytes });
            }
        }
        Ok(JoinedRooms(self))
    }

    /// Returns the move's packed messages, and its whole pieces, which the caller takes out.
    pub fn parcels(&mut self) -> (Parcels, &mut Vec<WholePiece>) {
        let parcels = Parcels { messages: Arc::clone(&self.memory), number: self.number() };
        (parcels, &mut self.pieces)
    }

    pub fn check(&self, parcels: &[Vec<Parcel>]) -> Result<(), Error> {
        let expected = &self.memory.layout.parcels;
        let is_right = |parcels: &[Parcel], lens: &[usize]| {
            parcels.iter().map(|parcel| parcel.bytes().len()).eq(lens.iter().copied())
        };
        let wrong = |(parcels, lens): (&Vec<Parcel>, &Vec<usize>)| !is_right(parcels, lens);
        match parcels.iter().zip(expected).position(wrong) {
            None if parcels.len() == expected.len() => Ok(()),
            node => {
                let node = node.unwrap_or(parcels.len());
                let reason = format!("other messages than the plan's came from node {node}");
                Err(Error::Unreadable { here: self.context.communicator().rank(), reason })
            }
        }
    }

    /// Returns a message of a move whose vote is over and has approved it.
    pub fn message<'a>(&'a self, number: usize, parcels: &'a [Vec<Parcel>]) -> &'a [u8] {
        match &self.places.incoming[number] {
            // SAFETY: the vote on this move is over, as the caller promises, so this rank has seen
            // the votes of all of its node. The slice borrows this value. Beginning another move,
            // and so voting on one, borrows it mutably.
            Place::Part(owner, bytes) => unsafe {
                self.memory.memory.message(self.number(), *owner, bytes.clone())
            },
            Place::Parcel(node, parcel, bytes) => &parcels[*node][*parcel].bytes()[bytes.clone()],
        }
    }

    pub fn give_up(&mut self) {
        mem::forget(self.window.take());
    }
}

impl Drop for JoinedMessages {
    fn drop(&mut self) {
        // Unsent parcels belong to votes that never come to an end.
        if Arc::strong_count(&self.memory) > 1 {
            self.give_up();
        }
        if let Some(window) = self.window.take() {
            self.context.lasting().drop_window(self.id, window);
        }
    }
}

/// Returns the bytes of this rank's part, if all messages from other nodes fit a parcel.
fn part_bytes(layout: &JoinedLayout, here: usize, most: usize) -> Result<usize, Error> {
    let longest = layout.parcels.iter().flatten().max().copied().unwrap_or(0);
    if longest > most {
        return Err(Error::Unavailable {
            what: "joined messages".into(),
            reason: format!(
                "a message of {longest} bytes is longer than {most}, the most that is joined"
            ),
        });
    }
    let bytes = JoinedMemory::part_bytes(layout.lens[here]);
    let bytes = bytes.filter(|bytes| isize::try_from(bytes.saturating_add(LINE)).is_ok());
    bytes.ok_or_else(|| Error::Unavailable {
        what: "joined messages".into(),
        reason: "they are more than there are addresses".into(),
    })
}

#[derive(Debug)]
pub(super) enum Outgoing {
    Part(Range<usize>),
    Piece { to: usize, len: usize },
}

#[derive(Debug, Default)]
pub(super) struct OrderedPlaces {
    pub outgoing: Vec<Outgoing>,
    pub incoming: Vec<Place>,
}

impl OrderedPlaces {
    pub fn new(layout: &JoinedLayout, here: usize, messages: &Messages) -> Self {
        let Lists { envelopes, bytes, .. } = &messages.outgoing;
        let place = |to: usize, len: usize| {
            let bytes = layout.message(here, to);
            assert_eq!(bytes.len(), len, "lengths are those of the plan");
            if layout.has_place(to) { Outgoing::Part(bytes) } else { Outgoing::Piece { to, len } }
        };
        let outgoing = envelopes.iter().zip(bytes).map(|(to, bytes)| place(to.rank, bytes.len()));
        Self {
            outgoing: outgoing.collect(),
            incoming: in_order(&layout.incoming, &messages.incoming),
        }
    }
}

fn in_order(places: &[(usize, Place)], lists: &Lists) -> Vec<Place> {
    let of = |rank: usize| {
        let found = places.binary_search_by_key(&rank, |(rank, _)| *rank);
        places[found.expect("the plan has each message")].1.clone()
    };
    let ordered: Vec<_> = lists.envelopes.iter().map(|envelope| of(envelope.rank)).collect();
    let len = |place: &Place| match place {
        Place::Part(_, bytes) | Place::Parcel(_, _, bytes) => bytes.len(),
    };
    let fits = |(place, bytes): (&Place, &Range<usize>)| len(place) == bytes.len();
    assert!(ordered.iter().zip(&lists.bytes).all(fits), "lengths are those of the plan");
    ordered
}
