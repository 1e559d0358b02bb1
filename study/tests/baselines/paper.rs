//! The ASPEN paper's setting: 10 000 by 10 000 elements, all ordered pairs of four shapes of
//! blocks, square grids of 2 to 32 ranks a side. A run costs the sum over its two dimensions.

use crate::cases::{axis, per_rank, together};
use crate::counts::check;
use redist::plan::Axis;
use redist_study::baseline::{Aspen, Classical, Falls, Operations, Window, counts};
use std::collections::BTreeSet;

const EXTENT: usize = 10_000;

type Shape = [usize; 2];

const SHAPES: [Shape; 4] = [[1024, 1024], [256, 256], [30, 50], [654, 321]];

/// Shapes, ranks a side, and costs: classical comparisons, FALLS set-ups, comparisons of FALLS and
/// of ASPEN, and the latter's most on any rank of each dimension.
type Row = (Shape, Shape, (usize, usize), [usize; 4]);

const ROWS: [Row; 12] = [
    ([1024, 1024], [256, 256], (4, 8), [800, 64, 32, 8]),
    ([1024, 1024], [256, 256], (32, 32), [800, 640, 80, 8]),
    ([256, 256], [1024, 1024], (32, 32), [800, 2560, 80, 4]),
    ([1024, 1024], [30, 50], (4, 8), [5340, 160, 552, 170]),
    ([30, 50], [1024, 1024], (32, 32), [5340, 17_088, 552, 20]),
    ([256, 256], [30, 50], (32, 32), [21_360, 2560, 609, 33]),
    ([30, 50], [256, 256], (4, 8), [21_360, 4272, 609, 154]),
    ([30, 50], [654, 321], (4, 8), [11_744, 4272, 577, 146]),
    ([30, 50], [654, 321], (32, 32), [11_744, 17_088, 577, 25]),
    ([654, 321], [30, 50], (4, 8), [11_744, 384, 577, 150]),
    ([654, 321], [1024, 1024], (32, 32), [480, 1536, 66, 4]),
    ([30, 50], [30, 50], (32, 32), [151_556, 2048, 64, 2]),
];

fn axes(source: Shape, destination: Shape, (p, q): (usize, usize)) -> [Axis; 2] {
    [0, 1].map(|dimension| axis(EXTENT, (source[dimension], p), (destination[dimension], q)))
}

fn sum(axes: &[Axis; 2], of: impl Fn(&Axis) -> usize) -> usize {
    axes.iter().map(of).sum()
}

#[test]
fn the_rows_of_the_table() {
    for (source, destination, grids, expected) in ROWS {
        let axes = axes(source, destination, grids);
        let busiest = sum(&axes, |axis| most(&per_rank(axis, &Aspen)));
        let aspen = sum(&axes, |axis| together(axis, &Aspen).comparisons);
        let counted = [
            sum(&axes, |axis| together(axis, &Classical).comparisons),
            sum(&axes, |axis| together(axis, &Falls).set_ups),
            sum(&axes, |axis| together(axis, &Falls).comparisons),
            busiest,
        ];
        assert_eq!(
            (counted, aspen),
            (expected, expected[2]),
            "{source:?} to {destination:?} on {grids:?}"
        );
        let closed = [
            sum(&axes, |axis| counts::classical(axis).comparisons),
            sum(&axes, |axis| counts::falls(axis).set_ups),
            sum(&axes, |axis| counts::aspen(axis).comparisons),
        ];
        assert_eq!(closed, expected[..3], "{source:?} to {destination:?} on {grids:?}");
    }
}

/// All of them in seven grids a side; the two that cost little in all of 31.
#[test]
fn counts_equal_the_closed_forms_in_the_whole_setting() {
    let shapes = SHAPES.iter().flat_map(|&source| SHAPES.map(|destination| (source, destination)));
    for (source, destination) in shapes {
        for grids in (2..=32).flat_map(|p| (2..=32).map(move |q| (p, q))) {
            let sampled = |ranks| [2, 3, 4, 8, 17, 31, 32].contains(&ranks);
            for axis in axes(source, destination, grids) {
                if sampled(grids.0) && sampled(grids.1) {
                    assert!(check(&axis).unwrap() >= 7);
                }
                let aspen = per_rank(&axis, &Aspen);
                assert_eq!(
                    aspen.iter().map(|rank| rank.comparisons).sum::<usize>(),
                    counts::aspen(&axis).comparisons
                );
                for (rank, operations) in per_rank(&axis, &Window).into_iter().enumerate() {
                    assert!(
                        operations.comparisons <= aspen[rank].comparisons,
                        "{source:?} {destination:?} {grids:?}"
                    );
                }
            }
        }
    }
}

/// Counts short periods, FALLS set-ups and ASPEN above classical comparisons. Returns ASPEN's most.
#[test]
fn what_the_setting_shows() {
    let pairs: BTreeSet<(usize, usize)> = SHAPES
        .iter()
        .flat_map(|&source| SHAPES.map(|t| (source, t)))
        .flat_map(|(source, t)| [(source[0], t[0]), (source[1], t[1])])
        .collect();
    let (mut rows, mut folded, mut falls_above, mut busiest) = (0, 0, 0, 0);
    for (s, t) in pairs {
        for (p, q) in (2..=32).flat_map(|p| (2..=32).map(move |q| (p, q))) {
            let axis = axis(EXTENT, (s, p), (t, q));
            let classical = counts::classical(&axis).comparisons;
            rows += 1;
            folded += usize::from(axis.period() < EXTENT);
            falls_above += usize::from(counts::falls(&axis).set_ups > classical);
            busiest = busiest.max(most(&per_rank(&axis, &Aspen)));
            assert!(counts::aspen(&axis).comparisons <= classical);
        }
    }
    assert_eq!((rows, folded, falls_above, busiest), (26_908, 2001, 6076, 187));
}

fn most(operations: &[Operations]) -> usize {
    operations.iter().map(|rank| rank.comparisons).max().unwrap_or(0)
}

/// Equations 2 and 4 of the paper (errata E15 and E16): comparisons are pieces, not products of
/// local and remote blocks.
#[test]
fn what_is_counted_is_pieces() {
    let busiest = |s, t| most(&per_rank(&axis(EXTENT, (s, 8), (t, 8)), &Aspen));
    assert_eq!((busiest(654, 30), EXTENT.div_ceil(654 * 8)), (46, 2));
    let axis = axis(EXTENT, (654, 8), (30, 8));
    let (blocks, remote_blocks) = (EXTENT.div_ceil(654), EXTENT.div_ceil(30));
    assert_eq!(
        together(&axis, &Falls),
        Operations { set_ups: 8 * blocks, comparisons: 16 + 334 - 4 }
    );
    assert!(together(&axis, &Falls).comparisons < blocks * remote_blocks);
}
