//! Short messages of a node's ranks to a rank of another node, which travel together. Each of the
//! ranks packs its message in memory of the node, and counts it; the last one sends all of them, as a
//! *parcel*. A rank waits for others only if memory is short: until a parcel of two moves ago has
//! gone. Unsafe, because other processes read packed messages.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::memory::NodeMemory;
use super::sends::Sends;
use super::tags::{TaggedCommunicator, is_awaited, pieces};
use crate::error::Error;
use crate::transport::Lists;
use crate::transport::board::CollectiveCall;
use crate::transport::nodes::Nodes;
use crate::transport::parcels::{Counters, TURNS};
use crate::transport::wire::HEAD_BYTES;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::slice;

/// Messages begin on cache lines, because each is written by one rank and read by another rank.
const LINE: usize = 64;

/// The message of a rank in a parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Rank that sends it.
    pub sender: usize,
    /// Bytes of the elements in the parcel, behind the head.
    pub bytes: Range<usize>,
}

/// The parcel from the ranks of a node to a rank of another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parcel {
    pub parts: Vec<Part>,
    /// Bytes of the parcel.
    pub len: usize,
}

impl Parcel {
    /// The parcel of the ranks of a node, from the bytes of each one's message.
    pub fn new(members: &[usize], bytes: impl Fn(usize) -> usize) -> Self {
        let mut parcel = Self::default();
        for &sender in members.iter().filter(|sender| bytes(**sender) > 0) {
            let start = parcel.len.saturating_add(HEAD_BYTES);
            parcel.len = start.saturating_add(bytes(sender));
            parcel.parts.push(Part { sender, bytes: start..parcel.len });
        }
        parcel
    }
}

/// The parcel to a rank, in memory that all ranks of the node know the place of.
#[derive(Debug)]
struct Gate {
    /// Rank that receives the parcel.
    to: usize,
    parcel: Parcel,
    /// This rank's part of it.
    own: Part,
    /// The place in the node of the rank whose memory it is in, and its beginning by turn.
    owner: usize,
    /// Bytes before the parcel in its owner's memory, by turn.
    starts: [usize; TURNS],
}

/// One rank's parcels, in both directions.
#[derive(Debug)]
pub(super) struct Gateway {
    /// Parcels, with the receiver and the call if this rank waits until that takes one. Dropped
    /// before the context, whose communicator they are sent on.
    sent: RefCell<Sends<Option<(usize, u64)>>>,
    /// Start of the part of each rank of the node.
    parts: Vec<*mut u8>,
    /// Unmapped when this is dropped.
    _memory: NodeMemory,
    gates: Vec<Gate>,
    /// The parcels to this rank.
    pub arriving: Vec<Parcel>,
    /// This rank's last call in each turn.
    calls: [Cell<CollectiveCall>; TURNS],
}

/// This rank's messages in the memory of a turn.
pub struct GatewayRooms<'a>(&'a Gateway, usize);

impl<'a> GatewayRooms<'a> {
    /// Adds memory for all messages of a rank: here, or in a buffer.
    pub fn add_to(self, lists: &Lists, buffer: &'a mut [u8], rooms: &mut Vec<&'a mut [u8]>) {
        let Self(gateway, turn) = self;
        let both = lists.envelopes.iter().zip(lists.split(buffer));
        rooms.extend(both.map(|(to, room)| {
            let Some(gate) = gateway.gates.iter().find(|gate| gate.to == to.rank) else {
                return room;
            };
            let (start, len) = gateway.place(gate, turn, &gate.own.bytes);
            // SAFETY: the bytes are in the memory (`Gateway::new`), belong only to this rank until
            // they are counted, and no rank reads the bytes of an earlier move (`Gateway::rooms`).
            // Each receiver is named once, and this value is used up. It borrows the channel, which
            // counts the messages later.
            unsafe { slice::from_raw_parts_mut(start, len) }
        }));
    }
}

impl Gateway {
    /// Makes the memory for the messages of a plan, from the bytes of those between any ranks, and
    /// the parcels to this one. `None` if a rank of any node has no memory. Collective over all ranks.
    pub fn new(
        context: &Context,
        bytes: &dyn Fn(usize, usize) -> usize,
        arriving: Vec<Parcel>,
    ) -> Result<Option<Self>, Error> {
        let (all, node, nodes) = (context.communicator(), context.node(), context.nodes());
        let (gates, lens) = gates(nodes, all.rank(), bytes);
        let room = lens[nodes.place(all.rank())];
        let Ok((memory, parts)) = NodeMemory::new(all, node, room, NodeMemory::starts) else {
            return Ok(None);
        };
        // A parcel is sent while one of an earlier move is under way.
        let longest = gates.iter().map(|gate| gate.parcel.len).max().unwrap_or(0);
        let (calls, mut sent) = Default::default();
        Sends::reserve(&mut sent, TURNS * gates.len(), usize::MAX, longest);
        let sent = RefCell::new(sent);
        Ok(Some(Self { sent, parts, _memory: memory, gates, arriving, calls }))
    }

    fn counters(&self, gate: &Gate, turn: usize) -> &Counters {
        // SAFETY: the counters are in the part of the owner, which is as long (`gates`), zero since
        // `new`, and atomic. The memory is there as long as this value.
        unsafe { &*self.parts[gate.owner].add(gate.starts[turn]).cast() }
    }

    fn place(&self, gate: &Gate, turn: usize, bytes: &Range<usize>) -> (*mut u8, usize) {
        let start = gate.starts[turn] + size_of::<Counters>() + bytes.start;
        (self.parts[gate.owner].wrapping_add(start), bytes.len())
    }

    /// Names a rank whose message keeps the memory of a turn in use: it has not come to a call of
    /// this rank, or copies its parcel.
    pub fn user(
        &self,
        turn: usize,
        is_absent: impl Fn(usize, CollectiveCall) -> bool,
    ) -> Option<usize> {
        let call = self.calls[turn].get();
        let is_in_use = |gate: &&Gate| !self.counters(gate, turn).is_gone(call.number());
        let others = |gate: &Gate| {
            let ranks = gate.parcel.parts.iter().map(|part| part.sender);
            let mut others = ranks.filter(|rank| *rank != gate.own.sender);
            // If one is absent, no rank copies the parcel.
            let is_lost = others.clone().any(|rank| is_absent(rank, call));
            if is_lost { None } else { others.next() }
        };
        self.gates.iter().filter(is_in_use).find_map(others)
    }

    /// Returns memory to pack into.
    ///
    /// # Safety
    /// No rank [uses](Self::user) the turn's memory. There is one such value in a move.
    pub unsafe fn rooms(&self, turn: usize) -> GatewayRooms<'_> {
        GatewayRooms(self, turn)
    }

    /// Counts this rank's messages as packed in a call, with their head, and sends the parcels that
    /// are complete.
    ///
    /// # Safety
    /// As for [`rooms`](Self::rooms); all slices are dropped.
    pub unsafe fn count(
        &self,
        communicator: &TaggedCommunicator,
        (turn, call, number): (usize, CollectiveCall, u64),
        head: &[u8; HEAD_BYTES],
    ) -> Result<(), Error> {
        self.calls[turn].set(call);
        let call = call.number();
        self.sent.borrow_mut().reclaim(communicator)?;
        for gate in &self.gates {
            let at = gate.own.bytes.start;
            let (start, len) = self.place(gate, turn, &(at - HEAD_BYTES..at));
            // SAFETY: the head is before this rank's part, in the memory, and belongs only to this
            // rank until it is counted, as the part is (`add_to`).
            unsafe { slice::from_raw_parts_mut(start, len) }.copy_from_slice(head);
            if self.counters(gate, turn).count(call, gate.parcel.parts.len()) {
                self.send(communicator, gate, (turn, call, number))?;
            }
        }
        Ok(())
    }

    fn send(
        &self,
        communicator: &TaggedCommunicator,
        gate: &Gate,
        (turn, call, number): (usize, u64, u64),
    ) -> Result<(), Error> {
        let (start, len) = self.place(gate, turn, &(0..gate.parcel.len));
        let mut sent = self.sent.borrow_mut();
        let mut bytes = sent.memory();
        // SAFETY: all ranks of the parcel have counted their bytes as packed (`Counters::count`, acquire),
        // and none writes to them before they are counted as gone below.
        bytes.extend_from_slice(unsafe { slice::from_raw_parts(start, len) });
        let sent_before = self.counters(gate, turn).note_gone(call);
        let pieces = pieces(len, 1);
        let awaited = is_awaited(sent_before * pieces, pieces).then_some((gate.to, call));
        let to = (gate.to, communicator.parcel_tag(number), awaited.is_some());
        sent.send(communicator, to, (bytes, awaited))
    }

    /// Names a rank that has not taken a parcel of some moves ago, and the call.
    pub fn behind(&self, communicator: &OwnCommunicator) -> Result<Option<(usize, u64)>, Error> {
        let mut sent = self.sent.borrow_mut();
        sent.reclaim(communicator)?;
        Ok(sent.about().find_map(|awaited| *awaited))
    }

    /// Waits no longer for a rank that takes no part in a call.
    pub fn give_up(&self, behind: (usize, u64)) {
        let mut sent = self.sent.borrow_mut();
        sent.about()
            .filter(|awaited| **awaited == Some(behind))
            .for_each(|awaited| *awaited = None);
    }
}

/// Returns the parcels that a rank packs for, and the bytes of each part of the node's memory.
fn gates(
    nodes: &Nodes,
    rank: usize,
    bytes: &dyn Fn(usize, usize) -> usize,
) -> (Vec<Gate>, Vec<usize>) {
    let members = nodes.members(nodes.of(rank));
    let (mut gates, mut lens) = (Vec::new(), vec![0usize; members.len()]);
    let far = (0..nodes.ranks()).filter(|to| nodes.of(*to) != nodes.of(rank));
    for (number, to) in far.enumerate() {
        let parcel = Parcel::new(members, |from| bytes(from, to));
        let owner = number % members.len();
        let turn = parcel.len.saturating_add(size_of::<Counters>());
        let turn = turn.checked_next_multiple_of(LINE).unwrap_or(usize::MAX);
        let starts = [lens[owner], lens[owner].saturating_add(turn)];
        if parcel.parts.is_empty() {
            continue;
        }
        lens[owner] = starts[1].saturating_add(turn);
        let own = parcel.parts.iter().find(|part| part.sender == rank).cloned();
        gates.extend(own.map(|own| Gate { to, parcel, own, owner, starts }));
    }
    (gates, lens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(from: usize, to: usize) -> usize {
        // Some pairs have no message.
        (from * 7 + to * 3) % 5
    }

    #[test]
    fn parcels_have_a_head_before_each_message() {
        let parcel = Parcel::new(&[2, 5, 6], |from| [0, 0, 10, 0, 0, 0, 3][from]);
        let part = |sender, bytes| Part { sender, bytes };
        assert_eq!(parcel.parts, [part(2, 64..74), part(6, 138..141)]);
        assert_eq!(parcel.len, 141);
    }

    #[test]
    fn ranks_of_a_node_agree_on_places_that_are_apart() {
        let nodes = Nodes::new(&[0, 1, 0, 3, 1, 1, 0]);
        for node in 0..nodes.count() {
            let of: Vec<_> =
                nodes.members(node).iter().map(|rank| gates(&nodes, *rank, &bytes)).collect();
            let mut taken: Vec<(usize, Range<usize>, usize)> = Vec::new();
            for (own, lens) in &of {
                assert_eq!(lens, &of[0].1);
                for gate in own {
                    let end = |start: usize| start + size_of::<Counters>() + gate.parcel.len;
                    let both = gate.starts.map(|start| start..end(start));
                    assert!(both[1].end <= lens[gate.owner] && both[0].end <= both[1].start);
                    taken.extend(both.map(|range| (gate.owner, range, gate.to)));
                }
            }
            for (owner, range, to) in &taken {
                let apart = |(other, bytes, receiver): &(usize, Range<usize>, usize)| {
                    let same = (bytes, receiver) == (range, to);
                    owner != other || same || bytes.end <= range.start || range.end <= bytes.start
                };
                assert!(taken.iter().all(apart));
            }
        }
    }
}
