//! A row of the local array: its kernel, and how it is run.

use super::memory::nontemporal_threshold;
use super::part::{Periods, Setting, parts};
use super::section::Section;
use super::{Direction, Kernel, MOST_PEERS, Memory, Pack, Recipe, Unpack, Vectors, raw};
use crate::program::Level;
use std::sync::OnceLock;

/// How every row along the fastest dimension is copied.
pub(in crate::exec) struct Row<D> {
    recipe: Recipe,
    short: bool,
    /// True where stores may go past the caches.
    nontemporal: bool,
    /// What sections are made for; `None` where another loop copies.
    setting: Option<Setting>,
    /// Made when a row is first copied: most plans never have messages.
    sections: OnceLock<Periods<Section<D>>>,
}

/// How much there is to copy.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Extent {
    /// Bytes of an element.
    pub bytes: usize,
    /// Elements that lie together wherever there is one of them.
    pub unit: usize,
    /// Bytes of the local array.
    pub array: usize,
}

/// What kernels may do.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Allowed {
    /// Instructions at most.
    pub vectors: Vectors,
    /// Bytes of a local array from which whole lines are stored past the caches.
    pub nontemporal: usize,
}

impl Allowed {
    /// What plans that are bound now may do.
    pub fn now() -> Self {
        Self { vectors: Vectors::allowed(), nontemporal: nontemporal_threshold() }
    }
}

/// Bytes of a run on average from which messages hardly share cache lines of the local array.
const APART: usize = 256;

impl<D: Direction> Row<D> {
    /// The kernel for the rows of a level whose neighbours, in the order of messages, are elements that lie together;
    /// `written` if the macro wrote a loop for them. Its tables are made when a row is first copied.
    pub fn new(level: &Level, extent: Extent, written: bool, allowed: Allowed) -> Self {
        let (peers, Extent { bytes, unit, array }) = (level.peers.len(), extent);
        let alone = |kernel, reason| Self::without_sections(Recipe { kernel, memory: Memory::Cached, reason }, false);
        let element = bytes.saturating_mul(unit);
        if peers == 0 || element == 0 {
            return alone(Kernel::Idle, "no elements");
        }
        if level.stride != unit {
            return alone(Kernel::Elements, "the messages' fastest dimension is not the local array's");
        }
        if peers > MOST_PEERS {
            return alone(Kernel::Tiles, "more messages than cursors");
        }
        // No kernel may be chosen that the processor cannot run.
        let vectors = allowed.vectors.min(Vectors::detected());
        let setting = Setting { element, peers, written, vectors, array, nontemporal: allowed.nontemporal };
        let Some(parts) = parts::<D>(level, setting) else {
            return alone(Kernel::Tiles, "a period of too many runs for a table");
        };
        let Some(shape) = parts.shape::<D>(setting) else { return alone(Kernel::Idle, "no elements") };
        let (recipe, short) = (shape.choose(), shape.peers > 1 && shape.mean < APART);
        if matches!(recipe.kernel, Kernel::Tiles | Kernel::Written) {
            return Self::without_sections(recipe, short);
        }
        if !parts.fit::<D>(setting) {
            return alone(Kernel::Tiles, "a period of too many bytes for a table");
        }
        let nontemporal = setting.array >= setting.nontemporal;
        Self { nontemporal, setting: Some(setting), ..Self::without_sections(recipe, short) }
    }

    /// Of a rank that holds nothing.
    pub fn idle() -> Self {
        let recipe = Recipe { kernel: Kernel::Idle, memory: Memory::Cached, reason: "no elements" };
        Self::without_sections(recipe, false)
    }

    fn without_sections(recipe: Recipe, short: bool) -> Self {
        Self { recipe, short, nontemporal: false, setting: None, sections: OnceLock::new() }
    }

    /// To be called when all rows have been copied, before anyone hears of it.
    pub fn finish(&self) {
        if self.nontemporal {
            raw::memory::fence();
        }
    }

    /// False where another loop has to copy.
    pub fn copies(&self) -> bool {
        self.setting.is_some()
    }

    /// True where messages share cache lines of the local array.
    pub fn has_short_runs(&self) -> bool {
        self.short
    }

    /// What copies, and why.
    pub fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// The sections in the order of the local array, with the bytes where each begins; `None` where another loop copies.
    fn all(&self, level: &Level) -> Option<impl Iterator<Item = (usize, &Section<D>)>> {
        let setting = self.setting?;
        let Periods { period, count, rest } = self.sections.get_or_init(|| {
            let sections = parts::<D>(level, setting).and_then(|parts| parts.sections(setting));
            sections.expect("there was room for all offsets when the kernel was chosen")
        });
        let mut at = 0;
        let sections = (0..*count).flat_map(move |_| period).chain(rest);
        Some(sections.map(move |section| {
            let begin = at;
            at += section.span();
            (begin, section)
        }))
    }
}

impl Row<Pack> {
    /// Packs a row of the level that this was made for, which begins where `local` does, into its messages; false where
    /// another loop has to.
    pub fn pack(&self, level: &Level, local: &[u8], messages: &mut [&mut [u8]]) -> bool {
        let Some(sections) = self.all(level) else { return false };
        sections.for_each(|(at, section)| section.pack(&local[at..], messages));
        true
    }
}

impl Row<Unpack> {
    /// Unpacks a row from its messages; false where another loop has to.
    pub fn unpack(&self, level: &Level, local: &mut [u8], messages: &mut [&[u8]]) -> bool {
        let Some(sections) = self.all(level) else { return false };
        sections.for_each(|(at, section)| section.unpack(&mut local[at..], messages));
        true
    }

    /// Unpacks what message number `number` of a row holds of it; false where another loop has to.
    pub fn unpack_one(&self, level: &Level, local: &mut [u8], number: usize, message: &mut &[u8]) -> bool {
        let Some(sections) = self.all(level) else { return false };
        sections.for_each(|(at, section)| section.unpack_one(&mut local[at..], number, message));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Side};
    use crate::program::Program;

    /// Vectors get under way once a section, and what is shorter than some of them goes one by one.
    #[test]
    fn sections_are_long() {
        for (ranks, runs) in [(2, 25), (3, 25), (3, 100), (8, 100), (16, 25), (5, 333), (3, 1000), (7, 20_000)] {
            let (from, to) = (format!("cyclic({}) onto {ranks}", 3 * runs), format!("cyclic(3) onto {ranks}"));
            let plan = Plan::<1>::parse([300_000 * ranks], &from, &to).unwrap();
            let program = Program::new(&plan.into(), &[], Side::Source, 1);
            for vectors in Vectors::runnable() {
                let extent = Extent { bytes: 4, unit: 1, array: 4 * program.local_len() };
                let allowed = Allowed { vectors, nontemporal: usize::MAX };
                let row: Row<Pack> = Row::new(&program.levels[0], extent, false, allowed);
                let Some(sections) = row.all(&program.levels[0]) else { continue };
                let spans: Vec<usize> = sections.map(|(_, section)| section.span()).collect();
                let mean = spans.iter().sum::<usize>() / spans.len();
                assert!(mean >= 4096, "{from} -> {to}, {vectors}: {mean} bytes, {}", row.recipe());
            }
        }
    }
}
