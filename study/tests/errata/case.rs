//! One rank and all remote ranks of a dimension, for algorithms as printed.

use redist::layout::Dist;
use redist::plan::Axis;
use redist::{Layout, Plan};
use redist_study::baseline::{Intersection, Segment, expand};
use redist_testing::dealing::{Blocks, Deal};
use redist_testing::movement::Movement;

/// Remote rank, start and end: local indices for Algorithm 4, global indices for Algorithms 2 and
/// 3.
pub type Tuple = (i64, i64, i64);

/// Rank `p` of `source_ranks` ranks, with `extent` elements in blocks of `s`, to blocks of `t`.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub extent: i64,
    pub s: i64,
    pub source_ranks: i64,
    pub p: i64,
    pub t: i64,
    pub destination_ranks: i64,
}

impl Case {
    pub const fn new([extent, s, source_ranks, p, t, destination_ranks]: [i64; 6]) -> Self {
        Self { extent, s, source_ranks, p, t, destination_ranks }
    }

    /// The 2880 cases with `N` up to 10, blocks up to 4 and up to 3 ranks.
    pub fn small_space() -> impl Iterator<Item = Case> {
        let blocks = || (1..=4).flat_map(|s| (1..=4).map(move |t| (s, t)));
        let ranks = || (1..=3).flat_map(|p| (1..=3).map(move |q| (p, q)));
        let of = move |extent| {
            blocks().flat_map(move |(s, t)| ranks().map(move |(p, q)| [extent, s, p, 0, t, q]))
        };
        (1..=10).flat_map(of).flat_map(|case| {
            (0..case[2]).map(move |p| Case::new([case[0], case[1], case[2], p, case[4], case[5]]))
        })
    }

    /// Returns the distance after which owners repeat, on one side and on both.
    pub fn periods(&self) -> (i64, i64, i64) {
        let (source, destination) = (self.s * self.source_ranks, self.t * self.destination_ranks);
        (source, destination, num_integer::lcm(source, destination))
    }

    pub fn blocks(&self, block: i64, ranks: i64, rank: i64) -> i64 {
        (0..)
            .map(|number| (number * ranks + rank) * block)
            .take_while(|&start| start < self.extent)
            .count() as i64
    }

    pub fn local(&self) -> Vec<Tuple> {
        let deal = |block: i64, ranks: i64| Deal {
            extent: self.extent as usize,
            blocks: Blocks::Of(block as usize),
            ranks: ranks as usize,
            first: 0,
        };
        let movement =
            Movement::whole(deal(self.s, self.source_ranks), deal(self.t, self.destination_ranks));
        let own = movement.pieces().into_iter().filter(|((p, _), _)| *p == self.p as usize);
        let tuples = own.flat_map(|((_, q), pieces)| {
            pieces.into_iter().map(move |piece| {
                (q as i64, piece.source as i64, (piece.source + piece.len) as i64)
            })
        });
        sorted(tuples.collect())
    }

    pub fn global(&self) -> Vec<Tuple> {
        let (s, ranks) = (self.s, self.source_ranks);
        let global = |local: i64| (local / s * ranks + self.p) * s + local % s;
        sorted(
            self.local()
                .into_iter()
                .map(|(q, start, end)| (q, global(start), global(start) + end - start))
                .collect(),
        )
    }

    pub fn axis(&self) -> Axis {
        self.axis_from(0)
    }

    pub fn axis_from(&self, first: usize) -> Axis {
        let layout =
            |block: i64, ranks: i64| Layout::new([Dist::Cyclic(block as usize)], [ranks as usize]);
        let (from, to) = (
            layout(self.s, self.source_ranks),
            layout(self.t, self.destination_ranks).first([first]),
        );
        Plan::new([self.extent as usize], from, to).expect("the cases keep to the rules").axis(0)
    }

    pub fn found(&self, algorithm: &dyn Intersection) -> Vec<Segment> {
        let mut found = Vec::new();
        algorithm.intersect(&self.axis(), self.p as usize, &mut found);
        expand(&self.axis(), &found)
    }

    pub fn found_local(&self, algorithm: &dyn Intersection) -> Vec<Tuple> {
        let tuple = |found: Segment| {
            let start = found.source_offset as i64;
            (found.peer as i64, start, start + found.len as i64)
        };
        sorted(self.found(algorithm).into_iter().map(tuple).collect())
    }
}

pub fn sorted(mut tuples: Vec<Tuple>) -> Vec<Tuple> {
    tuples.sort_unstable();
    tuples
}

pub fn set_without_empties(mut tuples: Vec<Tuple>) -> Vec<Tuple> {
    tuples.retain(|(_, start, end)| start < end);
    tuples.sort_unstable();
    tuples.dedup();
    tuples
}
