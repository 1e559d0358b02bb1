//! Words from any ranks to any others, over a logarithm of neighbours.

use core::mem;

/// The ranks that a rank exchanges words with.
pub trait Neighbours {
    /// Why an exchange fails.
    type Error;

    /// Returns this rank.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn ranks(&self) -> usize;

    /// Sends words to a rank, if there is one, and returns those that each of `from` sends to this
    /// one. All ranks call equally often.
    ///
    /// # Errors
    /// The words of another rank do not come.
    fn exchange(
        &mut self,
        to: Option<usize>,
        words: Vec<u64>,
        from: &[usize],
    ) -> Result<Vec<Vec<u64>>, Self::Error>;
}

/// Words before those of a rank to another: both ranks, and their number.
const HEAD: usize = 3;

/// Brings the words for each rank there, and returns those for this one, by increasing sender. All
/// ranks call. In each step a range of ranks is cut in half, and a rank of either half hands its
/// mirror all that it has for the other half.
///
/// # Errors
/// An exchange fails.
pub fn route<N: Neighbours>(
    neighbours: &mut N,
    words: Vec<(usize, Vec<u64>)>,
) -> Result<Vec<(usize, Vec<u64>)>, N::Error> {
    let (own, (mut begin, mut count)) = (neighbours.rank(), (0, neighbours.ranks()));
    let mut held: Vec<(usize, usize, Vec<u64>)> =
        words.into_iter().map(|(to, words)| (to, own, words)).collect();
    for _ in 0..steps(neighbours.ranks()) {
        if count == 1 {
            // Other ranges are still longer.
            neighbours.exchange(None, Vec::new(), &[])?;
            continue;
        }
        let lower = count.div_ceil(2);
        let middle = begin + lower;
        let is_low = own < middle;
        let (mut to, mut from) = (begin + (begin + count - 1 - own), Vec::new());
        if to == own {
            // Of an odd number, the last of the lower half has no mirror.
            to = middle;
        } else {
            from.push(to);
        }
        if !count.is_multiple_of(2) && own == middle {
            from.push(middle - 1);
        }
        let (away, stay) =
            mem::take(&mut held).into_iter().partition(|(to, ..)| (*to < middle) != is_low);
        held = stay;
        for arrived in neighbours.exchange(Some(to), written(away), &from)? {
            held.extend(read(&arrived));
        }
        (begin, count) = if is_low { (begin, lower) } else { (middle, count - lower) };
    }
    let mut arrived: Vec<(usize, Vec<u64>)> =
        held.into_iter().map(|(_, from, words)| (from, words)).collect();
    arrived.sort_by_key(|(from, _)| *from);
    Ok(arrived)
}

/// Returns the steps of each way of words through so many ranks.
pub fn steps(ranks: usize) -> usize {
    ranks.next_power_of_two().trailing_zeros() as usize
}

fn written(held: Vec<(usize, usize, Vec<u64>)>) -> Vec<u64> {
    let len = held.iter().map(|(.., words)| HEAD + words.len()).sum();
    let mut all = Vec::with_capacity(len);
    for (to, from, words) in held {
        all.extend([to, from, words.len()].map(|number| number as u64));
        all.extend(words);
    }
    all
}

/// Reads what a rank of the same program has written; stops where it is cut short.
fn read(mut all: &[u64]) -> Vec<(usize, usize, Vec<u64>)> {
    let mut held = Vec::new();
    while let [to, from, len, rest @ ..] = all {
        let (words, behind) = rest.split_at((*len as usize).min(rest.len()));
        held.push((*to as usize, *from as usize, words.to_vec()));
        all = behind;
    }
    held
}
