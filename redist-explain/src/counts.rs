//! Counts the messages of a plan.

use redist_plan::plan::{Axis, Figure, Plan, Side};
use serde::Serialize;

/// Most pairs of ranks whose counts are listed, unless the user says otherwise.
pub const DEFAULT_MAX_PAIRS: usize = 1 << 20;

/// The most pairs of coordinates of a dimension that are visited to find extremes.
const MAX_PAIRS: usize = 1 << 22;

/// The most pieces of a period that are visited to count for all pairs at once.
const MAX_PIECES: usize = 1 << 22;

/// The most pairs that are counted one by one instead.
const MAX_SINGLE_PAIRS: usize = 1 << 16;

/// Messages, unless counting takes too long.
#[derive(Serialize)]
pub struct Counts {
    /// Elements; a row for each rank of the source, a column for each of the destination.
    pub counts: Option<Vec<Vec<usize>>>,
    pub counts_omitted: Option<String>,
    pub messages: Option<Messages>,
    pub messages_omitted: Option<String>,
    /// The most that a rank sends to others, or receives from others.
    pub messages_of_a_rank: Option<usize>,
    /// Elements that stay on their rank.
    pub elements_that_stay: Option<usize>,
}

/// Messages between different ranks.
#[derive(Clone, Copy, Serialize)]
pub struct Messages {
    /// Number of messages.
    pub number: usize,
    /// Elements of the smallest message.
    pub smallest: usize,
    /// Elements of the largest message.
    pub largest: usize,
}

/// Elements between coordinates: by dimension, source coordinate and destination coordinate.
pub struct PairCounts(Option<Vec<Vec<Vec<usize>>>>);

impl PairCounts {
    pub fn of<const D: usize>(plan: &Plan<D>) -> Self {
        PairCounts((0..D).map(|dimension| along(&plan.axis(dimension))).collect())
    }

    fn messages(&self) -> Option<Messages> {
        let none = Messages { number: 1, smallest: 1, largest: 1 };
        // Products on the way to 0 may be too large.
        let all = self.0.as_ref()?.iter().fold(none, |all, counts| {
            let sent = || counts.iter().flatten().filter(|count| **count > 0);
            Messages {
                number: all.number.saturating_mul(sent().count()),
                smallest: all.smallest.saturating_mul(sent().min().copied().unwrap_or(0)),
                largest: all.largest.saturating_mul(sent().max().copied().unwrap_or(0)),
            }
        });
        Some(all)
    }

    fn count<const D: usize>(
        &self,
        plan: &Plan<D>,
        source: [usize; D],
        destination: [usize; D],
    ) -> Option<usize> {
        let counts = self.0.as_ref()?.iter().enumerate();
        Some(counts.fold(1usize, |volume, (dimension, counts)| {
            volume.saturating_mul(
                counts[source[dimension]][destination[plan.destination_axis(dimension)]],
            )
        }))
    }
}

impl Counts {
    /// Counts messages, pair by pair for at most `most` pairs of ranks.
    pub fn of<const D: usize>(plan: &Plan<D>, pairs: &PairCounts, most: usize) -> Self {
        let ranks = |side| plan.descriptor(side).ranks();
        let all = ranks(Side::Source).saturating_mul(ranks(Side::Destination));
        let counts = if all <= most { matrix(plan, pairs) } else { None };
        let messages = pairs.messages();
        Counts {
            counts_omitted: counts.is_none().then(|| {
                format!("{all} pairs of ranks are more than {most}, the most that are listed; a larger number lists more")
            }),
            counts,
            messages_omitted: messages.is_none().then(|| {
                format!("a dimension has more than {MAX_SINGLE_PAIRS} pairs of coordinates, too many to go through")
            }),
            messages,
            messages_of_a_rank: exact(plan.messages()),
            elements_that_stay: exact(plan.stays()),
        }
    }
}

fn exact(figure: Figure) -> Option<usize> {
    figure.is_exact.then_some(figure.value)
}

fn along(axis: &Axis) -> Option<Vec<Vec<usize>>> {
    let (sources, destinations) =
        (axis.side(Side::Source).ranks(), axis.side(Side::Destination).ranks());
    let pairs = sources.saturating_mul(destinations);
    if pairs <= MAX_PAIRS && axis.pieces_below(axis.period()) <= MAX_PIECES {
        return Some(by_pieces(axis, sources, destinations));
    }
    let row =
        |source| (0..destinations).map(|destination| axis.count(source, destination)).collect();
    (pairs <= MAX_SINGLE_PAIRS).then(|| (0..sources).map(row).collect())
}

/// Counts the pieces of one period, which is that of all.
fn by_pieces(axis: &Axis, sources: usize, destinations: usize) -> Vec<Vec<usize>> {
    let mut counts = vec![vec![0; destinations]; sources];
    let period = axis.period().max(1);
    let (periods, rest) = (axis.len() / period, axis.len() % period);
    for (piece, [source, destination]) in axis.owned_pieces(0..period.min(axis.len())) {
        let in_rest = rest.clamp(piece.start, piece.end) - piece.start;
        counts[source][destination] += piece.len() * periods + in_rest;
    }
    counts
}

fn matrix<const D: usize>(plan: &Plan<D>, pairs: &PairCounts) -> Option<Vec<Vec<usize>>> {
    let coordinates = |side| -> Option<Vec<[usize; D]>> {
        let descriptor = plan.descriptor(side);
        let ranks = (0..descriptor.ranks()).map(|number| descriptor.nth_rank(number));
        ranks.map(|rank| descriptor.coordinates(rank)).collect()
    };
    let destinations = coordinates(Side::Destination)?;
    let row = |source: [usize; D]| {
        let count = |destination: &[usize; D]| match pairs.count(plan, source, *destination) {
            Some(count) => count,
            None => plan.volume(
                plan.descriptor(Side::Source).rank_at(source),
                plan.descriptor(Side::Destination).rank_at(*destination),
            ),
        };
        destinations.iter().map(count).collect()
    };
    Some(coordinates(Side::Source)?.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_counted_like_pairs() {
        for (from, to) in [
            ("cyclic(10) onto 3", "cyclic(2) onto 3"),
            ("cyclic(7) onto 3 of 2000 at 5", "cyclic(9) onto 4 first 2 of 1900 at 11"),
            ("gen_block([1000, 0, 3]) onto 3", "cyclic(2) onto 3"),
            ("block onto 7", "*"),
        ] {
            let axis = Plan::<1>::parse([1003], from, to).expect("a plan").axis(0);
            let (sources, destinations) =
                (axis.side(Side::Source).ranks(), axis.side(Side::Destination).ranks());
            let counts = by_pieces(&axis, sources, destinations);
            for (source, destination) in
                (0..sources).flat_map(|source| (0..destinations).map(move |to| (source, to)))
            {
                assert_eq!(
                    counts[source][destination],
                    axis.count(source, destination),
                    "{from} -> {to}"
                );
            }
        }
    }

    #[test]
    fn extremes_are_those_of_the_matrix() {
        let (from, to) =
            ("(cyclic(16), cyclic(7)) onto (2, 3) order col", "(cyclic(8), *) onto 5 transposed");
        let plan = Plan::parse([50, 40], from, to).expect("a plan");
        let counts = Counts::of(&plan, &PairCounts::of(&plan), 30);
        let matrix = counts.counts.expect("30 pairs");
        for (source, row) in matrix.iter().enumerate() {
            for (destination, count) in row.iter().enumerate() {
                assert_eq!(*count, plan.volume(source, destination));
            }
        }
        let sent: Vec<usize> = matrix.into_iter().flatten().filter(|count| *count > 0).collect();
        let messages = counts.messages.expect("few pairs");
        assert_eq!(
            (messages.number, Some(messages.largest)),
            (sent.len(), sent.iter().max().copied())
        );
        assert_eq!(Some(messages.smallest), sent.iter().min().copied());
        assert!(Counts::of(&plan, &PairCounts::of(&plan), 29).counts_omitted.is_some());
    }
}
