//! The two ranks whose common elements are drawn.

use crate::error::DrawError;
use crate::number::counted;
use crate::palette;
use crate::sides::{self, SIDES};
use redist_plan::plan::Plan;
use std::cmp::Reverse;

/// A source rank and a destination rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<const D: usize> {
    /// Ranks of the communicator, by side.
    pub ranks: [usize; 2],
    /// In the source's axes.
    pub coordinates: [[usize; D]; 2],
}

/// The busiest pair is among so many coordinates of a dimension.
const MAX_COORDINATES: usize = 64;

impl<const D: usize> Pair<D> {
    pub fn of(plan: &Plan<D>, ranks: [usize; 2]) -> Result<Self, DrawError> {
        let found = [0, 1].map(|at| sides::coordinates(plan, SIDES[at], ranks[at]));
        match found {
            [Some(source), Some(destination)] => {
                Ok(Self { ranks, coordinates: [source, destination] })
            }
            _ => Err(DrawError::of("pair", refusal(plan, ranks, usize::from(found[0].is_some())))),
        }
    }

    /// Finds the pair with the largest share at `index`; different ranks, if anything moves.
    pub fn busiest(plan: &Plan<D>, index: [Option<usize>; D]) -> Self {
        let shares =
            std::array::from_fn::<_, D, _>(|dimension| shares(plan, dimension, index[dimension]));
        let mut best = shares.each_ref().map(|shares| shares[0]);
        if let [rank, peer] = Self::at(plan, &best).ranks
            && rank == peer
        {
            // Ranks are linear in coordinates: if two dimensions together make them differ, one of
            // them does.
            let others = (0..D).flat_map(|dimension| {
                shares[dimension].iter().map(move |share| (dimension, *share))
            });
            let with = |(dimension, share)| {
                let mut all = best;
                all[dimension] = share;
                all
            };
            let differ = |all: &[Share; D]| !matches!(Self::at(plan, all).ranks, [rank, peer] if rank == peer);
            let volume =
                |all: &[Share; D]| all.iter().map(|share| share.elements as f64).product::<f64>();
            // The first of several maxima is the last when counted backwards.
            let others: Vec<_> = others.map(with).filter(differ).collect();
            best = others
                .into_iter()
                .rev()
                .max_by(|a, b| volume(a).total_cmp(&volume(b)))
                .unwrap_or(best);
        }
        Self::at(plan, &best)
    }

    fn at(plan: &Plan<D>, shares: &[Share; D]) -> Self {
        let coordinates = [0, 1].map(|at| shares.map(|share| share.coordinates[at]));
        let ranks = [0, 1].map(|at| sides::rank_at(plan, SIDES[at], coordinates[at]));
        Self { ranks, coordinates }
    }

    pub fn along(&self, dimension: usize) -> (usize, usize) {
        (self.coordinates[0][dimension], self.coordinates[1][dimension])
    }

    pub fn colors(&self) -> [&'static str; 2] {
        let [source, destination] = self.ranks.map(palette::of_rank);
        [
            source,
            if source == destination { palette::of_rank(self.ranks[1] + 1) } else { destination },
        ]
    }

    pub fn heading(&self) -> String {
        match self.ranks {
            [rank, peer] if rank == peer => format!("What rank {rank} keeps"),
            [source, destination] => format!("What rank {source} sends to rank {destination}"),
        }
    }

    pub fn volume(&self, plan: &Plan<D>) -> String {
        counted(plan.volume(self.ranks[0], self.ranks[1]) as u128, "element")
    }
}

/// The elements that two coordinates share along a dimension.
#[derive(Clone, Copy)]
struct Share {
    /// Coordinate of the source and of the destination.
    coordinates: [usize; 2],
    /// Number of shared indices.
    elements: usize,
}

/// Lists coordinates along a dimension, or the coordinates of an index: largest shares first, then
/// unequal.
fn shares<const D: usize>(plan: &Plan<D>, dimension: usize, index: Option<usize>) -> Vec<Share> {
    let axis = plan.axis(dimension);
    let share = |[p, q]: [usize; 2]| Share { coordinates: [p, q], elements: axis.count(p, q) };
    if let Some(index) = index {
        return vec![share(SIDES.map(|side| axis.side(side).owner(index)))];
    }
    let [sources, destinations] = SIDES.map(|side| axis.side(side).ranks().min(MAX_COORDINATES));
    let pairs = (0..sources).flat_map(|p| (0..destinations).map(move |q| share([p, q])));
    let mut shares: Vec<_> = pairs.filter(|share| share.elements > 0).collect();
    shares.sort_by_key(|Share { coordinates: [p, q], elements }| (Reverse(*elements), p == q));
    if shares.is_empty() { vec![share([0, 0])] } else { shares }
}

fn refusal<const D: usize>(plan: &Plan<D>, ranks: [usize; 2], at: usize) -> String {
    format!(
        "{},{}: rank {} is none of the {}'s, which are {}",
        ranks[0],
        ranks[1],
        ranks[at],
        SIDES[at],
        sides::ranks_in_words(plan, SIDES[at])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_pair_is_chosen() {
        let plan = Plan::parse(
            [40, 12],
            "(block, *) onto 4",
            "(gen_block([1, 29, 10]), *) onto 3 ranks 4..7",
        )
        .unwrap();
        let pair = Pair::busiest(&plan, [None; 2]);
        let volumes =
            (0..4).flat_map(|source| (4..7).map(move |destination| (source, destination)));
        let most =
            volumes.map(|(source, destination)| plan.volume(source, destination)).max().unwrap();
        assert_eq!((pair.ranks, plan.volume(2, 5)), ([2, 5], most));
        assert_eq!(pair.coordinates, [[2, 0], [1, 0]]);
    }

    #[test]
    fn a_rank_is_not_chosen_with_itself() {
        // Rank 0 keeps the most here, along either dimension, and rank 1 has no elements for it.
        let plan =
            Plan::parse([7, 40], "(*, block) onto 2", "(*, gen_block([21, 19])) onto 2").unwrap();
        let pair = Pair::busiest(&plan, [None; 2]);
        assert_eq!((pair.ranks, plan.volume(0, 0), plan.volume(1, 0)), ([1, 0], 140, 7));
        // In one dimension, in a grid, and where only the second dimension moves.
        let line = Plan::parse([1003], "cyclic(10) onto 3", "cyclic(4) onto 3").unwrap();
        assert!(most_between_different_ranks(&line));
        let grids = Plan::parse(
            [100, 90],
            "(cyclic(3), block) onto (2, 3)",
            "(cyclic(3), cyclic(4)) onto (2, 3)",
        );
        assert!(most_between_different_ranks(&grids.unwrap()));
        let tiles = Plan::parse(
            [1000, 600],
            "scalapack(64, 64, 2, 3)",
            "(*, block) onto 6 storage fortran",
        )
        .unwrap();
        assert!(most_between_different_ranks(&tiles));
    }

    /// Returns `true` if no two other different ranks share more.
    fn most_between_different_ranks<const D: usize>(plan: &Plan<D>) -> bool {
        let [source, destination] = Pair::busiest(plan, [None; D]).ranks;
        let pairs = (0..plan.ranks())
            .flat_map(|p| (0..plan.ranks()).map(move |q| (p, q)))
            .filter(|(p, q)| p != q);
        let most = pairs.map(|(p, q)| plan.volume(p, q)).max();
        source != destination && Some(plan.volume(source, destination)) == most
    }

    #[test]
    fn where_nothing_moves_a_rank_is_shown_with_itself_in_two_colours() {
        let plan = Plan::parse([40], "block onto 4", "block onto 4").unwrap();
        let pair = Pair::busiest(&plan, [None]);
        assert_eq!((pair.ranks[0], pair.heading().as_str()), (pair.ranks[1], "What rank 0 keeps"));
        assert_ne!(pair.colors()[0], pair.colors()[1]);
    }

    #[test]
    fn an_index_decides_where_there_is_one() {
        let plan = Plan::parse(
            [8, 6, 10],
            "(*, cyclic, block) onto (2, 5)",
            "(cyclic, *, cyclic) onto (2, 5)",
        )
        .unwrap();
        for index in 0..10 {
            let pair = Pair::busiest(&plan, [None, None, Some(index)]);
            assert_eq!(pair.along(2), (index / 2, index % 5));
        }
    }

    #[test]
    fn transposed_ranks_are_found_at_their_coordinates() {
        let plan = Plan::parse(
            [8, 6],
            "(cyclic, cyclic) onto (2, 3)",
            "(cyclic, cyclic) onto (3, 2) transposed",
        )
        .unwrap();
        let pair = Pair::of(&plan, [5, 1]).unwrap();
        assert_eq!(pair.coordinates, [[1, 2], [1, 0]]);
    }

    #[test]
    fn ranks_outside_the_grids_are_refused() {
        let plan = Plan::parse([40], "block onto 4", "block onto 3 ranks 4..7").unwrap();
        let refused = |pair| Pair::of(&plan, pair).unwrap_err().to_string();
        assert_eq!(refused([4, 4]), "pair 4,4: rank 4 is none of the source's, which are 0..4");
        assert_eq!(
            refused([0, 7]),
            "pair 0,7: rank 7 is none of the destination's, which are 4..7"
        );
    }
}
