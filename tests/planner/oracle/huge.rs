//! Extents up to 2^62, and products of blocks and grids past 64 bits: closed forms and short walks.

use super::closed_forms::expected;
use super::descriptors::words;
use redist::plan::{Axis, Side};
use redist_testing::fnv::Fnv;
use redist_testing::vectors::{Huge, HugeRank, VECTORS};
use std::collections::BTreeSet;

#[test]
fn period_and_class() {
    for huge in &VECTORS.huge {
        let axis = huge.parameters.axis();
        assert_eq!(axis.period(), huge.period, "{:?}", huge.parameters);
        assert_eq!(axis.class(), expected(&huge.kind, &axis), "{:?}", huge.parameters);
    }
}

#[test]
fn descriptors_of_the_listed_ranks() {
    for (huge, rank) in listed_ranks() {
        let axis = huge.parameters.axis();
        let descriptors: Vec<[usize; 6]> =
            axis.aspen(Side::Source, rank.p).map(|piece| words(&piece)).collect();
        let context = format!("{:?}, rank {}", huge.parameters, rank.p);
        assert_eq!(descriptors.len(), rank.n, "{context}");
        assert_eq!(descriptors[..rank.head.len()], rank.head, "{context}");
        assert_eq!(descriptors.last(), rank.tail.as_ref(), "{context}");
        assert_eq!(hash(&descriptors), rank.h, "{context}");
    }
}

fn hash(descriptors: &[[usize; 6]]) -> String {
    let mut hash = Fnv::default();
    hash.word(descriptors.len());
    hash.words(descriptors.iter().flatten().copied());
    hash.hex()
}

#[test]
fn local_lengths_and_counts_of_the_listed_ranks() {
    for (huge, rank) in listed_ranks() {
        let axis = huge.parameters.axis();
        let context = format!("{:?}, rank {}", huge.parameters, rank.p);
        assert_eq!(axis.side(Side::Source).deal().numroc(rank.p), rank.local_len, "{context}");
        for &(q, elements) in &rank.counts {
            assert_eq!(axis.count(rank.p, q), elements, "{context} to {q}");
        }
        let total: usize = peers(&axis, rank.p).into_iter().map(|q| axis.count(rank.p, q)).sum();
        assert_eq!(total, rank.local_len, "{context}");
    }
}

/// Far fewer than the other side's ranks.
fn peers(axis: &Axis, rank: usize) -> BTreeSet<usize> {
    axis.aspen(Side::Source, rank).map(|piece| piece.peer).collect()
}

fn listed_ranks() -> impl Iterator<Item = (&'static Huge, &'static HugeRank)> {
    let huge = VECTORS.huge.iter();
    huge.flat_map(|huge| huge.ranks.iter().map(move |rank| (huge, rank)))
}
