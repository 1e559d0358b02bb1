//! Elements whose bits name their place.

use crate::random::Random;
use redist_scalapack::Scalar;

/// Elements of which any bits are valid, also the bits of NaN.
pub trait Pattern: Scalar {
    fn pattern(bits: u64) -> Self;
    fn bits(self) -> u64;

    /// Returns a rank's initial array of one side: another value in each place of each rank.
    fn patterns(rank: usize, side: usize, len: usize) -> Vec<Self> {
        let mut random = Random((2 * rank + side) as u64);
        (0..len).map(|_| Self::pattern(random.bits())).collect()
    }
}

impl Pattern for f64 {
    fn pattern(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    fn bits(self) -> u64 {
        self.to_bits()
    }
}

impl Pattern for f32 {
    fn pattern(bits: u64) -> Self {
        Self::from_bits((bits >> 32) as u32)
    }

    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Pattern for i32 {
    fn pattern(bits: u64) -> Self {
        (bits >> 32) as i32
    }

    fn bits(self) -> u64 {
        u64::from(self as u32)
    }
}
