//! Ranks and messages of an HTML page.

use super::part::ShownPart;
use crate::number::grouped;
use crate::palette;
use crate::sides::{self, SIDES};
use redist_plan::plan::{Plan, Side};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Most ranks of a side in the table of messages.
pub const MAX_MATRIX_RANKS: usize = 16;

/// A rank as the page names and colours it.
#[derive(Serialize)]
pub struct RankData {
    /// Rank of the communicator.
    pub rank: usize,
    /// Grid coordinates, in the source's axes.
    pub at: Vec<usize>,
    /// In the side's own axes, for people.
    pub coordinates: String,
    pub local: String,
    pub fill: &'static str,
    pub ink: &'static str,
}

/// A message: both ranks, its elements for people, and its share of the largest on the page.
#[derive(Serialize)]
pub struct MessageData(pub usize, pub usize, pub String, pub f64);

/// Lists the ranks of a side: `picked`, the lowest, and the ranks with an element of the part.
pub fn ranks<const D: usize>(
    plan: &Plan<D>,
    part: &ShownPart<D>,
    (side, picked): (Side, usize),
) -> Vec<RankData> {
    let lowest = sides::lowest_ranks(plan, side, MAX_MATRIX_RANKS);
    let mut found: BTreeSet<usize> = lowest.into_iter().chain([picked]).collect();
    let holders = (0..D).fold(vec![[0; D]], |all, dimension| {
        let blocks = part.blocks(plan, side, dimension);
        let along: BTreeSet<usize> = blocks.iter().map(|block| block[2]).collect();
        with_each(&all, |at, coordinate| at[dimension] = coordinate, along)
    });
    found.extend(holders.into_iter().map(|at| sides::rank_at(plan, side, at)));
    found.into_iter().filter_map(|rank| rank_data(plan, side, rank)).collect()
}

fn with_each<T: Copy, C: Copy>(
    all: &[T],
    put: impl Fn(&mut T, C),
    choices: impl IntoIterator<Item = C> + Clone,
) -> Vec<T> {
    let put = &put;
    let with = |entry: &T| {
        let entry = *entry;
        choices.clone().into_iter().map(move |choice| {
            let mut entry = entry;
            put(&mut entry, choice);
            entry
        })
    };
    all.iter().flat_map(with).collect()
}

fn rank_data<const D: usize>(plan: &Plan<D>, side: Side, rank: usize) -> Option<RankData> {
    let descriptor = plan.descriptor(side);
    let fill = palette::of_rank(rank);
    let extents = descriptor.local_extents(rank)?.map(|extent| grouped(extent as u128));
    Some(RankData {
        rank,
        at: sides::coordinates(plan, side, rank)?.to_vec(),
        coordinates: listed(&descriptor.coordinates(rank)?),
        local: extents.join(" × "),
        fill,
        ink: palette::text_on(fill),
    })
}

fn listed(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    format!("({})", numbers.join(", "))
}

pub fn messages<const D: usize>(
    plan: &Plan<D>,
    part: &ShownPart<D>,
    picked: [usize; 2],
) -> Vec<MessageData> {
    let [from, to] = SIDES.map(|side| sides::lowest_ranks(plan, side, MAX_MATRIX_RANKS));
    let mut volumes: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    let lowest = from.iter().flat_map(|rank| to.iter().map(move |peer| [*rank, *peer]));
    let none = vec![[[0; D]; 2]];
    let met = (0..D).fold(none, |all, dimension| {
        let put = |at: &mut [[usize; D]; 2], [source, destination]: [usize; 2]| {
            (at[0][dimension], at[1][dimension]) = (source, destination);
        };
        with_each(&all, put, part.meetings(plan, dimension))
    });
    let met = met.into_iter().map(|at| [0, 1].map(|k| sides::rank_at(plan, SIDES[k], at[k])));
    for pair in lowest.chain(met).chain([picked]) {
        volumes.entry(pair).or_insert_with(|| plan.volume(pair[0], pair[1]));
    }
    volumes.retain(|_, volume| *volume > 0);
    let most = volumes.values().max().copied().unwrap_or(1);
    let message = |([source, destination], volume): ([usize; 2], usize)| {
        let share = share(volume, most);
        MessageData(source, destination, grouped(volume as u128), share)
    };
    volumes.into_iter().map(message).collect()
}

pub fn share(volume: usize, most: usize) -> f64 {
    (1e3 * volume as f64 / most.max(1) as f64).round() / 1e3
}
