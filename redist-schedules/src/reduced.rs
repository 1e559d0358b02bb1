//! Dimensions in units, the form that schedules in closed form share.

use super::{Method, ScheduleError};
use core::fmt;
use num_integer::gcd;
use redist_plan::arithmetic::inverse_modulo;
use redist_plan::plan::{Axis, Section, Side};

/// A schedule in closed form. Ranks count from a source and a destination whose blocks begin
/// together.
pub(super) trait StepPattern: fmt::Debug + Send + Sync {
    fn steps(&self) -> usize;

    fn destination(&self, step: usize, source: usize) -> Option<usize>;

    fn source(&self, step: usize, destination: usize) -> Option<usize>;

    fn meeting(&self, source: usize, destination: usize) -> Option<usize>;

    /// Sums the longest messages of the steps of one period, in units.
    fn units(&self) -> u128;
}

/// One side of a reduced dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReducedSide {
    /// Units in a block.
    pub block: usize,
    /// Ranks along the dimension.
    pub ranks: usize,
    /// Coordinate whose block begins where a block of the other side begins.
    pub first: usize,
}

impl ReducedSide {
    fn round(&self) -> u128 {
        self.block as u128 * self.ranks as u128
    }
}

/// A dimension with blocks `s = unit s'` and `t = unit t'`, where `s'` and `t'` are coprime. Over a
/// period, `lcm(s P, t Q)`, ranks `p` and `q` exchange elements if `q t' - p s'` modulo `modulus`
/// has a representative between `-t'` and `s'`: the *class* of their message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced {
    pub from: ReducedSide,
    pub to: ReducedSide,
    /// Elements in a unit.
    pub unit: usize,
    /// `G' = gcd(s' P, t' Q)`.
    pub modulus: u128,
    /// `gcd(s', G')`.
    pub gs: usize,
    /// `gcd(t', G')`.
    pub gt: usize,
    /// Periods that begin.
    pub periods: usize,
}

impl Reduced {
    /// Fails if blocks do not repeat, or never begin together.
    pub fn of(axis: &Axis, dimension: usize, method: Method) -> Result<Self, ScheduleError> {
        let sides = [Side::Source, Side::Destination].map(|side| (side, axis.side(side)));
        let given = sides.iter().find(|(_, section)| section.regular_block().is_none());
        if let Some((side, section)) = given {
            let blocks = blocks_in_words(section);
            return Err(ScheduleError::GivenBlocks { method, dimension, side: *side, blocks });
        }
        let [from, to] = sides.map(|(_, section)| section);
        let (s, t) = blocks(&from, &to);
        let unit = gcd(s, t);
        let (phase_from, phase_to) = phases((&from, s), (&to, t));
        if phase_from % unit != phase_to % unit {
            return Err(ScheduleError::NotAligned {
                method,
                dimension,
                from: phase_from,
                to: phase_to,
                common: unit,
            });
        }
        let (before, after) = meeting_blocks((s, phase_from), (t, phase_to), unit);
        let from =
            ReducedSide { block: s / unit, ranks: from.ranks(), first: shifted(&from, before) };
        let to = ReducedSide { block: t / unit, ranks: to.ranks(), first: shifted(&to, after) };
        Ok(Self::new(from, to, unit, axis.len()))
    }

    fn new(from: ReducedSide, to: ReducedSide, unit: usize, len: usize) -> Self {
        let modulus = gcd(from.round(), to.round());
        let common = |block: usize| gcd(block as u128, modulus) as usize;
        let period =
            (from.round() / modulus).saturating_mul(to.round()).saturating_mul(unit as u128);
        Self {
            from,
            to,
            unit,
            modulus,
            gs: common(from.block),
            gt: common(to.block),
            periods: (len as u128).div_ceil(period) as usize,
        }
    }

    fn span(&self) -> u128 {
        self.from.block as u128 + self.to.block as u128 - 1
    }

    pub fn classes(&self) -> u128 {
        self.span().min(self.modulus)
    }

    /// Returns the units in a message of the class of `w`, where `-t' < w <= -t' + modulus`, over
    /// one period. The overlap of two blocks is a trapezium in the distance of their starts, so its
    /// sum over the distances `w, w + modulus, …` is that of four ramps, modulo 2^128.
    pub fn volume(&self, w: i128) -> u128 {
        let (s, t) = (self.from.block as i128, self.to.block as i128);
        // Ramp c: sum of (d + c) over the members d < s of the class, positive terms only.
        let ramp = |c: i128| {
            let skipped = (1 - c - w).max(0) as u128;
            let first = w + (skipped.div_ceil(self.modulus) * self.modulus) as i128;
            if first >= s {
                return 0;
            }
            let last = (s - 1 - first) as u128 / self.modulus;
            (last + 1)
                .wrapping_mul((first + c) as u128)
                .wrapping_add(self.modulus.wrapping_mul(triangle(last)))
        };
        ramp(t).wrapping_sub(ramp(0)).wrapping_sub(ramp(t - s))
    }

    pub fn longest_message(&self) -> usize {
        let pieces = self.span().div_ceil(self.modulus);
        self.elements(pieces.saturating_mul(self.from.block.min(self.to.block) as u128))
    }

    pub fn elements(&self, units: u128) -> usize {
        let elements = units.saturating_mul(self.unit as u128).saturating_mul(self.periods as u128);
        usize::try_from(elements).unwrap_or(usize::MAX)
    }
}

fn blocks_in_words(section: &Section) -> &'static str {
    if section.deal().given_rows().is_some() {
        "rows of given lengths (`rows`, `points`)"
    } else if section.deal().balanced_last().is_some() {
        "blocks of two sizes (`block balanced`)"
    } else if section.deal().listed_parts().is_some() {
        "parts between listed cuts (`blocks`)"
    } else if section.deal().is_split() {
        "factors with blocks of their own (`split`)"
    } else {
        "the blocks of a `gen_block`"
    }
}

/// Returns both blocks; a side of one rank takes the opposite side's blocks.
fn blocks(from: &Section, to: &Section) -> (usize, usize) {
    match (from.ranks(), to.ranks()) {
        (1, 1) => (from.block().max(to.block()), from.block().max(to.block())),
        (1, _) => (to.block(), to.block()),
        (_, 1) => (from.block(), from.block()),
        _ => (from.block(), to.block()),
    }
}

/// Returns the offsets in a block at which the sections begin; a side of one rank takes the
/// opposite side's.
fn phases((from, s): (&Section, usize), (to, t): (&Section, usize)) -> (usize, usize) {
    match (from.ranks(), to.ranks()) {
        (1, _) => (to.at() % t, to.at() % t),
        (_, 1) => (from.at() % s, from.at() % s),
        _ => (from.at() % s, to.at() % t),
    }
}

/// Returns a source and a destination block that begin together, counted from the blocks of element
/// 0.
fn meeting_blocks((s, a): (usize, usize), (t, b): (usize, usize), unit: usize) -> (i128, i128) {
    let (s, t, distance) = (s as i128, t as i128, (a as i128 - b as i128) / unit as i128);
    let modulus = (t / unit as i128) as usize;
    // Block i of the source begins at i s - a, which is to be j t - b.
    let inverse = inverse_modulo((s / unit as i128) as usize, modulus) as i128;
    let i = distance.rem_euclid(modulus as i128) * inverse % modulus as i128;
    (i, (i * (s / unit as i128) - distance) / modulus as i128)
}

/// Returns the coordinate of the block `blocks` blocks after the section's first one.
fn shifted(section: &Section, blocks: i128) -> usize {
    let ranks = section.ranks() as i128;
    (section.owner(0) as i128 + blocks).rem_euclid(ranks) as usize
}

/// `1 + 2 + … + n` modulo 2^128.
fn triangle(n: u128) -> u128 {
    if n.is_multiple_of(2) { (n / 2).wrapping_mul(n + 1) } else { n.wrapping_mul(n / 2 + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist_plan::plan::Plan;

    fn reduced(from: &str, to: &str, len: usize) -> Reduced {
        let plan = Plan::<1>::parse([len], from, to).unwrap();
        Reduced::of(&plan.axis(0), 0, Method::ClosedForm).unwrap()
    }

    #[test]
    fn huge_blocks_do_not_overflow() {
        let huge = (1usize << 62) - 1;
        let reduced =
            reduced(&format!("cyclic({huge}) onto 1000000"), "cyclic(5) onto 999999", 1 << 62);
        assert_eq!(reduced.periods, 1);
        let total: u128 =
            (0..reduced.classes().min(10) as i128).map(|class| reduced.volume(class - 4)).sum();
        assert!(total > 0 && reduced.longest_message() >= huge / 1_000_000);
    }

    #[test]
    fn origins_are_where_blocks_begin_together() {
        // From stored element 3 on, source block 3 and destination block 1 are the first that begin
        // together, at 6.
        let reduced = reduced("cyclic(2) onto 4 of 99 at 3", "cyclic(6) onto 5 of 99 at 3", 90);
        assert_eq!((reduced.from.first, reduced.to.first), (3, 1));
        // One further on at the destination, blocks begin at odd elements of the section here and
        // at even ones there.
        let (from, to) = ("cyclic(2) onto 4 of 99 at 3", "cyclic(6) onto 5 of 99 at 4");
        let plan = Plan::<1>::parse([90], from, to).unwrap();
        let (method, dimension) = (Method::Circulant, 0);
        let expected = ScheduleError::NotAligned { method, dimension, from: 1, to: 4, common: 2 };
        assert_eq!(Reduced::of(&plan.axis(0), 0, method).unwrap_err(), expected);
    }
}
