//! Evens out the steps of a colouring, so that large messages share steps and small ones do.
//!
//! The messages of two steps form paths and cycles whose messages belong to the two steps in turn. Each of them may be
//! turned around by itself. Two steps cost the least if every path and cycle has its larger message in the same one.
//! Pairs of steps are taken in order until nothing improves, the lower bound is reached, or the work is too much.

use super::colouring::Colouring;

/// Rounds through all pairs of steps; the first brings most.
const ROUNDS: usize = 3;

/// Looks at a rank in a pair of steps, after which it is left as it is: a second or so.
const MOST_WORK: usize = 1 << 25;

/// Turns paths and cycles around while the sum of the largest messages of the steps shrinks. It never grows.
pub(super) fn balance(colouring: &mut Colouring, least: usize) {
    let colours = colouring.colours();
    let mut longest = colouring.longest();
    let mut sum = longest.iter().fold(0, |sum: usize, size| sum.saturating_add(*size));
    let mut seen = vec![0; colouring.ranks()];
    let mut pair = 0;
    for _ in 0..ROUNDS {
        let before = sum;
        for x in 0..colours {
            for y in x + 1..colours {
                if sum <= least || pair * colouring.ranks() > MOST_WORK {
                    return;
                }
                pair += 1;
                let (turned, larger, smaller) = turns(colouring, (x, y), &mut seen, pair);
                let gain = (longest[x] + longest[y]).saturating_sub(larger + smaller);
                if gain > 0 {
                    colouring.recolour(&turned);
                    (longest[x], longest[y]) = (larger, smaller);
                    sum -= gain;
                }
            }
        }
        if sum == before {
            return;
        }
    }
}

/// The messages of two steps that would change places so that the first has all the larger ones, with their new steps;
/// and the largest message of both steps then. `seen` says in which pair of steps a rank was last looked at.
fn turns(
    colouring: &Colouring,
    (x, y): (usize, usize),
    seen: &mut [usize],
    pair: usize,
) -> (Vec<(usize, usize)>, usize, usize) {
    let (mut turned, mut larger, mut smaller) = (Vec::new(), 0, 0);
    let mut component = Vec::new();
    for rank in 0..colouring.ranks() {
        component.clear();
        collect(colouring, (x, y), rank, (seen, pair), &mut component);
        let largest = |colour| {
            let sizes = component.iter().filter(|edge| colouring.colour(**edge) == colour);
            sizes.map(|edge| colouring.size(*edge)).max().unwrap_or(0)
        };
        let (in_x, in_y) = (largest(x), largest(y));
        if in_x < in_y {
            turned.extend(component.iter().map(|edge| (*edge, if colouring.colour(*edge) == x { y } else { x })));
        }
        larger = larger.max(in_x.max(in_y));
        smaller = smaller.max(in_x.min(in_y));
    }
    (turned, larger, smaller)
}

/// The messages of the path or cycle through `rank`, unless it was seen before.
fn collect(
    colouring: &Colouring,
    (x, y): (usize, usize),
    rank: usize,
    (seen, pair): (&mut [usize], usize),
    component: &mut Vec<usize>,
) {
    if seen[rank] == pair {
        return;
    }
    seen[rank] = pair;
    for start in [x, y] {
        let (mut rank, mut colour) = (rank, start);
        while let Some(edge) = colouring.at(rank, colour) {
            let [source, destination] = colouring.ends(edge);
            rank = if rank == source { destination } else { source };
            component.push(edge);
            if seen[rank] == pair {
                // Around a cycle: the other direction would meet the same messages.
                return;
            }
            seen[rank] = pair;
            colour = x + y - colour;
        }
    }
}
