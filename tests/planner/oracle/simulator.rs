//! The simulator against the same vectors, because random tests rely on it only.

use redist_testing::movement::ByPair;
use redist_testing::vectors::hash_of_pairs;
use redist_testing::vectors::{PairRuns, VECTORS};

#[test]
fn it_finds_the_same_counts() {
    for line in &VECTORS.lines {
        let movement = line.parameters.movement();
        let mut counts = line.counts.clone();
        counts.iter_mut().flatten().for_each(|count| *count = 0);
        for index in 0..movement.len {
            let (p, q) = movement.pair(index);
            counts[p][q] += 1;
        }
        assert_eq!(counts, line.counts, "vector {}", line.id);
    }
}

#[test]
fn it_finds_the_same_pieces_and_runs() {
    for line in &VECTORS.lines {
        let movement = line.parameters.movement();
        let pieces = hash_of_pairs(&line.parameters, &movement.pieces());
        let runs = hash_of_pairs(&line.parameters, &movement.runs());
        assert_eq!(pieces, (line.n_pieces, line.h_pieces.clone()), "vector {}", line.id);
        assert_eq!(runs, (line.n_runs, line.h_runs.clone()), "vector {}", line.id);
    }
}

#[test]
fn it_finds_the_runs_that_are_written_out() {
    for line in &VECTORS.lines {
        if let Some(listed) = &line.segs {
            assert_eq!(&list(line.parameters.movement().runs()), listed, "vector {}", line.id);
        }
    }
}

fn list(runs: ByPair) -> Vec<PairRuns> {
    let numbers = |runs: Vec<_>| {
        runs.into_iter()
            .map(|r: redist_testing::movement::Stretch| (r.source, r.destination, r.len))
            .collect()
    };
    runs.into_iter().map(|((p, q), runs)| (p, q, numbers(runs))).collect()
}
