//! Arithmetic of the algorithms, with checks of its overflow.

use num_integer::gcd;

/// Least common multiple of two numbers that are not both 0; `usize::MAX` where it does not fit.
pub fn saturating_lcm(a: usize, b: usize) -> usize {
    (a / gcd(a, b)).saturating_mul(b)
}

/// `(a + b) mod modulus` for `a, b < modulus`, without a sum that could overflow.
pub fn add_modulo(a: usize, b: usize, modulus: usize) -> usize {
    let gap = modulus - b;
    if a >= gap { a - gap } else { a + b }
}

pub const fn subtract_modulo(a: usize, b: usize, modulus: usize) -> usize {
    if a >= b { a - b } else { modulus - (b - a) }
}
