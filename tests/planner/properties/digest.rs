//! Two plans have one digest, and the same words for it, exactly if their numbers are the same.

use proptest::prelude::*;
use redist::layout::{Dist, Factor, FactorDist, Ranks, StorageOrder};
use redist::plan::Digest;
use redist::{Layout, Plan};
use redist_testing::array::{Messages, deal, messages};
use redist_testing::dealing::Blocks;
use redist_testing::strategies::{Case, cases, config};
use std::collections::HashMap;

/// Returns the same ranks; if a map has fewer than `cells`, also those above it.
fn ranks_of<const D: usize>(layout: &Layout<D>, cells: usize) -> Ranks {
    let Ranks::Map(list) = layout.ranks else { return layout.ranks };
    let above = list.iter().max().map_or(0, |rank| rank + 1);
    let all: Vec<usize> = list.iter().copied().chain(above..).take(cells).collect();
    Ranks::map(&all)
}

fn with<const D: usize>(layout: &Layout<D>, dists: [Dist; D], grid: [usize; D]) -> Layout<D> {
    let other = Layout::new(dists, grid)
        .first(layout.first)
        .ranks(ranks_of(layout, grid.iter().product()))
        .order(layout.order)
        .storage(layout.storage)
        .axes(layout.axes);
    match layout.of {
        Some(stored) => other.of(stored).at(layout.at),
        None => other,
    }
}

/// Writes dimensions of blocks of one size as `cyclic(b)`, and the array as its own section.
fn reworded<const D: usize>(layout: &Layout<D>, moved: [usize; D]) -> Layout<D> {
    let stored = layout.of.unwrap_or(moved);
    let dists = core::array::from_fn(|axis| match layout.dists[axis] {
        Dist::Collapsed => Dist::Collapsed,
        dist => match deal(dist, stored[axis], layout.grid[axis], 0).blocks {
            Blocks::Of(block) => Dist::Cyclic(block.max(1)),
            Blocks::Given(sizes) => Dist::gen_block(sizes),
            Blocks::Split(factors) => Dist::Split(factors),
            Blocks::Listed { cuts, owners } => Dist::Blocks { cuts, owners },
            Blocks::Balanced { last, .. } => Dist::Balanced { last },
            Blocks::Rows { lengths, turn, parts } => Dist::rows(lengths, Some(turn), parts),
        },
    });
    with(layout, dists, layout.grid).of(stored).at(layout.at)
}

fn other_ranks<const D: usize>(layout: &Layout<D>) -> Ranks {
    match layout.ranks {
        Ranks::From(first) => Ranks::From(first + 1),
        Ranks::Map(list) => Ranks::map(&list.iter().map(|rank| rank + 1).collect::<Vec<_>>()),
    }
}

/// Returns layouts that differ from this one, and from each other, in a number or two.
fn changed<const D: usize>(layout: &Layout<D>, moved: [usize; D]) -> Vec<Layout<D>> {
    let plain = reworded(layout, moved);
    let (dists, grid, first) = (plain.dists, plain.grid, plain.first);
    let (stored, at) = (plain.of.unwrap_or(moved), plain.at);
    let storage = match plain.storage {
        StorageOrder::C => StorageOrder::Fortran,
        StorageOrder::Fortran => StorageOrder::C,
    };
    let mut changed = vec![plain.ranks(other_ranks(&plain)), plain.storage(storage)];
    for axis in 0..D {
        let longer = with(&plain, replaced(dists, axis, one_longer(dists[axis])), grid);
        changed.push(longer.of(more(stored, axis)).at(at));
        changed.push(longer.of(more(stored, axis)).at(more(at, axis)));
        changed.extend(
            other_blocks(dists[axis], grid[axis])
                .into_iter()
                .map(|dist| with(&plain, replaced(dists, axis, dist), grid)),
        );
        if let Some(dist) = one_rank_more(dists[axis]) {
            changed.push(with(&plain, replaced(dists, axis, dist), more(grid, axis)));
        }
        if grid[axis] > 1 {
            let mut next = first;
            next[axis] = (first[axis] + 1) % grid[axis];
            changed.push(plain.first(next));
        }
    }
    changed
}

fn replaced<const D: usize>(mut dists: [Dist; D], axis: usize, dist: Dist) -> [Dist; D] {
    dists[axis] = dist;
    dists
}

fn one_longer(dist: Dist) -> Dist {
    match dist {
        Dist::GenBlock([sizes @ .., last]) => Dist::gen_block(&[sizes, &[last + 1]].concat()),
        Dist::Rows { lengths: [lengths @ .., last], turn, points } => {
            Dist::rows(&[lengths, &[last + 1]].concat(), turn, points)
        }
        Dist::Split(factors) => split_otherwise(factors, 1),
        dist => dist,
    }
}

/// Returns other factors, of one whose extent is larger.
fn split_otherwise(factors: &[Factor], more: usize) -> Dist {
    let extent = factors.iter().map(|factor| factor.extent).product::<usize>();
    Dist::split(&[Factor::new(extent + more, FactorDist::Cyclic(1))])
}

/// Returns other blocks of the same extent, or the same rows dealt otherwise.
fn other_blocks(dist: Dist, ranks: usize) -> Vec<Dist> {
    match dist {
        Dist::Cyclic(block) => vec![Dist::Cyclic(block + 1)],
        Dist::Blocks { cuts, owners } if ranks > 1 => {
            let (last, others) = owners.split_last().expect("one owner for each part");
            let last = [(last + 1) % ranks];
            vec![
                Dist::blocks(cuts, &[others, &last[..]].concat()),
                Dist::blocks(&[&[0], cuts].concat(), &[&[0], owners].concat()),
            ]
        }
        Dist::GenBlock(sizes) => {
            other_sizes(sizes).map(|sizes| Dist::gen_block(&sizes)).into_iter().collect()
        }
        Dist::Rows { lengths, turn: Some(turn), points } => {
            let mut others = vec![Dist::rows(&[lengths, &[0]].concat(), Some(turn), points)];
            others.extend(other_sizes(lengths).map(|sizes| Dist::rows(&sizes, Some(turn), points)));
            if points < ranks && turn < lengths.len() {
                others.push(Dist::rows(lengths, Some(turn + 1), points));
            }
            if points < ranks {
                others.push(Dist::rows(lengths, Some(turn), ranks));
            }
            others
        }
        _ => Vec::new(),
    }
}

/// Takes one element from the first, and gives it to the second.
fn other_sizes(sizes: &[usize]) -> Option<Vec<usize>> {
    match sizes {
        [size, next, rest @ ..] if *size > 0 => Some([&[size - 1, next + 1], rest].concat()),
        _ => None,
    }
}

fn one_rank_more(dist: Dist) -> Option<Dist> {
    match dist {
        Dist::Collapsed => None,
        Dist::GenBlock(sizes) => Some(Dist::gen_block(&[sizes, &[0]].concat())),
        Dist::Rows { lengths, turn, .. } => Some(Dist::rows(lengths, turn, 1)),
        Dist::Split(factors) => Some(split_otherwise(factors, 0)),
        dist => Some(dist),
    }
}

fn more<const D: usize>(mut numbers: [usize; D], axis: usize) -> [usize; D] {
    numbers[axis] += 1;
    numbers
}

fn digest<const D: usize>(case: Case<D>) -> Digest {
    case.plan().digest()
}

fn words<const D: usize>(case: Case<D>) -> String {
    case.plan().in_words().to_string()
}

fn read_back<const D: usize>(extents: [usize; D], words: &str) -> Plan<D> {
    let side = |word| {
        words.lines().find_map(|line| line.strip_prefix(word)).expect("a line for each side")
    };
    Plan::parse(extents, side("from "), side("to ")).expect("the words are in the notation")
}

fn tells_apart<const D: usize>(case: Case<D>) -> Result<(), TestCaseError> {
    let (extents, from, to) = (case.extents, case.from, case.to);
    let moved = redist_testing::array::permuted(extents, to.axes);
    let (same_from, same_to) = (reworded(&from, extents), reworded(&to, moved));
    let original = digest(case);
    let same = Case { extents, from: same_from, to: same_to };
    prop_assert_eq!(digest(same), original, "{:?}", same);
    prop_assert_eq!(words(same), words(case));
    prop_assert_eq!(read_back(extents, &words(case)).digest(), original, "{}", words(case));
    let other_from = changed(&from, extents).into_iter().map(|from| Case { from, ..case });
    let other_to = changed(&to, moved).into_iter().map(|to| Case { to, ..case });
    let mut seen = HashMap::from([(original.0, case)]);
    for other in other_from.chain(other_to) {
        let twin = seen.insert(digest(other).0, other);
        prop_assert!(twin.is_none(), "{:?} and {:?} have one digest", other, twin);
        prop_assert_eq!(
            read_back(extents, &words(other)).digest(),
            digest(other),
            "{}",
            words(other)
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_dimension(case in cases::<1>()) {
        tells_apart(case)?;
    }

    #[test]
    fn three_dimensions(case in cases::<3>()) {
        tells_apart(case)?;
    }
}

/// Ranks whose plans share a digest can exchange messages. Checks all small plans of one dimension.
#[test]
fn one_digest_one_set_of_messages() {
    let mut seen: HashMap<u64, (Case<1>, Messages)> = HashMap::new();
    for case in small_cases() {
        let messages = messages(case.extents, &case.from, &case.to);
        let (other, expected) =
            seen.entry(digest(case).0).or_insert_with(|| (case, messages.clone()));
        assert_eq!(&messages, expected, "{case:?} and {other:?} have one digest");
    }
}

fn small_cases() -> Vec<Case<1>> {
    [0, 3, 6].into_iter().flat_map(cases_of).collect()
}

fn cases_of(extent: usize) -> Vec<Case<1>> {
    let dists = [Dist::Block, Dist::Cyclic(1), Dist::Cyclic(2), Dist::Cyclic(3)];
    let grids = [(1, 0), (2, 0), (2, 1), (3, 1)];
    let third = extent / 3;
    let given = [[third, 2 * third, 0], [extent, 0, 0], [third, third, third]]
        .map(|sizes| Dist::gen_block(&sizes));
    let layouts: Vec<Layout<1>> = dists
        .into_iter()
        .flat_map(|dist| grids.map(|(ranks, first)| Layout::new([dist], [ranks]).first([first])))
        .chain(given.map(|dist| Layout::new([dist], [3])))
        .flat_map(|layout| [layout, layout.ranks(Ranks::From(1))])
        .collect();
    let pairs = layouts.iter().flat_map(|&from| layouts.iter().map(move |&to| (from, to)));
    pairs.map(|(from, to)| Case { extents: [extent], from, to }).collect()
}
