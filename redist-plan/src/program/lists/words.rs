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

/// Writes a place twice, plus 1 if its length follows.
pub fn write_run(words: &mut Vec<u64>, place: usize, len: usize) {
    let is_long = u64::from(len != 1);
    words.push(2 * place as u64 + is_long);
    if is_long == 1 {
        words.push(len as u64);
    }
}

/// Reads places and lengths; stops where they are cut short.
pub fn read_runs(mut words: &[u64]) -> impl Iterator<Item = (usize, usize)> {
    core::iter::from_fn(move || match words {
        [word, rest @ ..] if word % 2 == 0 => {
            words = rest;
            Some(((word / 2) as usize, 1))
        }
        [word, len, rest @ ..] => {
            words = rest;
            Some(((word / 2) as usize, *len as usize))
        }
        _ => None,
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
}
