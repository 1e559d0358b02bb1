//! The reference's pieces and counts of ASPEN's operations, and Hsu and Chung's equations.

use redist::plan::Axis;
use redist_study::baseline::{Aspen, Intersection, Operations, all, counts, equations, expand};
use redist_testing::movement::{ByPair, Stretch};
use redist_testing::vectors::hash_of_pairs;
use redist_testing::vectors::{HsuChung, Line, VECTORS};

fn found(axis: &Axis, ranks: usize, algorithm: &dyn Intersection) -> (ByPair, Operations) {
    let (mut pairs, mut cost, mut families) = (ByPair::new(), Operations::default(), Vec::new());
    for rank in 0..ranks {
        cost = cost + algorithm.intersect(axis, rank, &mut families);
        for segment in expand(axis, &families) {
            let (source, destination) = (segment.source_offset, segment.destination_offset);
            let stretch = Stretch { source, destination, len: segment.len };
            pairs.entry((rank, segment.peer)).or_default().push(stretch);
        }
    }
    (pairs, cost)
}

#[test]
fn every_algorithm_finds_the_reference_s_pieces() {
    let mut compared = 0;
    for line in &VECTORS.lines {
        let axis = line.parameters.axis();
        for algorithm in all().into_iter().filter(|algorithm| algorithm.applies(&axis).is_ok()) {
            let (pairs, _) = found(&axis, line.parameters.source_ranks(), algorithm);
            let expected = (line.n_pieces, line.h_pieces.clone());
            assert_eq!(
                hash_of_pairs(&line.parameters, &pairs),
                expected,
                "vector {}: {}",
                line.id,
                algorithm.name()
            );
            compared += 1;
        }
    }
    assert!(compared >= 7 * VECTORS.lines.len());
}

#[test]
fn aspen_costs_what_the_reference_counts() {
    for line in &VECTORS.lines {
        let axis = line.parameters.axis();
        let (_, cost) = found(&axis, line.parameters.source_ranks(), &Aspen);
        assert_eq!(
            (cost.comparisons, cost),
            (line.aspen_ops, counts::aspen(&axis)),
            "vector {}",
            line.id
        );
    }
}

#[test]
fn equations_1_to_7() {
    let mut seen = (0, 0);
    for line in &VECTORS.lines {
        let (ranks, s, t) = (
            line.parameters.source_ranks(),
            line.parameters.source.0,
            line.parameters.destination.0,
        );
        let ratio = (s.max(t) / s.min(t), s.min(t));
        match &line.hc {
            Some(HsuChung::KrToR { eta, gamma, alpha }) => {
                seen.0 += 1;
                check(line, eta, |i| equations::first_destination(i, ratio.0, ranks));
                check_pairs(line, gamma, alpha, |i, j| {
                    let offset = equations::first_offset_scattered(i, j, ratio, ranks);
                    (equations::scattered(i, j, ratio, ranks), offset)
                });
            }
            Some(HsuChung::RToKr { phi, delta, beta }) => {
                seen.1 += 1;
                check(line, phi, |i| equations::first_gatherer(i, ratio.0));
                check_pairs(line, delta, beta, |i, j| {
                    let offset = equations::first_offset_gathered(i, j, ratio, ranks);
                    (equations::gathered(i, j, ratio, ranks), offset)
                });
            }
            None => {}
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "both directions are in the vectors");
}

fn check(line: &Line, first: &[usize], equation: impl Fn(usize) -> usize) {
    for (i, &first) in first.iter().enumerate() {
        assert_eq!(equation(i), first, "vector {}, rank {i}", line.id);
    }
}

fn check_pairs(
    line: &Line,
    elements: &[Vec<usize>],
    offsets: &[Vec<Option<usize>>],
    equations: impl Fn(usize, usize) -> (usize, usize),
) {
    for (i, row) in elements.iter().enumerate() {
        for (j, &expected) in row.iter().enumerate() {
            let (count, offset) = equations(i, j);
            let offset = (count > 0).then_some(offset);
            assert_eq!(
                (count, offset),
                (expected, offsets[i][j]),
                "vector {}, {i} to {j}",
                line.id
            );
        }
    }
}
