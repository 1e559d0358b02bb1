//! The setting of the ASPEN paper, and one of our own for many more ranks.

use anyhow::Context as _;
use redist::layout::Dist;
use redist::plan::Axis;
use redist::{Layout, Plan};
use redist_study::baseline::{self, Intersection};
use std::collections::HashSet;

pub const FOLDER: &str = "aspen";

pub const EXTENT: usize = 10_000;

pub const BLOCKS: [[usize; 2]; 4] = [[1024, 1024], [256, 256], [30, 50], [654, 321]];

/// Every pair is timed.
pub const SIDES: [usize; 9] = [2, 3, 4, 6, 8, 12, 16, 24, 32];

/// One dimension between two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Extent, in elements.
    pub extent: usize,
    /// Elements in a block, of the source and of the destination.
    pub blocks: (usize, usize),
    /// Ranks of the source and of the destination.
    pub ranks: (usize, usize),
}

impl Line {
    pub fn axis(&self) -> anyhow::Result<Axis> {
        let layout = |block, ranks| Layout::new([Dist::Cyclic(block)], [ranks]);
        let (from, to) = (layout(self.blocks.0, self.ranks.0), layout(self.blocks.1, self.ranks.1));
        let plan = Plan::new([self.extent], from, to).with_context(|| format!("{self:?}"))?;
        Ok(plan.axis(0))
    }
}

/// Two dimensions on square grids: a run costs the sum of its dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Elements in a block of the source, by dimension.
    pub from: [usize; 2],
    /// Elements in a block of the destination, by dimension.
    pub to: [usize; 2],
    /// Ranks along either dimension, of the source's grid and of the destination's.
    pub sides: (usize, usize),
}

/// Returns all ordered pairs of blocks.
pub fn pairs() -> Vec<([usize; 2], [usize; 2])> {
    BLOCKS.iter().flat_map(|from| BLOCKS.map(|to| (*from, to))).collect()
}

impl Cell {
    pub fn all(sides: &[usize]) -> Vec<Cell> {
        let grids: Vec<_> =
            sides.iter().flat_map(|here| sides.iter().map(move |there| (*here, *there))).collect();
        pairs()
            .into_iter()
            .flat_map(|(from, to)| grids.iter().map(move |sides| Cell { from, to, sides: *sides }))
            .collect()
    }

    pub fn axes(&self) -> anyhow::Result<[Axis; 2]> {
        let line = |dimension: usize| {
            let blocks = (self.from[dimension], self.to[dimension]);
            Line { extent: EXTENT, blocks, ranks: self.sides }.axis()
        };
        Ok([line(0)?, line(1)?])
    }
}

pub fn blocks(block: [usize; 2]) -> String {
    format!("{}×{}", block[0], block[1])
}

pub fn algorithms(axes: &[Axis]) -> Vec<&'static dyn Intersection> {
    let applies = |algorithm: &&'static dyn Intersection| {
        axes.iter().all(|axis| algorithm.applies(axis).is_ok())
    };
    baseline::all().iter().copied().filter(applies).collect()
}

pub fn names() -> Vec<&'static str> {
    baseline::all().iter().map(|algorithm| algorithm.name()).collect()
}

pub fn names_in<'a>(rows: impl Iterator<Item = &'a str>) -> Vec<&'static str> {
    let present: HashSet<&str> = rows.collect();
    names().into_iter().filter(|name| present.contains(name)).collect()
}

pub fn is_ours(algorithm: &str) -> bool {
    algorithm.contains("window")
}
