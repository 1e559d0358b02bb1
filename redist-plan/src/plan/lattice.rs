//! Sums along a line over whole numbers, in logarithmic time. A rank's share of another rank's
//! blocks is a sum of `max(0, z - m R)`: lattice points under a line. Euclid's algorithm folds its
//! staircase of steps right (`R`) and up (`U`) into powers of words (Graham, Knuth and Patashnik,
//! *Concrete Mathematics*, §3.5). The sums hold modulo 2^128, because no division is left in them.

/// The sums over the right steps of a word, of `x` right and `y` up steps.
#[derive(Clone, Copy)]
struct LatticeWord {
    /// Steps right.
    x: u128,
    /// Steps up.
    y: u128,
    /// `y (y + 1) / 2`.
    triangle: u128,
    /// Sum of `x` over the right steps, each with its own step counted.
    sum_x: u128,
    /// Sum of `y`.
    sum_y: u128,
    /// Sum of `x y`.
    sum_xy: u128,
    /// Sum of `y (y + 1) / 2`.
    sum_triangle: u128,
}

impl LatticeWord {
    const EMPTY: LatticeWord =
        LatticeWord { x: 0, y: 0, triangle: 0, sum_x: 0, sum_y: 0, sum_xy: 0, sum_triangle: 0 };
    const UP: LatticeWord = LatticeWord { y: 1, triangle: 1, ..LatticeWord::EMPTY };
    const RIGHT: LatticeWord = LatticeWord { x: 1, sum_x: 1, ..LatticeWord::EMPTY };

    /// Appends another word, whose steps start at this one's end.
    const fn then(self, next: LatticeWord) -> LatticeWord {
        LatticeWord {
            x: self.x.wrapping_add(next.x),
            y: self.y.wrapping_add(next.y),
            triangle: self
                .triangle
                .wrapping_add(next.triangle)
                .wrapping_add(self.y.wrapping_mul(next.y)),
            sum_x: self.sum_x.wrapping_add(next.sum_x).wrapping_add(self.x.wrapping_mul(next.x)),
            sum_y: self.sum_y.wrapping_add(next.sum_y).wrapping_add(self.y.wrapping_mul(next.x)),
            sum_xy: self
                .sum_xy
                .wrapping_add(next.sum_xy)
                .wrapping_add(self.x.wrapping_mul(next.sum_y))
                .wrapping_add(self.y.wrapping_mul(next.sum_x))
                .wrapping_add(self.x.wrapping_mul(self.y).wrapping_mul(next.x)),
            sum_triangle: self
                .sum_triangle
                .wrapping_add(next.sum_triangle)
                .wrapping_add(self.y.wrapping_mul(next.sum_y))
                .wrapping_add(self.triangle.wrapping_mul(next.x)),
        }
    }

    const fn power(self, mut exponent: u128) -> LatticeWord {
        let (mut base, mut word) = (self, LatticeWord::EMPTY);
        while exponent > 0 {
            if exponent & 1 == 1 {
                word = word.then(base);
            }
            base = base.then(base);
            exponent >>= 1;
        }
        word
    }
}

/// The staircase of `y = floor((rise x + start) / run)` for `x = 1..=steps`, where `start < run`.
const fn staircase(
    rise: u128,
    run: u128,
    start: u128,
    steps: u128,
    up: LatticeWord,
    right: LatticeWord,
) -> LatticeWord {
    if steps == 0 {
        return LatticeWord::EMPTY;
    }
    if rise >= run {
        let steeper = up.power(rise / run).then(right);
        return staircase(rise % run, run, start, steps, up, steeper);
    }
    let height = (rise * steps + start) / run;
    if height == 0 {
        return right.power(steps);
    }
    let before = (run - start - 1) / rise;
    let after = steps - (run * height - start - 1) / rise;
    let middle = staircase(run, rise, (run - start - 1) % rise, height - 1, right, up);
    right.power(before).then(up).then(middle).then(right.power(after))
}

/// Sums `max(0, start + i step - m round)` over `0 <= i < count` and `m >= 0`, modulo 2^128. `start
/// + (count - 1) step` must stay below 2^126.
pub(super) const fn sum_of_rounds(start: i128, step: u128, count: u128, round: u128) -> u128 {
    let skipped = if start >= 0 { 0 } else { (start.unsigned_abs()).div_ceil(step) };
    if skipped >= count {
        return 0;
    }
    let (first, steps) = ((start + (skipped * step) as i128) as u128, count - skipped - 1);
    let word = LatticeWord::UP.power(first / round).then(staircase(
        step,
        round,
        first % round,
        steps,
        LatticeWord::UP,
        LatticeWord::RIGHT,
    ));
    // Each i adds `(y + 1) z - round y (y + 1) / 2` with `z = first + x step` and `y = z div
    // round`; i = 0 has x = 0.
    let (x, y) = (word.sum_x, word.sum_y);
    let rows = y.wrapping_add(steps);
    let (y0, z0) = (first / round, first);
    let initial = (y0 + 1)
        .wrapping_mul(z0)
        .wrapping_sub(round.wrapping_mul(LatticeWord::UP.power(y0).triangle));
    initial
        .wrapping_add(first.wrapping_mul(rows))
        .wrapping_add(step.wrapping_mul(word.sum_xy.wrapping_add(x)))
        .wrapping_sub(round.wrapping_mul(word.sum_triangle))
}
