//! Elements that tell their place, and what all works share.

use redist::Element;

pub const WAYS: [&str; 2] = ["static", "run time"];

/// The least bytes of a sample, for the clock's resolution.
pub const SAMPLE: usize = 1 << 20;

pub type Pair = [f64; 2];

/// An element with a number that tells its place.
pub trait Numbered: Element + PartialEq + Sync {
    fn numbered(index: usize) -> Self;
}

macro_rules! numbered {
    ($($number:ident)*) => {
        $(impl Numbered for $number {
            fn numbered(index: usize) -> Self {
                (index % 251 + 1) as Self
            }
        })*
    };
}

numbered!(u8 u16 f32 f64);

impl Numbered for Pair {
    fn numbered(index: usize) -> Self {
        [index as f64, 1.0]
    }
}
