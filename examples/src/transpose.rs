//! Transposes local arrays.

/// Two tiles of this side, in elements, stay in the first cache.
const TILE: usize = 16;

/// Makes columns of the rows of an array of these extents.
pub fn transposed(from: &[f64], extents: [usize; 2]) -> Vec<f64> {
    let mut to = vec![0.0; from.len()];
    transpose(from, extents, &mut to);
    to
}

pub fn transpose(from: &[f64], [rows, columns]: [usize; 2], to: &mut [f64]) {
    for top in (0..rows).step_by(TILE) {
        for left in (0..columns).step_by(TILE) {
            for column in left..columns.min(left + TILE) {
                for row in top..rows.min(top + TILE) {
                    to[column * rows + row] = from[row * columns + column];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_in_whole_tiles_and_in_cut_ones() {
        let (rows, columns) = (2 * TILE + 5, TILE + 3);
        let from: Vec<f64> = (0..rows * columns).map(|index| index as f64).collect();
        let to = transposed(&from, [rows, columns]);
        for row in 0..rows {
            for column in 0..columns {
                assert_eq!(to[column * rows + row], from[row * columns + column]);
            }
        }
    }
}
