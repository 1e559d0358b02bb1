//! Elements that name their place.

use redist::Element;
use redist_testing::guarded::{Flush, Guarded};

pub trait Tagged: Element + PartialEq + core::fmt::Debug {
    fn tag(rank: usize, offset: usize) -> Self;
}

impl<const N: usize> Tagged for [u8; N] {
    fn tag(rank: usize, offset: usize) -> Self {
        let number = rank * 7919 + offset;
        core::array::from_fn(|byte| ((number * 31 + byte * 7) ^ (number >> 6)) as u8 & 0x7F)
    }
}

pub fn untouched<const N: usize>() -> [u8; N] {
    [0xA5; N]
}

pub fn held<const N: usize>(rank: usize, len: usize, flush: Flush) -> Guarded<[u8; N]> {
    Guarded::from_fn(len, flush, |offset| Tagged::tag(rank, offset))
}

pub fn empty<const N: usize>(len: usize, flush: Flush) -> Guarded<[u8; N]> {
    Guarded::from_fn(len, flush, |_| untouched())
}
