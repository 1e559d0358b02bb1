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

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(chosen: &mut Vec<usize>, left: &[usize], visit: &mut impl FnMut(&[usize])) {
        if left.is_empty() {
            return visit(chosen);
        }
        for (place, &one) in left.iter().enumerate() {
            let mut others = left.to_vec();
            others.remove(place);
            chosen.push(one);
            orders(chosen, &others, visit);
            chosen.pop();
        }
    }

    fn sum(weights: &[Vec<i128>], columns: &[usize]) -> i128 {
        columns.iter().enumerate().map(|(row, &column)| weights[row][column]).sum()
    }

    #[test]
    fn no_permutation_is_heavier() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            i128::from((state >> 33) % below)
        };
        for len in 0..=8 {
            for below in [1, 2, 5, 1000, 1 << 31].into_iter().take(if len == 8 { 3 } else { 5 }) {
                let weights: Vec<Vec<i128>> =
                    (0..len).map(|_| (0..len).map(|_| random(below)).collect()).collect();
                let columns = heaviest(len, |row, column| weights[row][column]);
                let mut sorted = columns.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..len), "{columns:?} is no permutation");
                let (mut most, all) = (i128::MIN, Vec::from_iter(0..len));
                orders(&mut Vec::new(), &all, &mut |order| most = most.max(sum(&weights, order)));
                assert_eq!(sum(&weights, &columns), most, "{weights:?}");
            }
        }
    }
}
