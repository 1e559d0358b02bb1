//! The paper's "2 to 32 processes per grid", read literally: grids of every shape, sides of 1 included.

use super::count::Count;
use super::setting::{BLOCKS, EXTENT, Line, algorithms, blocks, is_ours, names_in};
use crate::context::Context;
use crate::report::{Table, ratio, spread};
use crate::sampling::geometric_mean;
use redist::plan::Side;
use std::collections::HashMap;

/// Processes of a grid, at least and at most.
const PROCESSES: (usize, usize) = (2, 32);

/// Counts of the algorithms that apply to a dimension, by name.
type Counts = Vec<(&'static str, Count)>;

/// Blocks and ranks of both sides of a dimension.
type BlocksAndRanks = ((usize, usize), (usize, usize));

/// What was seen on all shapes.
#[derive(Debug, Default)]
pub struct Literal {
    shapes: usize,
    cells: usize,
    /// Operations of the busiest rank over the window table's, by algorithm.
    busiest: Vec<(&'static str, Vec<f64>)>,
}

/// Grids of every shape with as many processes as the paper has.
pub fn shapes() -> Vec<(usize, usize)> {
    let (least, most) = PROCESSES;
    let sides = 1..=most;
    sides
        .clone()
        .flat_map(|rows| sides.clone().map(move |columns| (rows, columns)))
        .filter(|(rows, columns)| (least..=most).contains(&(rows * columns)))
        .collect()
}

/// Counts the operations of all pairs of blocks on all pairs of shapes.
///
/// # Errors
/// Numbers that the planner does not accept.
pub fn count(context: &Context) -> anyhow::Result<Literal> {
    let shapes: Vec<_> = shapes().into_iter().step_by(context.scale(1, 9)).collect();
    let bar = context.progress("operations on grids of every shape", BLOCKS.len());
    let (mut seen, mut all) =
        (HashMap::new(), Literal { shapes: shapes.len(), ..Literal::default() });
    for from in BLOCKS {
        for to in BLOCKS {
            for here in &shapes {
                for there in &shapes {
                    let ranks = [(here.0, there.0), (here.1, there.1)];
                    let mut counts = |dimension: usize| {
                        counts_of((from[dimension], to[dimension]), ranks[dimension], &mut seen)
                    };
                    let (rows, columns) = (counts(0)?, counts(1)?);
                    all.add(&rows, &columns);
                }
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// Counts of one dimension, which many grids have.
fn counts_of(
    blocks: (usize, usize),
    ranks: (usize, usize),
    seen: &mut HashMap<BlocksAndRanks, Counts>,
) -> anyhow::Result<Counts> {
    if let Some(counts) = seen.get(&(blocks, ranks)) {
        return Ok(counts.clone());
    }
    let axis = Line { extent: EXTENT, blocks, ranks }.axis()?;
    let mut found = Vec::new();
    let count = |algorithm: &&'static dyn redist_study::baseline::Intersection| {
        (algorithm.name(), Count::of(*algorithm, &axis, &mut found))
    };
    let counts: Counts = algorithms(&[axis]).iter().map(count).collect();
    seen.insert((blocks, ranks), counts.clone());
    Ok(counts)
}

impl Literal {
    /// Adds a cell: the algorithms that apply to both dimensions.
    fn add(&mut self, rows: &Counts, columns: &Counts) {
        self.cells += 1;
        let both = rows.iter().filter_map(|(name, row)| {
            let (_, column) = columns.iter().find(|(other, _)| other == name)?;
            Some((*name, row.busiest + column.busiest))
        });
        let both: Vec<_> = both.collect();
        let ours = both.iter().find(|(name, _)| is_ours(name)).map_or(0, |(_, busiest)| *busiest);
        for (name, busiest) in both.into_iter().filter(|(name, _)| !is_ours(name)) {
            let over = busiest as f64 / ours as f64;
            match self.busiest.iter_mut().find(|(known, _)| *known == name) {
                Some((_, ratios)) => ratios.push(over),
                None => self.busiest.push((name, vec![over])),
            }
        }
    }

    /// The verdict in words.
    pub fn text(&self) -> String {
        let Self { shapes, cells, busiest } = self;
        let below = busiest.iter().flat_map(|(_, ratios)| ratios).filter(|ratio| **ratio < 1.0);
        let means = names_in(busiest.iter().map(|(name, _)| *name)).into_iter().map(|name| {
            let ratios = &busiest.iter().find(|(known, _)| *known == name).expect("it is listed").1;
            format!("{name} {}", ratio(geometric_mean(ratios)))
        });
        format!(
            "Read literally, {} to {} processes in grids of every shape are {shapes} shapes and {cells} cells. On the busiest \
             rank, {} counts of other algorithms are below the window table's; geometric means over the cells to which an \
             algorithm applies, as multiples of it: {}.",
            PROCESSES.0,
            PROCESSES.1,
            below.count(),
            means.collect::<Vec<_>>().join(", ")
        )
    }
}

/// The early exit of Algorithm 1: a pair of ranks whose rows have nothing in common needs no look at the
/// columns. Intersections of one dimension that all pairs of ranks need, with and without it.
///
/// # Errors
/// Numbers that the planner does not accept.
pub fn early_exit() -> anyhow::Result<Table> {
    const SHAPES: [((usize, usize), (usize, usize)); 3] =
        [((4, 4), (3, 3)), ((8, 8), (32, 32)), ((32, 1), (32, 1))];
    let caption = "Early exit of Algorithm 1: intersections of one dimension that all pairs of ranks need, with it as a share of \
                   those without it, by grids; least, geometric mean, most over the 16 pairs of blocks.";
    let mut table = Table::new(caption, ["grids", "without", "with, share"]);
    for (here, there) in SHAPES {
        let pairs = here.0 * here.1 * there.0 * there.1;
        let mut shares = Vec::new();
        for (from, to) in BLOCKS.iter().flat_map(|from| BLOCKS.map(|to| (*from, to))) {
            let line = Line { extent: EXTENT, blocks: (from[0], to[0]), ranks: (here.0, there.0) };
            let axis = line.axis()?;
            let [p, q] = [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
            let meet = (0..p).flat_map(|p| (0..q).map(move |q| (p, q)));
            let meet = meet.filter(|(p, q)| axis.count(*p, *q) > 0).count();
            shares.push((pairs + meet * here.1 * there.1) as f64 / (2 * pairs) as f64);
        }
        let grids = format!("{}×{} → {}×{}", here.0, here.1, there.0, there.1);
        table.push(vec![grids, (2 * pairs).to_string(), spread(&shares)]);
    }
    Ok(table)
}

/// Names the blocks of figure 3.
pub fn coarse_and_fine() -> [String; 2] {
    [blocks(BLOCKS[1]), blocks(BLOCKS[2])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_shapes_as_divisors() {
        let divisors = |number: usize| (1..=number).filter(|by| number.is_multiple_of(*by)).count();
        assert_eq!(shapes().len(), (2..=32).map(divisors).sum::<usize>());
        assert_eq!(shapes().len(), 118);
    }

    #[test]
    fn a_cell_is_the_sum_of_its_dimensions() {
        let mut seen = HashMap::new();
        let rows = counts_of((256, 30), (4, 1), &mut seen).unwrap();
        let columns = counts_of((256, 50), (1, 8), &mut seen).unwrap();
        let mut all = Literal::default();
        all.add(&rows, &columns);
        let of = |counts: &Counts, name: &str| {
            counts.iter().find(|(known, _)| *known == name).map(|(_, count)| count.busiest)
        };
        let sum = |name: &str| Some((of(&rows, name)? + of(&columns, name)?) as f64);
        let ours = rows.iter().find(|(name, _)| is_ours(name)).unwrap().0;
        let aspen = &all.busiest.iter().find(|(name, _)| *name == "ASPEN").unwrap().1;
        assert_eq!(aspen, &[sum("ASPEN").unwrap() / sum(ours).unwrap()]);
    }
}
