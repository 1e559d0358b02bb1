use num_integer::gcd;

pub fn saturating_lcm(a: usize, b: usize) -> usize {
    (a / gcd(a, b)).saturating_mul(b)
}

/// `(a + b) mod modulus` for `a, b < modulus`, without overflow.
pub fn add_modulo(a: usize, b: usize, modulus: usize) -> usize {
    let gap = modulus - b;
    if a >= gap { a - gap } else { a + b }
}

pub const fn subtract_modulo(a: usize, b: usize, modulus: usize) -> usize {
    if a >= b { a - b } else { modulus - (b - a) }
}
