//! Elements of the soak, each made of a number.

use core::fmt::Debug;
use redist::Element;

pub trait Numbered: Element + PartialEq + Debug {
    fn numbered(number: u64) -> Self;
}

macro_rules! numbered {
    ($($element:ty),*) => {$(
        impl Numbered for $element {
            fn numbered(number: u64) -> Self {
                scrambled(number) as Self
            }
        }
    )*};
}
numbered!(u8, u16, u32, u64, u128);

impl Numbered for [u8; 3] {
    fn numbered(number: u64) -> Self {
        let [a, b, c, ..] = scrambled(number).to_le_bytes();
        [a, b, c]
    }
}

/// Scrambles numbers, so that neighbours, and elements of two rounds, differ in every byte.
fn scrambled(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15).swap_bytes()
}

pub fn number(rank: usize, offset: usize, round: u64) -> u64 {
    round * 1_000_003 + (rank * 20_011 + offset) as u64
}

pub const UNTOUCHED: u64 = u64::MAX;
