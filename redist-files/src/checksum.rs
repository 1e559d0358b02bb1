//! Checksums of arrays, independent of the order in which elements are read.

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
        let mut place = at.div_ceil(8);
        let mut sum = self.0;
        for word in words {
            sum = sum.wrapping_add(product(u64::from_le_bytes(*word), place));
            place = place.wrapping_add(1);
        }
        self.0 = sum;
        if !tail.is_empty() {
            self.add_word(partial(tail), place);
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

/// Multiplies a word with its place's number, which is odd and without a pattern.
#[inline]
fn product(word: u64, place: u64) -> u128 {
    let mixed = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let factor = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) | 1;
    u128::from(word) * u128::from(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_any_order_have_one_sum() {
        let mut random = fastrand::Rng::with_seed(7);
        for width in [1, 2, 3, 4, 5, 8, 12, 16] {
            let bytes: Vec<u8> = (0..60 * width).map(|_| random.u8(..)).collect();
            let mut whole = Checksum::default();
            whole.add(&bytes, width, (0, 1));
            // Dealt to three ranks one by one, and by columns of 12 rows of 5.
            for stride in [3, 5] {
                let mut parts = Checksum::default();
                for first in (0..stride).rev() {
                    let elements = (first..60).step_by(stride);
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
