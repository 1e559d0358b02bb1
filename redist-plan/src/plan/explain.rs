//! What was decided, in words.

use super::{Axis, Plan, Section, Side};
use crate::layout::vocabulary::counted;
use crate::layout::{Layout, Ranks, StorageOrder};
use core::fmt;

impl<const D: usize> Plan<D> {
    /// The plan in words: both sides, the class and window of each dimension, the order of
    /// messages, the digest.
    pub fn explain(&self) -> String {
        self.to_string()
    }
}

impl<const D: usize> fmt::Display for Plan<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, destination) =
            (self.descriptor(Side::Source), self.descriptor(Side::Destination));
        writeln!(f, "{:?} elements", self.extents())?;
        writeln!(f, "  from {}: {}", source.layout(), ranks(source.layout(), source.ranks()))?;
        writeln!(
            f,
            "  to   {}: {}",
            destination.layout(),
            ranks(destination.layout(), destination.ranks())
        )?;
        for dimension in 0..D {
            writeln!(f, "  dimension {dimension}: {}", self.axis(dimension))?;
        }
        let (slowest, fastest) = match source.layout().storage {
            StorageOrder::C => (0, D.saturating_sub(1)),
            StorageOrder::Fortran => (D.saturating_sub(1), 0),
        };
        if D > 1 {
            writeln!(
                f,
                "  messages in increasing global index, dimension {slowest} slowest, {fastest} fastest"
            )?;
        }
        write!(f, "  digest {}", self.digest())
    }
}

fn ranks<const D: usize>(layout: &Layout<D>, ranks: usize) -> String {
    match layout.ranks {
        Ranks::From(first) if ranks == 1 => format!("rank {first}"),
        Ranks::From(first) => format!("ranks {first}..{}", first + ranks),
        // The layout lists them.
        Ranks::Map(_) => format!("{} by a map", counted(ranks, "rank")),
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        write!(
            f,
            "{}; {} on {} → {} on {}; window of {} in {}, {} in all",
            self.class(),
            blocks(&source),
            source.ranks(),
            blocks(&destination),
            destination.ranks(),
            counted(self.window(), "element"),
            counted(self.window_pieces(), "piece"),
            self.pieces(),
        )
    }
}

fn blocks(section: &Section) -> String {
    match section.regular_block() {
        Some(block) => format!("blocks of {block}"),
        None => format!("given blocks of up to {}", section.block()),
    }
}
