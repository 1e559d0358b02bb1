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

    /// Sends words to a rank, and returns the so many words that another sends to this one. All ranks
    /// call equally often.
    ///
    /// # Errors
    /// The words of the other rank do not come.
    fn told(
        &mut self,
        to: usize,
        words: &[u64],
        from: (usize, usize),
    ) -> Result<Vec<u64>, Self::Error>;
}

/// Words before those of a rank to another: both ranks, and their number.
const HEAD: usize = 3;

/// One step of a rank: the half of its range that it stays in, and the ranks of the other half.
struct HalfStep {
    /// The rank that gets what is for the other half.
    to: usize,
    /// The ranks of the other half that send to this one.
    from: Vec<usize>,
    /// The first rank of the upper half.
    middle: usize,
}

/// Returns the cuts of a rank's range, from that of all ranks to that of itself alone.
fn cuts(own: usize, ranks: usize) -> Vec<HalfStep> {
    let (mut begin, mut count) = (0, ranks);
    let mut all = Vec::new();
    while count > 1 {
        let lower = count.div_ceil(2);
        let middle = begin + lower;
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
        all.push(HalfStep { to, from, middle });
        (begin, count) = if own < middle { (begin, lower) } else { (middle, count - lower) };
    }
    all
}

/// Returns the ranks that a rank sends words to while they are [routed](route), and those that send
/// some to it; increasing. A rank meets at most two in each of log₂ P steps.
pub fn met(own: usize, ranks: usize) -> [Vec<usize>; 2] {
    let cuts = cuts(own, ranks);
    let to = cuts.iter().map(|cut| cut.to).collect();
    let from = cuts.iter().flat_map(|cut| cut.from.iter().copied()).collect();
    [to, from].map(|mut ranks: Vec<usize>| {
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    })
}

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
    let own = neighbours.rank();
    let cuts = cuts(own, neighbours.ranks());
    let mut held: Vec<(usize, usize, Vec<u64>)> =
        words.into_iter().map(|(to, words)| (to, own, words)).collect();
    for HalfStep { to, from, middle } in &cuts {
        let is_away = |rank: usize| (rank < *middle) != (own < *middle);
        let (away, stay) = mem::take(&mut held).into_iter().partition(|(to, ..)| is_away(*to));
        held = stay;
        for arrived in neighbours.exchange(Some(*to), written(away), from)? {
            held.extend(read(arrived));
        }
    }
    for _ in cuts.len()..steps(neighbours.ranks()) {
        // Ranges of other ranks are still longer.
        neighbours.exchange(None, Vec::new(), &[])?;
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
fn read(mut all: Vec<u64>) -> Vec<(usize, usize, Vec<u64>)> {
    if let [to, from, len, rest @ ..] = &all[..]
        && rest.len() == *len as usize
    {
        // They are for one rank: most, in the last step.
        let (to, from) = (*to as usize, *from as usize);
        all.drain(..HEAD);
        return vec![(to, from, all)];
    }
    let (mut held, mut all) = (Vec::new(), &all[..]);
    while let [to, from, len, rest @ ..] = all {
        let (words, behind) = rest.split_at((*len as usize).min(rest.len()));
        held.push((*to as usize, *from as usize, words.to_vec()));
        all = behind;
    }
    held
}
