//! A row of the local array: its kernel, and how it is run.

use super::part::{Periods, Setting, parts};
use super::section::Section;
use super::{Direction, Kernel, MOST_PEERS, Pack, Recipe, Unpack, Vectors};
use crate::program::Level;

/// How every row along the fastest dimension is copied.
pub(in crate::exec) struct Row<D> {
    recipe: Recipe,
    short: bool,
    /// `None` where another loop copies.
    sections: Option<Periods<Section<D>>>,
}

/// Bytes of a run on average from which messages hardly share cache lines of the local array.
const APART: usize = 256;

impl<D: Direction> Row<D> {
    /// Kernels for the rows of a level whose neighbours, in the order of messages, are `unit` elements of `bytes` each
    /// that lie together; `written` if the macro wrote a loop for them.
    pub fn new(level: &Level, (bytes, unit): (usize, usize), written: bool, vectors: Vectors) -> Self {
        let peers = level.peers.len();
        let alone = |kernel, reason| Self { recipe: Recipe { kernel, reason }, short: false, sections: None };
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
        let setting = Setting { element, peers, written, vectors: vectors.min(Vectors::detected()) };
        let Some(parts) = parts::<D>(level, setting) else {
            return alone(Kernel::Tiles, "a period of too many runs for a table");
        };
        let Some(shape) = parts.shape::<D>(setting) else { return alone(Kernel::Idle, "no elements") };
        let (recipe, short) = (shape.choose(), shape.peers > 1 && shape.mean < APART);
        if matches!(recipe.kernel, Kernel::Tiles | Kernel::Written) {
            return Self { recipe, short, sections: None };
        }
        match parts.sections(setting) {
            Some(sections) => Self { recipe, short, sections: Some(sections) },
            None => alone(Kernel::Tiles, "a period of too many bytes for a table"),
        }
    }

    /// Of a rank that holds nothing.
    pub fn idle() -> Self {
        Self { recipe: Recipe { kernel: Kernel::Idle, reason: "no elements" }, short: false, sections: None }
    }

    /// False where another loop has to copy.
    pub fn copies(&self) -> bool {
        self.sections.is_some()
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
    fn all(&self) -> Option<impl Iterator<Item = (usize, &Section<D>)>> {
        let Periods { period, count, rest } = self.sections.as_ref()?;
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
    /// Packs a row, which begins where `local` does, into its messages; false where another loop has to.
    pub fn pack<T: Copy>(&self, local: &[T], messages: &mut [&mut [T]]) -> bool {
        let Some(sections) = self.all() else { return false };
        sections.for_each(|(at, section)| section.pack(&local[at / size_of::<T>()..], messages));
        true
    }
}

impl Row<Unpack> {
    /// Makes what [`unpack_one`](Row::unpack_one) needs, so that it allocates nothing later.
    pub fn prepare_messages(&self) {
        let sections = self.sections.iter().flat_map(|Periods { period, rest, .. }| period.iter().chain(rest));
        sections.for_each(Section::prepare_messages);
    }

    /// Unpacks a row from its messages; false where another loop has to.
    pub fn unpack<T: Copy>(&self, local: &mut [T], messages: &mut [&[T]]) -> bool {
        let Some(sections) = self.all() else { return false };
        sections.for_each(|(at, section)| section.unpack(&mut local[at / size_of::<T>()..], messages));
        true
    }

    /// Unpacks what message number `number` of a row holds of it; false where another loop has to.
    pub fn unpack_one<T: Copy>(&self, local: &mut [T], number: usize, message: &mut &[T]) -> bool {
        let Some(sections) = self.all() else { return false };
        sections.for_each(|(at, section)| section.unpack_one(&mut local[at / size_of::<T>()..], number, message));
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
            let program = Program::new(&plan, &[&[]], Side::Source, 1);
            for vectors in Vectors::runnable() {
                let row: Row<Pack> = Row::new(&program.levels[0], (4, 1), false, vectors);
                let Some(sections) = row.all() else { continue };
                let spans: Vec<usize> = sections.map(|(_, section)| section.span()).collect();
                let mean = spans.iter().sum::<usize>() / spans.len();
                assert!(mean >= 4096, "{from} -> {to}, {vectors}: {mean} bytes, {}", row.recipe());
            }
        }
    }
}
