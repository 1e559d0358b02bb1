//! Describes plans in words.

use super::{AnyPlan, Axis, Edge, MessageGraph, Plan, Section, Side};
use crate::layout::vocabulary::counted;
use crate::layout::{Ranks, StorageOrder};
use core::fmt;
use std::collections::BTreeMap;

impl<const D: usize> Plan<D> {
    /// Describes the plan on one screen; lengths are folded, as in `2 x 8448, 1 x 1152`.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Plan;
    /// let plan = Plan::<1>::parse([10], "cyclic(4) onto 3", "cyclic(2) onto 2")?;
    /// assert!(plan.explain().contains("messages of 5 x 2 elements"), "{}", plan.explain());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self) -> String {
        let plan = self.indexed();
        format!("{plan}{}\n  {}", volumes(&AnyPlan::from(&plan)), memory(&plan))
    }
}

fn volumes(plan: &AnyPlan) -> String {
    let Ok(graph) = MessageGraph::of_any(plan) else { return String::new() };
    let rank = |side, number| plan.descriptor(side).nth_rank(number);
    let stays =
        |edge: &&Edge| rank(Side::Source, edge.source) == rank(Side::Destination, edge.destination);
    let stay: usize = graph.edges().iter().filter(stays).map(|edge| edge.elements).sum();
    let lengths = || graph.edges().iter().map(|edge| edge.elements);
    let mut text = format!(
        "\n  {} of {} stay on their rank; {}, at most {} of one rank, so at least {}",
        counted(stay, "element"),
        lengths().sum::<usize>(),
        counted(graph.edges().len(), "message"),
        graph.least_steps(),
        counted(graph.least_steps(), "step"),
    );
    if !graph.edges().is_empty() {
        text += &format!("\n  messages of {} elements", folded(&mut lengths()));
    }
    text
}

/// Most different lengths that are listed.
const MAX_LENGTHS: usize = 6;

/// Counts equal lengths, longest first: `2 x 8448, 1 x 1152`. Beyond [`MAX_LENGTHS`], the shorter
/// ones are one range: `12 of 66 to 136`.
#[doc(hidden)]
pub fn folded(lengths: &mut dyn Iterator<Item = usize>) -> String {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for length in lengths {
        *counts.entry(length).or_default() += 1;
    }
    let single = if counts.len() > MAX_LENGTHS { MAX_LENGTHS - 1 } else { counts.len() };
    let listed = counts.iter().rev().take(single);
    let mut parts: Vec<String> =
        listed.map(|(length, count)| format!("{count} x {length}")).collect();
    let mut rest = counts.iter().rev().skip(single);
    if let Some((most, _)) = rest.clone().next() {
        let least = rest.clone().last().map_or(most, |(length, _)| length);
        let count: usize = rest.by_ref().map(|(_, count)| count).sum();
        parts.push(format!("{count} of {least} to {most}"));
    }
    parts.join(", ")
}

fn memory<const D: usize>(plan: &Plan<D>) -> String {
    let figure = plan.memory(1);
    let of_what = if figure.is_exact {
        "on the rank that needs the most"
    } else {
        "at most, both sides' maxima on one rank"
    };
    let elements = counted(figure.value, "element");
    format!("memory for local arrays and messages: {elements}, {of_what}")
}

impl<const D: usize> fmt::Display for Plan<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |side| {
            let descriptor = self.descriptor(side);
            let layout = descriptor.layout();
            (layout.to_string(), ranks(layout.ranks, descriptor.ranks()))
        };
        let axes: [Axis; D] = core::array::from_fn(|dimension| self.axis(dimension));
        PlanText {
            extents: &self.extents(),
            sides: [Side::Source, Side::Destination].map(side),
            axes: &axes,
            storage: self.descriptor(Side::Source).layout().storage,
            digest: &self.digest(),
        }
        .fmt(f)
    }
}

/// A plan's parts without its number of dimensions, so that their text is compiled once.
struct PlanText<'a> {
    /// Elements of the array along each dimension.
    extents: &'a [usize],
    /// Layout and ranks of the source and of the destination, in words.
    sides: [(String, String); 2],
    axes: &'a [Axis],
    /// Storage order of the source's local arrays.
    storage: StorageOrder,
    digest: &'a dyn fmt::Display,
}

impl fmt::Display for PlanText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?} elements", self.extents)?;
        for (word, (layout, ranks)) in ["from", "to  "].iter().zip(&self.sides) {
            writeln!(f, "  {word} {}: {ranks}", shortened(layout))?;
        }
        for (dimension, axis) in self.axes.iter().enumerate() {
            writeln!(f, "  dimension {dimension}: {axis}")?;
        }
        let last = self.axes.len().saturating_sub(1);
        let (slowest, fastest) = match self.storage {
            StorageOrder::C => (0, last),
            StorageOrder::Fortran => (last, 0),
        };
        if last > 0 {
            writeln!(
                f,
                "  messages in increasing global index, dimension {slowest} slowest, {fastest} fastest"
            )?;
        }
        write!(f, "  digest {}", self.digest)
    }
}

/// Most items of a list that are shown.
const MAX_ITEMS: usize = 24;

fn shortened(notation: &str) -> String {
    let mut text = String::new();
    for part in notation.split_inclusive(['[', ']']) {
        let items: Vec<&str> = part.split(", ").collect();
        if !part.ends_with(']') || items.len() <= MAX_ITEMS {
            text += part;
            continue;
        }
        let (first, last) = (&items[..MAX_ITEMS / 2], &items[items.len() - MAX_ITEMS / 2..]);
        let more = items.len() - MAX_ITEMS;
        text += &format!("{}, {more} more, {}", first.join(", "), last.join(", "));
    }
    text
}

fn ranks(given: Ranks, ranks: usize) -> String {
    match given {
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
        None if section.deal().balanced_last().is_some() => {
            format!("balanced blocks of up to {}", section.block())
        }
        None => format!("given blocks of up to {}", section.block()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_are_counted() {
        assert_eq!(folded(&mut [8448, 1152, 8448].into_iter()), "2 x 8448, 1 x 1152");
        assert_eq!(folded(&mut (1..7)), "1 x 6, 1 x 5, 1 x 4, 1 x 3, 1 x 2, 1 x 1");
        assert_eq!(
            folded(&mut (1..8).chain([1, 2])),
            "1 x 7, 1 x 6, 1 x 5, 1 x 4, 1 x 3, 4 of 1 to 2"
        );
        assert_eq!(folded(&mut [].into_iter()), "");
    }

    #[test]
    fn a_plan_takes_one_screen_however_many_messages_it_has() {
        for (from, to) in [
            ("cyclic(10) onto 3", "cyclic(2) onto 3"),
            ("cyclic(7) onto 300", "cyclic(11) onto 400"),
            ("cyclic(7) onto 30000", "cyclic(11) onto 40000"),
        ] {
            let text = Plan::<1>::parse([1_000_000], from, to).expect("a plan").explain();
            assert!(text.lines().count() <= 9, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 130), "{text}");
        }
    }
}
