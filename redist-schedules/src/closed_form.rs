//! The closed form for blocks of s to blocks of t, where `gcd(s', G')` or `gcd(t', G')` is 1: Park,
//! Prasanna and Raghavendra's schedule, for any two blocks. With reduced blocks `s'` and `t'`, let
//! `G' = gcd(s' P, t' Q)`, `gcd(s', G') = 1` (else both sides change places) and `h = gcd(t', G')`.
//! Messages fall into classes `w = q t' - p s' mod G'` of equal ones. A *group* of `n` classes with
//! different residues modulo `h` joins `n P/G'` sources with `b = h Q/G'` destinations completely,
//! in `G'/h` parts side by side and `max(n P/G', b)` steps. The bottleneck decides the grouping.

use super::ScheduleError;
use super::reduced::{Reduced, StepPattern};
use redist_plan::arithmetic::inverse_modulo;

/// Most classes that are sorted into groups.
const MAX_GROUPED_CLASSES: usize = 1 << 16;

/// The schedule for `gcd(s', G') = 1`. Its size grows with the classes, not with the ranks.
#[derive(Clone, Debug)]
struct ClosedForm {
    /// `G'`, and `h = gcd(t', G')` and `G' / h`.
    modulus: usize,
    /// `h`.
    common: usize,
    /// `G' / h`.
    parts: usize,
    /// Sources of one residue modulo `G'`, destinations of one modulo `G' / h`.
    source_indices: usize,
    /// Destinations of one residue modulo `G' / h`.
    destination_indices: usize,
    /// `s'` and `t'` modulo `G'`; the inverses of `s'` modulo `G'` and of `t' / h` modulo `G' / h`.
    source_block: usize,
    /// `t'` modulo `G'`.
    destination_block: usize,
    /// Inverse of `s'` modulo `G'`.
    source_inverse: usize,
    /// Inverse of `t' / h` modulo `G' / h`.
    destination_inverse: usize,
    groups: Vec<ClassGroup>,
    /// Each class modulo `G'`, with its group and its place there; sorted.
    places: Vec<(usize, usize, usize)>,
    /// Sum of the steps' longest messages over a period, in units.
    units: u128,
}

/// Classes that share their steps.
#[derive(Clone, Debug)]
struct ClassGroup {
    /// Number of the group's first step.
    first_step: usize,
    /// Steps of the group.
    steps: usize,
    /// Each class as its residues modulo `h` and modulo `G'`; sorted.
    classes: Vec<(usize, usize)>,
}

/// A class: its representative, and its messages' units in a period.
#[derive(Clone, Copy, Debug)]
struct MessageClass {
    /// A `w` of the class, between `-t'` and `s'`.
    representative: i128,
    /// Units of one message of the class in a period.
    units: u128,
}

pub(super) fn pattern(
    reduced: &Reduced,
    dimension: usize,
) -> Result<(Box<dyn StepPattern>, bool), ScheduleError> {
    let transposed = reduced.gs != 1;
    let (gs, gt) = (reduced.gs, reduced.gt);
    if gs != 1 && gt != 1 {
        return Err(ScheduleError::NoClosedForm { dimension, gs, gt });
    }
    let classes = usize::try_from(reduced.classes()).unwrap_or(usize::MAX);
    if classes > MAX_GROUPED_CLASSES {
        return Err(ScheduleError::TooManyClasses {
            dimension,
            classes,
            limit: MAX_GROUPED_CLASSES,
        });
    }
    let mirrored = Reduced { from: reduced.to, to: reduced.from, gs: gt, gt: gs, ..*reduced };
    let form = ClosedForm::new(if transposed { &mirrored } else { reduced });
    Ok((Box::new(form), transposed))
}

impl ClosedForm {
    fn new(reduced: &Reduced) -> Self {
        // G' divides P, since it has nothing in common with s'.
        let (modulus, common) = (reduced.modulus as usize, reduced.gt);
        let (s, t, parts) = (reduced.from.block, reduced.to.block, modulus / common);
        let mut form = Self {
            modulus,
            common,
            parts,
            source_indices: reduced.from.ranks / modulus,
            destination_indices: reduced.to.ranks / parts,
            source_block: s % modulus,
            destination_block: t % modulus,
            source_inverse: inverse_modulo(s, modulus),
            destination_inverse: inverse_modulo(t / common, parts),
            groups: Vec::new(),
            places: Vec::new(),
            units: 0,
        };
        let class = |w| MessageClass { representative: w, units: reduced.volume(w) };
        let start = 1 - t as i128;
        let classes = (start..start + reduced.classes() as i128).map(class).collect();
        for group in form.grouped(classes) {
            form.add(&group);
        }
        form.places.sort_unstable();
        form
    }

    /// Groups the classes, no two of a group with the same residue modulo `h`.
    fn grouped(&self, classes: Vec<MessageClass>) -> Vec<Vec<MessageClass>> {
        let (a, b) = (self.source_indices, self.destination_indices);
        if b >= self.common * a {
            self.largest_together(classes)
        } else if a >= b {
            classes.into_iter().map(|class| vec![class]).collect()
        } else {
            self.balanced(&classes)
        }
    }

    /// Groups each residue's largest class, then the second largest, …: sources are the bottleneck.
    fn largest_together(&self, classes: Vec<MessageClass>) -> Vec<Vec<MessageClass>> {
        let mut by_residue = vec![Vec::new(); self.common];
        for class in classes {
            by_residue[modulo(class.representative, self.common)].push(class);
        }
        let mut groups: Vec<Vec<MessageClass>> = Vec::new();
        for mut same in by_residue {
            same.sort_unstable_by_key(|class| {
                (core::cmp::Reverse(class.units), class.representative)
            });
            groups.resize(groups.len().max(same.len()), Vec::new());
            groups.iter_mut().zip(same).for_each(|(group, class)| group.push(class));
        }
        groups
    }

    /// Groups neighbouring classes, in the number of groups that takes the fewest steps.
    fn balanced(&self, classes: &[MessageClass]) -> Vec<Vec<MessageClass>> {
        let steps = |groups: &usize| {
            let (size, longer) = (classes.len() / groups, classes.len() % groups);
            longer * self.steps_of(size + 1) + (groups - longer) * self.steps_of(size)
        };
        let groups =
            (classes.len().div_ceil(self.common)..=classes.len()).min_by_key(steps).unwrap_or(1);
        let (size, longer) = (classes.len() / groups, classes.len() % groups);
        let (long, short) = classes.split_at(longer * (size + 1));
        long.chunks(size + 1).chain(short.chunks(size)).map(<[_]>::to_vec).collect()
    }

    fn steps_of(&self, classes: usize) -> usize {
        (classes * self.source_indices).max(self.destination_indices)
    }

    fn add(&mut self, group: &[MessageClass]) {
        let residues = |class: &MessageClass| {
            let (w, largest) = (class.representative, self.modulus);
            (modulo(w, self.common), modulo(w, largest))
        };
        let mut classes: Vec<_> = group.iter().map(residues).collect();
        classes.sort_unstable();
        let number = self.groups.len();
        self.places
            .extend(classes.iter().enumerate().map(|(place, (_, class))| (*class, number, place)));
        let (first_step, steps) = (self.steps(), self.steps_of(classes.len()));
        let largest = group.iter().map(|class| class.units).max().unwrap_or(0);
        self.units = self.units.saturating_add(largest.saturating_mul(steps as u128));
        self.groups.push(ClassGroup { first_step, steps, classes });
    }

    fn group(&self, step: usize) -> &ClassGroup {
        &self.groups[self.groups.partition_point(|group| group.first_step <= step) - 1]
    }
}

fn modulo(w: i128, modulus: usize) -> usize {
    w.rem_euclid(modulus as i128) as usize
}

impl StepPattern for ClosedForm {
    fn steps(&self) -> usize {
        self.groups.last().map_or(0, |group| group.first_step + group.steps)
    }

    fn destination(&self, step: usize, source: usize) -> Option<usize> {
        let group = self.group(step);
        let start = source % self.modulus * self.source_block % self.modulus;
        let wanted = (self.common - start % self.common) % self.common;
        let place = group.classes.binary_search_by_key(&wanted, |(residue, _)| *residue).ok()?;
        let residue = (start + group.classes[place].1) % self.modulus / self.common;
        let met = residue * self.destination_inverse % self.parts;
        let index = place + group.classes.len() * (source / self.modulus) + step - group.first_step;
        let index = index % group.steps;
        (index < self.destination_indices).then_some(met + self.parts * index)
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        let group = self.group(step);
        let classes = group.classes.len();
        let index =
            (destination / self.parts + group.steps - (step - group.first_step)) % group.steps;
        let (place, index) = (index % classes, index / classes);
        let end = destination % self.modulus * self.destination_block % self.modulus;
        let start = (end + self.modulus - group.classes[place].1) % self.modulus;
        let met = start * self.source_inverse % self.modulus;
        (index < self.source_indices).then_some(met + self.modulus * index)
    }

    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        let start = source % self.modulus * self.source_block % self.modulus;
        let end = destination % self.modulus * self.destination_block % self.modulus;
        let class = (end + self.modulus - start) % self.modulus;
        let found = self.places.binary_search_by_key(&class, |(class, _, _)| *class).ok()?;
        let (_, number, place) = self.places[found];
        let group = &self.groups[number];
        let from = (place + group.classes.len() * (source / self.modulus)) % group.steps;
        Some(group.first_step + (destination / self.parts + group.steps - from) % group.steps)
    }

    fn units(&self) -> u128 {
        self.units
    }
}
