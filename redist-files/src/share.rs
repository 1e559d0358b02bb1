//! Shares of ranks in arrays: the bytes of all, one array behind the other, in equal parts.

use std::ops::Range;

/// A rank's part of the bytes of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The first byte, and the one behind the last.
    bytes: (u64, u64),
    /// Bytes of all elements.
    of: u64,
}

impl Share {
    /// Returns `true` if another rank has all bytes.
    pub fn is_empty(&self) -> bool {
        self.of > 0 && self.bytes.0 == self.bytes.1
    }

    /// Returns `true` if this rank has the first byte, or if there is none.
    pub fn is_first(&self) -> bool {
        self.bytes.0 == 0 && !self.is_empty()
    }

    /// Returns the numbers of this share, of `count` pieces that are about equally long: a piece
    /// belongs to the rank that has its first byte.
    pub fn numbers(&self, count: usize) -> Range<usize> {
        let at = |byte: u64| match self.of {
            0 => 0,
            of => (u128::from(byte) * count as u128).div_ceil(u128::from(of)) as usize,
        };
        at(self.bytes.0)..at(self.bytes.1)
    }
}

/// Deals arrays of these bytes out to ranks, and returns the shares of one of them.
pub fn deal(arrays: &[u64], (rank, ranks): (usize, usize)) -> Vec<Share> {
    let all: u128 = arrays.iter().map(|bytes| u128::from(*bytes)).sum();
    let bound = |rank: usize| all * rank as u128 / ranks as u128;
    let (first, end, mut start) = (bound(rank), bound(rank + 1), 0u128);
    let own = |of: &u64| {
        let within = |bound: u128| bound.saturating_sub(start).min(u128::from(*of)) as u64;
        let share = Share { bytes: (within(first), within(end)), of: *of };
        start += u128::from(*of);
        share
    };
    arrays.iter().map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_one_rank() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..300 {
            let ranks = random.usize(1..9);
            let arrays: Vec<u64> = (0..random.usize(1..7)).map(|_| random.u64(..5000)).collect();
            let counts: Vec<usize> = arrays
                .iter()
                .map(|bytes| if *bytes == 0 { 0 } else { random.usize(1..40) })
                .collect();
            let mut seen: Vec<Vec<u8>> = counts.iter().map(|count| vec![0; *count]).collect();
            let mut most = 0.0f64;
            for rank in 0..ranks {
                let mut own = 0.0;
                for (number, share) in deal(&arrays, (rank, ranks)).iter().enumerate() {
                    let numbers = share.numbers(counts[number]);
                    let piece = arrays[number] as f64 / counts[number].max(1) as f64;
                    own += numbers.len() as f64 * piece;
                    numbers.for_each(|piece| seen[number][piece] += 1);
                }
                most = most.max(own);
            }
            assert!(seen.iter().flatten().all(|seen| *seen == 1), "{arrays:?} {counts:?} {ranks}");
            let longest = |number: usize| arrays[number] as f64 / counts[number].max(1) as f64;
            let longest = (0..arrays.len()).map(longest).fold(0.0, f64::max);
            let fair = arrays.iter().sum::<u64>() as f64 / ranks as f64;
            assert!(
                most <= fair + longest + 1.0,
                "{most} of {fair}: {arrays:?} {counts:?} {ranks}"
            );
        }
    }

    #[test]
    fn bytes_beyond_64_bits_are_dealt_out() {
        let shares = [0, 1, 2].map(|rank| deal(&[u64::MAX, u64::MAX, u64::MAX], (rank, 3)));
        for (rank, share) in shares.iter().enumerate() {
            let own = |number: usize| share[number].numbers(7).len();
            assert_eq!(
                [own(0), own(1), own(2)].map(|len| len == 7),
                [0, 1, 2].map(|of| of == rank)
            );
        }
    }
}
