//! Messages as views: what one rank sends to another rank, in few strided boxes of both local
//! arrays.

use super::{Axis, Plan, Side};
use crate::arithmetic::saturating_lcm;
use crate::layout::StorageOrder;
use core::cmp::Reverse;
use core::ops::Range;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part of a message: a strided box of the sender's array, and one of the receiver's. Both have
/// one shape, and list the same elements in the same order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Elements along each axis, the slowest first; empty for one element.
    pub shape: Vec<usize>,
    /// The box in the sender's array.
    pub source: Place,
    /// The box in the receiver's array.
    pub destination: Place,
}

/// The place of a [`View`] in the memory of a local array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Elements of memory before the first one.
    pub offset: usize,
    /// Stride along each axis of the shape, in elements.
    pub strides: Vec<usize>,
}

/// Messages of one rank: see [`Plan::messages_of`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankMessages {
    /// Messages that the rank sends, by increasing receiver.
    pub sends: Vec<MessageViews>,
    /// Messages that the rank receives, by increasing sender.
    pub receives: Vec<MessageViews>,
}

/// One message as [`View`]s: see [`Plan::messages_of`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageViews {
    /// The other rank, numbered in the communicator; the rank itself for what stays.
    pub peer: usize,
    /// Number of elements in all views, at least 1.
    pub elements: usize,
    /// Dimensions in the order of the source's storage, the slowest first.
    dims: Vec<Dim>,
}

/// One dimension of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Dim {
    /// Nests of loops over all elements that the two ranks share along the dimension.
    nests: Arc<[Nest]>,
    /// Elements of memory from neighbour to neighbour, on each side.
    strides: [usize; 2],
}

/// Elements along one dimension that two ranks share, in one nest of loops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nest {
    /// Local index of the first element on each side.
    first: [usize; 2],
    /// Loops, the slowest first.
    loops: Vec<Loop>,
}

impl Nest {
    /// A run that is repeated in so many turns, on each side `by` elements apart.
    fn of(run: LineRun, turns: usize, by: [usize; 2]) -> Self {
        let loops = vec![Loop { count: turns, by }, Loop { count: run.len, by: [1; 2] }];
        Self { first: run.local, loops: sorted(loops) }
    }
}

/// A loop over indices along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Loop {
    /// Number of its turns.
    count: usize,
    /// Local indices from turn to turn, on each side.
    by: [usize; 2],
}

/// Consecutive elements along one dimension: a global index, their number, and both local indices
/// of the first.
#[derive(Clone, Copy, Debug)]
struct LineRun {
    /// Global index of the first element.
    start: usize,
    /// Number of elements.
    len: usize,
    /// Local index of the first element, by side.
    local: [usize; 2],
}

impl<const D: usize> Plan<D> {
    /// Returns all messages of `rank` as views of dense local arrays: what it sends, by receiver,
    /// and what it receives, by sender. Elements that stay on the rank are a message to itself. A
    /// rank outside of both grids has none.
    ///
    /// A transport needs nothing else: the sender copies its boxes to a buffer, one after the other,
    /// and the receiver copies the buffer to its own. Both have the same views in the same order.
    /// `Binder::packing` has another order, that of moves.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Plan;
    ///
    /// let plan = Plan::parse([8, 6], "(cyclic(2), *) onto 2", "(*, cyclic(3)) onto 2 storage fortran")?;
    /// let messages = plan.messages_of(1);
    /// let peers: Vec<_> = messages.sends.iter().map(|one| (one.peer, one.elements)).collect();
    /// assert_eq!(peers, [(0, 12), (1, 12)]);
    /// let sent: Vec<_> = messages.sends[0].views().collect();
    /// assert_eq!(sent.len(), 1);
    /// assert_eq!((&*sent[0].shape, sent[0].source.offset), (&[2, 2, 3][..], 0));
    /// assert_eq!(sent[0].source.strides, [12, 6, 1]);
    /// assert_eq!((sent[0].destination.offset, &*sent[0].destination.strides), (2, &[4, 1, 8][..]));
    /// # Ok::<(), redist::plan::ParsePlanError>(())
    /// ```
    pub fn messages_of(&self, rank: usize) -> RankMessages {
        let [sends, receives] =
            [Side::Source, Side::Destination].map(|side| self.messages_on(side, rank));
        RankMessages { sends, receives }
    }

    /// Returns what rank `source` sends to rank `destination` as views of both dense local arrays.
    /// One after the other they list all elements of the message once.
    ///
    /// Their number is known before any is made. It depends on the blocks and the ranks, and not on
    /// the extents, unless a side has blocks of given sizes.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Plan;
    ///
    /// let plan = Plan::parse([1024, 1024], "(block, *) onto 4", "(*, block) onto 4")?;
    /// let views: Vec<_> = plan.views(1, 2).collect();
    /// assert_eq!(views.len(), 1);
    /// assert_eq!(views[0].shape, [256, 256]);
    /// assert_eq!((views[0].source.offset, &*views[0].source.strides), (512, &[1024, 1][..]));
    /// let place = &views[0].destination;
    /// assert_eq!((place.offset, &*place.strides), (65536, &[256, 1][..]));
    /// # Ok::<(), redist::plan::ParsePlanError>(())
    /// ```
    pub fn views(
        &self,
        source: usize,
        destination: usize,
    ) -> impl ExactSizeIterator<Item = View> + use<D> {
        let coordinates = self.descriptor(Side::Source).coordinates(source);
        let others = self.descriptor(Side::Destination).coordinates(destination);
        let pair = coordinates.zip(others).filter(|_| self.volume(source, destination) > 0);
        let nothing = || vec![Dim { nests: Arc::default(), strides: [0; 2] }];
        let dims = pair.map_or_else(nothing, |(from, to)| {
            let strides = self.strides_of([source, destination]);
            let dim = |dimension: usize| {
                let at = [from[dimension], to[self.destination_axis(dimension)]];
                let nests = nests_along(&self.axis(dimension), at).into();
                Dim { nests, strides: strides[dimension] }
            };
            self.message_order().map(dim).collect()
        });
        views(dims)
    }

    /// Returns a rank's messages as the sender or as the receiver, by increasing peer.
    fn messages_on(&self, side: Side, rank: usize) -> Vec<MessageViews> {
        let (own, other) = (self.descriptor(side), self.descriptor(side.other()));
        let coordinates = own.coordinates(rank).filter(|_| !self.extents().contains(&0));
        let Some(coordinates) = coordinates else { return Vec::new() };
        // For each dimension, the other side's coordinates with common elements, and their nests.
        let partners = self.message_order().map(|dimension| {
            let axis = self.axis(dimension);
            let here = coordinates[self.axis_on(side, dimension)];
            let pair = |there| if side == Side::Source { [here, there] } else { [there, here] };
            let all = (0..axis.side(side.other()).ranks()).map(|there| (there, pair(there)));
            let some = all.filter(|(_, [from, to])| axis.count(*from, *to) > 0);
            some.map(|(there, pair)| (there, nests_along(&axis, pair).into())).collect()
        });
        let partners: Vec<Vec<(usize, Arc<[Nest]>)>> = partners.collect();
        let number: usize = partners.iter().map(Vec::len).product();
        let message = |number: usize| {
            let (mut rest, mut there) = (number, [0; D]);
            let mut nests = Vec::with_capacity(D);
            for (dimension, partners) in self.message_order().zip(&partners) {
                let (coordinate, found) = &partners[rest % partners.len()];
                rest /= partners.len();
                there[self.axis_on(side.other(), dimension)] = *coordinate;
                nests.push(Arc::clone(found));
            }
            let peer = other.rank_at(there);
            let pair = if side == Side::Source { [rank, peer] } else { [peer, rank] };
            let strides = self.strides_of(pair);
            let strides = self.message_order().map(|dimension| strides[dimension]);
            let dims = nests.into_iter().zip(strides);
            let dims = dims.map(|(nests, strides)| Dim { nests, strides }).collect();
            MessageViews { peer, elements: self.volume(pair[0], pair[1]), dims }
        };
        let mut messages: Vec<MessageViews> = (0..number).map(message).collect();
        messages.sort_unstable_by_key(|message| message.peer);
        messages
    }

    /// Returns the source's dimensions in the order of its storage, the slowest first.
    fn message_order(&self) -> impl Iterator<Item = usize> + use<D> {
        let is_c = self.descriptor(Side::Source).layout().storage == StorageOrder::C;
        (0..D).map(move |step| if is_c { step } else { D - 1 - step })
    }

    /// Returns the strides of both ranks' dense local arrays along the source's dimensions.
    fn strides_of(&self, [source, destination]: [usize; 2]) -> [[usize; 2]; D] {
        let from = self.descriptor(Side::Source).local(source).strides();
        let to = self.descriptor(Side::Destination).local(destination).strides();
        core::array::from_fn(|dimension| [from[dimension], to[self.destination_axis(dimension)]])
    }
}

impl MessageViews {
    /// Returns the views, of which the sender and the receiver have the same. Their number is known
    /// before any is made.
    pub fn views(&self) -> impl ExactSizeIterator<Item = View> + use<> {
        views(self.dims.clone())
    }

    /// Returns the number of views.
    pub fn len(&self) -> usize {
        count(&self.dims)
    }

    /// Returns `true` if there is no view: never, for a message has an element.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns one view, by its number from 0 on; `None` if there are fewer.
    pub fn view(&self, number: usize) -> Option<View> {
        (number < self.len()).then(|| view(&self.dims, number))
    }
}

/// Returns the number of views: saturated, for messages that nobody lists.
fn count(dims: &[Dim]) -> usize {
    dims.iter().map(|dim| dim.nests.len()).fold(1, usize::saturating_mul)
}

fn views(dims: Vec<Dim>) -> impl ExactSizeIterator<Item = View> {
    (0..count(&dims)).map(move |number| view(&dims, number))
}

/// Combines one nest of each dimension, that of this number.
fn view(dims: &[Dim], number: usize) -> View {
    let (mut rest, mut chosen) = (number, vec![0; dims.len()]);
    for (chosen, dim) in chosen.iter_mut().zip(dims).rev() {
        *chosen = rest % dim.nests.len();
        rest /= dim.nests.len();
    }
    let (mut offsets, mut loops) = ([0; 2], Vec::new());
    for (chosen, Dim { nests, strides }) in chosen.into_iter().zip(dims) {
        let nest = &nests[chosen];
        for side in [0, 1] {
            offsets[side] += nest.first[side] * strides[side];
        }
        let scaled = |by: [usize; 2]| [by[0] * strides[0], by[1] * strides[1]];
        loops.extend(nest.loops.iter().map(|step| Loop { by: scaled(step.by), ..*step }));
    }
    let loops = joined(loops);
    let place = |side: usize| Place {
        offset: offsets[side],
        strides: loops.iter().map(|step| step.by[side]).collect(),
    };
    let shape = loops.iter().map(|step| step.count).collect();
    View { shape, source: place(0), destination: place(1) }
}

/// Returns nests of loops over all elements of a dimension at these coordinates of both grids: the
/// runs of one period, which repeat, in few nests.
fn nests_along(axis: &Axis, coordinates: [usize; 2]) -> Vec<Nest> {
    let (len, period) = (axis.len(), period(axis));
    let sides = [Side::Source, Side::Destination].map(|side| axis.side(side));
    if period == len
        && let Some(nests) = [0, 1].into_iter().find_map(|long| nests_in(axis, coordinates, long))
    {
        return grouped(nests);
    }
    let runs = runs_within(axis, coordinates, 0..period);
    // Every period, a rank's local array goes on by its share of it.
    let share = sides.map(|side| period / side.ranks());
    let repeated = runs.iter().filter_map(|run| {
        let whole = len.checked_sub(run.start + run.len)?;
        Some((*run, whole / period + 1))
    });
    let last = (len / period) * period;
    let cut = runs.iter().filter_map(|run| {
        let (start, end) = (last + run.start, last + run.start + run.len);
        (start < len && end > len).then(|| {
            let turns = len / period;
            let local = [0, 1].map(|side| run.local[side] + turns * share[side]);
            (LineRun { start, len: len - start, local }, 1)
        })
    });
    grouped(repeated.chain(cut).map(|(run, turns)| Nest::of(run, turns, share)).collect())
}

/// Returns the nests where the rank of the side `long` has a single block, in which the other side's
/// owners repeat several times; none elsewhere. Takes time in proportion to the blocks of three such
/// periods, and not to those of the block.
fn nests_in(axis: &Axis, coordinates: [usize; 2], long: usize) -> Option<Vec<Nest>> {
    let sides = [Side::Source, Side::Destination].map(|side| axis.side(side));
    let (own, other) = (sides[long], sides[1 - long]);
    let block = other.regular_block().filter(|_| other.ranks() > 1 && own.ranks() > 1)?;
    let period = block.checked_mul(other.ranks())?;
    let start = own.next_owned(coordinates[long], 0)?;
    let end = own.block_end(start).min(axis.len());
    let is_single = end == axis.len() || own.next_owned(coordinates[long], end).is_none();
    if !is_single || (end - start) / 3 < period {
        return None;
    }
    let by = [0, 1].map(|side| if side == long { period } else { block });
    let runs = runs_within(axis, coordinates, start..start + 3 * period);
    // The first run of the block may be the rest of one that is longer later. The second period has
    // whole runs only.
    let (first, rest): (Vec<LineRun>, Vec<LineRun>) =
        runs.into_iter().partition(|run| run.start < start + period);
    let is_later =
        |run: &LineRun, later: &LineRun| (run.start + period, run.len) == (later.start, later.len);
    let whole = rest.iter().filter(|run| run.start < start + 2 * period);
    let mut nests = Vec::new();
    for later in whole {
        let run = first.iter().find(|run| is_later(run, later)).unwrap_or(later);
        let turns = (end - run.start - run.len) / period + 1;
        nests.push((*run, turns));
        let next = run.start + turns * period;
        if next < end {
            let local = [0, 1].map(|side| run.local[side] + turns * by[side]);
            nests.push((LineRun { start: next, len: end - next, local }, 1));
        }
    }
    let is_alone = |run: &&LineRun| !rest.iter().any(|later| is_later(run, later));
    nests.extend(first.iter().filter(is_alone).map(|run| (*run, 1)));
    Some(nests.into_iter().map(|(run, turns)| Nest::of(run, turns, by)).collect())
}

/// Returns the elements after which both owners repeat; blocks of a single rank play no part.
fn period(axis: &Axis) -> usize {
    let period = [Side::Source, Side::Destination].into_iter().try_fold(1, |period, side| {
        let side = axis.side(side);
        match (side.ranks(), side.regular_block()) {
            (1, _) => Some(period),
            (ranks, Some(block)) => Some(saturating_lcm(period, block.saturating_mul(ranks))),
            (_, None) => None,
        }
    });
    period.unwrap_or(axis.len()).min(axis.len())
}

/// Returns the runs of a range of indices at these coordinates of both grids, joined where they
/// follow each other on both sides. Takes time in proportion to the blocks of these two.
fn runs_within(axis: &Axis, coordinates: [usize; 2], range: Range<usize>) -> Vec<LineRun> {
    let sides = [Side::Source, Side::Destination].map(|side| axis.side(side));
    let mut runs: Vec<LineRun> = Vec::new();
    let Range { start: mut index, end } = range;
    loop {
        let [from, to] = [0, 1].map(|side: usize| sides[side].next_owned(coordinates[side], index));
        let Some(start) = from.zip(to).map(|(from, to)| from.max(to)) else { break };
        if start >= end {
            break;
        }
        if from != to {
            index = start;
            continue;
        }
        index = sides.map(|side| side.block_end(start)).into_iter().fold(end, usize::min);
        let (len, local) = (index - start, sides.map(|side| side.local(start)));
        match runs.last_mut() {
            Some(run) if run.local.map(|at| at + run.len) == local => run.len += len,
            _ => runs.push(LineRun { start, len, local }),
        }
    }
    runs
}

/// Joins nests that are alike and at equal distances into one with a further loop, as long as there
/// are fewer then.
fn grouped(mut nests: Vec<Nest>) -> Vec<Nest> {
    loop {
        let fewer = progressions(&nests);
        if fewer.len() == nests.len() {
            nests.sort_unstable();
            return nests;
        }
        nests = fewer;
    }
}

/// Seconds of a progression that are tried for each first nest: a bound of the work for lists.
const TRIED: usize = 16;

/// Makes each progression of nests with the same loops one nest. The next one on begins with the
/// first nest that is left, and takes the longest progression from there on. Neighbours alone are
/// taken where that gives fewer.
fn progressions(nests: &[Nest]) -> Vec<Nest> {
    let mut alike: BTreeMap<&[Loop], Vec<[usize; 2]>> = BTreeMap::new();
    for Nest { first, loops } in nests {
        alike.entry(loops).or_default().push(*first);
    }
    let mut found = Vec::new();
    for (loops, mut firsts) in alike {
        firsts.sort_unstable();
        let [near, far] = [1, TRIED].map(|tried| taken(&firsts, tried));
        let fewest = if near.len() <= far.len() { near } else { far };
        found.extend(fewest.into_iter().map(|(first, step)| {
            let loops = [step].into_iter().chain(loops.iter().copied()).collect();
            Nest { first, loops: sorted(loops) }
        }));
    }
    found
}

/// Takes progressions from sorted firsts, each as its first and a loop; tries so many seconds.
fn taken(firsts: &[[usize; 2]], tried: usize) -> Vec<([usize; 2], Loop)> {
    let mut is_left = vec![true; firsts.len()];
    let mut found = Vec::new();
    for at in 0..firsts.len() {
        if !is_left[at] {
            continue;
        }
        let seconds = (at + 1..firsts.len()).filter(|second| is_left[*second]).take(tried);
        let best = seconds.map(|second| progression(firsts, &is_left, [at, second]));
        // The nearest second of those with the longest progression.
        let best = best.min_by_key(|members| Reverse(members.len())).unwrap_or_else(|| vec![at]);
        best.iter().for_each(|member| is_left[*member] = false);
        let by = best.get(1).map_or([0; 2], |next| distance(firsts[at], firsts[*next]));
        found.push((firsts[at], Loop { count: best.len(), by }));
    }
    found
}

/// Returns the places of the progression that begins with these two.
fn progression(firsts: &[[usize; 2]], is_left: &[bool], [at, second]: [usize; 2]) -> Vec<usize> {
    let by = distance(firsts[at], firsts[second]);
    let (mut members, mut next) = (vec![at, second], firsts[second]);
    loop {
        next = [next[0] + by[0], next[1] + by[1]];
        match firsts.binary_search(&next) {
            Ok(found) if is_left[found] => members.push(found),
            _ => return members,
        }
    }
}

/// Returns the distance of a later element, which has higher local indices on both sides.
fn distance(one: [usize; 2], next: [usize; 2]) -> [usize; 2] {
    [next[0] - one[0], next[1] - one[1]]
}

/// Sorts loops along one dimension, the longest way from turn to turn first, and joins them.
fn sorted(mut loops: Vec<Loop>) -> Vec<Loop> {
    loops.sort_unstable_by_key(|step| Reverse(step.by));
    joined(loops)
}

/// Leaves out loops of one turn, and joins loops that go on where the next one ends.
fn joined(loops: Vec<Loop>) -> Vec<Loop> {
    let mut found: Vec<Loop> = Vec::with_capacity(loops.len());
    for step in loops.into_iter().filter(|step| step.count > 1) {
        match found.last_mut() {
            Some(outer) if outer.by == step.by.map(|by| by * step.count) => {
                *outer = Loop { count: outer.count * step.count, by: step.by };
            }
            _ => found.push(step),
        }
    }
    found
}

#[cfg(test)]
mod tests;
