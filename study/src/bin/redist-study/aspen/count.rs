use anyhow::ensure;
use redist::Side;
use redist::plan::Axis;
use redist_study::baseline::{Intersection, Operations, Segments, counts};
use std::ops::Add;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub set_ups: usize,
    pub comparisons: usize,
    pub busiest: usize,
}

impl Count {
    pub fn of(algorithm: &dyn Intersection, axis: &Axis, found: &mut Vec<Segments>) -> Self {
        let ranks = 0..axis.side(Side::Source).ranks();
        ranks
            .map(|rank| Count::from(algorithm.intersect(axis, rank, found)))
            .fold(Count::default(), Count::beside)
    }

    pub fn operations(&self) -> usize {
        self.set_ups + self.comparisons
    }

    fn beside(self, other: Self) -> Self {
        Self { busiest: self.busiest.max(other.busiest), ..self + other }
    }
}

impl From<Operations> for Count {
    fn from(Operations { set_ups, comparisons }: Operations) -> Self {
        Self { set_ups, comparisons, busiest: set_ups + comparisons }
    }
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            set_ups: self.set_ups + other.set_ups,
            comparisons: self.comparisons + other.comparisons,
            busiest: self.busiest + other.busiest,
        }
    }
}

enum Expected {
    Exactly(Operations),
    AtMost(Operations),
}

/// Compares a count with the library's closed form, if there is one.
pub fn check(algorithm: &str, axis: &Axis, count: &Count) -> anyhow::Result<()> {
    let Some(expected) = closed_form(algorithm, axis) else {
        return Ok(());
    };
    let (right, word, operations) = match expected {
        Expected::Exactly(Operations { set_ups, comparisons }) => (
            (count.set_ups, count.comparisons) == (set_ups, comparisons),
            "",
            set_ups + comparisons,
        ),
        Expected::AtMost(Operations { set_ups, comparisons }) => (
            count.set_ups <= set_ups && count.comparisons <= comparisons,
            "at most ",
            set_ups + comparisons,
        ),
    };
    let counted = count.operations();
    ensure!(
        right,
        "{algorithm}: counted {counted} operations, but the closed form gives {word}{operations}, for {axis:?}"
    );
    Ok(())
}

fn closed_form(algorithm: &str, axis: &Axis) -> Option<Expected> {
    Some(match algorithm {
        "classical" => Expected::Exactly(counts::classical(axis)),
        "Thakur" => Expected::Exactly(counts::thakur(axis)),
        "FALLS" => Expected::Exactly(counts::falls(axis)),
        "PITFALLS" => Expected::Exactly(counts::pitfalls(axis)),
        "ScaLAPACK scan" => Expected::AtMost(counts::scalapack_at_most(axis)),
        "Hsu-Chung" => Expected::Exactly(counts::hsu_chung(axis)),
        "Hsu-Chung, any ranks" => Expected::Exactly(counts::hsu_chung_any_ranks(axis)),
        "basic cycle" => Expected::Exactly(counts::basic_cycle(axis)),
        "ASPEN" => Expected::Exactly(counts::aspen(axis)),
        "window table" => Expected::AtMost(counts::window(axis)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::setting::Cell;
    use super::*;
    use redist_study::baseline;

    /// Blocks and grid sides of both sides; totals of classical comparisons, FALLS set-ups, and
    /// comparisons of FALLS and ASPEN; ASPEN's most on a rank.
    type Row = ([usize; 2], [usize; 2], (usize, usize), [usize; 4]);

    /// Of a reference of its own; the sum of both dimensions.
    const ROWS: [Row; 12] = [
        ([1024, 1024], [256, 256], (4, 8), [800, 64, 32, 8]),
        ([1024, 1024], [256, 256], (32, 32), [800, 640, 80, 8]),
        ([256, 256], [1024, 1024], (32, 32), [800, 2560, 80, 4]),
        ([1024, 1024], [30, 50], (4, 8), [5340, 160, 552, 170]),
        ([30, 50], [1024, 1024], (32, 32), [5340, 17088, 552, 20]),
        ([256, 256], [30, 50], (32, 32), [21360, 2560, 609, 33]),
        ([30, 50], [256, 256], (4, 8), [21360, 4272, 609, 154]),
        ([30, 50], [654, 321], (4, 8), [11744, 4272, 577, 146]),
        ([30, 50], [654, 321], (32, 32), [11744, 17088, 577, 25]),
        ([654, 321], [30, 50], (4, 8), [11744, 384, 577, 150]),
        ([654, 321], [1024, 1024], (32, 32), [480, 1536, 66, 4]),
        ([30, 50], [30, 50], (32, 32), [151556, 2048, 64, 2]),
    ];

    #[test]
    fn operations_are_those_of_the_paper_s_setting() {
        for (from, to, sides, expected) in ROWS {
            let axes = Cell { from, to, sides }.axes().unwrap();
            let mut found = Vec::new();
            let mut count = |algorithm: &dyn Intersection| {
                axes.map(|axis| Count::of(algorithm, &axis, &mut found))
                    .into_iter()
                    .reduce(Count::add)
                    .unwrap()
            };
            let (classical, falls) = (count(&baseline::Classical), count(&baseline::Falls));
            let aspen = count(&baseline::Aspen);
            let busiest = axes.map(|axis| most_pieces(&axis)).iter().sum();
            assert_eq!(
                [classical.comparisons, falls.set_ups, falls.comparisons, busiest],
                expected,
                "{from:?} {to:?}"
            );
            assert_eq!((classical.set_ups, aspen.comparisons), (0, falls.comparisons));
        }
    }

    fn most_pieces(axis: &Axis) -> usize {
        let ranks = 0..axis.side(Side::Source).ranks();
        ranks
            .map(|rank| baseline::Aspen.intersect(axis, rank, &mut Vec::new()).comparisons)
            .max()
            .unwrap()
    }

    #[test]
    fn a_count_that_is_too_large_is_not_accepted() {
        let [axis, _] = Cell { from: [256, 30], to: [256, 30], sides: (8, 8) }.axes().unwrap();
        for algorithm in baseline::all() {
            let count = Count::of(algorithm, &axis, &mut Vec::new());
            check(algorithm.name(), &axis, &count).unwrap();
            let wrong = Count { comparisons: 10 * count.comparisons, ..count };
            assert!(
                check(algorithm.name(), &axis, &wrong).is_err(),
                "{} has no closed form",
                algorithm.name()
            );
        }
    }
}
