//! Redistribution in several phases, through layouts in between.

use super::whole;
use num_integer::gcd;
use redist::layout::BlockCyclic;
use redist::plan::{Axis, Section, Side};
use redist_plan::arithmetic::saturating_lcm;

/// Kaushik, Huang, Ramanujam and Sadayappan, *Multi-phase array redistribution: modeling and
/// evaluation*: from cyclic(s) to cyclic(t), through other block sizes on the source's ranks.
///
/// A phase from cyclic(b) to cyclic(f b) sends at most `f` messages a rank. A chain of small
/// factors therefore has fewer startups than one phase, and moves elements again in each.
///
/// ```
/// use redist::plan::Plan;
/// use redist_study::baseline::MultiPhase;
/// let axis = Plan::<1>::parse([4096], "cyclic onto 16", "cyclic(16) onto 16")?.axis(0);
/// let (one, two) = (MultiPhase::of(&axis, &[])?, MultiPhase::of(&axis, &[4])?);
/// assert_eq!((one.messages(), two.messages()), (15, 8));
/// assert!(one.moved_of_a_rank() < two.moved_of_a_rank());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiPhase {
    /// Elements in a block of each layout, from the source's to the destination's.
    blocks: Vec<usize>,
    phases: Vec<Axis>,
}

/// The layout between Thakur, Choudhary and Ramanujam's two phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intermediate {
    /// Blocks of `gcd(x, y)`: kx→x, then x→kx.
    Gcd,
    /// Blocks of `lcm(x, y)`: x→kx, then kx→x.
    Lcm,
}

impl MultiPhase {
    /// Makes the phases through blocks of these sizes, in order.
    pub fn of(axis: &Axis, blocks: &[usize]) -> Result<Self, &'static str> {
        whole(axis)?;
        let source = axis.side(Side::Source);
        let section = |block: &usize| {
            BlockCyclic::new(axis.len(), *block, source.ranks(), source.deal().first())
                .map(|between| Section::new(between, 0))
                .map_err(|_| "the intermediate layout is none")
        };
        let mut stations = vec![source];
        stations.extend(blocks.iter().map(section).collect::<Result<Vec<_>, _>>()?);
        stations.push(axis.side(Side::Destination));
        let phase = |pair: &[Section]| Axis::new(axis.len(), pair[0], pair[1], (false, false));
        Ok(Self { blocks: blocks.to_vec(), phases: stations.windows(2).map(phase).collect() })
    }

    /// Makes two phases, each of which is a special case of Thakur, Choudhary and Ramanujam's.
    pub fn thakur(axis: &Axis, intermediate: Intermediate) -> Result<Self, &'static str> {
        let [x, y] = [Side::Source, Side::Destination].map(|side| axis.side(side).block());
        let between = match intermediate {
            Intermediate::Gcd => gcd(x, y),
            Intermediate::Lcm => saturating_lcm(x, y),
        };
        Self::of(axis, &[between])
    }

    /// Returns all chains of block sizes that divide each other, the one without intermediate
    /// blocks first. It is the only one if neither block size divides its partner.
    ///
    /// # Errors
    /// Block sizes that [`of`](Self::of) refuses.
    pub fn nested(axis: &Axis) -> Result<Vec<Self>, &'static str> {
        whole(axis)?;
        let [s, t] = [Side::Source, Side::Destination].map(|side| axis.side(side).block());
        let mut chains = chains(s.min(t), s.max(t));
        if s > t {
            chains.iter_mut().for_each(|chain| chain.reverse());
        }
        chains.iter().map(|chain| Self::of(axis, chain)).collect()
    }

    pub fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    pub fn phases(&self) -> &[Axis] {
        &self.phases
    }

    /// Sums over the phases the messages that the busiest rank sends to others.
    pub fn messages(&self) -> usize {
        self.busiest(|count| usize::from(count > 0))
    }

    /// Sums over the phases the elements that the busiest rank sends to others.
    pub fn moved_of_a_rank(&self) -> usize {
        self.busiest(|count| count)
    }

    fn busiest(&self, weight: fn(usize) -> usize) -> usize {
        let of_phase = |phase: &Axis| {
            let [sources, destinations] =
                [Side::Source, Side::Destination].map(|side| phase.side(side).ranks());
            let sent = |rank: usize| -> usize {
                let others = (0..destinations).filter(|peer| *peer != rank);
                others.map(|peer| weight(phase.count(rank, peer))).sum()
            };
            (0..sources).map(sent).max().unwrap_or(0)
        };
        self.phases.iter().map(of_phase).sum()
    }
}

/// Lists the increasing chains of proper multiples of `from` that divide `to`, the empty one first.
fn chains(from: usize, to: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    if !to.is_multiple_of(from) {
        return all;
    }
    let factors = (2..to / from).filter(|factor| (to / from).is_multiple_of(*factor));
    for next in factors.map(|factor| from * factor) {
        let onwards = chains(next, to).into_iter();
        all.extend(onwards.map(|rest| [vec![next], rest].concat()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_the_ordered_factorisations() {
        assert_eq!(chains(3, 24), [vec![], vec![6], vec![6, 12], vec![12]]);
        assert_eq!((chains(4, 6), chains(5, 5)), (vec![vec![]], vec![vec![]]));
        // 1, 1, 2, 4 and 8 ordered factorisations of 1, 2, 4, 8 and 16.
        assert_eq!([1, 2, 4, 8, 16].map(|to| chains(1, to).len()), [1, 1, 2, 4, 8]);
    }
}
