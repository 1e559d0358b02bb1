/// Returns the column of each row, each once, with the largest sum of weights. Takes `O(n³)` time,
/// and `O(n)` memory beside the weights.
///
/// Source: R. Jonker and A. Volgenant, *A shortest augmenting path algorithm for dense and sparse
/// linear assignment problems*, Computing 38 (1987), without its initialisation.
pub(super) fn heaviest(len: usize, weight: impl Fn(usize, usize) -> i128) -> Vec<usize> {
    // Row and column `len` stand for what is not assigned.
    let mut search = Search {
        row_of: vec![len; len + 1],
        potentials: [vec![0; len + 1], vec![0; len + 1]],
        weight,
    };
    for row in 0..len {
        search.assign(row, len);
    }
    let mut columns = vec![0; len];
    for column in 0..len {
        columns[search.row_of[column]] = column;
    }
    columns
}

struct Search<W> {
    row_of: Vec<usize>,
    /// Of rows and of columns: no cost is below the sum of its two, and assigned pairs reach it.
    potentials: [Vec<i128>; 2],
    weight: W,
}

impl<W: Fn(usize, usize) -> i128> Search<W> {
    /// Gives `row` a column, by the cheapest path to a free column.
    fn assign(&mut self, row: usize, free: usize) {
        self.row_of[free] = row;
        let mut column = free;
        let mut reached = vec![false; free + 1];
        // How much the cheapest path to each column costs, and the column before it.
        let mut paths = vec![(i128::MAX, free); free];
        while self.row_of[column] != free {
            reached[column] = true;
            let from = self.row_of[column];
            let (mut nearest, mut next) = (i128::MAX, free);
            for to in (0..free).filter(|to| !reached[*to]) {
                let [rows, columns] = &self.potentials;
                let cost = -(self.weight)(from, to) - rows[from] - columns[to];
                if cost < paths[to].0 {
                    paths[to] = (cost, column);
                }
                if paths[to].0 < nearest {
                    (nearest, next) = (paths[to].0, to);
                }
            }
            self.shorten(&reached, &mut paths, nearest);
            column = next;
        }
        while column != free {
            let before = paths[column].1;
            self.row_of[column] = self.row_of[before];
            column = before;
        }
        self.row_of[free] = free;
    }

    /// Shifts the potentials until the nearest column costs nothing more.
    fn shorten(&mut self, reached: &[bool], paths: &mut [(i128, usize)], nearest: i128) {
        for (column, is_reached) in reached.iter().enumerate() {
            if *is_reached {
                self.potentials[0][self.row_of[column]] += nearest;
                self.potentials[1][column] -= nearest;
            } else if column < paths.len() {
                paths[column].0 -= nearest;
            }
        }
    }
}
