//! The directory: the rank of a block of indices joins owners with those who want them.

use super::{IndexList, ListError};
use crate::plan::Side;

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

/// Elements that lie together in both local arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Joined {
    /// The rank that sends them, and the one that receives them.
    ranks: [usize; 2],
    /// Places of the first one in the local arrays of both.
    local: [usize; 2],
    /// Number of elements.
    len: usize,
}

/// Indices in the block of a rank of the directory.
pub fn block(extent: usize, ranks: usize) -> usize {
    extent.div_ceil(ranks.max(1)).max(1)
}

/// Writes the parts of a list for the ranks that answer for them: first index, place, number.
pub fn parts(list: &IndexList, side: Side, extent: usize, ranks: usize) -> Vec<(usize, Vec<u64>)> {
    let block = block(extent, ranks);
    let mut all: Vec<Vec<u64>> = vec![Vec::new(); ranks];
    let mut add = |index: usize, local: usize, len: usize| {
        all[index / block].extend([index, local, len].map(|number| number as u64));
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
    let all = all.into_iter().enumerate().filter(|(_, words)| !words.is_empty());
    // The last word says which side's list it is.
    all.map(|(rank, words)| (rank, [words, vec![side as u64]].concat())).collect()
}

/// Joins the parts that came to a rank of the directory, and returns what both ends of each message
/// have to know: the word of the side, and for each peer its rank, the number of its runs, and the
/// place and the length of each.
///
/// # Errors
/// An index is in two source lists, and not declared equal; or in a destination list alone.
pub fn join(
    came: &[(usize, Vec<u64>)],
    are_equal: bool,
) -> Result<Vec<(usize, Vec<u64>)>, ListError> {
    let held = |side: Side| {
        let of_side = came.iter().filter(move |(_, words)| words.last() == Some(&(side as u64)));
        let mut held: Vec<Held> = of_side
            .flat_map(|(rank, words)| {
                words.chunks_exact(3).map(|run| {
                    let [index, local, len] = [run[0], run[1], run[2]].map(|word| word as usize);
                    Held { index, rank: *rank, local, len }
                })
            })
            .collect();
        held.sort_unstable();
        held
    };
    let sources = once_each(held(Side::Source), are_equal)?;
    let mut joined = meet(&sources, &held(Side::Destination))?;
    Ok([Side::Source, Side::Destination]
        .into_iter()
        .flat_map(|side| told(&mut joined, side))
        .collect())
}

/// Leaves each index to the first rank that has it.
fn once_each(sources: Vec<Held>, are_equal: bool) -> Result<Vec<Held>, ListError> {
    let mut kept: Vec<Held> = Vec::with_capacity(sources.len());
    for held in sources {
        let (end, owner) = kept.last().map_or((0, 0), |last| (last.index + last.len, last.rank));
        let twice = end.saturating_sub(held.index);
        if twice > 0 && !are_equal {
            let ranks = [owner, held.rank];
            return Err(ListError::Twice { index: held.index, ranks });
        }
        if twice < held.len {
            let (index, local) = (held.index + twice, held.local + twice);
            kept.push(Held { index, local, len: held.len - twice, ..held });
        }
    }
    Ok(kept)
}

/// Finds the owner of each index that is wanted, in the order of the indices.
fn meet(sources: &[Held], wants: &[Held]) -> Result<Vec<Joined>, ListError> {
    let (mut first, mut joined) = (0, Vec::with_capacity(wants.len()));
    for want in wants {
        while sources.get(first).is_some_and(|held| held.index + held.len <= want.index) {
            first += 1;
        }
        let (mut index, end, mut at) = (want.index, want.index + want.len, first);
        while index < end {
            let Some(held) = sources.get(at).filter(|held| held.index <= index) else {
                return Err(ListError::Nowhere { index, rank: want.rank });
            };
            let stop = end.min(held.index + held.len);
            joined.push(Joined {
                ranks: [held.rank, want.rank],
                local: [held.local + (index - held.index), want.local + (index - want.index)],
                len: stop - index,
            });
            (index, at) = (stop, at + 1);
        }
    }
    Ok(joined)
}

/// Writes what the ranks of one side have to know. Runs of a pair of ranks stay in their order.
fn told(joined: &mut [Joined], side: Side) -> Vec<(usize, Vec<u64>)> {
    let (own, other) = (side as usize, side.other() as usize);
    joined.sort_by_key(|runs| (runs.ranks[own], runs.ranks[other]));
    joined
        .chunk_by(|one, next| one.ranks[own] == next.ranks[own])
        .map(|of_rank| {
            let mut words = vec![side as u64];
            for of_peer in of_rank.chunk_by(|one, next| one.ranks[other] == next.ranks[other]) {
                words.extend([of_peer[0].ranks[other] as u64, of_peer.len() as u64]);
                words
                    .extend(of_peer.iter().flat_map(|run| [run.local[own] as u64, run.len as u64]));
            }
            (of_rank[0].ranks[own], words)
        })
        .collect()
}
