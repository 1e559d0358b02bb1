//! Views against messages that are dealt out one element at a time, and their numbers.

use super::*;

/// Draws numbers below a bound: a linear congruential generator, whose upper bits are used.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn distribution(&mut self, extent: usize) -> (String, usize) {
        let (block, ranks) = (1 + self.below(4), 1 + self.below(4));
        match self.below(5) {
            0 => ("*".into(), 0),
            1 => ("block".into(), ranks),
            2 => {
                let mut cuts = [self.below(extent + 1), self.below(extent + 1)];
                cuts.sort_unstable();
                let [one, two] = cuts;
                (format!("gen_block([{one}, {}, {}])", two - one, extent - two), 3)
            }
            _ => (format!("cyclic({block})"), ranks),
        }
    }

    /// Returns a layout of a stored array with these extents, and perhaps its section.
    fn layout(&mut self, extents: [usize; 2], section: Option<([usize; 2], &str)>) -> String {
        let stored = section.map_or(extents, |(stored, _)| stored);
        let dists = stored.map(|extent| self.distribution(extent));
        let grid: Vec<String> = dists
            .iter()
            .filter(|(_, ranks)| *ranks > 0)
            .map(|(_, ranks)| ranks.to_string())
            .collect();
        let onto =
            if grid.is_empty() { String::new() } else { format!(" onto ({})", grid.join(", ")) };
        let storage = ["", " storage fortran"][self.below(2)];
        let more = section.map(|(_, words)| words).unwrap_or_default();
        format!("({}, {}){onto}{storage}{more}", dists[0].0, dists[1].0)
    }
}

/// Returns the offsets that a view lists on one side.
fn offsets(shape: &[usize], place: &Place) -> Vec<usize> {
    let mut found = vec![place.offset];
    for (count, stride) in shape.iter().zip(&place.strides) {
        found =
            found.iter().flat_map(|at| (0..*count).map(move |turn| at + turn * stride)).collect();
    }
    found
}

fn check(plan: &Plan<2>, words: &str) {
    let [extents, ranks] = [plan.extents(), [plan.ranks(); 2]];
    let mut expected = vec![Vec::new(); ranks[0] * ranks[1]];
    let [source, destination] =
        [Side::Source, Side::Destination].map(|side| *plan.descriptor(side));
    for row in 0..extents[0] {
        for column in 0..extents[1] {
            let stored = |side: Side| {
                let mut index = [0; 2];
                for (dimension, at) in [row, column].into_iter().enumerate() {
                    let axis = plan.axis_on(side, dimension);
                    index[axis] = plan.axis(dimension).side(side).at() + at;
                }
                index
            };
            let [from, to] = [stored(Side::Source), stored(Side::Destination)];
            let owners = [source.owner(from), destination.owner(to)];
            let places = [source.local_offset(from), destination.local_offset(to)];
            expected[owners[0] * ranks[1] + owners[1]].push(places);
        }
    }
    for from in 0..ranks[0] {
        for to in 0..ranks[1] {
            let mut expected = expected[from * ranks[1] + to].clone();
            let views = plan.views(from, to);
            let count = views.len();
            let mut found = Vec::new();
            let mut made = 0;
            for view in views {
                made += 1;
                assert!(view.shape.iter().all(|count| *count > 1), "{words}: {view:?}");
                let [source, destination] =
                    [&view.source, &view.destination].map(|place| offsets(&view.shape, place));
                found.extend(source.into_iter().zip(destination).map(|(one, other)| [one, other]));
            }
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!((made, found), (count, expected), "{words}: {from} to {to}");
        }
    }
}

#[test]
fn views_list_each_element_of_a_message_once_and_pairwise() {
    let mut draw = Draw(7);
    for _ in 0..100 {
        let extents = [1 + draw.below(23), 1 + draw.below(23)];
        let [from, to] = [draw.layout(extents, None), draw.layout(extents, None)];
        let words = format!("{extents:?} {from} to {to}");
        check(&Plan::parse(extents, &from, &to).expect(&words), &words);
    }
}

#[test]
fn views_of_one_block_and_repeated_ones_list_each_element() {
    let mut draw = Draw(13);
    for turn in 0..80 {
        let extents = [20 + draw.below(60), 1 + draw.below(3)];
        let (block, ranks) = (1 + draw.below(3), 2 + draw.below(2));
        let cyclic = format!("(cyclic({block}), *) onto {ranks}");
        let cut = draw.below(extents[0] + 1);
        let long = match turn % 3 {
            0 => format!("(block, *) onto {}", 2 + draw.below(2)),
            1 => format!("(block balanced, *) onto {}", 2 + draw.below(2)),
            _ => format!("(gen_block([{cut}, {}]), *) onto 2", extents[0] - cut),
        };
        let section = " of [90, 7] at [4, 2]";
        let cyclic = if turn % 2 == 0 { cyclic } else { cyclic + section };
        let (from, to) = if turn % 4 < 2 { (long, cyclic) } else { (cyclic, long) };
        let words = format!("{extents:?} {from} to {to}");
        check(&Plan::parse(extents, &from, &to).expect(&words), &words);
    }
}

#[test]
fn views_of_sections_and_transposed_arrays() {
    let mut draw = Draw(11);
    for _ in 0..60 {
        let extents = [1 + draw.below(15), 1 + draw.below(15)];
        let from = draw.layout(extents, Some(([30, 31], " of [30, 31] at [3, 5]")));
        let to = draw.layout(extents, Some(([33, 32], " transposed of [33, 32] at [7, 2]")));
        let words = format!("{extents:?} {from} to {to}");
        check(&Plan::parse(extents, &from, &to).expect(&words), &words);
    }
}

#[test]
fn messages_of_a_rank_are_the_views_of_its_pairs() {
    let mut draw = Draw(13);
    for _ in 0..60 {
        let extents = [draw.below(20), 1 + draw.below(20)];
        let from = draw.layout(extents, Some(([30, 31], " of [30, 31] at [3, 5]")));
        let to = draw.layout(extents, Some(([33, 32], " transposed of [33, 32] at [7, 2]")));
        let plan = Plan::<2>::parse(extents, &from, &to).unwrap();
        let ranks = 0..plan.ranks() + 1;
        let views = |from, to| plan.views(from, to).collect::<Vec<_>>();
        for rank in ranks.clone() {
            let found = plan.messages_of(rank);
            let list = |messages: &[MessageViews]| {
                let one = |one: &MessageViews| {
                    assert_eq!((one.len(), one.is_empty()), (one.views().len(), false));
                    assert!((0..one.len()).map_while(|at| one.view(at)).eq(one.views()));
                    assert_eq!(one.view(one.len()), None);
                    (one.peer, one.elements, one.views().collect())
                };
                messages.iter().map(one).collect::<Vec<(usize, usize, Vec<View>)>>()
            };
            let sent = ranks.clone().map(|to| (to, plan.volume(rank, to), views(rank, to)));
            let sent: Vec<_> = sent.filter(|(_, elements, _)| *elements > 0).collect();
            assert_eq!(list(&found.sends), sent, "{from} to {to}: {rank}");
            let got = ranks.clone().map(|from| (from, plan.volume(from, rank), views(from, rank)));
            let got: Vec<_> = got.filter(|(_, elements, _)| *elements > 0).collect();
            assert_eq!(list(&found.receives), got, "{from} to {to}: {rank}");
        }
    }
}

/// The least number of nests of any shape, found by trying all progressions.
fn least(mut left: Vec<[usize; 2]>) -> usize {
    let Some(first) = left.pop() else { return 0 };
    let mut fewest = 1 + least(left.clone());
    for second in 0..left.len() {
        let by = [0, 1].map(|side| first[side].wrapping_sub(left[second][side]));
        let (mut rest, mut next) = (left.clone(), first);
        loop {
            next = [0, 1].map(|side| next[side].wrapping_sub(by[side]));
            let Some(at) = rest.iter().position(|one| *one == next) else { break };
            rest.remove(at);
            fewest = fewest.min(1 + least(rest.clone()));
        }
    }
    fewest
}

#[test]
fn few_runs_are_in_the_fewest_progressions() {
    let mut draw = Draw(17);
    let (mut found, mut best) = (0, 0);
    for _ in 0..200 {
        let mut firsts: Vec<[usize; 2]> = Vec::new();
        let (mut one, mut two) = (0, 0);
        for _ in 0..1 + draw.below(7) {
            (one, two) = (one + 1 + draw.below(3), two + 1 + draw.below(2));
            firsts.push([one, two]);
        }
        let nests: Vec<_> =
            firsts.iter().map(|first| Nest { first: *first, loops: Vec::new() }).collect();
        let (ours, least) = (grouped(nests).len(), least(firsts));
        assert!(ours <= least + 1, "{ours} of {least}");
        (found, best) = (found + ours, best + least);
    }
    // Loops in loops make up for progressions that are not the best.
    assert!(found * 20 <= best * 21, "{found} of {best}");
}

#[test]
fn views_are_few_whatever_the_extents() {
    let most = |extent: usize, from: &str, to: &str| {
        let plan = Plan::<2>::parse([extent; 2], from, to).unwrap();
        let ranks = 0..plan.ranks();
        let pairs = ranks.clone().flat_map(|from| ranks.clone().map(move |to| (from, to)));
        pairs.map(|(from, to)| plan.views(from, to).len()).max()
    };
    let tiles = |b: usize| format!("(cyclic({b}), cyclic({b})) onto (2, 2)");
    for extent in [1 << 12, 1 << 20, 1 << 31] {
        assert_eq!(most(extent, &tiles(64), &tiles(32)), Some(1));
        assert_eq!(most(extent, "(block, *) onto 8", "(*, block) onto 8"), Some(1));
        assert_eq!(most(extent, &tiles(64), "(cyclic(64), *) onto 4"), Some(1));
        assert_eq!(most(extent, "(cyclic(10), *) onto 3", "(cyclic(2), *) onto 5"), Some(1));
        let balanced = "(block balanced, *) onto 5";
        assert_eq!(most(extent - 3, "(block, *) onto 4", "(cyclic, *) onto 3"), Some(1));
        assert_eq!(most(extent - 3, "(cyclic, *) onto 3", balanced), Some(1));
        // The first run, the last one, or both are the rest of a block.
        assert!(most(extent - 3, "(cyclic(6), *) onto 3", balanced) <= Some(3));
        // A period has 23 x 28 runs, of 15 x 25 lengths: a box has one length.
        let general = most(extent, &tiles(64), "(cyclic(30), cyclic(50)) onto (2, 2)");
        assert!(general <= Some(500), "{general:?}");
    }
}

#[test]
fn the_element_of_an_array_without_dimensions_is_one_view() {
    let plan = Plan::parse([], "() ranks 1..2", "() ranks 2..3").unwrap();
    let place = || Place { offset: 0, strides: Vec::new() };
    let only = View { shape: Vec::new(), source: place(), destination: place() };
    assert!(plan.views(1, 2).eq([only.clone()]));
    assert_eq!(plan.views(1, 0).len(), 0);
    let sends = plan.messages_of(1).sends;
    assert_eq!((sends.len(), sends[0].peer, sends[0].len()), (1, 2, 1));
    assert!(sends[0].views().eq([only]));
}
