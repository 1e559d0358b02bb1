//! Hsu and Chung's equations and loops, for `ranks` ranks on both sides. Source `i` and destination
//! `j` are relative to the rank of block 0.

/// Equation (3) with the source's rank in the bracket.
pub fn alpha(i: usize, (k, r): (usize, usize), ranks: usize) -> usize {
    (i * k / ranks + usize::from(i < i * k % ranks)) * r
}

/// Equation (7) with the source's rank times `k`.
pub fn beta(i: usize, (k, r): (usize, usize), ranks: usize) -> usize {
    (i + ranks * k - i * k) % ranks * r
}

/// kr→r, line 13: destinations from `eta` on, the last of them counted as `delta = M`.
pub fn destinations(ranks: usize) -> Vec<usize> {
    (0..=ranks).collect()
}

/// Lines 21 and 24: `j <= max_cycle`, with `max_cycle` the whole cycles of a local array.
pub fn cycles(local_len: usize, (k, r): (usize, usize)) -> usize {
    local_len / (k * r) + 1
}

/// Messages that line 14 sends, and that line 16 receives.
pub fn sent_and_received(k: usize, ranks: usize) -> (usize, usize) {
    (ranks, ranks.min(k))
}

/// r→kr: the destinations of `i`, the next one by `j' = (|C_j| M / (k r) + j) mod M`.
pub fn recurrence(
    i: usize,
    k: usize,
    ranks: usize,
    class_len: impl Fn(usize) -> usize,
) -> Vec<usize> {
    let next = |&j: &usize| Some((class_len(j) * ranks / k + j) % ranks);
    std::iter::successors(Some(i / k), next).take(k.min(ranks)).collect()
}
