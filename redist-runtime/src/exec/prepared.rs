//! What the ways of moving need, each made when it is first needed: a plan is bound for one way,
//! and most ranks never take another.

use super::direct::{CopyOptions, DirectCopies, Staged, Visited};
use super::kernels::{CopyDirection, Kernels, Vectors};
use super::rank::{RankCopier, RankPacking, RankUnpacking};
use crate::cache::LINE_BYTES;
use crate::error::Error;
use crate::layout::Padding;
use crate::plan::{AnyPlan, Axis, Piece, Side, Trapezoid};
use crate::program::{Clip, Program, RankChunks, StridedArray, StridedArrays};
use crate::transport::{Lists, Messages};
use core::ops::Range;
use std::cell::OnceCell;
use std::sync::Arc;

/// Least bytes of a rank's row, and of all that it has, from which packed messages are read faster
/// than others' arrays: measured on one node, rows of 256 bytes took twice as long as by chunks, and rows of 1 KiB
/// two thirds.
const MIN_PACKED_ROW_BYTES: usize = 1 << 10;
const MIN_PACKED_BYTES: usize = 8 << 10;

/// What a plan is prepared from.
pub(super) struct Facts {
    pub plan: AnyPlan,
    pub rank: usize,
    /// How the rank's local arrays lie in memory, by side.
    pub arrays: Arc<[StridedArray; 2]>,
    /// Bytes of an element.
    pub width: usize,
    pub windows: Vec<&'static [Piece]>,
    pub kernels: Kernels,
    /// The instructions that may be used.
    pub vectors: Vectors,
    /// What moves of a matrix, where that is not all of it.
    pub trapezoid: Option<Trapezoid>,
}

impl Facts {
    /// Of dense local arrays, and a plan that nothing was made for before.
    pub fn new(plan: AnyPlan, rank: usize, width: usize, trapezoid: Option<Trapezoid>) -> Self {
        Self {
            arrays: dense(&plan, rank),
            rank,
            width,
            windows: vec![&[]; plan.dimensions()],
            kernels: Kernels::default(),
            vectors: Vectors::detected(),
            trapezoid,
            plan,
        }
    }

    /// Has the rank's local arrays lie in memory as it says.
    ///
    /// # Errors
    /// [`Error::Padding`] where there is no such array.
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

    /// The same on another rank, whose local arrays are dense.
    pub fn on(self, rank: usize) -> Self {
        Self { rank, arrays: dense(&self.plan, rank), ..self }
    }

    /// What the rank does on one side, where all of the array moves.
    pub fn program(&self, side: Side) -> Program {
        let Self { plan, windows, rank, arrays, .. } = self;
        Program::in_array(plan, windows, side, *rank, &arrays[side as usize])
    }

    /// What moves of each row, where that is not all of it.
    fn clip(&self, side: Side) -> Option<Clip> {
        let first = self.arrays[side as usize].first;
        Clip::new(&self.plan, self.trapezoid?, side, self.rank, first)
    }

    /// Whether ranks that share memory had better read packed messages than each other's arrays: what
    /// a rank has on a cache line goes to several others, so that these lines are fewer, and rows are
    /// long, so that setting a kernel up for each costs less than that. The same on all ranks.
    pub fn gains_by_packing(&self) -> bool {
        let mut faster = self.plan.descriptor(Side::Source).stored_order().rev();
        let Some(row) = faster.next().map(|row| self.plan.axis(row)) else { return false };
        let [from, to] =
            [Side::Source, Side::Destination].map(|side| row.side(side).deal().ranks());
        let of_row = row.len().saturating_mul(self.width);
        let is_short = of_row < row.pieces().saturating_mul(LINE_BYTES);
        // Rows that are joined (`Program::in_long_rows`), as far as is known without a rank.
        let joined = match faster.next().map(|slower| self.plan.axis(slower)) {
            Some(slower) if row.is_in_whole_periods() => slower.common_run(),
            _ => 1,
        };
        let elements = self.plan.axes().iter().map(Axis::len);
        let of_rank = elements.fold(self.width, usize::saturating_mul) / self.plan.ranks().max(1);
        to > 1
            && is_short
            && (of_row / from.max(1)).saturating_mul(joined) >= MIN_PACKED_ROW_BYTES
            && of_rank >= MIN_PACKED_BYTES
    }

    /// What the rank packs, or unpacks.
    pub fn copier<D: CopyDirection>(&self) -> RankCopier<D> {
        self.copier_by(self.program(D::SIDE))
    }

    /// What the rank packs, or unpacks, by a program.
    fn copier_by<D: CopyDirection>(&self, program: Program) -> RankCopier<D> {
        let written = if D::PACKS { self.kernels.pack } else { self.kernels.unpack };
        let clip = self.clip(D::SIDE);
        let program = if clip.is_some() { program } else { program.in_long_rows() };
        RankCopier::new(program, written, (self.width, self.vectors), clip)
    }

    /// What the rank packs and unpacks of a box of the moved section, which has all of the plan's
    /// trapezoid, if there is one.
    fn of_part(&self, indices: &[Range<usize>]) -> (RankPacking, RankUnpacking) {
        let (part, rank) = (self.plan.part(indices), self.rank);
        // Window tables are those of the whole section.
        let program = |side| Program::in_array(&part, &[], side, rank, &self.arrays[side as usize]);
        (self.copier_by(program(Side::Source)), self.copier_by(program(Side::Destination)))
    }

    /// What other ranks compare of the plan, and of what moves of it.
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers = self.plan.numbers();
        numbers.extend(self.trapezoid.into_iter().flat_map(Trapezoid::numbers));
        numbers
    }

    /// What arrays are copied with.
    fn copying(&self) -> CopyOptions {
        let Self { width, vectors, kernels, .. } = self;
        CopyOptions::new(*width, *vectors, kernels.exchange)
    }
}

/// The local arrays of a rank, by side.
fn dense(plan: &AnyPlan, rank: usize) -> Arc<[StridedArray; 2]> {
    let dense = |side| StridedArray::dense(plan.descriptor(side), rank);
    Arc::new([Side::Source, Side::Destination].map(dense))
}

/// What one rank has for each way, as far as it has been needed.
pub(super) struct Prepared {
    pub facts: Facts,
    /// The arrays of all ranks, where not all are dense and ranks use each other's.
    strided: Option<StridedArrays>,
    packing: OnceCell<RankPacking>,
    unpacking: OnceCell<RankUnpacking>,
    /// What is packed and unpacked in the round of a move that is under way.
    of_round: Option<(RankPacking, RankUnpacking)>,
    /// This rank's share of the copies between the arrays of all ranks.
    share: Option<DirectCopies>,
    /// The copies from all ranks' source arrays to this rank's destination.
    direct: Option<DirectCopies>,
    /// What a function is given of all ranks' source arrays.
    visited: Option<Visited>,
    /// The copies from the chunks that ranks show.
    staged: Option<(Staged, RankChunks)>,
}

impl Prepared {
    pub fn new(facts: Facts, strided: Option<StridedArrays>) -> Self {
        Self {
            facts,
            strided,
            packing: OnceCell::new(),
            unpacking: OnceCell::new(),
            of_round: None,
            share: None,
            direct: None,
            visited: None,
            staged: None,
        }
    }

    /// Whether ranks use each other's arrays, of which not all are dense.
    pub fn is_strided(&self) -> bool {
        self.strided.is_some()
    }

    /// What this rank packs: in the round that is under way, or else in all of the move.
    pub fn packing(&self) -> &RankPacking {
        match &self.of_round {
            Some((packing, _)) => packing,
            None => self.packing.get_or_init(|| self.facts.copier()),
        }
    }

    /// What this rank unpacks: in the round that is under way, or else in all of the move.
    pub fn unpacking(&self) -> &RankUnpacking {
        match &self.of_round {
            Some((_, unpacking)) => unpacking,
            None => self.unpacking.get_or_init(|| self.facts.copier()),
        }
    }

    /// Begins a round, of a box of the moved section; `None` ends the last. What the round before
    /// needed is dropped first.
    pub fn enter_round(&mut self, indices: Option<&[Range<usize>]>) {
        self.of_round = None;
        self.of_round = indices.map(|indices| self.facts.of_part(indices));
    }

    pub fn share(&mut self) -> &mut DirectCopies {
        let (facts, strided) = (&self.facts, self.strided.as_ref());
        let made = || DirectCopies::divided((&facts.plan, strided), facts.rank, facts.copying());
        self.share.get_or_insert_with(made)
    }

    pub fn direct(&mut self) -> &mut DirectCopies {
        let (facts, strided) = (&self.facts, self.strided.as_ref());
        let made = || DirectCopies::to_own((&facts.plan, strided), facts.rank, facts.copying());
        self.direct.get_or_insert_with(made)
    }

    pub fn visited(&mut self) -> &mut Visited {
        let (Facts { plan, rank, width, .. }, strided) = (&self.facts, self.strided.as_ref());
        self.visited.get_or_insert_with(|| Visited::new((plan, strided), *rank, *width))
    }

    /// Makes the copies from chunks of at most `max_chunk` elements; returns those of this rank.
    pub fn prepare_staged(&mut self, max_chunk: usize) -> &RankChunks {
        let (program, copying) = (self.facts.program(Side::Source), self.facts.copying());
        let Facts { plan, rank, .. } = &self.facts;
        let made = Staged::new(plan, *rank, copying, &program, max_chunk);
        &self.staged.insert(made).1
    }

    pub fn staged(&mut self) -> &mut (Staged, RankChunks) {
        self.staged.as_mut().expect("made when a plan is bound for chunks")
    }

    /// This rank's messages, with the ranks in the order in which they are sent theirs, if there is
    /// one. Their buffers have the bytes of `room`, by side, where that is bounded.
    pub fn messages(&self, order: Option<Vec<usize>>, room: Option<[usize; 2]>) -> Messages {
        let lists = |envelopes, side: Side| match room {
            None => Lists::new(envelopes, self.facts.width),
            Some(room) => Lists::close(envelopes, self.facts.width, room[side as usize]),
        };
        let (packing, unpacking) = (self.packing(), self.unpacking());
        Messages {
            outgoing: lists(packing.envelopes(), Side::Source),
            incoming: lists(unpacking.envelopes(), Side::Destination),
            order,
        }
    }

    /// The copies from chunks, in words.
    pub fn staged_in_words(&self) -> String {
        self.staged.as_ref().map_or_else(String::new, |(staged, _)| staged.in_words())
    }

    /// The copies between the arrays of all ranks, in words.
    pub fn share_in_words(&self) -> String {
        self.share.as_ref().map_or_else(String::new, DirectCopies::in_words)
    }

    /// The names of what has been made so far.
    pub fn made(&self) -> Vec<&'static str> {
        let made = [
            (self.packing.get().is_some(), "packing"),
            (self.unpacking.get().is_some(), "unpacking"),
            (self.share.is_some(), "divided copies"),
            (self.direct.is_some(), "own copies"),
            (self.visited.is_some(), "what a function is given"),
            (self.staged.is_some(), "copies from chunks"),
        ];
        made.into_iter().filter_map(|(is_made, name)| is_made.then_some(name)).collect()
    }
}
