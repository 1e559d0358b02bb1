//! ASPEN's descriptors, from either side, and their repetitions.

use redist::plan::{Axis, PeriodicPiece, Side};
use redist_testing::fnv::Fnv;
use redist_testing::movement::{ByPair, Stretch, glue};
use redist_testing::vectors::{Parameters, VECTORS, hash_of_pairs};

#[test]
fn the_source_finds_the_reference_s_descriptors() {
    for line in &VECTORS.lines {
        let hash = hash_of_side(&line.parameters.axis(), Side::Source);
        assert_eq!(hash, (line.aspen_ops, line.h_desc.clone()), "vector {}", line.id);
    }
}

#[test]
fn the_destination_finds_the_same_ones_from_its_side() {
    for line in &VECTORS.lines {
        let hash = hash_of_side(&line.parameters.axis(), Side::Destination);
        assert_eq!(hash, (line.aspen_ops, line.h_desc_recv.clone()), "vector {}", line.id);
    }
}

fn hash_of_side(axis: &Axis, side: Side) -> (usize, String) {
    let (mut hash, mut number) = (Fnv::default(), 0);
    for rank in 0..axis.side(side).ranks() {
        let descriptors: Vec<PeriodicPiece> = axis.aspen(side, rank).collect();
        hash.words([rank, descriptors.len()]);
        hash.words(descriptors.iter().flat_map(words));
        number += descriptors.len();
    }
    (number, hash.hex())
}

pub fn words(piece: &PeriodicPiece) -> [usize; 6] {
    [piece.peer, piece.own_offset, piece.peer_offset, piece.len, piece.count, piece.last_len]
}

#[test]
fn written_out_they_are_the_pieces_of_every_pair() {
    for line in &VECTORS.lines {
        let pieces = written_out(&line.parameters);
        let expected = (line.n_pieces, line.h_pieces.clone());
        assert_eq!(hash_of_pairs(&line.parameters, &pieces), expected, "vector {}", line.id);
    }
}

#[test]
fn glued_they_are_the_runs_of_every_pair() {
    for line in &VECTORS.lines {
        let pieces = written_out(&line.parameters);
        let runs = pieces.iter().map(|(&pair, pieces)| (pair, glue(pieces))).collect();
        let expected = (line.n_runs, line.h_runs.clone());
        assert_eq!(hash_of_pairs(&line.parameters, &runs), expected, "vector {}", line.id);
    }
}

fn written_out(parameters: &Parameters) -> ByPair {
    let axis = parameters.axis();
    let (own_step, peer_step) =
        (axis.period() / parameters.source_ranks(), axis.period() / parameters.destination_ranks());
    let mut pairs = ByPair::new();
    for rank in 0..parameters.source_ranks() {
        let descriptors: Vec<PeriodicPiece> = axis.aspen(Side::Source, rank).collect();
        let repetitions = descriptors.iter().map(|piece| piece.count).max().unwrap_or(0);
        for repetition in 0..repetitions {
            for piece in descriptors.iter().filter(|piece| repetition < piece.count) {
                let last = repetition + 1 == piece.count;
                let stretch = Stretch {
                    source: piece.own_offset + repetition * own_step,
                    destination: piece.peer_offset + repetition * peer_step,
                    len: if last { piece.last_len } else { piece.len },
                };
                pairs.entry((rank, piece.peer)).or_default().push(stretch);
            }
        }
    }
    pairs
}
