//! Evens out the steps of a colouring: large messages share steps. The messages of two steps form
//! paths and cycles, each of which may exchange the two. Both cost the least if each has its larger
//! message in the same step. Pairs of steps are taken in order until nothing improves, the lower
//! bound is reached, or the work is too much.

use super::colouring::Colouring;

/// Most passes over all pairs of steps.
const MAX_ROUNDS: usize = 3;

/// Most visits to a rank in all pairs of steps: about a second.
const MAX_VISITED_RANKS: usize = 1 << 24;

pub(super) fn balance(colouring: &mut Colouring, least: usize) {
    let colours = colouring.colours;
    let mut pairs = StepPairs { seen: vec![0; colouring.ranks()], round: 0, work: 0 };
    let mut longest: Vec<_> = (0..colours).map(|colour| colouring.largest(colour)).collect();
    let size =
        |colouring: &Colouring, edge: Option<usize>| edge.map_or(0, |edge| colouring.sizes[edge]);
    let mut sum =
        longest.iter().fold(0, |sum: usize, edge| sum.saturating_add(size(colouring, *edge)));
    for _ in 0..MAX_ROUNDS {
        let before = sum;
        for x in 0..colours {
            for y in x + 1..colours {
                if sum <= least || pairs.work > MAX_VISITED_RANKS {
                    return;
                }
                let [of_x, of_y] = [x, y].map(|step| size(colouring, longest[step]));
                let (now, (heavy, light)) =
                    (of_x + of_y, if of_x < of_y { (y, x) } else { (x, y) });
                if longest[light]
                    .is_none_or(|edge| pairs.must_stay(colouring, (light, heavy), edge))
                {
                    continue;
                }
                let (turned, then) = pairs.turns(colouring, (heavy, light));
                if then < now {
                    colouring.recolour(&turned);
                    (longest[x], longest[y]) = (colouring.largest(x), colouring.largest(y));
                    sum -= now - then;
                }
            }
        }
        if sum == before {
            return;
        }
    }
}

/// Finds the paths and cycles of pairs of steps, and counts the work.
struct StepPairs {
    /// The round in which a rank was last looked at.
    seen: Vec<usize>,
    /// Number of the current search.
    round: usize,
    /// Visits to a rank so far.
    work: usize,
}

impl StepPairs {
    /// Returns `true` if the lighter step's largest message shares its path or cycle with a message
    /// of the heavier step that is no smaller.
    fn must_stay(
        &mut self,
        colouring: &Colouring,
        (light, heavy): (usize, usize),
        largest: usize,
    ) -> bool {
        self.round += 1;
        let [rank, _] = colouring.ends(largest);
        let mut component = Vec::new();
        self.collect(colouring, (light, heavy), rank, &mut component);
        let size = colouring.sizes[largest];
        component
            .iter()
            .any(|edge| colouring.colour(*edge) == heavy && colouring.sizes[*edge] >= size)
    }

    fn turns(
        &mut self,
        colouring: &Colouring,
        (x, y): (usize, usize),
    ) -> (Vec<(usize, usize)>, usize) {
        self.round += 1;
        let (mut turned, mut larger, mut smaller) = (Vec::new(), 0, 0);
        let mut component = Vec::new();
        for rank in 0..colouring.ranks() {
            component.clear();
            self.collect(colouring, (x, y), rank, &mut component);
            let largest = |colour| {
                let sizes = component.iter().filter(|edge| colouring.colour(**edge) == colour);
                sizes.map(|edge| colouring.sizes[*edge]).max().unwrap_or(0)
            };
            let (in_x, in_y) = (largest(x), largest(y));
            if in_x < in_y {
                turned.extend(
                    component
                        .iter()
                        .map(|edge| (*edge, if colouring.colour(*edge) == x { y } else { x })),
                );
            }
            larger = larger.max(in_x.max(in_y));
            smaller = smaller.max(in_x.min(in_y));
        }
        (turned, larger + smaller)
    }

    /// Collects the messages of the path or cycle through `rank`, unless it was seen in this round.
    fn collect(
        &mut self,
        colouring: &Colouring,
        (x, y): (usize, usize),
        rank: usize,
        component: &mut Vec<usize>,
    ) {
        if !self.enter(rank) {
            return;
        }
        for start in [x, y] {
            let (mut rank, mut colour) = (rank, start);
            while let Some(edge) = colouring.at(rank, colour) {
                let [source, destination] = colouring.ends(edge);
                rank = if rank == source { destination } else { source };
                component.push(edge);
                if !self.enter(rank) {
                    // Around a cycle: the other direction would meet the same messages.
                    return;
                }
                colour = x + y - colour;
            }
        }
    }

    fn enter(&mut self, rank: usize) -> bool {
        self.work += 1;
        core::mem::replace(&mut self.seen[rank], self.round) != self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MessageGraph, koenig};
    use redist_plan::plan::Plan;

    fn sum(colouring: &Colouring) -> usize {
        let largest = (0..colouring.colours).filter_map(|colour| colouring.largest(colour));
        largest.map(|edge| colouring.sizes[edge]).sum()
    }

    #[test]
    fn sums_shrink_or_stay() {
        let (mut better, mut plans) = (0, 0);
        for block in 7..40 {
            let (from, to) = (format!("cyclic({block}) onto 12"), "cyclic(18) onto 10");
            let graph = MessageGraph::of(&Plan::<1>::parse([1500], &from, to).unwrap()).unwrap();
            let mut colouring = Colouring::of(&graph).unwrap();
            koenig::colour(&mut colouring);
            let before = sum(&colouring);
            balance(&mut colouring, graph.least_elements());
            assert!((graph.least_elements()..=before).contains(&sum(&colouring)), "{from}");
            for edge in 0..colouring.sizes.len() {
                let found = |rank| colouring.at(rank, colouring.colour(edge)) == Some(edge);
                assert!(colouring.ends(edge).into_iter().all(found), "{from}");
            }
            better += usize::from(sum(&colouring) < before);
            plans += 1;
        }
        assert!(better * 4 > plans, "{better} of {plans}");
    }
}
