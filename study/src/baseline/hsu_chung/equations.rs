//! Equations (1) to (7): blocks of `k r` on one side and of `r` on the other, on the same ranks.
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

/// Counts those of `k` consecutive blocks on the rank at `distance` from the first one's.
const fn blocks(distance: usize, k: usize, ranks: usize) -> usize {
    k / ranks + (distance < k % ranks) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dealt(ranks: usize, k: usize, r: usize, scatter: bool) -> Vec<Vec<Option<(usize, usize)>>> {
        let mut pairs = vec![vec![None; ranks]; ranks];
        for block in 0..ranks * k {
            let (fine, coarse) = (block % ranks, block / k);
            let (i, j) = if scatter { (coarse, fine) } else { (fine, coarse) };
            let offset = if scatter { block / ranks * r } else { block % k * r };
            pairs[i][j].get_or_insert((offset, 0)).1 += r;
        }
        pairs
    }

    #[test]
    fn every_pair_of_one_cycle() {
        for (ranks, k, r) in
            (1..=8).flat_map(|m| (1..=19).flat_map(move |k| (1..=3).map(move |r| (m, k, r))))
        {
            let (scattering, gathering) = (dealt(ranks, k, r, true), dealt(ranks, k, r, false));
            for (i, j) in (0..ranks).flat_map(|i| (0..ranks).map(move |j| (i, j))) {
                let context = format!("{i} to {j} of {ranks}, k = {k}, r = {r}");
                let gamma = scattered(i, j, (k, r), ranks);
                let alpha = first_offset_scattered(i, j, (k, r), ranks);
                assert_eq!(
                    (gamma > 0).then_some((alpha, gamma)),
                    scattering[i][j],
                    "kr→r, {context}"
                );
                let delta = gathered(i, j, (k, r), ranks);
                let beta = first_offset_gathered(i, j, (k, r), ranks);
                assert_eq!(
                    (delta > 0).then_some((beta, delta)),
                    gathering[i][j],
                    "r→kr, {context}"
                );
            }
        }
    }

    #[test]
    fn first_partners() {
        for (ranks, k) in (1..=8).flat_map(|m| (1..=19).map(move |k| (m, k))) {
            for i in 0..ranks {
                assert_eq!(first_destination(i, k, ranks), i * k % ranks);
                let first = (0..ranks).find(|&j| gathered(i, j, (k, 1), ranks) > 0);
                assert_eq!(Some(first_gatherer(i, k)), first, "{i} of {ranks}, k = {k}");
            }
        }
    }
}
