//! Operations of all algorithms on the paper's grids taken literally, every shape of 2 to 32
//! processes on either side, and in all dimensions that these are made of.

use super::count::{Count, check};
use super::setting::{EXTENT, Line, algorithms, is_ours, names_in, pairs};
use crate::context::Context;
use crate::report::{Table, spread};
use redist_study::baseline::Intersection;
use std::collections::{BTreeMap, btree_map::Entry};

const PROCESSES: usize = 32;

/// Blocks and ranks of both sides of a dimension.
type Key = ((usize, usize), (usize, usize));

type Counts = Vec<(&'static str, Count)>;

/// Comparisons of other algorithms with the window table, on two sides or more.
#[derive(Debug, Default)]
pub struct Sweep {
    /// Any run, in any number of dimensions and on any grid, is a sum of these.
    pub dimensions: usize,
    /// Comparisons made: a dimension and an algorithm each.
    pub compared: usize,
    pub below: Vec<String>,
}

/// Operations on grids of all shapes, as in the paper.
#[derive(Debug, Default)]
pub struct Literal {
    /// Shapes of grids on a side.
    pub shapes: usize,
    /// Cells that were counted: a pair of blocks and a pair of shapes each.
    pub cells: usize,
    pub sweep: Sweep,
    /// By algorithm, operations over the window table's in each cell: of all ranks, of the busiest.
    ratios: BTreeMap<&'static str, [Vec<f64>; 2]>,
}

fn shapes(most: usize) -> Vec<[usize; 2]> {
    let rows = 1..=most;
    let of_rows = |rows: usize| (1..=most / rows).map(move |columns| [rows, columns]);
    rows.flat_map(of_rows).filter(|shape| shape[0] * shape[1] >= 2).collect()
}

pub fn count(context: &Context) -> anyhow::Result<Literal> {
    let shapes = shapes(context.scale(PROCESSES, 4));
    let mut literal = Literal { shapes: shapes.len(), ..Literal::default() };
    let mut lines: BTreeMap<Key, Counts> = BTreeMap::new();
    for (from, to) in context.progress("operations on the paper's grids", pairs()) {
        for (here, there) in shapes.iter().flat_map(|here| shapes.iter().map(move |at| (here, at)))
        {
            let keys = [0, 1].map(|dimension| {
                ((from[dimension], to[dimension]), (here[dimension], there[dimension]))
            });
            for key in keys {
                if let Entry::Vacant(entry) = lines.entry(key) {
                    entry.insert(counts(key)?);
                }
            }
            literal.add(&lines[&keys[0]], &lines[&keys[1]]);
        }
    }
    let several = lines.iter().filter(|((_, (here, there)), _)| *here.min(there) > 1);
    several.for_each(|(key, counts)| literal.sweep.add(key, counts));
    Ok(literal)
}

impl Sweep {
    fn add(&mut self, key: &Key, counts: &Counts) {
        self.dimensions += 1;
        let Some((_, ours)) = counts.iter().find(|(name, _)| is_ours(name)) else { return };
        for (name, count) in counts.iter().filter(|(name, _)| !is_ours(name)) {
            self.compared += 1;
            if count.all.total() < ours.all.total() || count.busiest < ours.busiest {
                self.below.push(format!("{name}: blocks, ranks {key:?}"));
            }
        }
    }
}

fn counts((blocks, ranks): Key) -> anyhow::Result<Counts> {
    let axis = Line { extent: EXTENT, blocks, ranks }.axis()?;
    let of = |algorithm: &'static dyn Intersection| {
        let count = Count::of(algorithm, &axis, &mut Vec::new());
        check(algorithm.name(), &axis, &count).map(|()| (algorithm.name(), count))
    };
    algorithms(&[axis]).into_iter().map(of).collect()
}

impl Literal {
    fn add(&mut self, rows: &Counts, columns: &Counts) {
        self.cells += 1;
        let both = |name: &str| {
            let of = |counts: &Counts| counts.iter().find(|(other, _)| *other == name).copied();
            Some(of(rows)?.1 + of(columns)?.1)
        };
        let Some(ours) =
            rows.iter().find(|(name, _)| is_ours(name)).and_then(|(name, _)| both(name))
        else {
            return;
        };
        for name in rows.iter().map(|(name, _)| *name) {
            if let Some(count) = both(name) {
                let [all, busiest] = self.ratios.entry(name).or_default();
                all.push(count.all.total() as f64 / ours.all.total() as f64);
                busiest.push(count.busiest as f64 / ours.busiest as f64);
            }
        }
    }

    /// Counts the cases with an algorithm below the window table: in all, and on the busiest rank.
    pub fn below(&self) -> [usize; 2] {
        [0, 1].map(|which| {
            let below = |ratios: &[Vec<f64>; 2]| ratios[which].iter().filter(|r| **r < 1.0).count();
            self.ratios.values().map(below).sum()
        })
    }

    pub fn table(&self) -> Table {
        let caption = format!(
            "Operations on all {} × {} grids of 2 to {PROCESSES} processes, any shape, with all 16 pairs of blocks, as a \
             multiple of the window table's: least, geometric mean, most.",
            self.shapes, self.shapes
        );
        let row = |name: &str| {
            let [all, busiest] = &self.ratios[name];
            vec![name.to_owned(), all.len().to_string(), spread(all), spread(busiest)]
        };
        let rows = names_in(self.ratios.keys().copied()).into_iter().map(row);
        Table::new(caption, ["algorithm", "cells", "all ranks", "busiest rank"], rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_118_shapes_of_2_to_32_processes() {
        let shapes = shapes(PROCESSES);
        assert_eq!(shapes.len(), 118);
        assert!(shapes.contains(&[1, 31]) && shapes.contains(&[4, 8]) && !shapes.contains(&[1, 1]));
    }
}
