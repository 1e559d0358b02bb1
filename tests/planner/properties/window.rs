//! Windows are cut where the simulator's owners change.

use num_integer::Integer;
use proptest::prelude::*;
use redist::plan::{Piece, Side};
use redist_testing::strategies::{LineCase, config, lines};

/// The window's last piece may be cut.
fn lengths_below(case: &LineCase, end: usize) -> Vec<usize> {
    let shorter = LineCase { len: end, ..*case };
    shorter.movement().piece_lengths()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_number_of_pieces_is_a_closed_form(case in lines()) {
        let (axis, lengths) = (case.axis(), case.movement().piece_lengths());
        prop_assert_eq!(axis.pieces(), lengths.len());
        for end in 0..=case.len {
            prop_assert_eq!(axis.pieces_below(end), lengths_below(&case, end).len(), "below {}", end);
        }
    }

    #[test]
    fn the_window_is_cut_where_blocks_begin(case in lines()) {
        let axis = case.axis();
        let pieces: Vec<Piece> = axis.window_walk().collect();
        prop_assert_eq!(pieces.len(), axis.window_pieces());
        let lengths: Vec<usize> = pieces.iter().map(|piece| piece.len).collect();
        prop_assert_eq!(lengths, lengths_below(&case, axis.window()));
    }

    #[test]
    fn a_window_piece_lies_in_its_blocks(case in lines()) {
        let (axis, movement) = (case.axis(), case.movement());
        let mut index = 0;
        for piece in axis.window_walk() {
            let sides = [
                (Side::Source, &movement.source, case.source),
                (Side::Destination, &movement.destination, case.destination),
            ];
            for (side, dealt, (_, at)) in sides {
                let begins = |element: usize| dealt.begins_block[element];
                let blocks = dealt.block[at + index] - dealt.block[at];
                let offset = (0..=at + index).rev().take_while(|&element| !begins(element)).count();
                prop_assert_eq!(piece.block(side), blocks, "{} block at {}", side, index);
                prop_assert_eq!(piece.offset(side), offset, "{} offset at {}", side, index);
            }
            index += piece.len;
        }
    }

    /// Cuts repeat after a window, owners after a period.
    #[test]
    fn everything_repeats(case in lines()) {
        let (axis, movement) = (case.axis(), case.movement());
        prop_assert!(axis.window() <= axis.period() && axis.period() <= case.len);
        for index in 1..case.len.saturating_sub(axis.window()) {
            prop_assert_eq!(movement.is_cut(index), movement.is_cut(index + axis.window()), "cut at {}", index);
        }
        for index in 0..case.len.saturating_sub(axis.period()) {
            prop_assert_eq!(movement.pair(index), movement.pair(index + axis.period()), "owners of {}", index);
        }
    }

    #[test]
    fn period_and_window_are_common_multiples(case in lines()) {
        let (axis, (source, _), (destination, _)) = (case.axis(), case.source, case.destination);
        let expected = match case.regular_blocks() {
            Some((s, t)) => ((s * source.ranks).lcm(&(t * destination.ranks)).min(case.len), s.lcm(&t).min(case.len)),
            None => (case.len, case.len),
        };
        prop_assert_eq!((axis.period(), axis.window()), expected);
    }
}
