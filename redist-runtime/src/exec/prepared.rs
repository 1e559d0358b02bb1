//! What the ways of moving need, each made when it is first needed: a plan is bound for one way,
//! and most ranks never take another.

use super::direct::{CopyOptions, DirectCopies, Staged};
use super::kernels::Allowed;
use super::rank::{RankPacking, RankUnpacking};
use super::redistribution::Kernels;
use crate::plan::{AnyPlan, Piece, Side, Trapezoid};
use crate::program::{Clip, Program, RankChunks, Step};
use crate::transport::{Lists, Messages};
use std::cell::OnceCell;

/// What a plan is prepared from.
pub(super) struct Facts {
    pub plan: AnyPlan,
    pub rank: usize,
    /// Bytes of an element.
    pub width: usize,
    pub windows: Vec<&'static [Piece]>,
    pub kernels: Kernels,
    pub allowed: Allowed,
    /// What moves of a matrix, where that is not all of it.
    pub trapezoid: Option<Trapezoid>,
}

impl Facts {
    /// What the rank packs.
    pub fn packing(&self) -> RankPacking {
        let Self { plan, rank, width, windows, kernels, allowed, trapezoid } = self;
        let all = RankPacking::new(plan, windows, kernels.pack, (*width, *allowed), *rank);
        match trapezoid.and_then(|trapezoid| Clip::new(plan, trapezoid, Side::Source, *rank)) {
            Some(clip) => all.clipped(clip),
            None => all,
        }
    }

    /// What the rank unpacks.
    pub fn unpacking(&self) -> RankUnpacking {
        let Self { plan, rank, width, windows, kernels, allowed, trapezoid } = self;
        let all = RankUnpacking::new(plan, windows, kernels.unpack, (*width, *allowed), *rank);
        match trapezoid.and_then(|trapezoid| Clip::new(plan, trapezoid, Side::Destination, *rank)) {
            Some(clip) => all.clipped(clip),
            None => all,
        }
    }

    /// What other ranks compare of the plan, and of what moves of it.
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers = self.plan.numbers();
        numbers.extend(self.trapezoid.into_iter().flat_map(Trapezoid::numbers));
        numbers
    }

    /// What arrays are copied with.
    fn copying(&self) -> CopyOptions {
        let Self { width, allowed, kernels, .. } = self;
        CopyOptions { width: *width, vectors: allowed.vectors, written: kernels.exchange }
    }
}

/// What one rank has for each way, as far as it has been needed.
pub(super) struct Prepared {
    pub facts: Facts,
    packing: OnceCell<RankPacking>,
    unpacking: OnceCell<RankUnpacking>,
    /// This rank's share of the copies between the arrays of all ranks.
    share: OnceCell<DirectCopies>,
    /// The copies from all ranks' source arrays to this rank's destination.
    direct: OnceCell<DirectCopies>,
    /// The copies from the chunks that ranks show.
    staged: OnceCell<(Staged, RankChunks)>,
}

impl Prepared {
    pub fn new(facts: Facts) -> Self {
        Self {
            facts,
            packing: OnceCell::new(),
            unpacking: OnceCell::new(),
            share: OnceCell::new(),
            direct: OnceCell::new(),
            staged: OnceCell::new(),
        }
    }

    pub fn packing(&self) -> &RankPacking {
        self.packing.get_or_init(|| self.facts.packing())
    }

    pub fn unpacking(&self) -> &RankUnpacking {
        self.unpacking.get_or_init(|| self.facts.unpacking())
    }

    pub fn share(&mut self) -> &mut DirectCopies {
        let Facts { plan, rank, .. } = &self.facts;
        self.share.get_or_init(|| DirectCopies::divided(plan, *rank, self.facts.copying()));
        self.share.get_mut().expect("made just now")
    }

    pub fn direct(&mut self) -> &mut DirectCopies {
        let Facts { plan, rank, .. } = &self.facts;
        self.direct.get_or_init(|| DirectCopies::to_own(plan, *rank, self.facts.copying()));
        self.direct.get_mut().expect("made just now")
    }

    /// Makes the copies from chunks of at most `max_chunk` elements; returns those of this rank.
    pub fn prepare_staged(&self, max_chunk: usize) -> &RankChunks {
        let Facts { plan, rank, windows, .. } = &self.facts;
        let (_, own) = self.staged.get_or_init(|| {
            let program = Program::new(plan, windows, Side::Source, *rank);
            Staged::new(plan, *rank, self.facts.copying(), &program, max_chunk)
        });
        own
    }

    pub fn staged(&mut self) -> &mut (Staged, RankChunks) {
        self.staged.get_mut().expect("made when a plan is bound for chunks")
    }

    /// This rank's messages, with the steps in which they go, and with where their elements lie
    /// where `in_parts` says that they are not packed whole.
    pub fn messages(&self, steps: Option<&[Step]>, in_parts: bool) -> Messages {
        let lists = |envelopes| Lists::new(envelopes, self.facts.width);
        let (packing, unpacking) = (self.packing(), self.unpacking());
        let loops = in_parts.then(|| [packing.message_loops(), unpacking.message_loops()]);
        Messages {
            outgoing: lists(packing.envelopes()),
            incoming: lists(unpacking.envelopes()),
            steps: steps.map(<[Step]>::to_vec),
            loops: loops.unwrap_or_default(),
        }
    }

    /// The copies from chunks, in words.
    pub fn staged_in_words(&self) -> String {
        self.staged.get().map_or_else(String::new, |(staged, _)| staged.in_words())
    }

    /// The copies between the arrays of all ranks, in words.
    pub fn share_in_words(&self) -> String {
        self.share.get().map_or_else(String::new, DirectCopies::in_words)
    }

    /// The names of what has been made so far.
    pub fn made(&self) -> Vec<&'static str> {
        let made = [
            (self.packing.get().is_some(), "packing"),
            (self.unpacking.get().is_some(), "unpacking"),
            (self.share.get().is_some(), "divided copies"),
            (self.direct.get().is_some(), "own copies"),
            (self.staged.get().is_some(), "copies from chunks"),
        ];
        made.into_iter().filter_map(|(is_made, name)| is_made.then_some(name)).collect()
    }
}
