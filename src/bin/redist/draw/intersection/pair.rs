//! The two ranks that are looked at.

use crate::draw::number::counted;
use crate::draw::palette;
use crate::draw::sides::{self, SIDES};
use crate::failure::CommandFailure;
use redist::plan::Axis;
use redist::{Plan, Side};

/// A source rank and a destination rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<const D: usize> {
    /// Their ranks in the communicator.
    pub ranks: [usize; 2],
    /// Their coordinates, in the source's axes.
    pub coordinates: [[usize; D]; 2],
}

/// Largest number of coordinates of a dimension among which the busiest pair is searched.
const MAX_COORDINATES: usize = 64;

impl<const D: usize> Pair<D> {
    /// The pair that is wanted; else the first of those that share the most, different coordinates before equal ones.
    ///
    /// # Errors
    /// A rank that is not in its side's grid.
    pub fn new(plan: &Plan<D>, wanted: Option<[usize; 2]>) -> Result<Self, CommandFailure> {
        let Some(ranks) = wanted else {
            return Ok(Self::busiest(plan));
        };
        let found = [0, 1].map(|at| sides::coordinates(plan, SIDES[at], ranks[at]));
        match found {
            [Some(source), Some(destination)] => Ok(Self { ranks, coordinates: [source, destination] }),
            _ => Err(CommandFailure::InputOptions(refusal(plan, ranks, usize::from(found[0].is_some())))),
        }
    }

    fn busiest(plan: &Plan<D>) -> Self {
        let best = std::array::from_fn::<_, D, _>(|dimension| busiest_along(&plan.axis(dimension)));
        let coordinates = [best.map(|(source, _)| source), best.map(|(_, destination)| destination)];
        let ranks = [0, 1].map(|at| sides::rank_at(plan, SIDES[at], coordinates[at]));
        Self { ranks, coordinates }
    }

    /// The coordinates along one dimension.
    pub fn along(&self, dimension: usize) -> (usize, usize) {
        (self.coordinates[0][dimension], self.coordinates[1][dimension])
    }

    /// The colours of both: their own, unless two ranks have the same.
    pub fn colors(&self) -> [&'static str; 2] {
        let [source, destination] = self.ranks.map(palette::of_rank);
        let clash = source == destination && self.ranks[0] != self.ranks[1];
        [source, if clash { palette::of_rank(self.ranks[1] + 1) } else { destination }]
    }

    /// What the picture shows.
    pub fn heading(&self) -> String {
        match self.ranks {
            [rank, peer] if rank == peer => format!("What rank {rank} keeps"),
            [source, destination] => format!("What rank {source} sends to rank {destination}"),
        }
    }

    /// How much that is.
    pub fn volume(&self, plan: &Plan<D>) -> String {
        counted(plan.volume(self.ranks[0], self.ranks[1]) as u128, "element")
    }
}

/// The coordinates of a dimension that share the most of it.
fn busiest_along(axis: &Axis) -> (usize, usize) {
    let ranks = |side| axis.side(side).ranks().min(MAX_COORDINATES);
    let pairs = (0..ranks(Side::Source)).flat_map(|p| (0..ranks(Side::Destination)).map(move |q| (p, q)));
    // The first of several maxima is the last when counted backwards.
    pairs.rev().max_by_key(|(p, q)| (axis.count(*p, *q), p != q)).unwrap_or((0, 0))
}

fn refusal<const D: usize>(plan: &Plan<D>, ranks: [usize; 2], at: usize) -> String {
    let (first, count) = sides::ranks(plan, SIDES[at]);
    format!(
        "--pair {},{}: rank {} is none of the {}'s, which are {first}..{}",
        ranks[0],
        ranks[1],
        ranks[at],
        SIDES[at],
        first + count
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_pair_is_chosen() {
        let plan = Plan::parse([40, 12], "(block, *) onto 4", "(gen_block([1, 29, 10]), *) onto 3 ranks 4..7").unwrap();
        let pair = Pair::new(&plan, None).unwrap();
        let volumes = (0..4).flat_map(|source| (4..7).map(move |destination| (source, destination)));
        let most = volumes.map(|(source, destination)| plan.volume(source, destination)).max().unwrap();
        assert_eq!((pair.ranks, plan.volume(2, 5)), ([2, 5], most));
        assert_eq!(pair.coordinates, [[2, 0], [1, 0]]);
    }

    #[test]
    fn transposed_ranks_are_found_at_their_coordinates() {
        let plan =
            Plan::parse([8, 6], "(cyclic, cyclic) onto (2, 3)", "(cyclic, cyclic) onto (3, 2) transposed").unwrap();
        let pair = Pair::new(&plan, Some([5, 1])).unwrap();
        assert_eq!(pair.coordinates, [[1, 2], [1, 0]]);
    }

    #[test]
    fn ranks_outside_the_grids_are_refused() {
        let plan = Plan::parse([40], "block onto 4", "block onto 3 ranks 4..7").unwrap();
        let refused = |pair| match Pair::new(&plan, Some(pair)) {
            Err(CommandFailure::InputOptions(message)) => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused([4, 4]), "--pair 4,4: rank 4 is none of the source's, which are 0..4");
        assert_eq!(refused([0, 7]), "--pair 0,7: rank 7 is none of the destination's, which are 4..7");
    }
}
