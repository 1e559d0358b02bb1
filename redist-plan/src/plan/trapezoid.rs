//! Trapezoids of matrices, as ScaLAPACK moves them.

use core::fmt;
use core::ops::Range;

/// The part of a matrix: ScaLAPACK's `UPLO`. See `Binder::trapezoid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uplo {
    /// On and above the diagonal.
    Upper,
    /// On and below the diagonal.
    Lower,
}

/// States if the diagonal belongs to the part: ScaLAPACK's `DIAG`. See `Binder::trapezoid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Diag {
    /// It does not: its elements are known to be 1.
    Unit,
    /// It does.
    NonUnit,
}

/// The upper or the lower trapezoid of a matrix, as of `p?trmr2d`; a triangle where it is square.
///
/// Of `m` rows and `n` columns, the upper trapezoid has the elements `(i, j)` with `i <= j + max(m
/// - n, 0)`, the lower trapezoid the elements with `j <= i + max(n - m, 0)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trapezoid {
    /// Which part.
    pub uplo: Uplo,
    /// Says if it has the diagonal.
    pub diag: Diag,
}

impl Trapezoid {
    #[doc(hidden)]
    pub fn numbers(self) -> [u64; 2] {
        [u64::from(self.uplo == Uplo::Lower), u64::from(self.diag == Diag::Unit)]
    }

    /// Returns the columns of row `row`, of a matrix of these `[rows, columns]`.
    #[doc(hidden)]
    pub fn columns(self, [rows, columns]: [usize; 2], row: usize) -> Range<usize> {
        self.line([rows, columns], row, Uplo::Lower)
    }

    /// Returns the rows of column `column`, of a matrix of these `[rows, columns]`.
    #[doc(hidden)]
    pub fn rows(self, [rows, columns]: [usize; 2], column: usize) -> Range<usize> {
        self.line([columns, rows], column, Uplo::Upper)
    }

    /// Returns the part of a line; lines of the part `from_start` begin with their first elements.
    fn line(self, [lines, len]: [usize; 2], line: usize, from_start: Uplo) -> Range<usize> {
        let skipped = usize::from(self.diag == Diag::Unit);
        if self.uplo == from_start {
            // Up to the diagonal, which ends in the last corner.
            let end = line.saturating_add(len.saturating_sub(lines)) + 1 - skipped;
            0..end.min(len)
        } else {
            // From the diagonal on, which is shifted down by the lines that are whole.
            let start = (line + skipped).saturating_sub(lines.saturating_sub(len));
            start.min(len)..len
        }
    }
}

impl fmt::Display for Trapezoid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uplo = match self.uplo {
            Uplo::Upper => "upper",
            Uplo::Lower => "lower",
        };
        let diag = match self.diag {
            Diag::Unit => "without",
            Diag::NonUnit => "with",
        };
        write!(f, "the {uplo} trapezoid {diag} its diagonal")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `insidemat` of ScaLAPACK's REDIST.
    fn is_inside(of: Trapezoid, [m, n]: [i64; 2], [i, j]: [i64; 2]) -> bool {
        let unit = i64::from(of.diag == Diag::Unit);
        match of.uplo {
            Uplo::Upper => i < (m - n).max(0) + j + (1 - unit),
            Uplo::Lower => i >= j - (n - m).max(0) + unit,
        }
    }

    #[test]
    fn lines_are_those_of_scalapack() {
        for (m, n) in (0..7).flat_map(|m| (0..7).map(move |n| (m, n))) {
            for uplo in [Uplo::Upper, Uplo::Lower] {
                for diag in [Diag::Unit, Diag::NonUnit] {
                    let of = Trapezoid { uplo, diag };
                    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let inside = is_inside(of, [m, n].map(|e| e as i64), [i as i64, j as i64]);
                        let what = format!("{of} of {m} x {n}, ({i}, {j})");
                        assert_eq!(of.columns([m, n], i).contains(&j), inside, "{what}");
                        assert_eq!(of.rows([m, n], j).contains(&i), inside, "{what}");
                    }
                }
            }
        }
    }
}
