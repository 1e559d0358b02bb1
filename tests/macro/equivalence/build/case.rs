//! Random layouts, without expressions.

use crate::random::Random;

pub struct Case {
    pub extents: Vec<usize>,
    pub from: Side,
    pub to: Side,
}

pub struct Side {
    pub dimensions: Vec<Dimension>,
    pub base: usize,
    pub map: Option<Vec<usize>>,
    pub by_columns: bool,
    pub fortran: bool,
    pub section: Option<(Vec<usize>, Vec<usize>)>,
    pub axes: Vec<usize>,
    pub scalapack: bool,
}

pub struct Dimension {
    pub dist: Dist,
    pub ranks: usize,
    pub first: usize,
}

pub enum Dist {
    Collapsed,
    Block,
    BlockOf(usize),
    /// With the longer blocks on the last ranks, or on the first.
    Balanced(bool),
    Cyclic(usize),
    GenBlock(Vec<usize>),
    /// Cuts, and the owners of the parts.
    Listed(Vec<usize>, Vec<usize>),
    /// Rows of these lengths, so many at a time or in one turn, and ranks that share each.
    Rows {
        lengths: Vec<usize>,
        turn: Option<usize>,
        points: usize,
    },
    Points(Vec<usize>),
    /// Extents of factors, and a word and ranks for each.
    Split(Vec<(usize, &'static str, usize)>),
}

impl Case {
    pub fn random(random: &mut Random, dimensions: usize) -> Self {
        let largest = [60, 24, 10][dimensions - 1];
        let extents: Vec<usize> = (0..dimensions).map(|_| random.within(1, largest)).collect();
        let extents = if random.one_in(20) { vec![0; dimensions] } else { extents };
        let straight: Vec<usize> = (0..dimensions).collect();
        let axes = if random.one_in(3) { random.shuffled(dimensions) } else { straight.clone() };
        let mut permuted = extents.clone();
        for (axis, &becomes) in axes.iter().enumerate() {
            permuted[becomes] = extents[axis];
        }
        let from = Side::random(random, &extents, straight);
        let to = Side::random(random, &permuted, axes);
        let mut case = Case { extents, from, to };
        if random.one_in(2) {
            case.nest(random);
        }
        case
    }

    /// Nests one side's blocks in the opposite side's: kr→r and r→kr.
    fn nest(&mut self, random: &mut Random) {
        for (from, &axis) in self.from.dimensions.iter_mut().zip(&self.to.axes) {
            let to = &mut self.to.dimensions[axis];
            if let (Dist::Cyclic(source), Dist::Cyclic(destination)) =
                (&mut from.dist, &mut to.dist)
            {
                let (small, times) = (random.within(1, 2), random.within(2, 10));
                let nested = [small, small * times];
                [*source, *destination] =
                    if random.one_in(2) { nested } else { [nested[1], nested[0]] };
            }
        }
    }
}

impl Side {
    /// `moved` are the extents of the moved part in this side's axes.
    fn random(random: &mut Random, moved: &[usize], axes: Vec<usize>) -> Self {
        let section = random.one_in(3).then(|| section(random, moved));
        let stored = section.as_ref().map_or(moved, |(of, _)| of);
        let dimensions: Vec<_> =
            stored.iter().map(|&extent| Dimension::random(random, extent, moved.len())).collect();
        let fortran = random.one_in(3);
        let cells: usize = dimensions.iter().map(|dimension| dimension.ranks).product();
        let map = random.one_in(4).then(|| {
            let mut ranks = random.shuffled(cells + 2);
            ranks.truncate(cells);
            ranks
        });
        let cyclic = dimensions.iter().all(|dimension| matches!(dimension.dist, Dist::Cyclic(_)));
        Side {
            base: if random.one_in(3) { random.within(1, 3) } else { 0 },
            map,
            by_columns: random.one_in(3),
            scalapack: moved.len() == 2 && cyclic && fortran,
            dimensions,
            fortran,
            section,
            axes,
        }
    }
}

fn section(random: &mut Random, moved: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let at: Vec<usize> = moved.iter().map(|_| random.below(5)).collect();
    let of = moved.iter().zip(&at).map(|(len, at)| at + len + random.below(5)).collect();
    (of, at)
}

impl Dimension {
    fn random(random: &mut Random, extent: usize, of: usize) -> Self {
        let (most_ranks, largest) = [(5, 12), (3, 6), (2, 4)][of - 1];
        let ranks = random.within(1, most_ranks);
        let dist = match random.below(15) {
            0 => return Dimension { dist: Dist::Collapsed, ranks: 1, first: 0 },
            1 => Dist::Block,
            3 => Dist::GenBlock(cut(random, extent, ranks)),
            2 => Dist::BlockOf((extent.div_ceil(ranks) + random.below(3)).max(1)),
            4 | 5 => rows(random, extent, ranks),
            14 => split(random, extent, ranks),
            13 => listed(random, extent, ranks),
            12 => Dist::Balanced(random.one_in(2)),
            6 => Dist::Points(lengths(random, extent)),
            _ => Dist::Cyclic(random.within(1, largest)),
        };
        Dimension { dist, ranks, first: if random.one_in(3) { random.below(ranks) } else { 0 } }
    }
}

fn rows(random: &mut Random, extent: usize, ranks: usize) -> Dist {
    let divisors: Vec<usize> = (1..=ranks).filter(|among| ranks.is_multiple_of(*among)).collect();
    let turn = if random.one_in(3) { None } else { Some(random.within(1, 3)) };
    Dist::Rows { lengths: lengths(random, extent), turn, points: random.pick(&divisors) }
}

fn listed(random: &mut Random, extent: usize, ranks: usize) -> Dist {
    let mut cuts: Vec<usize> = (0..random.below(5)).map(|_| random.below(extent + 1)).collect();
    cuts.sort_unstable();
    let owners = (0..cuts.len() + 1).map(|_| random.below(ranks)).collect();
    Dist::Listed(cuts, owners)
}

/// Factors of the extent and of the ranks.
fn split(random: &mut Random, extent: usize, ranks: usize) -> Dist {
    let divisors =
        |of: usize| -> Vec<usize> { (1..=of.max(1)).filter(|by| of.is_multiple_of(*by)).collect() };
    let (outer, along) = (random.pick(&divisors(extent)), random.pick(&divisors(ranks)));
    let words = ["block", "cyclic", "block balanced", "block balanced last", "cyclic(2)"];
    let [own, other] = [random.pick(&words), random.pick(&words)];
    Dist::Split(vec![(outer, own, along), (extent / outer, other, ranks / along), (1, "*", 1)])
}

/// Cuts `extent` into rows, often several neighbours of one length, as near the equator.
fn lengths(random: &mut Random, extent: usize) -> Vec<usize> {
    let (mut rest, mut lengths) = (extent, Vec::new());
    for _ in 0..random.within(0, 3) {
        let length = random.below(rest / 2 + 1);
        let alike = random.within(1, 4).min(rest / length.max(1));
        lengths.extend(vec![length; alike]);
        rest -= length * alike;
    }
    lengths.push(rest);
    lengths
}

fn cut(random: &mut Random, extent: usize, parts: usize) -> Vec<usize> {
    let mut rest = extent;
    let mut sizes: Vec<usize> = (1..parts).map(|_| random.take(&mut rest)).collect();
    sizes.push(rest);
    sizes
}
