//! The proof, rank by rank.
//!
//! A source rank packs the numbers of its local elements. In each message these increase and belong
//! to the receiver; no moved element is missing. The message from p to q therefore holds exactly
//! the elements of both, by increasing global index in the source's storage order.
//!
//! A destination rank unpacks messages whose elements are numbered from 0 on. The elements of p's
//! message, in the same order, have to hold the message's numbers; all others keep their values.
//! Ranks are therefore checked one by one, in the memory of two arrays of 4 bytes an element.

use super::programs::CheckedPrograms;
use crate::words::counted;
use redist::layout::Ranks;
use redist::program::Envelope;
use redist::{Plan, Side};
use redist_files::{Dealt, HeldLine, rank_numbered};

/// Counts of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Elements that moved.
    pub elements: usize,
    /// Messages, also of ranks to themselves.
    pub messages: usize,
}

/// The most elements of a local array, and its largest extent: a few gibibytes.
const MAX_LOCAL_ELEMENTS: usize = 1 << 28;

/// Marks an element of a destination that nothing has written.
const UNTOUCHED: u32 = u32::MAX;

/// A plan's two sides, dealt out independently of the planner.
pub struct Proof<'a, P, const D: usize> {
    programs: &'a P,
    /// By side.
    dealt: [Dealt<D>; 2],
}

/// One rank's part: its lines along its side's axes, from slow to fast in the source's order of
/// storage.
struct OwnLines<const D: usize> {
    lines: [HeldLine; D],
    /// Elements in the local array from neighbour to neighbour along each line.
    strides: [usize; D],
    /// Elements of the local array.
    len: usize,
    /// For each moved index of a line, the part in the number of its owner on the other side.
    shares: [Vec<usize>; D],
    /// Each line's first moved index in the stored array.
    starts: [usize; D],
    /// Ranks of the other side, by their numbers in its grid.
    others: Ranks,
}

impl<'a, P: CheckedPrograms, const D: usize> Proof<'a, P, D> {
    pub fn new(plan: &Plan<D>, programs: &'a P) -> Self {
        let dealt = [Side::Source, Side::Destination].map(|side| Dealt::of(plan, side));
        Proof { programs, dealt }
    }

    pub fn ranks(&self, side: Side) -> usize {
        self.dealt(side).cells()
    }

    fn dealt(&self, side: Side) -> &Dealt<D> {
        &self.dealt[side as usize]
    }

    /// Checks one rank, given its number in one side's grid.
    pub fn rank(&self, side: Side, number: usize) -> Result<Tally, String> {
        let rank = self.dealt(side).rank(number);
        let extents = self.dealt(side).local_extents(number);
        let len = extents.iter().fold(1, |len: usize, extent| len.saturating_mul(*extent));
        let most = extents.into_iter().max().unwrap_or(0).max(len);
        if most > MAX_LOCAL_ELEMENTS {
            return Err(format!(
                "not verified: rank {rank} holds {extents:?} elements of the {side}, too many: {MAX_LOCAL_ELEMENTS} fit"
            ));
        }
        let own = self.own(side, number);
        match side {
            Side::Source => self.packs(rank, &own),
            Side::Destination => self.unpacks(rank, &own),
        }
    }

    fn own(&self, side: Side, number: usize) -> OwnLines<D> {
        let (here, there) = (self.dealt(side), self.dealt(side.other()));
        // By step of the nest: the axis on either side.
        let on =
            |side: Side, step: usize| self.dealt(side).axes[self.dealt(Side::Source).storage[step]];
        let coordinates = here.coordinates(number);
        let lines: [HeldLine; D] =
            core::array::from_fn(|step| here.line(on(side, step), coordinates[on(side, step)]));
        let starts: [usize; D] = core::array::from_fn(|step| here.at[on(side, step)]);
        let shares = core::array::from_fn(|step| {
            let (axis, line) = (on(side.other(), step), &lines[step]);
            let share = |index: &usize| {
                let (owner, _) = there.place(axis, index - starts[step] + there.at[axis]);
                owner * there.grid_strides[axis]
            };
            line.indices[line.moved.clone()].iter().map(share).collect()
        });
        let (mut strides, mut len) = ([0; D], 1usize);
        for axis in here.storage.iter().rev() {
            let Some(step) = (0..D).find(|step| on(side, *step) == *axis) else { continue };
            strides[step] = len;
            len = len.saturating_mul(lines[step].indices.len());
        }
        OwnLines { lines, strides, len, shares, starts, others: there.ranks }
    }

    fn packs(&self, rank: usize, own: &OwnLines<D>) -> Result<Tally, String> {
        let local: Vec<u32> = (0..own.len as u32).collect();
        let (envelopes, elements) =
            self.programs.pack(rank, &local).map_err(|found| other_length(rank, own.len, found))?;
        drop(local);
        distinct(rank, &envelopes)?;
        let mut rest = elements.as_slice();
        for envelope in &envelopes {
            let (message, others) = rest.split_at(envelope.len);
            rest = others;
            let mut before = None;
            for &number in message {
                let at = || own.element(number as usize);
                let owner = own.owner(number as usize);
                if owner != Some(envelope.rank) {
                    let truth = owner.map_or("it is not moved".into(), |owner| {
                        format!("it belongs to rank {owner}")
                    });
                    return Err(format!(
                        "rank {rank} sends element {:?} to rank {}, but {truth}",
                        at(),
                        envelope.rank
                    ));
                }
                if before >= Some(number) {
                    return Err(format!(
                        "rank {rank} sends element {:?} to rank {} too late",
                        at(),
                        envelope.rank
                    ));
                }
                before = Some(number);
            }
        }
        match own.moved() {
            moved if moved == elements.len() => {
                Ok(Tally { elements: moved, messages: envelopes.len() })
            }
            moved => Err(format!(
                "rank {rank} sends {}, but the layouts move {moved} of its own",
                counted(elements.len(), "element")
            )),
        }
    }

    fn unpacks(&self, rank: usize, own: &OwnLines<D>) -> Result<Tally, String> {
        let mut local = vec![UNTOUCHED; own.len];
        let envelopes = self
            .programs
            .unpack(rank, &mut local)
            .map_err(|found| other_length(rank, own.len, found))?;
        distinct(rank, &envelopes)?;
        let mut next = Cursors::new(&envelopes);
        own.for_each(&mut |at, owner| {
            let found = local[at];
            match next.take(owner) {
                Some(expected) if expected == found => Ok(()),
                Some(_) if found == UNTOUCHED => {
                    Err(format!("rank {rank} does not write element {:?}", own.element(at)))
                }
                Some(expected) => Err(format!(
                    "rank {rank} writes element {:?} from number {found} of its messages, but it is number {expected}",
                    own.element(at)
                )),
                None => Err(format!(
                    "rank {rank} gets too little from rank {owner}: element {:?} is missing",
                    own.element(at)
                )),
            }
        })?;
        let written = local.iter().filter(|number| **number != UNTOUCHED).count();
        match (own.moved(), next.left()) {
            (moved, 0) if moved == written => {
                Ok(Tally { elements: moved, messages: envelopes.len() })
            }
            (moved, 0) => Err(format!(
                "rank {rank} writes {}, but the layouts move {moved} of its own",
                counted(written, "element")
            )),
            (_, left) => {
                Err(format!("rank {rank} expects {} that no rank sends", counted(left, "element")))
            }
        }
    }
}

/// Places that each message has been read up to.
struct Cursors {
    /// Each message's rank, next element and end, sorted by rank. Elements are numbered over all
    /// messages.
    messages: Vec<(usize, u32, u32)>,
}

impl Cursors {
    fn new(envelopes: &[Envelope]) -> Self {
        let mut start = 0;
        let message = |envelope: &Envelope| {
            let first = start;
            start += envelope.len as u32;
            (envelope.rank, first, start)
        };
        let mut messages: Vec<_> = envelopes.iter().map(message).collect();
        messages.sort_unstable();
        Cursors { messages }
    }

    fn take(&mut self, rank: usize) -> Option<u32> {
        let place = self.messages.binary_search_by_key(&rank, |message| message.0).ok()?;
        let (_, next, end) = &mut self.messages[place];
        *next += 1;
        (*next <= *end).then(|| *next - 1)
    }

    fn left(&self) -> usize {
        self.messages.iter().map(|(_, next, end)| (end - next) as usize).sum()
    }
}

fn other_length(rank: usize, len: usize, found: usize) -> String {
    format!("rank {rank} holds {}, but its program is for {found}", counted(len, "element"))
}

fn distinct(rank: usize, envelopes: &[Envelope]) -> Result<(), String> {
    let mut ranks: Vec<usize> = envelopes.iter().map(|envelope| envelope.rank).collect();
    ranks.sort_unstable();
    match ranks.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("rank {rank} has two messages with rank {}", pair[0])),
        None => Ok(()),
    }
}

impl<const D: usize> OwnLines<D> {
    fn moved(&self) -> usize {
        self.lines.iter().fold(1, |moved, line| moved.saturating_mul(line.moved.len()))
    }

    fn places(&self, local: usize) -> [usize; D] {
        core::array::from_fn(|step| local / self.strides[step] % self.lines[step].indices.len())
    }

    /// Returns the receiver or sender of an element; `None` if it is not moved.
    fn owner(&self, local: usize) -> Option<usize> {
        let mut number = 0;
        for (step, place) in self.places(local).into_iter().enumerate() {
            let moved = &self.lines[step].moved;
            number += self.shares[step].get(place.checked_sub(moved.start)?)?;
        }
        Some(rank_numbered(self.others, number))
    }

    /// Returns an element's index in the moved array, slowest axis of the source's storage first.
    fn element(&self, local: usize) -> [isize; D] {
        let places = self.places(local);
        core::array::from_fn(|step| {
            self.lines[step].indices[places[step]] as isize - self.starts[step] as isize
        })
    }

    /// Visits the moved elements by increasing global index in the source's storage order: local
    /// offsets, and ranks of the other side.
    fn for_each(
        &self,
        visit: &mut impl FnMut(usize, usize) -> Result<(), String>,
    ) -> Result<(), String> {
        // The other dimensions of an empty array may be long.
        if self.moved() == 0 { Ok(()) } else { self.nest(0, 0, 0, visit) }
    }

    fn nest(
        &self,
        step: usize,
        at: usize,
        number: usize,
        visit: &mut impl FnMut(usize, usize) -> Result<(), String>,
    ) -> Result<(), String> {
        if step == D {
            return visit(at, rank_numbered(self.others, number));
        }
        for (place, share) in self.lines[step].moved.clone().zip(&self.shares[step]) {
            self.nest(step + 1, at + place * self.strides[step], number + share, visit)?;
        }
        Ok(())
    }
}
