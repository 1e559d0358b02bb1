//! Arithmetic of constants without overflow; constants cannot call the traits of `num-integer`.

pub const fn gcd(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub const fn wide_gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Least common multiple, `usize::MAX` if it does not fit; 0 if either is 0.
pub const fn saturating_lcm(a: usize, b: usize) -> usize {
    if a == 0 || b == 0 {
        return 0;
    }
    (a / gcd(a, b)).saturating_mul(b)
}

/// Returns the product of numbers, `usize::MAX` if it does not fit on the way.
pub const fn saturating_product(numbers: &[usize]) -> usize {
    let (mut product, mut number) = (1usize, 0);
    while number < numbers.len() {
        product = product.saturating_mul(numbers[number]);
        number += 1;
    }
    product
}

/// `(a + b) mod modulus` for `a, b < modulus`, without a sum that could overflow.
pub const fn add_modulo(a: usize, b: usize, modulus: usize) -> usize {
    let gap = modulus - b;
    if a >= gap { a - gap } else { a + b }
}

pub const fn subtract_modulo(a: usize, b: usize, modulus: usize) -> usize {
    if a >= b { a - b } else { modulus - (b - a) }
}

pub const fn min(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

pub const fn max(a: usize, b: usize) -> usize {
    if a < b { b } else { a }
}

/// Returns the `x` in `0..m` with `a x = 1 (mod m)`; 0 if `m = 1`. `a` and `m` must be coprime.
pub const fn inverse_modulo(a: usize, m: usize) -> usize {
    let (mut r0, mut r1) = (m as i128, (a % m) as i128);
    let (mut t0, mut t1) = (0i128, 1i128);
    while r1 != 0 {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (t0, t1) = (t1, t0 - quotient * t1);
    }
    t0.rem_euclid(m as i128) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_integer::Integer;

    #[test]
    fn constants_and_run_time_agree() {
        let edges = [usize::MAX, usize::MAX - 1, 1 << 63, (1 << 32) + 1];
        let numbers: Vec<usize> = (0..70).chain(edges).collect();
        for (a, b) in numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b))) {
            assert_eq!(gcd(a, b), num_integer::gcd(a, b), "gcd of {a} and {b}");
            let lcm = num_integer::lcm(a as u128, b as u128);
            assert_eq!(
                saturating_lcm(a, b),
                usize::try_from(lcm).unwrap_or(usize::MAX),
                "lcm of {a} and {b}"
            );
            if b > 0 && gcd(a, b) == 1 {
                let inverse = (a as i128).extended_gcd(&(b as i128)).x.mod_floor(&(b as i128));
                assert_eq!(inverse_modulo(a, b) as i128, inverse, "inverse of {a} modulo {b}");
            }
        }
    }

    #[test]
    fn modular_sums_do_not_overflow() {
        let m = usize::MAX;
        assert_eq!(add_modulo(m - 1, m - 1, m), m - 2);
        assert_eq!(subtract_modulo(0, m - 1, m), 1);
        assert_eq!(add_modulo(2, 1, 3), 0);
    }
}
