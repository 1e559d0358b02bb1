//! Sums of words, each times factors of its place, by the widest vectors of the processor.

use crate::exec::kernels::Vectors;

/// Fewer words gain nothing from vectors that are asked for.
const FEW_WORDS: usize = 8;

/// Most words of a block: sums of halves stay below 2^64.
const MOST_WORDS: usize = 64;

/// Factors of words in blocks of `N`.
pub struct Weights<'a, F, const N: usize> {
    /// By place within a block: its factor, below 2^26.
    pub within: &'a [u64; N],
    /// Returns the factor of a block, by its number.
    pub of_block: F,
}

impl<F: Fn(u64) -> u64, const N: usize> Weights<'_, F, N> {
    /// Returns the sum, modulo 2^128, of little-endian words, each times both factors of its place. The
    /// first word has the place `first`.
    pub fn sum(&self, words: &[[u8; 8]], first: u64) -> u128 {
        const { assert!(0 < N && N <= MOST_WORDS) };
        match words.len() < FEW_WORDS {
            true => self.all(words, first),
            false => self.by(Vectors::Avx512, words, first),
        }
    }

    /// Returns the same sum by vectors of this level at most.
    fn by(&self, most: Vectors, words: &[[u8; 8]], first: u64) -> u128 {
        match most.runnable_at_most() {
            // SAFETY: `runnable_at_most` returns AVX-512 only on processors with AVX2, AVX-512 F and BW.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => unsafe { self.by_avx512(words, first) },
            // SAFETY: `runnable_at_most` returns AVX2 only on processors with AVX2.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2 => unsafe { self.by_avx2(words, first) },
            _ => self.all(words, first),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    fn by_avx512(&self, words: &[[u8; 8]], first: u64) -> u128 {
        self.all(words, first)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn by_avx2(&self, words: &[[u8; 8]], first: u64) -> u128 {
        self.all(words, first)
    }

    #[inline(always)]
    fn all(&self, words: &[[u8; 8]], first: u64) -> u128 {
        let (mut words, mut place, mut sum) = (words, first, 0u128);
        while !words.is_empty() {
            let start = (place % N as u64) as usize;
            let (own, more) = words.split_at(words.len().min(N - start));
            let times = u128::from((self.of_block)(place / N as u64));
            sum = sum.wrapping_add(of_block(own, &self.within[start..]).wrapping_mul(times));
            (words, place) = (more, place.wrapping_add(own.len() as u64));
        }
        sum
    }
}

/// Returns the sum of a block's words times their factors. Halves of words make products below 2^58,
/// which vectors multiply.
#[inline(always)]
fn of_block(words: &[[u8; 8]], factors: &[u64]) -> u128 {
    const LOW: u64 = 0xffff_ffff;
    let (mut low, mut high) = (0u64, 0u64);
    for (word, factor) in words.iter().zip(factors) {
        let (word, factor) = (u64::from_le_bytes(*word), factor & LOW);
        low = low.wrapping_add((word & LOW).wrapping_mul(factor));
        high = high.wrapping_add((word >> 32).wrapping_mul(factor));
    }
    u128::from(low) + (u128::from(high) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest words and factors, and drawn ones, one by one.
    #[test]
    fn all_vectors_have_the_sum_of_the_words() {
        let mut state = 5u64;
        let mut drawn = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 31
        };
        let within: [u64; MOST_WORDS] =
            core::array::from_fn(|at| if at < 40 { (1 << 26) - 1 } else { drawn() % (1 << 26) });
        let of_block = |block: u64| u64::MAX - 5 * block;
        let weights = Weights { within: &within, of_block };
        for len in 0..400 {
            let first = drawn() % 1000;
            let words: Vec<u64> =
                (0..len).map(|_| if drawn() % 2 == 0 { u64::MAX } else { drawn() }).collect();
            let bytes: Vec<[u8; 8]> = words.iter().map(|word| word.to_le_bytes()).collect();
            let products = words.iter().zip(first..).map(|(word, place)| {
                let (block, at) = (place / MOST_WORDS as u64, place % MOST_WORDS as u64);
                let factors = u128::from(within[at as usize]).wrapping_mul(of_block(block).into());
                u128::from(*word).wrapping_mul(factors)
            });
            let expected = products.fold(0, u128::wrapping_add);
            assert_eq!(weights.sum(&bytes, first), expected, "{len} words from {first} on");
            for vectors in Vectors::runnable() {
                let found = weights.by(vectors, &bytes, first);
                assert_eq!(found, expected, "{vectors}: {len} words from {first} on");
            }
        }
    }
}
