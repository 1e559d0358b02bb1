//! Lists and places as words that travel between ranks: a single element takes one word, if its
//! numbers are small, others more.

/// Indices that follow each other, and lie together in a local array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldPart {
    /// The first index.
    pub index: usize,
    /// Place of the first one in the local array.
    pub local: usize,
    /// Number of indices.
    pub len: usize,
}

/// Bits of each number of a single element in one word; the lowest bits tell what a word begins.
const BITS: u32 = 31;
/// A single element in one word.
const SINGLE: u64 = 0;
/// Before the three numbers of a part.
const PART: u64 = 1;

/// Writes a part of a list.
pub fn write_part(words: &mut Vec<u64>, HeldPart { index, local, len }: HeldPart) {
    if len == 1 && (index | local) >> BITS == 0 {
        words.push((local as u64) << (BITS + 2) | (index as u64) << 2 | SINGLE);
        return;
    }
    words.extend([PART, index as u64, local as u64, len as u64]);
}

/// Reads the parts of a list; stops where it is cut short.
pub fn read_parts(mut words: &[u64]) -> impl Iterator<Item = HeldPart> {
    core::iter::from_fn(move || match words {
        [word, rest @ ..] if word & 3 == SINGLE => {
            words = rest;
            let (index, local) = (word << BITS >> (BITS + 2), word >> (BITS + 2));
            Some(HeldPart { index: index as usize, local: local as usize, len: 1 })
        }
        [_, index, local, len, rest @ ..] => {
            words = rest;
            Some(HeldPart { index: *index as usize, local: *local as usize, len: *len as usize })
        }
        _ => None,
    })
}

/// Places at equal distances in a local array. All numbers are in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FarPlaces {
    /// The first place.
    pub start: usize,
    /// Distance from one place to the next.
    pub step: isize,
    /// Number of places.
    pub count: usize,
}

impl FarPlaces {
    /// Returns the places.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let Self { start, step, count } = *self;
        (0..count).map(move |number| start.wrapping_add_signed(step * number as isize))
    }
}

/// The bit of a number of places whose distance follows it; without it, they are neighbours.
const APART: u64 = 1 << 63;

/// Writes places: the first one twice, plus 1 if their number follows.
#[inline]
pub fn write_places(words: &mut Vec<u64>, FarPlaces { start, step, count }: FarPlaces) {
    let first = 2 * start as u64;
    match (count, step) {
        (1, _) => words.push(first),
        (_, 1) => words.extend([first + 1, count as u64]),
        _ => words.extend([first + 1, count as u64 | APART, step as u64]),
    }
}

/// Reads places; stops where they are cut short.
pub fn read_places(mut words: &[u64]) -> impl Iterator<Item = FarPlaces> {
    core::iter::from_fn(move || {
        let [word, rest @ ..] = words else { return None };
        let start = (word / 2) as usize;
        let (step, count, rest) = match rest {
            _ if word % 2 == 0 => (1, 1, rest),
            [count, rest @ ..] if count & APART == 0 => (1, *count as usize, rest),
            [count, step, rest @ ..] => (*step as isize, (count & !APART) as usize, rest),
            _ => return None,
        };
        words = rest;
        Some(FarPlaces { start, step, count })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_written() {
        let most = (1 << BITS) - 1;
        let numbers = [0, 1, most, most + 1, (1 << 62) - 1];
        let mut parts = Vec::new();
        for index in numbers {
            for local in numbers {
                parts.extend([1, 2, most].map(|len| HeldPart { index, local, len }));
            }
        }
        let mut words = Vec::new();
        parts.iter().for_each(|part| write_part(&mut words, *part));
        assert!(read_parts(&words).eq(parts));
        let mut one = Vec::new();
        write_part(&mut one, HeldPart { index: most, local: most, len: 1 });
        assert_eq!(one.len(), 1);
        assert_eq!(read_parts(&[PART, 3, 4]).next(), None, "cut short");
    }

    #[test]
    fn places_are_read_as_they_were_written() {
        let most = (1 << 62) - 1;
        let mut all = Vec::new();
        for start in [0, 5, most] {
            for count in [1, 2, most] {
                all.extend([1, 0, -3, 7].map(|step| FarPlaces { start, step, count }));
            }
        }
        // A single place has no distance.
        all.retain(|places| places.count > 1 || places.step == 1);
        let mut words = Vec::new();
        all.iter().for_each(|places| write_places(&mut words, *places));
        assert!(read_places(&words).eq(all));
        let apart = FarPlaces { start: 9, step: -2, count: 4 };
        assert!(apart.iter().eq([9, 7, 5, 3]));
        for cut in [&[3][..], &[3, APART | 4]] {
            assert_eq!(read_places(cut).next(), None, "cut short");
        }
    }
}
