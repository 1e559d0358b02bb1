//! Hsu and Chung's equations (1) to (7) over one full cycle of M k r elements, by the planner.

use redist::plan::{Axis, Side};
use redist_testing::vectors::{HsuChung, Line, Parameters, VECTORS};

#[test]
fn the_planner_agrees_with_equations_1_to_7() {
    let mut seen = (0, 0);
    for line in &VECTORS.lines {
        match &line.hc {
            Some(HsuChung::KrToR { eta, gamma, alpha }) => {
                check(line, eta, gamma, alpha);
                seen.0 += 1;
            }
            Some(HsuChung::RToKr { phi, delta, beta }) => {
                check(line, phi, delta, beta);
                seen.1 += 1;
            }
            None => {}
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "both directions are in the vectors");
}

fn check(line: &Line, first: &[usize], elements: &[Vec<usize>], offset: &[Vec<Option<usize>>]) {
    let axis = one_cycle(&line.parameters);
    let ranks = line.parameters.source_ranks();
    for i in 0..ranks {
        assert_eq!(first_peer(&axis, i), Some(first[i]), "vector {}, rank {i}", line.id);
        for j in 0..ranks {
            let context = format!("vector {}, {i} to {j}", line.id);
            assert_eq!(axis.count(i, j), elements[i][j], "{context}");
            assert_eq!(first_offset(&axis, i, j), offset[i][j], "{context}");
        }
    }
}

fn one_cycle(parameters: &Parameters) -> Axis {
    let ((s, ranks, _), (t, _, _)) = (parameters.source, parameters.destination);
    let cycle =
        Parameters { extent: ranks * s.max(t), source: (s, ranks, 0), destination: (t, ranks, 0) };
    cycle.axis()
}

fn first_peer(axis: &Axis, source: usize) -> Option<usize> {
    axis.aspen(Side::Source, source).next().map(|piece| piece.peer)
}

fn first_offset(axis: &Axis, source: usize, destination: usize) -> Option<usize> {
    axis.aspen(Side::Source, source)
        .find(|piece| piece.peer == destination)
        .map(|piece| piece.peer_offset)
}
