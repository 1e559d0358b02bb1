//! One rank's runs of a move by lists, message by message.

use super::directory::{join, parts};
use super::words::read_runs;
use super::{IndexList, ListError, Neighbours, route};
use crate::plan::Side;
use std::collections::BTreeMap;

/// Runs of elements at equal distances in a local array. All numbers are in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListRun {
    /// Place of the first run.
    pub start: usize,
    /// Elements of each run.
    pub len: usize,
    /// Number of runs.
    pub count: usize,
    /// Distance from one run to the next; any number for a single one.
    pub step: isize,
}

/// The elements that a rank exchanges with another, or has for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListMessage {
    /// The other rank.
    pub rank: usize,
    /// Number of elements.
    pub len: usize,
    /// The elements in the local array, in the order of the message.
    pub runs: Vec<ListRun>,
}

/// Both lists of a rank, and the rule for indices that several ranks have.
#[derive(Clone, Debug)]
pub struct ListSides<'a> {
    /// Number of all indices: the same on all ranks.
    pub extent: usize,
    /// Indices of the elements that the rank has, and of those that it is to have.
    pub lists: [&'a IndexList; 2],
    /// `true` if the elements of an index in several source lists are equal, on all ranks. Those of
    /// the lowest rank travel then.
    pub are_equal: bool,
}

/// One rank's messages of a move by lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListProgram {
    /// Messages to other ranks and from them, by side and increasing rank.
    pub messages: [Vec<ListMessage>; 2],
    /// Elements of the local arrays, by side.
    pub lens: [usize; 2],
}

impl ListProgram {
    /// Plans with all ranks; all call. A rank that finds a mistake still takes part, so that no
    /// other rank waits for it. Its result has the mistake.
    ///
    /// # Errors
    /// Words of another rank do not come.
    pub fn plan<N: Neighbours>(
        sides: &ListSides<'_>,
        neighbours: &mut N,
    ) -> Result<Result<Self, ListError>, N::Error> {
        let ranks = neighbours.ranks();
        let checked = sides.check();
        let words = match checked {
            Ok(()) => [Side::Source, Side::Destination]
                .into_iter()
                .flat_map(|side| parts(sides.list(side), side, sides.extent, ranks))
                .collect(),
            Err(_) => Vec::new(),
        };
        let came = route(neighbours, words)?;
        let (answers, joined) = match join(&came, sides.are_equal) {
            Ok(answers) => (answers, Ok(())),
            Err(error) => (Vec::new(), Err(error)),
        };
        drop(came);
        let told = route(neighbours, answers)?;
        // A mistake of the rank's own list makes others miss its elements.
        Ok(checked.and(joined).map(|()| Self {
            messages: [Side::Source, Side::Destination].map(|side| messages(&told, side)),
            lens: sides.lists.map(IndexList::len),
        }))
    }
}

impl ListSides<'_> {
    fn list(&self, side: Side) -> &IndexList {
        self.lists[side as usize]
    }

    /// # Errors
    /// An index is not below the number of all.
    fn check(&self) -> Result<(), ListError> {
        let extent = self.extent;
        for side in [Side::Source, Side::Destination] {
            for run in self.list(side).runs() {
                let last = run.first.wrapping_add_signed(run.step * (run.count as isize - 1));
                if run.first < extent && last < extent {
                    continue;
                }
                let outside = run.indices().position(|index| index >= extent).unwrap_or(0);
                let index = run.first.wrapping_add_signed(run.step * outside as isize);
                return Err(ListError::Outside { side, place: run.local + outside, index, extent });
            }
        }
        Ok(())
    }
}

/// Reads what the ranks of the directory have told, in their order.
fn messages(told: &[(usize, Vec<u64>)], side: Side) -> Vec<ListMessage> {
    let mut all: BTreeMap<usize, ListMessage> = BTreeMap::new();
    for (_, words) in told.iter().filter(|(_, words)| words.first() == Some(&(side as u64))) {
        let mut rest = &words[1..];
        while let [peer, runs, behind @ ..] = rest {
            let (mut runs, behind) = behind.split_at((*runs as usize).min(behind.len()));
            let rank = *peer as usize;
            let message = all.entry(rank).or_insert(ListMessage { rank, len: 0, runs: Vec::new() });
            while let Some((place, len, more)) = read_runs(runs) {
                message.push(place, len);
                runs = more;
            }
            rest = behind;
        }
    }
    let mut all: Vec<ListMessage> = all.into_values().collect();
    all.iter_mut().for_each(|message| message.runs = grouped(&message.runs));
    all
}

impl ListMessage {
    /// Adds elements; goes on with the last run where they do.
    fn push(&mut self, start: usize, len: usize) {
        self.len += len;
        match self.runs.last_mut() {
            Some(last) if last.start + last.len == start => last.len += len,
            _ => self.runs.push(ListRun { start, len, count: 1, step: 0 }),
        }
    }
}

/// Joins runs of one length at equal distances, three or more.
fn grouped(runs: &[ListRun]) -> Vec<ListRun> {
    let (mut groups, mut at) = (Vec::new(), 0);
    while let Some(run) = runs.get(at) {
        let step = |pair: &[ListRun]| pair[1].start.wrapping_sub(pair[0].start) as isize;
        let follows =
            |first: isize| move |pair: &&[ListRun]| pair[1].len == run.len && step(pair) == first;
        let found = match runs[at..].windows(2).next().map(step) {
            Some(first) => 1 + runs[at..].windows(2).take_while(follows(first)).count(),
            None => 1,
        };
        let count = if found > 2 { found } else { 1 };
        let step = if count > 1 { step(&runs[at..at + 2]) } else { 0 };
        groups.push(ListRun { count, step, ..*run });
        at += count;
    }
    groups
}
