//! The alternating-direction-implicit method: sweeps along lines.
//!
//! D. W. Peaceman and H. H. Rachford, "The numerical solution of parabolic and elliptic
//! differential equations", Journal of the SIAM 3 (1955) 28–41. With `r = κ Δt / Δx²`,
//! `s = κ Δt / Δy²` and the second difference `δ²`, a step from `z` to `z″` is
//!
//! ```text
//! (1 - s/2 δy²) z′ = (1 + r/2 δx²) z
//! (1 - r/2 δx²) z″ = (1 + s/2 δy²) z′
//! ```
//!
//! No operator needs a neighbouring line, or a halo, if its direction's lines are whole: rows
//! explicit; to columns; columns implicit, then explicit; to rows; rows implicit.

/// Both operators of one direction, for lines of one length. Nothing flows across the border: `δ²`
/// at the ends has the inner neighbour only, and each operator keeps a line's sum.
pub struct Sweep {
    /// Half of the ratio.
    half: f64,
    /// The superdiagonal after the Thomas algorithm's elimination of `1 - half δ²`.
    upper: Vec<f64>,
    /// The reciprocals of the pivots.
    reciprocal: Vec<f64>,
}

impl Sweep {
    /// Makes operators for lines of `len` elements, with `r` or `s` as the ratio.
    pub fn new(len: usize, ratio: f64) -> Self {
        let half = ratio / 2.0;
        let (mut upper, mut reciprocal) = (Vec::with_capacity(len), Vec::with_capacity(len));
        let mut before = 0.0;
        for index in 0..len {
            let neighbours = f64::from(u8::from(index > 0) + u8::from(index + 1 < len));
            let pivot = 1.0 + neighbours * half + half * before;
            before = -half / pivot;
            upper.push(before);
            reciprocal.push(1.0 / pivot);
        }
        Self { half, upper, reciprocal }
    }

    /// Length of the lines, in elements.
    pub fn line_len(&self) -> usize {
        self.upper.len()
    }

    /// Applies `1 + half δ²` to each of the contiguous lines.
    pub fn explicit(&self, lines: &mut [f64]) {
        for line in lines.chunks_exact_mut(self.line_len()) {
            let mut before = line[0];
            for index in 0..line.len() {
                let here = line[index];
                let after = line.get(index + 1).copied().unwrap_or(here);
                line[index] = here + self.half * (before - 2.0 * here + after);
                before = here;
            }
        }
    }

    /// Solves `(1 - half δ²) x = line` for each of the lines by the Thomas algorithm.
    pub fn implicit(&self, lines: &mut [f64]) {
        for line in lines.chunks_exact_mut(self.line_len()) {
            let mut before = 0.0;
            for (value, reciprocal) in line.iter_mut().zip(&self.reciprocal) {
                *value = (*value + self.half * before) * reciprocal;
                before = *value;
            }
            let mut after = 0.0;
            for (value, upper) in line.iter_mut().zip(&self.upper).rev() {
                *value -= upper * after;
                after = *value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// `cos(π k (i + ½) / n)` is an eigenvector of `δ²` without flux across the ends.
    fn mode(len: usize) -> Vec<f64> {
        (0..len).map(|index| (PI * 3.0 * (index as f64 + 0.5) / len as f64).cos()).collect()
    }

    #[test]
    fn both_operators_scale_a_cosine_by_its_eigenvalue() {
        let (len, ratio) = (17, 1.3);
        let sweep = Sweep::new(len, ratio);
        let eigenvalue = ratio / 2.0 * (2.0 * (PI * 3.0 / len as f64).cos() - 2.0);
        let (mut explicit, mut implicit) = (mode(len), mode(len));
        sweep.explicit(&mut explicit);
        sweep.implicit(&mut implicit);
        for (index, value) in mode(len).into_iter().enumerate() {
            assert!((explicit[index] - value * (1.0 + eigenvalue)).abs() < 1e-14);
            assert!((implicit[index] - value / (1.0 - eigenvalue)).abs() < 1e-14);
        }
    }

    #[test]
    fn nothing_flows_across_the_ends() {
        for len in [1, 2, 5] {
            let mut line: Vec<f64> = (0..len).map(|index| f64::from(index * index)).collect();
            let sum: f64 = line.iter().sum();
            let sweep = Sweep::new(line.len(), 0.7);
            sweep.explicit(&mut line);
            sweep.implicit(&mut line);
            assert!((line.iter().sum::<f64>() - sum).abs() < 1e-12);
        }
    }
}
