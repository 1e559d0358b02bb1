//! Any pattern of 4-byte lanes by permutations of whole vectors: each vector of one side is put together from vectors
//! of the other, one permutation each.
//!
//! The permutations are a table, so that the same loops do for every pattern. What the table says of a vector serves
//! several periods at a time: reading it costs as much as using it. The portable twin is [`table`](super::table).

mod avx2;
mod avx512;
mod build;
mod loops;

use super::memory::{Cached, fetch_to_read, fetch_to_write};
use super::{Pattern, Table, TableOne, table};
use crate::exec::kernels::{Direction, MOST_PEERS, Memory, Vectors};
use build::Outputs;
use core::ptr;
use std::sync::OnceLock;

/// Bytes of a lane, and lanes of the longest vector.
const LANE: usize = 4;
const LANES: usize = 16;

/// Bytes of runs of one length from which, one message at a time, moves of runs beat masked vectors.
const REGISTER: usize = 16;

/// Inputs of an output at most: so many permutations fit the registers.
const MOST: usize = 10;

/// Periods that are dealt with together.
const TOGETHER: usize = 8;

/// Inputs of an output up to which each is asked for ahead: more are mostly lines that other outputs ask for.
const FETCHED: usize = 5;

/// A pattern as permutations.
pub(in super::super) struct Permutation {
    table: Table,
    vectors: Vectors,
    /// In the order of the local array, where that is written; message by message where messages are.
    all: Outputs,
    /// What each message holds of each vector of the local array, for unpacking one by one.
    by_peer: OnceLock<Vec<Outputs>>,
    /// True where all vectors that are read are equally far from those of the next period.
    even: bool,
    memory: Memory,
    /// For unpacking one by one, where all runs fill registers.
    moves: Option<TableOne>,
}

/// A vector of a message or, where its peer does not matter, of the local array; in bytes from the start of the period
/// or of the share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    peer: u32,
    at: u32,
}

/// A vector that is written, and the lanes that are, a bit each.
#[derive(Clone, Copy, Debug)]
struct Output {
    place: Place,
    mask: u16,
}

/// A vector that is read, and the lanes that are taken, a bit each; no others need to exist.
#[derive(Clone, Copy, Debug)]
struct Input {
    place: Place,
    mask: u16,
}

/// For each lane of an output, its own number to keep it, or the vector's lanes and the lane to take of an input.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
struct Lanes([u32; LANES]);

/// Outputs of equally many inputs, in one period.
struct Group<'a> {
    outputs: &'a [Output],
    /// The inputs of all outputs, one after the other, and the lanes that each adds.
    inputs: &'a [Input],
    lanes: &'a [Lanes],
}

/// Where the period at hand begins in what is read and in what is written, and how far the next one is from there: for
/// each peer, or, where it is the local array, once.
struct Sides<'a> {
    from: &'a [*mut u8],
    from_steps: &'a [usize],
    to: &'a [*mut u8],
    to_steps: &'a [usize],
}

/// Makes the outputs of a group, which have inputs of a number that the function was made for, in as many periods.
///
/// # Safety
/// In each period, the vectors of all inputs may be read (if the function is one for edges, their lanes in the masks), and
/// the lanes of the outputs in their masks may be written; the processor has the function's instructions.
type Run = unsafe fn(Group<'_>, &Sides<'_>);

/// The functions for all numbers of inputs.
struct Functions {
    /// One period, up to the ends of everything.
    edge: [Run; MOST],
    /// `TOGETHER` periods.
    inner: [Run; MOST],
}

impl Permutation {
    /// `repeats` periods of a pattern; `None` where its runs are not made of lanes, or vectors of this kind are not
    /// permuted.
    pub fn new<D: Direction>(pattern: Pattern, repeats: usize, vectors: Vectors, memory: Memory) -> Option<Self> {
        let lanes = lanes(vectors)?;
        if !pattern.is_multiple_of(LANE) || pattern.span() == 0 {
            return None;
        }
        let all = Outputs::of_all::<D>(&pattern, lanes);
        let mut shares = pattern.shares().iter().filter(|share| **share > 0);
        let first = shares.next();
        let even = D::PACKS || shares.all(|share| Some(share) == first);
        let filled = pattern.uniform().filter(|len| !D::PACKS && *len >= REGISTER);
        let moves = filled.map(|len| table::kernel::<D, Cached>(Some(len)).one);
        let table = Table::new(pattern, repeats);
        Some(Self { table, moves, vectors, all, by_peer: OnceLock::new(), even, memory })
    }

    /// Bytes of the local array.
    pub fn span(&self) -> usize {
        self.table.span()
    }

    /// Bytes of each message.
    pub fn takes(&self) -> impl Iterator<Item = usize> {
        self.table.takes()
    }

    fn sorted(&self) -> &[Outputs] {
        let lanes = lanes(self.vectors).unwrap_or(LANES);
        self.by_peer.get_or_init(|| Outputs::of_each(&self.table.pattern, lanes))
    }

    /// # Safety
    /// As [`Work::all`](super::Work::all), and the processor has the vectors that this was made for.
    pub unsafe fn all<D: Direction>(&self, local: *mut u8, fronts: &mut [*mut u8]) {
        // SAFETY: as the caller says.
        unsafe { self.run::<D>(&self.all, self.even, local, fronts) };
    }

    /// # Safety
    /// As [`Work::one`](super::Work::one), and the processor has the vectors that this was made for.
    pub unsafe fn one<D: Direction>(&self, peer: usize, local: *mut u8, front: *mut u8) {
        debug_assert!(!D::PACKS, "what is sorted by peer is unpacked");
        if let Some(moves) = self.moves {
            // SAFETY: the contracts are one.
            return unsafe { moves(&self.table, peer, local, front) };
        }
        let mut fronts = [ptr::null_mut(); MOST_PEERS];
        fronts[peer] = front;
        let fronts = &mut fronts[..self.table.pattern.shares().len()];
        // SAFETY: as the caller says; these outputs have one input each, of this message.
        unsafe { self.run::<D>(&self.sorted()[peer], false, local, fronts) };
    }

    /// All periods, several at a time; the last ones, whose vectors may reach past the end, by the functions for edges.
    ///
    /// # Safety
    /// As for [`all`](Permutation::all), with the messages that the outputs have places in.
    unsafe fn run<D: Direction>(&self, outputs: &Outputs, even: bool, local: *mut u8, fronts: &mut [*mut u8]) {
        let Functions { edge, inner } = match self.vectors {
            Vectors::Avx512 => avx512::functions(D::PACKS, even, self.memory),
            _ => avx2::functions(D::PACKS, even, self.memory),
        };
        let (span, shares) = (self.table.pattern.span(), self.table.pattern.shares());
        let (mut locals, spans, fronts) = ([local], [span], &mut fronts[..shares.len()]);
        let whole = self.table.repeats.saturating_sub(outputs.last);
        let mut done = 0;
        while done < self.table.repeats {
            let (periods, functions) = if done + TOGETHER <= whole { (TOGETHER, inner) } else { (1, edge) };
            let sides = match D::PACKS {
                true => Sides { from: &locals, from_steps: &spans, to: fronts, to_steps: shares },
                false => Sides { from: fronts, from_steps: shares, to: &locals, to_steps: &spans },
            };
            for (inputs, group) in outputs.groups() {
                // SAFETY: in the periods before `whole` no vector reaches past the end of anything, and lanes in masks
                // never do; the group's outputs have so many inputs.
                unsafe { functions[inputs - 1](group, &sides) };
            }
            locals[0] = locals[0].wrapping_add(span * periods);
            for (front, share) in fronts.iter_mut().zip(shares) {
                *front = front.wrapping_add(share * periods);
            }
            done += periods;
        }
    }
}

/// Lanes of the vectors that are permuted.
fn lanes(vectors: Vectors) -> Option<usize> {
    match vectors {
        Vectors::Avx512 => Some(16),
        Vectors::Avx2 => Some(8),
        _ => None,
    }
}
