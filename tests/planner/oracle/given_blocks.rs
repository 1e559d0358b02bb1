//! Vectors with at most one block for each rank on a side hold for a `gen_block` of those sizes.

use redist::Layout;
use redist::layout::Dist;
use redist::plan::{Axis, Plan, Side};
use redist_testing::movement::{ByPair, Stretch};
use redist_testing::vectors::hash_of_pairs;
use redist_testing::vectors::{Line, Parameters, VECTORS};

fn given(extent: usize, (block, ranks, first): (usize, usize, usize)) -> Option<Layout<1>> {
    let mut sizes = Vec::new();
    let mut left = extent;
    for _ in 0..ranks {
        sizes.push(left.min(block));
        left -= left.min(block);
    }
    (left == 0).then(|| Layout::new([Dist::gen_block(&sizes)], [ranks]).first([first]))
}

fn in_given_blocks(parameters: &Parameters) -> Vec<Axis> {
    let plan = parameters.plan();
    let layout = |side| *plan.descriptor(side).layout();
    let (from, to) = (layout(Side::Source), layout(Side::Destination));
    let source = given(parameters.extent, parameters.source);
    let destination = given(parameters.extent, parameters.destination);
    let pairs = [(source, Some(to)), (Some(from), destination), (source, destination)];
    let plans = pairs.into_iter().filter_map(|(from, to)| from.zip(to));
    plans
        .map(|(from, to)| Plan::new([parameters.extent], from, to).expect("sizes that fit").axis(0))
        .collect()
}

fn all() -> impl Iterator<Item = (&'static Line, Axis)> {
    let axes = |line: &'static Line| {
        in_given_blocks(&line.parameters).into_iter().map(move |axis| (line, axis))
    };
    VECTORS.lines.iter().flat_map(axes)
}

#[test]
fn there_are_such_vectors_of_every_sort() {
    assert!(all().count() > 100, "{}", all().count());
}

#[test]
fn every_pair_exchanges_so_many_elements() {
    for (line, axis) in all() {
        for (p, q) in line.parameters.pairs() {
            assert_eq!(axis.count(p, q), line.counts[p][q], "vector {}, {p} to {q}", line.id);
        }
    }
}

#[test]
fn the_walk_finds_the_pieces_of_every_pair() {
    for (line, axis) in all() {
        let mut pairs = ByPair::new();
        for rank in 0..line.parameters.source_ranks() {
            for piece in axis.aspen(Side::Source, rank) {
                let stretch = Stretch {
                    source: piece.own_offset,
                    destination: piece.peer_offset,
                    len: piece.last_len,
                };
                pairs.entry((rank, piece.peer)).or_default().push(stretch);
            }
        }
        let expected = (line.n_pieces, line.h_pieces.clone());
        assert_eq!(hash_of_pairs(&line.parameters, &pairs), expected, "vector {}", line.id);
        assert_eq!(axis.window_walk().count(), line.n_pieces, "vector {}", line.id);
        assert_eq!(axis.pieces(), line.n_pieces, "vector {}", line.id);
    }
}
