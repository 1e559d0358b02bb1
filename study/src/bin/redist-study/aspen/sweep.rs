//! Operations of all algorithms for every pair of grid sides from 2 to 32.

use super::count::{Count, check};
use super::setting::{BLOCKS, EXTENT, Line, SIDES, algorithms, is_ours};
use crate::context::Context;
use anyhow::bail;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub struct Sweep {
    /// Any run, in any number of dimensions and on any grid, is a sum of these.
    pub dimensions: usize,
    pub compared: usize,
    pub below: Vec<String>,
}

pub fn count(context: &Context) -> anyhow::Result<Sweep> {
    let lines = lines(context.scale(1, 6));
    let mut sweep = Sweep { dimensions: lines.len(), ..Sweep::default() };
    for line in context.progress("operations on all grids", lines) {
        sweep.add(&line)?;
    }
    Ok(sweep)
}

/// Every pair of blocks that meets in a dimension, on every `step`th side.
fn lines(step: usize) -> Vec<Line> {
    let of_dimension = |dimension: usize| BLOCKS.map(|block| block[dimension]);
    let pairs: BTreeSet<(usize, usize)> = [0, 1]
        .map(of_dimension)
        .iter()
        .flat_map(|blocks| blocks.map(|s| blocks.map(|t| (s, t))))
        .flatten()
        .collect();
    let sides = || (SIDES[0]..=SIDES[SIDES.len() - 1]).step_by(step);
    let ranks: Vec<_> = sides().flat_map(|here| sides().map(move |there| (here, there))).collect();
    pairs
        .iter()
        .flat_map(|blocks| {
            ranks.iter().map(|ranks| Line { extent: EXTENT, blocks: *blocks, ranks: *ranks })
        })
        .collect()
}

impl Sweep {
    fn add(&mut self, line: &Line) -> anyhow::Result<()> {
        let axis = line.axis()?;
        let mut found = Vec::new();
        let mut counts = Vec::new();
        for algorithm in algorithms(&[axis]) {
            let count = Count::of(algorithm, &axis, &mut found);
            check(algorithm.name(), &axis, &count)?;
            counts.push((algorithm.name(), count));
        }
        let Some(ours) = counts.iter().find(|(name, _)| is_ours(name)).map(|(_, count)| *count)
        else {
            bail!("the window table is not among the algorithms");
        };
        for (name, count) in counts.iter().filter(|(name, _)| !is_ours(name)) {
            self.compared += 1;
            if count.all.total() < ours.all.total() || count.busiest < ours.busiest {
                self.below.push(format!("{name}: {line:?}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_blocks_meets_on_every_pair_of_sides() {
        // Four blocks a dimension make 16 pairs, of which the four of 1024 and 256 are in both
        // dimensions.
        assert_eq!(lines(1).len(), 28 * 31 * 31);
    }
}
