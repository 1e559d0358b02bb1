//! Sides of which each rank has one run of neighbours, as of an array in blocks. All ranks know these
//! runs, so that each finds the owner of an index by itself, and no directory is asked.

use super::index_list::{IndexList, ListPiece};
use super::router::Neighbours;

/// Runs of all ranks, which hold no index twice, by increasing index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    /// The runs that are not empty.
    runs: Vec<OwnedRun>,
    /// Indices of the longest run, at least 1.
    longest: usize,
    /// Every index below is in a run.
    covered: usize,
}

/// Neighbouring indices, all that a rank has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OwnedRun {
    /// The first index.
    first: usize,
    /// One past the last index.
    end: usize,
    /// The rank that has them.
    rank: usize,
}

/// Indices of a list that are one rank's by the [`Partition`], at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnedPart {
    /// The rank that has them by the partition.
    pub rank: usize,
    /// Place of the first one in that rank's local array.
    pub far: usize,
    /// Distance from one to the next in that array.
    pub step: isize,
    /// Place of the first one in the list; the others follow it.
    pub local: usize,
    /// Number of indices.
    pub count: usize,
}

/// Words that a rank tells of itself: the first index and the number of indices of both lists.
const TOLD: usize = 4;

/// Stands in place of a number of indices that are no one run.
const NO_RUN: u64 = u64::MAX;

/// Most indices of one rank, if no list of the destination is to have one twice: each takes a bit.
const MOST_BITS: usize = 1 << 32;

/// Returns `true` if ranks tell each other of their runs: they are at most as many as the indices of
/// each, so that nothing outgrows the lists.
pub fn are_told(extent: usize, ranks: usize) -> bool {
    ranks <= extent / ranks
}

/// Returns the ranks that a rank tells the runs that it knows, and those that tell it theirs, step by
/// step: a logarithm of all.
pub fn told_by(own: usize, ranks: usize) -> impl Iterator<Item = [usize; 2]> {
    let steps =
        (0..usize::BITS).map(|step| 1 << step).take_while(move |distance| *distance < ranks);
    steps.map(move |distance| [(own + ranks - distance) % ranks, (own + distance) % ranks])
}

/// Tells all ranks this one's lists, where they are one run, and returns the sides of which all are; by
/// side. All ranks call, and find the same.
///
/// # Errors
/// Words of another rank do not come.
pub(super) fn known<N: Neighbours>(
    lists: [&IndexList; 2],
    extent: usize,
    neighbours: &mut N,
) -> Result<[Option<Partition>; 2], N::Error> {
    let (own, ranks) = (neighbours.rank(), neighbours.ranks());
    if !are_told(extent, ranks) {
        return Ok([None, None]);
    }
    let own_words = lists.map(|list| match list.as_run() {
        Some((first, count)) if first < extent && count <= extent - first => {
            [first as u64, count as u64]
        }
        _ => [0, NO_RUN],
    });
    // Those of this rank, and of the ones behind it.
    let mut words: Vec<u64> = own_words.concat();
    for [to, from] in told_by(own, ranks) {
        let count = (words.len()).min(ranks * TOLD - words.len());
        let came = neighbours.told(to, &words[..count], (from, count))?;
        words.extend(came);
    }
    let of_side = |side: usize| {
        let told = words.chunks_exact(TOLD).zip(own..);
        let runs = told.map(|(words, rank)| (words[2 * side], words[2 * side + 1], rank % ranks));
        Partition::of(runs)
    };
    Ok([of_side(0), of_side(1)])
}

impl Partition {
    /// Takes the first index and the number of indices of each rank. Returns `None` if some are no
    /// run, or an index is in two.
    fn of(told: impl Iterator<Item = (u64, u64, usize)>) -> Option<Self> {
        let mut runs = Vec::new();
        for (first, count, rank) in told {
            let (first, count) = (first as usize, (count != NO_RUN).then_some(count as usize)?);
            if count > 0 {
                runs.push(OwnedRun { first, end: first.saturating_add(count), rank });
            }
        }
        runs.sort_unstable();
        if runs.windows(2).any(|pair| pair[0].end > pair[1].first) {
            return None;
        }
        let longest = runs.iter().map(|run| run.end - run.first).max().unwrap_or(1);
        let covered = runs.iter().fold(0, |end, run| if run.first == end { run.end } else { end });
        Some(Self { runs, longest, covered })
    }

    /// Returns `true` if each of so many indices is a rank's, which can mark it once it has come.
    pub fn is_whole(&self, extent: usize) -> bool {
        self.covered == extent && self.longest <= MOST_BITS
    }

    /// Calls `visit` with the parts of a list, in its order.
    ///
    /// # Errors
    /// An index is no rank's by the partition: the first such index.
    pub fn visit(&self, list: &IndexList, mut visit: impl FnMut(OwnedPart)) -> Result<(), usize> {
        let finder = Finder::of(self);
        for (piece, singles) in list.pieces() {
            match piece {
                ListPiece::Singles { local, .. } => {
                    for (index, local) in singles.iter().zip(local..) {
                        let own = finder.run(*index).ok_or(*index)?;
                        let (rank, far) = (own.rank, index - own.first);
                        visit(OwnedPart { rank, far, step: 1, local, count: 1 });
                    }
                }
                ListPiece::Run(run) => {
                    let (mut index, mut passed) = (run.first, 0);
                    while passed < run.count {
                        let own = finder.run(index).ok_or(index)?;
                        let count = own.reached(index, run.step).min(run.count - passed);
                        let (far, local) = (index - own.first, run.local + passed);
                        visit(OwnedPart { rank: own.rank, far, step: run.step, local, count });
                        passed += count;
                        index = index.wrapping_add_signed(run.step.wrapping_mul(count as isize));
                    }
                }
            }
        }
        Ok(())
    }
}

impl OwnedRun {
    /// Returns how many indices at this distance from each other, from one of the run on, are in it.
    fn reached(&self, index: usize, step: isize) -> usize {
        match step {
            0 => usize::MAX,
            1.. => (self.end - 1 - index) / step.unsigned_abs() + 1,
            _ => (index - self.first) / step.unsigned_abs() + 1,
        }
    }
}

/// Finds the run of an index.
struct Finder<'a> {
    runs: &'a [OwnedRun],
    /// A run has no index from this many times the runs before it on; [`usize::MAX`] if none is known.
    longest: usize,
    /// The same, where numbers of 32 bits suffice: these are divided in less time.
    narrow: Option<u32>,
}

impl<'a> Finder<'a> {
    fn of(partition: &'a Partition) -> Self {
        let end = partition.runs.last().map_or(0, |run| run.end);
        // Behind a gap, any number of runs may be before an index.
        let longest = if partition.covered == end { partition.longest } else { usize::MAX };
        Self { runs: &partition.runs, longest, narrow: u32::try_from(longest).ok() }
    }

    /// Returns the run of an index, if one has it.
    fn run(&self, index: usize) -> Option<OwnedRun> {
        let least = match (self.narrow, u32::try_from(index)) {
            (Some(longest), Ok(index)) => (index / longest) as usize,
            _ => index / self.longest,
        };
        let behind = self.runs.get(least..)?;
        let found = match behind.first()? {
            run if index < run.end => run,
            _ => behind.get(behind.partition_point(|run| run.end <= index))?,
        };
        (found.first <= index).then_some(*found)
    }
}
