//! ECMWF's reduced Gaussian grid N32, and the owners of its points.

use redist::layout::{Dist, Layout};
use redist::redistribute;

/// Number of ranks.
pub const RANKS: usize = 4;
/// Vertical levels.
pub const LEVELS: usize = 3;

/// Points in N32's rows from a pole to the equator: the key `pl` of ECMWF's files, and `N32.cc` of
/// its library Atlas (<https://github.com/ecmwf/atlas>).
const TO_EQUATOR: [usize; 32] = [
    20, 27, 36, 40, 45, 50, 60, 64, 72, 75, 80, 90, 90, 96, 100, 108, 108, 120, 120, 120, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
];

/// Points of each row, from pole to pole.
pub const ROWS: [usize; 64] = {
    let (mut rows, mut row) = ([0; 64], 0);
    while row < 32 {
        (rows[row], rows[63 - row]) = (TO_EQUATOR[row], TO_EQUATOR[row]);
        row += 1;
    }
    rows
};

/// Points of all rows.
pub const POINTS: usize = 6114;

/// Whole rows in turn: each rank has short ones and long ones.
const BY_ROWS: Layout<2> = Layout::new(
    [Dist::Collapsed, Dist::Rows { lengths: &ROWS, turn: Some(1), points: 1 }],
    [1, RANKS],
);

/// The layout in which each row is divided among all ranks.
const BY_POINTS: Layout<2> = Layout::new([Dist::Collapsed, Dist::Points(&ROWS)], [1, RANKS]);

redistribute! {
    pub struct RowsToPoints: [f64; LEVELS, POINTS] { from: BY_ROWS, to: BY_POINTS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_published_ones() {
        assert_eq!((ROWS[0], ROWS[19], ROWS[20], ROWS[43], ROWS[63]), (20, 120, 128, 128, 20));
        assert_eq!(ROWS.iter().sum::<usize>(), POINTS);
        let reversed: Vec<usize> = ROWS.iter().rev().copied().collect();
        assert_eq!(reversed, ROWS);
    }
}
