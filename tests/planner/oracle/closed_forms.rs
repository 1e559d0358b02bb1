//! Periods, pieces and partners beside the reference.

use redist::plan::{Axis, Class, Side};
use redist_testing::vectors::{Line, VECTORS};

#[test]
fn the_period_is_the_common_multiple_clipped_at_the_extent() {
    for line in &VECTORS.lines {
        assert_eq!(line.parameters.axis().period(), line.period, "vector {}", line.id);
    }
}

#[test]
fn every_pair_exchanges_so_many_elements() {
    for line in &VECTORS.lines {
        let axis = line.parameters.axis();
        for (p, q) in line.parameters.pairs() {
            assert_eq!(axis.count(p, q), line.counts[p][q], "vector {}, {p} to {q}", line.id);
        }
    }
}

#[test]
fn the_numbers_of_pieces_are_closed_forms() {
    for line in &VECTORS.lines {
        let axis = line.parameters.axis();
        assert_eq!(axis.pieces(), line.n_pieces, "vector {}", line.id);
        assert_eq!(axis.pieces_below(axis.period()), line.aspen_ops, "vector {}", line.id);
    }
}

/// A step pairs each rank with at most one other.
#[test]
fn the_busiest_rank_has_so_many_partners() {
    for line in &VECTORS.lines {
        assert_eq!(most_partners(line), line.steps, "vector {}", line.id);
    }
}

fn most_partners(line: &Line) -> usize {
    let axis = line.parameters.axis();
    let mut partners =
        [vec![0; line.parameters.source_ranks()], vec![0; line.parameters.destination_ranks()]];
    for (p, q) in line.parameters.pairs().filter(|&(p, q)| axis.count(p, q) > 0) {
        partners[0][p] += 1;
        partners[1][q] += 1;
    }
    partners.into_iter().flatten().max().unwrap_or(0)
}

#[test]
fn the_class_follows_the_blocks() {
    for line in &VECTORS.lines {
        let axis = line.parameters.axis();
        assert_eq!(axis.class(), expected(&line.kind, &axis), "vector {}", line.id);
    }
}

/// The reference's `equal` blocks on different ranks are kr→r with k = 1.
pub fn expected(kind: &str, axis: &Axis) -> Class {
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    let (s, t) = (source.block(), destination.block());
    match kind {
        _ if source.ranks() == 1 && destination.ranks() == 1 => Class::Identity,
        "identity" => Class::Identity,
        "equal" => Class::KrToR { k: 1, r: s },
        "kr->r" => Class::KrToR { k: s / t, r: t },
        "r->kr" => Class::RToKr { k: t / s, r: s },
        "general" => Class::General,
        _ => panic!("the reference knows no kind {kind}"),
    }
}
