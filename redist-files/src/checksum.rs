//! Checksums of arrays, independent of the order in which elements are read.

use redist_runtime::exec::Weights;

/// The sum, modulo 2^128, of all words of 8 bytes by global index, each times a number of its
/// place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum(u128);

impl Checksum {
    /// Adds adjacent elements of `width` bytes; in the array, the first is element `element`, and
    /// all further elements follow `stride` elements apart.
    #[inline]
    pub fn add(&mut self, bytes: &[u8], width: usize, (element, stride): (usize, usize)) {
        let place = |number: usize| (element + number * stride) as u64 * width as u64;
        if stride == 1 {
            return self.add_bytes(bytes, place(0));
        }
        match width {
            8 if stride.is_multiple_of(BLOCK_WORDS) => {
                // All have the same place within their blocks.
                let words = bytes.as_chunks::<8>().0.iter().zip(0..);
                let block = |number| block_factor(place(number) / 8 / BLOCK_WORDS as u64);
                let products = words.map(|(word, number)| {
                    u128::from(u64::from_le_bytes(*word)) * u128::from(block(number))
                });
                let sum = products.fold(0, u128::wrapping_add);
                let within = FACTORS[element % BLOCK_WORDS];
                self.0 = self.0.wrapping_add(sum.wrapping_mul(u128::from(within)));
            }
            8 => {
                let words = bytes.as_chunks::<8>().0.iter().zip(0..);
                words.for_each(|(word, number)| {
                    self.add_word(u64::from_le_bytes(*word), place(number) / 8);
                });
            }
            4 => {
                let halves = bytes.as_chunks::<4>().0.iter().zip(0..);
                halves.for_each(|(half, number)| {
                    let (half, at) = (u64::from(u32::from_le_bytes(*half)), place(number));
                    self.add_word(half << (at % 8 * 8), at / 8);
                });
            }
            _ => {
                let elements = bytes.chunks_exact(width).zip(0..);
                elements.for_each(|(element, number)| self.add_bytes(element, place(number)));
            }
        }
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    pub fn parse(words: &str) -> Option<Self> {
        u128::from_str_radix(words, 16).ok().map(Self)
    }

    pub fn in_words(self) -> String {
        format!("{:032x}", self.0)
    }

    #[inline]
    fn add_bytes(&mut self, bytes: &[u8], at: u64) {
        let before = (at % 8) as usize;
        let (head, rest) =
            bytes.split_at(if before == 0 { 0 } else { bytes.len().min(8 - before) });
        if !head.is_empty() {
            self.add_word(partial(head) << (8 * before), at / 8);
        }
        let (words, tail) = rest.as_chunks::<8>();
        let place = at.div_ceil(8);
        let sum = Weights { within: &FACTORS, of_block: block_factor }.sum(words, place);
        self.0 = self.0.wrapping_add(sum);
        if !tail.is_empty() {
            self.add_word(partial(tail), place.wrapping_add(words.len() as u64));
        }
    }

    #[inline]
    fn add_word(&mut self, word: u64, place: u64) {
        self.0 = self.0.wrapping_add(product(word, place));
    }
}

fn partial(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Words that share a factor of their block.
const BLOCK_WORDS: usize = 64;

/// Factors of places within a block, odd and below 2^16, without a pattern.
static FACTORS: [u64; BLOCK_WORDS] = {
    let mut factors = [0; BLOCK_WORDS];
    let mut number = 0;
    while number < BLOCK_WORDS {
        factors[number] = mixed(u64::MAX - number as u64) >> 48 | 1;
        number += 1;
    }
    factors
};

/// Returns the factor of a block, odd and below 2^48, without a pattern.
#[inline]
fn block_factor(block: u64) -> u64 {
    mixed(block) >> 16 | 1
}

#[inline]
const fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Multiplies a word with its place's number, which is odd.
#[inline]
fn product(word: u64, place: u64) -> u128 {
    let within = FACTORS[(place % BLOCK_WORDS as u64) as usize];
    let block = block_factor(place / BLOCK_WORDS as u64);
    u128::from(word) * u128::from(within * block)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than two blocks of words, and no multiple of one.
    const ELEMENTS: usize = 1020;

    #[test]
    fn pieces_in_any_order_have_one_sum() {
        let mut random = fastrand::Rng::with_seed(7);
        for width in [1, 2, 3, 4, 5, 8, 12, 16] {
            let bytes: Vec<u8> = (0..ELEMENTS * width).map(|_| random.u8(..)).collect();
            let mut whole = Checksum::default();
            whole.add(&bytes, width, (0, 1));
            // Dealt to three ranks one by one, and by columns of 12 rows of 5.
            for stride in [3, 5, 64, 128] {
                let mut parts = Checksum::default();
                for first in (0..stride).rev() {
                    let elements = (first..ELEMENTS).step_by(stride);
                    let part: Vec<u8> = elements
                        .flat_map(|element| &bytes[element * width..][..width])
                        .copied()
                        .collect();
                    let mut sum = Checksum::default();
                    sum.add(&part, width, (first, stride));
                    parts = parts.and(sum);
                }
                assert_eq!(parts, whole, "{width} {stride}");
            }
            let mut cut = Checksum::default();
            cut.add(&bytes[7 * width..], width, (7, 1));
            cut.add(&bytes[..7 * width], width, (0, 1));
            assert_eq!(cut, whole, "{width}");
        }
    }

    #[test]
    fn factors_within_a_block_are_different() {
        let mut factors = FACTORS.to_vec();
        factors.sort_unstable();
        factors.dedup();
        assert_eq!(factors.len(), BLOCK_WORDS);
        assert!(factors.iter().all(|factor| factor % 2 == 1 && *factor < 1 << 16));
        assert_eq!(
            product(3, 64 * 7 + 5),
            3 * u128::from(FACTORS[5]) * u128::from(block_factor(7))
        );
    }

    /// The largest words, and drawn ones, one by one.
    #[test]
    fn blocks_have_the_sum_of_their_words() {
        let mut random = fastrand::Rng::with_seed(11);
        for len in 0..300 {
            let place = random.usize(..1000);
            let words: Vec<u64> =
                (0..len).map(|_| if random.bool() { u64::MAX } else { random.u64(..) }).collect();
            let products = words.iter().zip(place as u64..).map(|(word, at)| product(*word, at));
            let expected = products.fold(0, u128::wrapping_add);
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut sum = Checksum::default();
            sum.add(&bytes, 8, (place, 1));
            assert_eq!(sum, Checksum(expected), "{len} words from {place} on");
        }
    }

    #[test]
    fn elements_that_change_places_change_the_sum() {
        let sum = |numbers: &[f64]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            let mut sum = Checksum::default();
            sum.add(&bytes, 8, (0, 1));
            sum
        };
        let mut numbers: Vec<f64> = (0..256).map(f64::from).collect();
        let right = sum(&numbers);
        for other in 1..256 {
            numbers.swap(0, other);
            assert_ne!(sum(&numbers), right, "{other}");
            numbers.swap(0, other);
        }
        numbers[100] = -numbers[100];
        assert_ne!(sum(&numbers), right);
    }
}
