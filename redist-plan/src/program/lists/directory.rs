//! The directory: the rank of a block of indices joins owners with those who want them.

use super::index_list::ListPiece;
use super::words::{FarPlaces, HeldPart, read_parts, write_part, write_places};
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

/// Most ranks for whose words memory is there before they are written.
const MOST_WITH_ROOM: usize = 64;

/// Returns the words for which there is memory for each rank before they are written: some more than
/// its share of so many single indices. Memory that grows is copied, and begins anew for the system.
pub fn room(singles: usize, ranks: usize) -> usize {
    let share = singles / ranks;
    if ranks <= MOST_WITH_ROOM { share + share / 16 + 1 } else { 0 }
}

/// Writes the parts of a list for the ranks that answer for them. The first word says which side's
/// list it is.
pub fn parts(list: &IndexList, side: Side, extent: usize, ranks: usize) -> Vec<(usize, Vec<u64>)> {
    let block = block(extent, ranks);
    let words = |_| Vec::with_capacity(room(list.singles(), ranks));
    let mut all: Vec<Vec<u64>> = (0..ranks).map(words).collect();
    let mut add = |rank: usize, part: HeldPart| {
        let words = &mut all[rank];
        if words.is_empty() {
            words.push(side as u64);
        }
        write_part(words, part);
    };
    // Numbers of 32 bits are divided in less time.
    let narrow = u32::try_from(extent.max(block)).is_ok().then_some(block as u32);
    let rank_of = |index: usize| match narrow {
        Some(block) => (index as u32 / block) as usize,
        None => index / block,
    };
    for (piece, singles) in list.pieces() {
        let mut single = |index: usize, local: usize| {
            add(rank_of(index), HeldPart { index, local, len: 1 });
        };
        match piece {
            ListPiece::Singles { local, .. } => {
                singles.iter().zip(local..).for_each(|(index, local)| single(*index, local));
            }
            ListPiece::Run(run) if run.step != 1 => {
                run.indices().zip(run.local..).for_each(|(index, local)| single(index, local));
            }
            ListPiece::Run(run) => {
                let (mut index, end) = (run.first, run.first + run.count);
                while index < end {
                    let rank = rank_of(index);
                    let stop = end.min((rank + 1) * block);
                    let local = run.local + (index - run.first);
                    add(rank, HeldPart { index, local, len: stop - index });
                    index = stop;
                }
            }
        }
    }
    all.into_iter().enumerate().filter(|(_, words)| !words.is_empty()).collect()
}

/// Returns the words of one side, by increasing rank.
fn of_side(came: &[(usize, Vec<u64>)], side: Side) -> impl Iterator<Item = (usize, &[u64])> {
    let is_its = move |words: &&[u64]| words.first() == Some(&(side as u64));
    let lists = came.iter().map(|(rank, words)| (*rank, &words[..]));
    lists.filter(move |(_, words)| is_its(words)).map(|(rank, words)| (rank, &words[1..]))
}

/// Reads what ranks hold, by increasing rank, and of a rank in the order of its places.
fn held(came: &[(usize, Vec<u64>)]) -> Vec<Held> {
    let mut all: Vec<Held> = Vec::new();
    for (rank, words) in of_side(came, Side::Source) {
        for HeldPart { index, local, len } in read_parts(words) {
            match all.last_mut() {
                Some(last)
                    if (last.rank, last.end(), last.local + last.len) == (rank, index, local) =>
                {
                    last.len += len;
                }
                _ => all.push(Held { index, rank, local, len }),
            }
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

/// Parts that are found in less time than a table is made. Tests have few parts, and make tables, too.
const FEW: usize = if cfg!(test) { 4 } else { 64 };

impl Owners {
    /// # Errors
    /// An index is held twice, and such elements are not equal.
    fn new(held: Vec<Held>, are_equal: bool) -> Result<Self, ListError> {
        let first = held.iter().map(|held| held.index).min().unwrap_or(0);
        let end = held.iter().map(Held::end).max().unwrap_or(0);
        if held.len() <= FEW {
            return sorted(held, are_equal).map(Owners::Sorted);
        }
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

/// All pairs of ranks with common indices in a block.
#[derive(Default)]
struct RankPairs {
    all: Vec<OfPair>,
    /// The number of each pair.
    numbers: HashMap<[usize; 2], usize>,
    recent: Recent,
}

/// Owners whose pairs with one receiver were found last, with the numbers of these, by the lowest bits of
/// their ranks.
struct Recent([(usize, usize); 64]);

impl Default for Recent {
    fn default() -> Self {
        Self([(usize::MAX, 0); 64])
    }
}

impl RankPairs {
    fn of(&mut self, ranks: [usize; 2]) -> &mut OfPair {
        let recent = &mut self.recent.0[ranks[0] % 64];
        if recent.0 != ranks[0] {
            let number = *self.numbers.entry(ranks).or_insert_with(|| {
                self.all.push(OfPair { ranks, runs: [Vec::new(), Vec::new()] });
                self.all.len() - 1
            });
            *recent = (ranks[0], number);
        }
        &mut self.all[recent.1]
    }
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
    let owners = Owners::new(held(came), are_equal)?;
    let mut pairs = RankPairs::default();
    for (rank, words) in of_side(came, Side::Destination) {
        pairs.recent = Recent::default();
        for want in read_parts(words) {
            let (mut index, end) = (want.index, want.index + want.len);
            while index < end {
                let Some((own, len)) = owners.at(index, end - index) else {
                    return Err(ListError::Nowhere { index, rank });
                };
                let [from, to] = &mut pairs.of([own.rank, rank]).runs;
                let places = |start: usize| FarPlaces { start, step: 1, count: len };
                write_places(from, places(own.local + (index - own.index)));
                write_places(to, places(want.local + (index - want.index)));
                index += len;
            }
        }
    }
    let pairs = &mut pairs.all;
    Ok([Side::Source, Side::Destination].iter().flat_map(|side| told(pairs, *side)).collect())
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
