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
        if words.len() < FEW_WORDS {
            return self.all(words, first);
        }
        match Vectors::detected() {
            // SAFETY: `detected` names AVX-512 for processors that have AVX2, AVX-512 F and BW.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => unsafe { self.by_avx512(words, first) },
            // SAFETY: `detected` names AVX2 for processors that have it.
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
