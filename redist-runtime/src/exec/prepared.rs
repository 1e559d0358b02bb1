//! Tables of the ways to move, each made on first need: most ranks use one way only.

use super::direct::{CopyOptions, DirectCopies, Pairs, Staged};
use super::kernels::{CopyDirection, Kernels, Vectors};
use super::rank::{RankCopier, RankPacking, RankUnpacking};
use crate::cache::LINE_BYTES;
use crate::error::Error;
use crate::layout::Padding;
use crate::plan::{AnyPlan, Axis, Side, Trapezoid, WindowTable};
use crate::program::{Clip, Program, RankChunks, StridedArray, StridedArrays};
use crate::transport::{Lists, Messages};
use core::ops::Range;
use std::cell::OnceCell;
use std::sync::Arc;

/// Least bytes of a row, and of a rank's array, from which packed messages are read faster than
/// peers' arrays. On a node, rows of 256 bytes took twice the time of chunks, of 1 KiB two thirds.
const MIN_PACKED_ROW_BYTES: usize = 1 << 10;
/// Least bytes of a rank's array for the same.
const MIN_PACKED_BYTES: usize = 8 << 10;

/// Most partners and messages of a rank that need not exist; their tables take some gibibytes.
const MAX_PARTNERS: usize = 1 << 27;

/// A plan as one rank knows it: all that its copies are prepared from.
pub(super) struct Facts {
    pub plan: AnyPlan,
    /// This rank's number in the communicator.
    pub rank: usize,
    /// Memory layout of this rank's local arrays, by side.
    pub arrays: Arc<[StridedArray; 2]>,
    /// Bytes of an element.
    pub width: usize,
    /// Compiled window table of each dimension; empty without one.
    pub windows: Vec<WindowTable<'static>>,
    pub kernels: Kernels,
    pub vectors: Vectors,
    /// The moved part of a matrix, if not all of it moves.
    pub trapezoid: Option<Trapezoid>,
}

impl Facts {
    /// Starts with dense local arrays and without compiled code.
    pub fn new(plan: AnyPlan, rank: usize, width: usize, trapezoid: Option<Trapezoid>) -> Self {
        Self {
            arrays: dense(&plan, rank),
            rank,
            width,
            windows: vec![WindowTable::NONE; plan.dimensions()],
            kernels: Kernels::default(),
            vectors: Vectors::detected(),
            trapezoid,
            plan,
        }
    }

    /// # Errors
    /// [`Error::Padding`] if there is no such array.
    pub fn pad(&mut self, paddings: &[Option<Padding>; 2]) -> Result<(), Error> {
        let mut arrays = <[StridedArray; 2]>::clone(&self.arrays);
        for side in [Side::Source, Side::Destination] {
            let Some(padding) = &paddings[side as usize] else { continue };
            let (array, rank) = (self.plan.descriptor(side), self.rank);
            arrays[side as usize] = StridedArray::padded(array, rank, padding)
                .map_err(|error| Error::Padding { rank, side, error })?;
        }
        self.arrays = Arc::new(arrays);
        Ok(())
    }

    /// Knows the plan as another rank does, whose arrays are dense.
    pub fn bring_to(&mut self, rank: usize) {
        (self.rank, self.arrays) = (rank, dense(&self.plan, rank));
    }

    pub fn program(&self, side: Side) -> Program {
        let Self { plan, windows, rank, arrays, .. } = self;
        Program::in_array(plan, windows, side, *rank, &arrays[side as usize])
    }

    /// Bounds the partners of this rank along all dimensions, and its messages, before any table of
    /// them is made.
    pub fn partners_at_most(&self, side: Side) -> usize {
        let moved = self.plan.moved(side, self.rank);
        let along = |axis: &Axis| axis.side(side.other()).ranks().min(axis.len()).min(moved);
        let partners = self.plan.axes().iter().map(along);
        let messages = partners.clone().fold(1, usize::saturating_mul).min(moved);
        partners.fold(messages, usize::saturating_add)
    }

    /// Refuses ranks of which no table of partners can be made.
    pub fn few_partners(&self, side: Side) -> Result<(), String> {
        match self.partners_at_most(side) {
            partners if partners > MAX_PARTNERS => Err(format!(
                "rank {} may have {partners} partners and messages, and tables are made of {MAX_PARTNERS}; plan for \
                 fewer ranks",
                self.rank
            )),
            _ => Ok(()),
        }
    }

    /// Returns the moved part of each row, if not all of it moves.
    fn clip(&self, side: Side) -> Option<Clip> {
        Clip::new(&self.plan, self.trapezoid?, side, self.rank)
    }

    /// Returns `true` if ranks that share memory read packed messages faster than peers' arrays.
    /// Packing pays if a rank's cache line goes to several ranks, because messages then have fewer
    /// lines, and if long rows repay the kernel's setup. The same on all ranks.
    pub fn gains_by_packing(&self) -> bool {
        let mut faster = self.plan.descriptor(Side::Source).stored_order().rev();
        let Some(row) = faster.next().map(|row| self.plan.axis(row)) else { return false };
        let [from, to] =
            [Side::Source, Side::Destination].map(|side| row.side(side).deal().ranks());
        let of_row = row.len().saturating_mul(self.width);
        let is_short = of_row < row.pieces().saturating_mul(LINE_BYTES);
        // Joined rows (`Program::in_long_rows`), as far as the plan shows them.
        let joined = match faster.next().map(|slower| self.plan.axis(slower)) {
            Some(slower) if row.is_in_whole_periods() => slower.common_run(),
            _ => 1,
        };
        let of_rank = self.moved_bytes() / self.plan.ranks().max(1);
        to > 1
            && is_short
            && (of_row / from.max(1)).saturating_mul(joined) >= MIN_PACKED_ROW_BYTES
            && of_rank >= MIN_PACKED_BYTES
    }

    /// Returns the bytes of the largest local source array of a rank. The same on all ranks.
    pub fn largest_array(&self) -> usize {
        let longest = |axis: &Axis| axis.side(Side::Source).deal().longest_share();
        self.plan.axes().iter().map(longest).fold(self.width, usize::saturating_mul)
    }

    pub fn copier<D: CopyDirection>(&self) -> RankCopier<D> {
        self.copier_by(self.program(D::SIDE))
    }

    fn copier_by<D: CopyDirection>(&self, program: Program) -> RankCopier<D> {
        let written = if D::PACKS { self.kernels.pack } else { self.kernels.unpack };
        let clip = self.clip(D::SIDE);
        let program = if clip.is_some() { program } else { program.in_long_rows() };
        RankCopier::new(program, written, (self.width, self.vectors), clip)
    }

    /// Returns the packing and unpacking of a box, which must hold the plan's whole trapezoid.
    fn of_part(&self, indices: &[Range<usize>]) -> (RankPacking, RankUnpacking) {
        let (part, rank) = (self.plan.part(indices), self.rank);
        // Window tables describe the whole section.
        let program = |side| Program::in_array(&part, &[], side, rank, &self.arrays[side as usize]);
        // A round's tables are made anew for each move.
        let packing = self.copier_by(program(Side::Source)).without_learning();
        (packing, self.copier_by(program(Side::Destination)).without_learning())
    }

    /// Returns the copies from single messages.
    pub fn singly(&self) -> Pairs {
        let own = (self.rank, &self.arrays[Side::Destination as usize]);
        Pairs::of_messages(&self.plan, own, self.copying())
    }

    /// Returns the copies to single messages.
    pub fn singly_packed(&self) -> Pairs {
        let own = (self.rank, &self.arrays[Side::Source as usize]);
        Pairs::to_messages(&self.plan, own, self.copying())
    }

    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers = self.plan.numbers();
        numbers.extend(self.trapezoid.into_iter().flat_map(Trapezoid::numbers));
        numbers
    }

    fn copying(&self) -> CopyOptions {
        let Self { width, vectors, kernels, .. } = self;
        let options = CopyOptions::new(*width, *vectors, kernels.exchange);
        CopyOptions { array: self.moved_bytes() / self.plan.ranks().max(1), ..options }
    }

    fn moved_bytes(&self) -> usize {
        self.plan.axes().iter().map(Axis::len).fold(self.width, usize::saturating_mul)
    }
}

fn dense(plan: &AnyPlan, rank: usize) -> Arc<[StridedArray; 2]> {
    let dense = |side| StridedArray::dense(plan.descriptor(side), rank);
    Arc::new([Side::Source, Side::Destination].map(dense))
}

/// One rank's tables for each way to move, as far as moves have needed them.
pub(super) struct Prepared {
    pub facts: Facts,
    /// All ranks' arrays, if ranks use each other's and not all are dense.
    pub strided: Option<StridedArrays>,
    /// Ranks that share their arrays divide the copies, because each has elements for each.
    pub divides: bool,
    packing: OnceCell<RankPacking>,
    unpacking: OnceCell<RankUnpacking>,
    /// To this rank's own array, and its share of all.
    pub copies: [Option<DirectCopies>; 2],
    /// Copies from all source arrays to a function.
    visited: Option<Pairs>,
    /// Copies from messages that arrive one by one.
    singly: Option<Pairs>,
    /// Copies from the chunks that ranks publish.
    pub staged: Option<Staged>,
}

impl Prepared {
    pub fn new(facts: Facts, strided: Option<StridedArrays>, divides: bool) -> Self {
        Self {
            facts,
            strided,
            divides,
            packing: OnceCell::new(),
            unpacking: OnceCell::new(),
            copies: [None, None],
            visited: None,
            singly: None,
            staged: None,
        }
    }

    /// Returns the packing of the current round; of the whole move if there are no rounds.
    pub fn packing(&self) -> &RankPacking {
        self.packing.get_or_init(|| self.facts.copier())
    }

    pub fn unpacking(&self) -> &RankUnpacking {
        self.unpacking.get_or_init(|| self.facts.copier())
    }

    /// Drops the last round's tables and begins the round of a box; `None` begins none.
    pub fn enter_round(&mut self, indices: Option<&[Range<usize>]>) {
        (self.packing, self.unpacking) = (OnceCell::new(), OnceCell::new());
        if let Some(indices) = indices {
            let (packing, unpacking) = self.facts.of_part(indices);
            (self.packing, self.unpacking) = (packing.into(), unpacking.into());
        }
    }

    /// Returns this rank's share of the copies, or the copies to its own array.
    pub fn copies(&mut self, divided: bool) -> &mut DirectCopies {
        let (facts, strided) = (&self.facts, self.strided.as_ref());
        let new = if divided { DirectCopies::divided } else { DirectCopies::to_own };
        let made = || new((&facts.plan, strided), facts.rank, facts.copying());
        self.copies[usize::from(divided)].get_or_insert_with(made)
    }

    pub fn visited(&mut self) -> &mut Pairs {
        let (facts, strided) = (&self.facts, self.strided.as_ref());
        let made = || Pairs::new((&facts.plan, strided), facts.rank, facts.copying());
        self.visited.get_or_insert_with(made)
    }

    pub fn singly(&mut self) -> &mut Pairs {
        let facts = &self.facts;
        self.singly.get_or_insert_with(|| facts.singly())
    }

    /// Makes the copies from chunks of at most `max_chunk` elements; returns this rank's chunks.
    pub fn prepare_staged(&mut self, max_chunk: usize) -> &RankChunks {
        let (program, copying) = (self.facts.program(Side::Source), self.facts.copying());
        let Facts { plan, rank, .. } = &self.facts;
        let made = Staged::new(plan, *rank, copying, &program, max_chunk);
        &self.staged.insert(made).own
    }

    pub fn staged(&mut self) -> &mut Staged {
        self.staged.as_mut().expect("made when a plan is bound for chunks")
    }

    /// Returns this rank's messages in sending order. `room` bounds buffers in bytes, by side, with
    /// `head` bytes before each message.
    pub fn messages(
        &self,
        order: Option<Vec<usize>>,
        (head, room): (usize, Option<[usize; 2]>),
    ) -> Messages {
        let lists = |envelopes, side: Side| match room {
            None => Lists::new(envelopes, self.facts.width),
            Some(room) => Lists::close(envelopes, self.facts.width, head, room[side as usize]),
        };
        let (packing, unpacking) = (self.packing(), self.unpacking());
        Messages {
            outgoing: lists(packing.envelopes(), Side::Source),
            incoming: lists(unpacking.envelopes(), Side::Destination),
            order,
        }
    }

    pub fn made(&self) -> Vec<&'static str> {
        let made = [
            (self.packing.get().is_some(), "packing"),
            (self.unpacking.get().is_some(), "unpacking"),
            (self.copies[1].is_some(), "divided copies"),
            (self.copies[0].is_some(), "own copies"),
            (self.visited.is_some(), "what a function is given"),
            (self.staged.is_some(), "copies from chunks"),
        ];
        made.into_iter().filter_map(|(is_made, name)| is_made.then_some(name)).collect()
    }
}
