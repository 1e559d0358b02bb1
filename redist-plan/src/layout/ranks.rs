//! Ranks of the communicator that form a grid.

use super::{LayoutError, MAX_RANKS};
use crate::interned::interned;
use core::fmt;

/// The ranks of the communicator that form a process grid, in the order of its cells.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::{Descriptor, Dist, Ranks};
/// use redist::Layout;
/// let layout = Layout::new([Dist::Block], [3]).ranks(Ranks::Map(&[3, 1, 4]));
/// assert_eq!(layout.to_string(), "block onto 3 ranks [3, 1, 4]");
/// assert_eq!(Descriptor::new([9], layout)?.owner([8]), 4);
/// # Ok::<(), redist::layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ranks {
    /// `ranks a..`: consecutive ranks, from this one on.
    From(usize),
    /// `ranks [r0, r1, …]`: one rank for each cell of the grid, all different (BLACS `gridmap`).
    Map(&'static [usize]),
}

impl Ranks {
    /// Makes a map of ranks known at run time; the list is kept as by
    /// [`Dist::gen_block`](super::Dist::gen_block).
    pub fn map(ranks: &[usize]) -> Self {
        Ranks::Map(interned(ranks))
    }

    /// Returns these ranks, counted from rank `others` on.
    #[doc(hidden)]
    pub fn behind(self, others: usize) -> Self {
        match self {
            Ranks::From(first) => Ranks::From(first.saturating_add(others)),
            Ranks::Map(list) => {
                let moved: Vec<_> = list.iter().map(|rank| rank.saturating_add(others)).collect();
                Ranks::map(&moved)
            }
        }
    }

    pub(super) const fn simplified(self) -> Self {
        let Ranks::Map(list) = self else { return self };
        let Some((first, _)) = list.split_first() else { return self };
        let mut number = 0;
        while number < list.len() {
            if list[number] != first.saturating_add(number) {
                return self;
            }
            number += 1;
        }
        Ranks::From(*first)
    }

    #[doc(hidden)]
    pub const fn nth(self, number: usize) -> usize {
        match self {
            Ranks::From(first) => first + number,
            Ranks::Map(list) => list[number],
        }
    }

    pub(super) const fn number_of(self, rank: usize, cells: usize) -> Option<usize> {
        match self {
            Ranks::From(first) if rank >= first && rank - first < cells => Some(rank - first),
            Ranks::From(_) => None,
            Ranks::Map(list) => position(list, rank),
        }
    }

    /// Returns one past the highest rank of a grid of `cells`.
    ///
    /// # Errors
    /// The list has another length, or a rank twice, or a rank that MPI cannot number.
    #[doc(hidden)]
    pub const fn end(self, cells: usize) -> Result<usize, LayoutError> {
        match self {
            Ranks::From(base) if base.saturating_add(cells) > MAX_RANKS => {
                Err(LayoutError::TooManyRanks { base })
            }
            Ranks::From(first) => Ok(first + cells),
            Ranks::Map(list) => end_of_map(list, cells),
        }
    }
}

impl Default for Ranks {
    fn default() -> Self {
        Ranks::From(0)
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ranks::From(first) => write!(f, "{first}.."),
            Ranks::Map(list) => write!(f, "{list:?}"),
        }
    }
}

const fn position(list: &[usize], rank: usize) -> Option<usize> {
    let mut number = 0;
    while number < list.len() {
        if list[number] == rank {
            return Some(number);
        }
        number += 1;
    }
    None
}

/// Returns one past the highest rank of a list that is not kept yet: see [`Ranks::end`].
pub(super) const fn end_of_map(list: &[usize], cells: usize) -> Result<usize, LayoutError> {
    if list.len() != cells {
        return Err(LayoutError::WrongNumberOfRanks { listed: list.len(), cells });
    }
    let (mut end, mut place) = (0, 0);
    while place < list.len() {
        let rank = list[place];
        if rank >= MAX_RANKS {
            return Err(LayoutError::RankTooHigh { rank, place });
        }
        end = if rank >= end { rank + 1 } else { end };
        place += 1;
    }
    match repeated(list, end) {
        Some((first, second)) => Err(LayoutError::RankTwice { rank: list[first], first, second }),
        None => Ok(end),
    }
}

/// Ranks that one pass over a list marks.
const WINDOW: usize = 4096;

/// Returns the places of a rank that a list has twice; all ranks are below `end`. Marks ranks in
/// bits, window by window, because constants cannot allocate.
const fn repeated(list: &[usize], end: usize) -> Option<(usize, usize)> {
    let mut window = 0;
    while window < end {
        let (mut seen, mut next, mut place) = ([0u64; WINDOW / 64], end, 0);
        while place < list.len() {
            let rank = list[place];
            if rank >= window && rank - window < WINDOW {
                let (word, bit) = ((rank - window) / 64, 1 << ((rank - window) % 64));
                if seen[word] & bit != 0 {
                    return match position(list, rank) {
                        Some(first) => Some((first, place)),
                        None => None,
                    };
                }
                seen[word] |= bit;
            } else if rank > window && rank < next {
                // The first rank after this window.
                next = rank;
            }
            place += 1;
        }
        window = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_come_before() {
        assert_eq!(Ranks::From(2).behind(3), Ranks::From(5));
        assert_eq!(Ranks::Map(&[3, 0]).behind(4), Ranks::Map(&[7, 4]));
    }

    #[test]
    fn consecutive_ranks_are_a_range() {
        assert_eq!(Ranks::Map(&[4, 5, 6]).simplified(), Ranks::From(4));
        assert_eq!(Ranks::Map(&[7]).simplified(), Ranks::From(7));
        for map in [Ranks::Map(&[4, 6, 5]), Ranks::Map(&[]), Ranks::Map(&[usize::MAX, 0])] {
            assert_eq!(map.simplified(), map);
        }
    }

    #[test]
    fn both_places_of_a_rank_are_named() {
        let twice = |rank, first, second| Err(LayoutError::RankTwice { rank, first, second });
        assert_eq!(Ranks::Map(&[3, 1, 4, 1, 5]).end(5), twice(1, 1, 3));
        assert_eq!(Ranks::Map(&[9000, 70, 1 << 20, 9000]).end(4), twice(9000, 0, 3));
        assert_eq!(Ranks::Map(&[4095, 4096, 8191, 8192, 63, 64]).end(6), Ok(8193));
        assert_eq!(Ranks::Map(&[0, MAX_RANKS - 1]).end(2), Ok(MAX_RANKS));
    }

    #[test]
    fn repeated_ranks_are_found_in_any_window() {
        // A walk over the ranks that are 0 to 5 multiples of a large odd number, with one repeated.
        for len in [2, 65, 700] {
            let mut list: Vec<usize> = (0..len).map(|number| number * 7919 % 100_003).collect();
            assert_eq!(repeated(&list, 100_003), None);
            list[len - 1] = list[len / 2 - 1];
            assert_eq!(repeated(&list, 100_003), Some((len / 2 - 1, len - 1)));
        }
    }

    #[test]
    fn maps_that_fit_no_grid_are_errors() {
        let wrong = LayoutError::WrongNumberOfRanks { listed: 2, cells: 3 };
        assert_eq!(Ranks::Map(&[0, 1]).end(3), Err(wrong));
        let high = LayoutError::RankTooHigh { rank: MAX_RANKS, place: 1 };
        assert_eq!(Ranks::Map(&[0, MAX_RANKS]).end(2), Err(high));
        assert_eq!(Ranks::From(5).end(MAX_RANKS), Err(LayoutError::TooManyRanks { base: 5 }));
    }
}
