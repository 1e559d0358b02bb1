//! The directory: the rank of a block of indices joins owners with those who want them.

use super::words::{read_runs, write_run};
use super::{IndexList, ListError};
use crate::plan::Side;
use std::collections::HashMap;

/// Indices that follow each other, on one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    /// The first index.
    index: usize,
    /// The rank that has them.
    rank: usize,
    /// Place of the first one in its local array.
    local: usize,
    /// Number of indices.
    len: usize,
}

impl Held {
    /// Returns one past the last index.
    const fn end(&self) -> usize {
        self.index + self.len
    }
}

/// Indices in the block of a rank of the directory.
pub fn block(extent: usize, ranks: usize) -> usize {
    extent.div_ceil(ranks.max(1)).max(1)
}

/// Writes the parts of a list for the ranks that answer for them. The first word says which side's
/// list it is.
pub fn parts(list: &IndexList, side: Side, extent: usize, ranks: usize) -> Vec<(usize, Vec<u64>)> {
    let block = block(extent, ranks);
    let mut all: Vec<Vec<u64>> = vec![Vec::new(); ranks];
    let mut add = |index: usize, local: usize, len: usize| {
        let words = &mut all[index / block];
        if words.is_empty() {
            words.push(side as u64);
        }
        words.push(index as u64);
        write_run(words, local, len);
    };
    for run in list.runs() {
        if run.step != 1 {
            run.indices().zip(run.local..).for_each(|(index, local)| add(index, local, 1));
            continue;
        }
        let (mut index, end) = (run.first, run.first + run.count);
        while index < end {
            let stop = end.min((index / block + 1) * block);
            add(index, run.local + (index - run.first), stop - index);
            index = stop;
        }
    }
    all.into_iter().enumerate().filter(|(_, words)| !words.is_empty()).collect()
}

/// Reads the parts of one side, by increasing rank, and of a rank in the order of its places.
fn held(came: &[(usize, Vec<u64>)], side: Side) -> Vec<Held> {
    let of_side = came.iter().filter(|(_, words)| words.first() == Some(&(side as u64)));
    let mut all = Vec::new();
    for (rank, words) in of_side {
        let mut rest = &words[1..];
        while let [index, run @ ..] = rest {
            let Some((local, len, behind)) = read_runs(run) else { break };
            all.push(Held { index: *index as usize, rank: *rank, local, len });
            rest = behind;
        }
    }
    all
}

/// The owner of each index of a block, once.
enum Owners {
    /// For each index from the first on, the number of what holds it; [`NOBODY`] if nothing does.
    Table { first: usize, numbers: Vec<u32>, held: Vec<Held> },
    /// By increasing index, none twice.
    Sorted(Vec<Held>),
}

/// Stands in a table for no owner.
const NOBODY: u32 = u32::MAX;

/// Indices of a table for each that is held: a table of more would take more memory than what is held.
const SPARSE: usize = 8;

impl Owners {
    /// # Errors
    /// An index is held twice, and such elements are not equal.
    fn new(held: Vec<Held>, are_equal: bool) -> Result<Self, ListError> {
        let first = held.iter().map(|held| held.index).min().unwrap_or(0);
        let end = held.iter().map(Held::end).max().unwrap_or(0);
        let most: usize = held.iter().map(|held| held.len).fold(0, usize::saturating_add);
        if (end - first) / SPARSE > most || held.len() >= NOBODY as usize {
            return sorted(held, are_equal).map(Owners::Sorted);
        }
        let mut numbers = vec![NOBODY; end - first];
        for (number, own) in (0..).zip(&held) {
            let places = &mut numbers[own.index - first..own.end() - first];
            for (index, place) in (own.index..).zip(places) {
                match *place {
                    NOBODY => *place = number,
                    _ if are_equal => {}
                    other => {
                        let ranks = [held[other as usize].rank, own.rank];
                        return Err(ListError::Twice { index, ranks });
                    }
                }
            }
        }
        Ok(Owners::Table { first, numbers, held })
    }

    /// Returns what holds an index, and how many indices from this one on, at most `len`.
    fn at(&self, index: usize, len: usize) -> Option<(&Held, usize)> {
        match self {
            Owners::Table { first, numbers, held } => {
                let numbers = numbers.get(index.checked_sub(*first)?..)?;
                let number = *numbers.first().filter(|number| **number != NOBODY)?;
                let own = &held[number as usize];
                let most = len.min(own.end() - index);
                // Others may have some of these, if elements are equal.
                let len = numbers[..most].iter().take_while(|other| **other == number).count();
                Some((own, len))
            }
            Owners::Sorted(held) => {
                let number = held.partition_point(|held| held.end() <= index);
                let own = held.get(number).filter(|held| held.index <= index)?;
                Some((own, len.min(own.end() - index)))
            }
        }
    }
}

/// Leaves each index to the first rank that has it, by increasing index.
fn sorted(mut held: Vec<Held>, are_equal: bool) -> Result<Vec<Held>, ListError> {
    held.sort_unstable();
    let mut kept: Vec<Held> = Vec::with_capacity(held.len());
    for own in held {
        let (end, owner) = kept.last().map_or((0, 0), |last| (last.end(), last.rank));
        let twice = end.saturating_sub(own.index);
        if twice > 0 && !are_equal {
            return Err(ListError::Twice { index: own.index, ranks: [owner, own.rank] });
        }
        if twice < own.len {
            let (index, local) = (own.index + twice, own.local + twice);
            kept.push(Held { index, local, len: own.len - twice, ..own });
        }
    }
    Ok(kept)
}

/// The runs of a pair of ranks, in the order of the receiver's places, for each of both.
struct OfPair {
    /// The rank that sends, and the one that receives.
    ranks: [usize; 2],
    /// Words of the runs in the local array of each.
    runs: [Vec<u64>; 2],
}

/// Joins the parts that came to a rank of the directory, and returns what both ends of each message
/// have to know. The first word is the side. Then come, for each peer, its rank, the number of words
/// of its runs, and these.
///
/// # Errors
/// An index is in two source lists, and not declared equal; or in a destination list alone.
pub fn join(
    came: &[(usize, Vec<u64>)],
    are_equal: bool,
) -> Result<Vec<(usize, Vec<u64>)>, ListError> {
    let owners = Owners::new(held(came, Side::Source), are_equal)?;
    let (mut pairs, mut numbers) = (Vec::<OfPair>::new(), HashMap::new());
    let mut last = None;
    for want in held(came, Side::Destination) {
        let (mut index, end) = (want.index, want.end());
        while index < end {
            let Some((own, len)) = owners.at(index, end - index) else {
                return Err(ListError::Nowhere { index, rank: want.rank });
            };
            let ranks = [own.rank, want.rank];
            let number = match last {
                Some((of, number)) if of == ranks => number,
                _ => *numbers.entry(ranks).or_insert_with(|| {
                    pairs.push(OfPair { ranks, runs: [Vec::new(), Vec::new()] });
                    pairs.len() - 1
                }),
            };
            last = Some((ranks, number));
            let [from, to] = &mut pairs[number].runs;
            write_run(from, own.local + (index - own.index), len);
            write_run(to, want.local + (index - want.index), len);
            index += len;
        }
    }
    Ok([Side::Source, Side::Destination].iter().flat_map(|side| told(&mut pairs, *side)).collect())
}

/// Writes what the ranks of one side have to know.
fn told(pairs: &mut [OfPair], side: Side) -> Vec<(usize, Vec<u64>)> {
    let (own, other) = (side as usize, side.other() as usize);
    pairs.sort_unstable_by_key(|pair| (pair.ranks[own], pair.ranks[other]));
    pairs
        .chunk_by(|one, next| one.ranks[own] == next.ranks[own])
        .map(|of_rank| {
            let mut words = vec![side as u64];
            for pair in of_rank {
                words.extend([pair.ranks[other] as u64, pair.runs[own].len() as u64]);
                words.extend(&pair.runs[own]);
            }
            (of_rank[0].ranks[own], words)
        })
        .collect()
}
