//! The header that travels with each frame, as one more array.

use landscape::Spacing;
use redist::redistribute;

redistribute! {
    pub struct Headers(consumer: usize): [u64; 6] {
        from: block onto 1,
        to: block onto 1 ranks consumer..,
    }
}

/// The header of a frame.
#[derive(Clone, Copy)]
pub struct Header {
    /// Its number, from 0, and the number of all.
    pub frame: u64,
    /// Number of all frames.
    pub frames: u64,
    /// Time steps before the frame.
    pub steps: u64,
    /// Checksum of all elevations.
    pub checksum: u64,
    pub spacing: Spacing,
}

impl Header {
    pub fn to_words(self) -> [u64; 6] {
        let Self { frame, frames, steps, checksum, spacing } = self;
        [frame, frames, steps, checksum, spacing.east.to_bits(), spacing.north.to_bits()]
    }

    pub fn from_words([frame, frames, steps, checksum, east, north]: [u64; 6]) -> Self {
        let spacing = Spacing { east: f64::from_bits(east), north: f64::from_bits(north) };
        Self { frame, frames, steps, checksum, spacing }
    }

    pub fn is_last(&self) -> bool {
        self.frame + 1 == self.frames
    }
}

/// Sums elements, each weighted by its place in the whole array; `values` begins at number `start`.
/// It wraps; sums of an array's parts add up, and misplaced elements change it.
pub fn checksum(start: usize, values: &[f64]) -> u64 {
    let weight = |index: usize| 2 * (start + index) as u64 + 1;
    let weighted =
        values.iter().enumerate().map(|(index, value)| value.to_bits().wrapping_mul(weight(index)));
    weighted.fold(0, u64::wrapping_add)
}
