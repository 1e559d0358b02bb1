//! The early end of Algorithm 1, counted. Algorithms 2 and 3 get the coordinates of one remote rank;
//! both ranks share nothing as soon as one dimension has no blocks in common.

use super::setting::{EXTENT, Line, blocks, pairs};
use crate::report::Table;
use redist::plan::Axis;
use redist_study::baseline::{Classical, Falls, Operations, Segments};

/// Processes on a side of both grids.
const SIDE: usize = 32;

/// An algorithm that intersects the blocks of one rank with the blocks of one remote rank.
type One = fn(&Axis, usize, usize, &mut Vec<Segments>) -> Operations;

const ALGORITHMS: [(&str, One); 2] = [
    ("Algorithm 2 (classical)", Classical::intersect_one),
    ("Algorithm 3 (FALLS)", Falls::intersect_one),
];

/// One dimension between all pairs of a rank and a remote rank.
#[derive(Debug, PartialEq, Eq)]
struct Dimension {
    /// Set-ups and comparisons of all pairs.
    operations: usize,
    /// Pairs that share nothing.
    empty: usize,
}

pub fn table() -> anyhow::Result<Table> {
    let caption = format!(
        "The early end of Algorithm 1, counted: every process of {SIDE} × {SIDE} intersects its blocks with those of every remote \
         process of {SIDE} × {SIDE}, one pair after the other, and leaves out the columns where their rows share nothing. \
         Millions of operations with both dimensions and with the early end, and the part that is saved."
    );
    let columns = ALGORITHMS.iter().flat_map(|(name, _)| {
        [format!("{name}, both"), "early end".to_owned(), "saved".to_owned()]
    });
    let head = ["blocks", "row pairs that share nothing"].map(str::to_owned).into_iter();
    let rows: anyhow::Result<Vec<_>> = pairs().into_iter().map(row).collect();
    Ok(Table::new(caption, head.chain(columns), rows?))
}

fn row((from, to): ([usize; 2], [usize; 2])) -> anyhow::Result<Vec<String>> {
    let all = SIDE * SIDE;
    let mut row = vec![format!("{} → {}", blocks(from), blocks(to))];
    for (number, (_, one)) in ALGORITHMS.into_iter().enumerate() {
        let [rows, columns] = [0, 1].map(|it| dimension(one, (from[it], to[it])));
        let (rows, columns) = (rows?, columns?);
        if number == 0 {
            row.push(format!("{} of {all}", rows.empty));
        }
        let both = all * (rows.operations + columns.operations);
        let early = both - rows.empty * columns.operations;
        let millions = |operations| format!("{:.2}", operations as f64 / 1e6);
        let saved = 100.0 * (both - early) as f64 / both as f64;
        row.extend([millions(both), millions(early), format!("{saved:.0} %")]);
    }
    Ok(row)
}

fn dimension(one: One, blocks: (usize, usize)) -> anyhow::Result<Dimension> {
    let axis = Line { extent: EXTENT, blocks, ranks: (SIDE, SIDE) }.axis()?;
    let (mut found, mut sum) = (Vec::new(), Dimension { operations: 0, empty: 0 });
    for (rank, peer) in (0..SIDE).flat_map(|rank| (0..SIDE).map(move |peer| (rank, peer))) {
        sum.operations += one(&axis, rank, peer, &mut found).total();
        sum.empty += usize::from(found.is_empty());
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist_study::baseline::counts;

    #[test]
    fn row_pairs_that_share_nothing() {
        for (blocks, empty) in [((1024, 1024), 1014), ((256, 30), 653)] {
            for (name, one) in ALGORITHMS {
                assert_eq!(dimension(one, blocks).unwrap().empty, empty, "{name}, {blocks:?}");
            }
        }
    }

    /// All pairs together make what the algorithm makes with all remote ranks.
    #[test]
    fn pairs_add_up_to_the_closed_forms() {
        let blocks = (30, 654);
        let axis = Line { extent: EXTENT, blocks, ranks: (SIDE, SIDE) }.axis().unwrap();
        let expected = [counts::classical(&axis), counts::falls(&axis)].map(|it| it.total());
        let found = ALGORITHMS.map(|(_, one)| dimension(one, blocks).unwrap().operations);
        assert_eq!(found, expected);
    }
}
