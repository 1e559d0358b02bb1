//! Windows beside the reference.

use redist::plan::{Axis, Piece, Side};
use redist_testing::movement::{ByPair, Stretch};
use redist_testing::vectors::VECTORS;
use redist_testing::vectors::hash_of_pairs;

#[test]
fn windows_one_after_the_other_are_the_pieces_of_every_pair() {
    for line in &VECTORS.lines {
        let pieces = from_windows(&line.parameters.axis());
        let expected = (line.n_pieces, line.h_pieces.clone());
        assert_eq!(hash_of_pairs(&line.parameters, &pieces), expected, "vector {}", line.id);
    }
}

/// Ranks and local offsets come from the deal. The last window may be cut short.
fn from_windows(axis: &Axis) -> ByPair {
    let mut pairs = ByPair::new();
    let mut start = 0;
    while start < axis.len() {
        let mut index = start;
        for piece in axis.window_walk() {
            let len = piece.len.min(axis.len() - index);
            let (p, source) = place(axis, Side::Source, &piece, start);
            let (q, destination) = place(axis, Side::Destination, &piece, start);
            let stretch = Stretch { source, destination, len };
            pairs.entry((p, q)).or_default().push(stretch);
            index += len;
            if index == axis.len() {
                break;
            }
        }
        start += axis.window();
    }
    pairs
}

fn place(axis: &Axis, side: Side, piece: &Piece, start: usize) -> (usize, usize) {
    let section = axis.side(side);
    let block = start / section.block() + piece.block(side);
    let local = block / section.ranks() * section.block() + piece.offset(side);
    (section.deal().owner_of_block(block), local)
}
