//! A level in parts, each of which one kernel copies.

use super::build::{permuted_rounds, tables, uniform_section};
use super::choose::Shape;
use super::pattern::Pattern;
use super::section::Section;
use super::{Direction, Kernel, Vectors};
use crate::program::{Deal, Level};

/// What happens in one period, the number of periods, and what happens after the last whole one.
pub(super) struct Periods<T> {
    pub period: Vec<T>,
    pub count: usize,
    pub rest: Vec<T>,
}

/// Runs of a period that are worth a table.
const LARGEST: usize = 8192;

/// Deals of a period that are worth a section each.
const DEALS: usize = 16;

/// Runs from which those of one block are worth a loop of their own.
const MANY: usize = 64;

/// Rounds of all peers from which a pattern of some of them is repeated.
const ROUNDS: usize = 8;

/// Bytes of a block from which such a pattern beats one of the whole block, although something is left of each.
const SEPARATE: usize = 16 << 10;

/// What all sections of a row have in common.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub element: usize,
    pub peers: usize,
    pub written: bool,
    pub vectors: Vectors,
    /// Bytes of the local array.
    pub array: usize,
    /// Bytes of it from which stores go past the caches.
    pub nontemporal: usize,
}

/// Neighbouring deals that one kernel copies, again and again.
pub(super) struct Part<'a> {
    deals: &'a [Deal],
    repeats: usize,
}

/// What the sections of a part are made of.
enum Form<'a> {
    /// Runs of one length.
    Uniform(&'a Deal),
    /// A pattern of a few rounds of all peers.
    Rounds(&'a Deal),
    /// A pattern of a few periods.
    Table(&'a [Deal]),
}

/// A level in parts; `None` where there would be too many.
pub(super) fn parts<D: Direction>(level: &Level, setting: Setting) -> Option<Periods<Part<'_>>> {
    let whole = |deals: &[Deal]| deals.len() == 1 || deals.iter().map(|deal| deal.count).sum::<usize>() <= LARGEST;
    let split = |deals| -> Option<Vec<Part<'_>>> {
        let deals: &[Deal] = deals;
        if deals.is_empty() || whole(deals) {
            return Some(deals.chunks(deals.len().max(1)).map(|deals| Part { deals, repeats: 1 }).collect());
        }
        (deals.len() <= DEALS).then(|| deals.chunks(1).map(|deals| Part { deals, repeats: 1 }).collect())
    };
    let rest = split(&level.rest)?;
    let mut period = split(&level.deals)?;
    if let [part] = period.as_mut_slice() {
        // A block that ends with another peer than it began with is not continued by the next one.
        let long = part.is_many_rounds(setting) && part.elements() * setting.element >= SEPARATE;
        let apart = long && part.shape::<D>(setting).choose().kernel == Kernel::Permute;
        let count = if apart { level.repeats } else { 1 };
        part.repeats = level.repeats / count;
        return Some(Periods { period, count, rest });
    }
    Some(Periods { period, count: level.repeats, rest })
}

impl Periods<Part<'_>> {
    /// The shape of the part of most elements; `None` where there are none.
    pub fn shape<D: Direction>(&self, setting: Setting) -> Option<Shape> {
        let most = self.period.iter().max_by_key(|part| part.elements())?;
        Some(most.shape::<D>(setting))
    }

    /// Whether there are [sections](Periods::sections).
    pub fn fit<D: Direction>(&self, setting: Setting) -> bool {
        self.period.iter().chain(&self.rest).all(|part| part.fits::<D>(setting))
    }

    /// The sections of all parts; `None` where offsets are too large for a table.
    pub fn sections<D: Direction>(&self, setting: Setting) -> Option<Periods<Section<D>>> {
        let sections = |parts: &[Part<'_>]| -> Option<Vec<Section<D>>> {
            let mut sections = Vec::new();
            for part in parts {
                sections.append(&mut part.sections(setting)?);
            }
            Some(sections)
        };
        Some(Periods { period: sections(&self.period)?, count: self.count, rest: sections(&self.rest)? })
    }
}

impl Part<'_> {
    fn elements(&self) -> usize {
        self.deals.iter().map(|deal| deal.len * deal.count).sum::<usize>() * self.repeats
    }

    fn shape<D: Direction>(&self, setting: Setting) -> Shape {
        let Setting { element, peers, written, vectors, array, nontemporal } = setting;
        let runs: usize = self.deals.iter().map(|deal| deal.count).sum();
        let bytes = self.deals.iter().map(|deal| deal.len * deal.count).sum::<usize>() * element;
        let first = self.deals[0].len * element;
        let run = self.deals.iter().all(|deal| deal.len * element == first).then_some(first);
        let rounds = match self.deals {
            [deal] => deal.count / peers,
            _ => 0,
        };
        let all = runs * self.repeats;
        let lanes = self.deals.iter().all(|deal| (deal.len * element).is_multiple_of(4));
        Shape {
            packs: D::PACKS,
            peers,
            run,
            mean: bytes / runs.max(1),
            rounds,
            runs: all,
            lanes,
            written,
            vectors,
            array,
            nontemporal,
        }
    }

    /// One deal of so many rounds that a pattern of a few of them does.
    fn is_many_rounds(&self, setting: Setting) -> bool {
        self.deals.len() == 1 && self.deals[0].count >= ROUNDS * setting.peers
    }

    /// True if every block begins with the peer after the last one's.
    fn goes_on(&self, setting: Setting) -> bool {
        self.repeats == 1 || self.deals[0].count.is_multiple_of(setting.peers)
    }

    fn form(&self, kernel: Kernel, setting: Setting) -> Form<'_> {
        let permuted = kernel == Kernel::Permute;
        match self.deals {
            [deal] if matches!(kernel, Kernel::Network { .. }) => Form::Uniform(deal),
            [deal] if deal.count >= MANY && !permuted => Form::Uniform(deal),
            [deal] if permuted && self.is_many_rounds(setting) && self.goes_on(setting) => Form::Rounds(deal),
            deals => Form::Table(deals),
        }
    }

    /// Whether there are [sections](Part::sections).
    fn fits<D: Direction>(&self, setting: Setting) -> bool {
        match self.form(self.shape::<D>(setting).choose().kernel, setting) {
            Form::Uniform(_) => true,
            Form::Rounds(deal) => Pattern::fits(&[Deal { count: setting.peers, ..*deal }], setting.element),
            Form::Table(deals) => Pattern::fits(deals, setting.element),
        }
    }

    /// The sections of this part; `None` where offsets are too large for a table.
    fn sections<D: Direction>(&self, setting: Setting) -> Option<Vec<Section<D>>> {
        let recipe = self.shape::<D>(setting).choose();
        match self.form(recipe.kernel, setting) {
            Form::Uniform(deal) => Some(vec![uniform_section(deal, self.repeats, recipe, setting)]),
            Form::Rounds(deal) => permuted_rounds(deal, self.repeats, recipe, setting),
            Form::Table(deals) => tables(deals, self.repeats, recipe, setting),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::kernels::{Pack, Unpack};
    use crate::plan::{Plan, Side};
    use crate::program::Program;

    /// Whether the first rank's levels have sections, by making them; `None` where there are no parts.
    fn have_sections<D: Direction>(extent: usize, from: &str, to: &str, side: Side, element: usize) -> Option<bool> {
        let plan = Plan::<1>::parse([extent], from, to).unwrap();
        let program = Program::new(&plan.into(), &[], side, 0);
        let level = &program.levels[0];
        let (peers, vectors, array) = (level.peers.len(), Vectors::detected(), program.local_len() * element);
        let setting = Setting { element, peers, written: false, vectors, array, nontemporal: usize::MAX };
        let parts = parts::<D>(level, setting)?;
        let have = parts.sections::<D>(setting).is_some();
        assert_eq!(parts.fit::<D>(setting), have, "{extent} elements of {element} bytes, {from} -> {to}, {side}");
        Some(have)
    }

    #[test]
    fn it_is_known_before_they_are_made_whether_there_are_sections() {
        let mut found = std::collections::BTreeSet::new();
        let layouts =
            ["block onto 2", "block onto 3", "cyclic(3) onto 2", "cyclic(50) onto 3", "cyclic(100000) onto 3"];
        for extent in [1000, (1 << 32) - 1, 3 << 30, (1 << 33) - 2, 3 << 32] {
            for from in layouts {
                for to in layouts {
                    for element in [1, 4, 12] {
                        found.insert(have_sections::<Pack>(extent, from, to, Side::Source, element));
                        found.insert(have_sections::<Unpack>(extent, from, to, Side::Destination, element));
                    }
                }
            }
        }
        assert!(found.contains(&Some(true)) && found.contains(&Some(false)), "{found:?}");
    }
}
