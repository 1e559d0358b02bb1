//! Operations of an algorithm on all source ranks, compared with its closed form.

use anyhow::ensure;
use redist::Side;
use redist::plan::Axis;
use redist_study::baseline::{Intersection, Operations, Segments, counts};
use std::ops::Add;

/// The operations of an algorithm in one dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub all: Operations,
    /// Set-ups and comparisons of the busiest rank.
    pub busiest: usize,
}

impl Count {
    pub fn of(algorithm: &dyn Intersection, axis: &Axis, found: &mut Vec<Segments>) -> Self {
        let ranks = 0..axis.side(Side::Source).ranks();
        ranks.fold(Self::default(), |count, rank| {
            let own = algorithm.intersect(axis, rank, found);
            Self { all: count.all + own, busiest: count.busiest.max(own.total()) }
        })
    }
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { all: self.all + other.all, busiest: self.busiest + other.busiest }
    }
}

/// Compares a count with the library's closed form, if there is one.
pub fn check(algorithm: &str, axis: &Axis, count: &Count) -> anyhow::Result<()> {
    let counted = count.all;
    let of = |forms: &[(&dyn Intersection, counts::ClosedForm)]| {
        let found = forms.iter().find(|(other, _)| other.name() == algorithm);
        found.map(|(_, closed_form)| closed_form(axis))
    };
    if let Some(expected) = of(&counts::EXACT) {
        ensure!(
            counted == expected,
            "{algorithm}: {counted:?}, but the closed form gives {expected:?}, for {axis:?}"
        );
    }
    if let Some(most) = of(&counts::AT_MOST) {
        ensure!(
            counted.set_ups <= most.set_ups && counted.comparisons <= most.comparisons,
            "{algorithm}: {counted:?}, but the closed form gives at most {most:?}, for {axis:?}"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::setting::Cell;
    use super::*;
    use redist_study::baseline;

    #[test]
    fn a_count_that_is_too_large_is_not_accepted() {
        let [axis, _] = Cell { from: [256, 30], to: [256, 30], sides: (8, 8) }.axes().unwrap();
        for algorithm in baseline::all() {
            let Count { mut all, busiest } = Count::of(algorithm, &axis, &mut Vec::new());
            check(algorithm.name(), &axis, &Count { all, busiest }).unwrap();
            all.comparisons *= 10;
            let wrong = check(algorithm.name(), &axis, &Count { all, busiest });
            assert!(wrong.is_err(), "{} has no closed form", algorithm.name());
        }
    }
}
