//! Equations (1) to (7): blocks of `k r` on one side and of `r` on the opposite side, on the same
//! ranks.
//!
//! Ranks `i` of the source and `j` of the destination count from the rank of block 0. A cycle is
//! the `ranks k r` elements after which owners repeat. Products are taken modulo `ranks`.
//!
//! Two errors of the copy at hand are corrected. Its (3) tests the source's rank, and its (7)
//! subtracts the source's rank times `k`, both instead of the destination's.

use redist_plan::arithmetic::subtract_modulo;

const fn multiply_modulo(a: usize, b: usize, modulus: usize) -> usize {
    (a as u128 * b as u128 % modulus as u128) as usize
}

const fn multiply_divide(a: usize, b: usize, modulus: usize) -> usize {
    (a as u128 * b as u128 / modulus as u128) as usize
}

/// (1), kr→r: the destination of the first block of `r` that source `i` holds, `eta`.
pub const fn first_destination(i: usize, k: usize, ranks: usize) -> usize {
    multiply_modulo(i, k, ranks)
}

/// (2), kr→r: elements from `i` to `j` a cycle, `gamma`.
pub const fn scattered(i: usize, j: usize, (k, r): (usize, usize), ranks: usize) -> usize {
    blocks(subtract_modulo(j, first_destination(i, k, ranks), ranks), k, ranks) * r
}

/// (3), kr→r: where `j` keeps the first element from `i`, `alpha`, if it gets any.
///
/// ```
/// use redist_study::baseline::equations::first_offset_scattered;
/// assert_eq!(first_offset_scattered(1, 0, (3, 1), 2), 2); // 1 with the rank of the source in the bracket
/// ```
pub const fn first_offset_scattered(
    i: usize,
    j: usize,
    (k, r): (usize, usize),
    ranks: usize,
) -> usize {
    (multiply_divide(i, k, ranks) + (j < first_destination(i, k, ranks)) as usize) * r
}

/// (4) and (6), r→kr: elements from `i` to `j` a cycle, `|C_j|` or `delta`.
pub const fn gathered(i: usize, j: usize, (k, r): (usize, usize), ranks: usize) -> usize {
    blocks(subtract_modulo(i, multiply_modulo(j, k, ranks), ranks), k, ranks) * r
}

/// (5), r→kr: the first destination of source `i`, `phi`.
pub const fn first_gatherer(i: usize, k: usize) -> usize {
    i / k
}

/// (7), r→kr: where `j` keeps the first element from `i`, `beta`, if it gets any.
pub const fn first_offset_gathered(
    i: usize,
    j: usize,
    (k, r): (usize, usize),
    ranks: usize,
) -> usize {
    subtract_modulo(i, multiply_modulo(j, k, ranks), ranks) * r
}

/// Counts, among `k` consecutive blocks, the blocks on the rank at `distance` from the first
/// block's.
const fn blocks(distance: usize, k: usize, ranks: usize) -> usize {
    k / ranks + (distance < k % ranks) as usize
}
