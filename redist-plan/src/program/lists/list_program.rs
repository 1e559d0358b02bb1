//! One rank's runs of a move by lists, message by message.

use super::directory::{join, parts, room};
use super::partition::{Partition, known};
use super::words::{FarPlaces, read_places, write_places};
use super::{IndexList, ListError, Neighbours, route};
use crate::plan::Side;
use std::collections::BTreeMap;

/// Elements of a local array, in the order of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListPart {
    /// Single elements.
    Places(Places),
    /// Runs of one length at equal distances.
    Runs(ListRun),
}

/// Places of single elements: four bytes each where these suffice, because moves read them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// All are below 2^32.
    Near(Vec<u32>),
    /// Some are not.
    Far(Vec<usize>),
}

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
    pub parts: Vec<ListPart>,
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
        let checked = sides.check();
        let messages = match known(sides.lists, sides.extent, neighbours)? {
            [Some(owners), _] => sides.by_runs(&owners, Side::Source, &checked, neighbours)?,
            // The directory chooses among equal elements.
            [_, Some(wanted)] if !sides.are_equal && wanted.is_whole(sides.extent) => {
                sides.by_runs(&wanted, Side::Destination, &checked, neighbours)?
            }
            _ => sides.by_directory(&checked, neighbours)?,
        };
        let lens = sides.lists.map(IndexList::len);
        Ok(checked.and(messages).map(|messages| Self { messages, lens }))
    }
}

/// Messages of a rank, by side, or the mistake that is known to it.
type Planned = Result<[Vec<ListMessage>; 2], ListError>;

impl ListSides<'_> {
    fn list(&self, side: Side) -> &IndexList {
        self.lists[side as usize]
    }

    /// Asks the directory. A rank with a mistake has no words for it.
    ///
    /// # Errors
    /// Words of another rank do not come.
    fn by_directory<N: Neighbours>(
        &self,
        checked: &Result<(), ListError>,
        neighbours: &mut N,
    ) -> Result<Planned, N::Error> {
        let ranks = neighbours.ranks();
        let words = match checked {
            Ok(()) => [Side::Source, Side::Destination]
                .into_iter()
                .flat_map(|side| parts(self.list(side), side, self.extent, ranks))
                .collect(),
            Err(_) => Vec::new(),
        };
        let came = route(neighbours, words)?;
        let (answers, joined) = match join(&came, self.are_equal) {
            Ok(answers) => (answers, Ok(())),
            Err(error) => (Vec::new(), Err(error)),
        };
        drop(came);
        let told = route(neighbours, answers)?;
        // A mistake of the rank's own list makes others miss its elements.
        Ok(joined.map(|()| [Side::Source, Side::Destination].map(|side| messages(&told, side))))
    }

    /// Finds the ranks of a side whose runs all know by itself, and tells them their places.
    ///
    /// # Errors
    /// Words of another rank do not come.
    fn by_runs<N: Neighbours>(
        &self,
        runs: &Partition,
        side: Side,
        checked: &Result<(), ListError>,
        neighbours: &mut N,
    ) -> Result<Planned, N::Error> {
        let (own, other) = (neighbours.rank(), side.other());
        let (ranks, singles) = (neighbours.ranks(), self.list(other).singles());
        let peer = |_| Peer { words: Vec::with_capacity(room(singles, ranks)), ..Peer::default() };
        let mut peers: Vec<Peer> = (0..ranks).map(peer).collect();
        let visited = match checked {
            Ok(()) => runs.visit(self.list(other), |part| {
                let Peer { words, places } = &mut peers[part.rank];
                let (step, count) = (part.step, part.count);
                write_places(words, FarPlaces { start: part.far, step, count });
                places.push(part.local, count);
            }),
            Err(_) => Ok(()),
        };
        let (words, places): (Vec<_>, Vec<_>) =
            peers.into_iter().map(|Peer { words, places }| (words, places)).unzip();
        let words = (0..).zip(words).filter(|(_, words)| !words.is_empty());
        let came = route(neighbours, words.collect())?;
        let mut messages: [Vec<ListMessage>; 2] = Default::default();
        messages[other as usize] = (0..)
            .zip(places)
            .filter(|(_, places)| places.elements > 0)
            .map(|(rank, places)| places.message(rank))
            .collect();
        messages[side as usize] = came.iter().map(|(rank, words)| read(*rank, words)).collect();
        let found = visited.map_err(|index| ListError::Nowhere { index, rank: own });
        let found = found.and_then(|()| match side {
            Side::Source => Ok(()),
            Side::Destination => self.all_come_once(own, &came),
        });
        Ok(found.map(|()| messages))
    }

    /// Checks that each element of the destination comes, and once. It has one run of indices.
    ///
    /// # Errors
    /// One does not come, or from two lists.
    fn all_come_once(&self, rank: usize, came: &[(usize, Vec<u64>)]) -> Result<(), ListError> {
        const BITS: usize = u64::BITS as usize;
        let list = self.list(Side::Destination);
        let (first, len) = list.as_run().unwrap_or_default();
        let mut marks = vec![0u64; len.div_ceil(BITS)];
        for (sender, words) in came {
            for place in read_places(words).flat_map(|places| places.iter()) {
                let mark = 1 << (place % BITS);
                if marks[place / BITS] & mark != 0 {
                    let has = |(_, words): &&(usize, Vec<u64>)| {
                        read_places(words).any(|places| places.iter().any(|own| own == place))
                    };
                    let other = came.iter().find(has).map_or(*sender, |(rank, _)| *rank);
                    let ranks = [other, *sender];
                    return Err(ListError::Twice { index: first + place, ranks });
                }
                marks[place / BITS] |= mark;
            }
        }
        let is_marked = |place: &usize| marks[place / BITS] & (1 << (place % BITS)) != 0;
        match (0..len).find(|place| !is_marked(place)) {
            Some(place) => Err(ListError::Nowhere { index: first + place, rank }),
            None => Ok(()),
        }
    }

    /// # Errors
    /// An index is not below the number of all.
    fn check(&self) -> Result<(), ListError> {
        let extent = self.extent;
        for side in [Side::Source, Side::Destination] {
            if let Some((index, place)) = self.list(side).outside(extent) {
                return Err(ListError::Outside { side, place, index, extent });
            }
        }
        Ok(())
    }
}

/// The places that a rank finds for another: those there, in words, and its own.
#[derive(Default)]
struct Peer {
    /// The places on that rank.
    words: Vec<u64>,
    /// The places on this rank, in the same order.
    places: Grouping,
}

/// Reads the places that a rank has told.
fn read(rank: usize, words: &[u64]) -> ListMessage {
    let mut places = Grouping::default();
    read_places(words).for_each(|own| places.push_places(own));
    places.message(rank)
}

/// Reads what the ranks of the directory have told, in their order.
fn messages(told: &[(usize, Vec<u64>)], side: Side) -> Vec<ListMessage> {
    let mut all: BTreeMap<usize, Grouping> = BTreeMap::new();
    for (_, words) in told.iter().filter(|(_, words)| words.first() == Some(&(side as u64))) {
        let mut rest = &words[1..];
        while let [peer, runs, behind @ ..] = rest {
            let (runs, behind) = behind.split_at((*runs as usize).min(behind.len()));
            let message = all.entry(*peer as usize).or_default();
            read_places(runs).for_each(|places| message.push_places(places));
            rest = behind;
        }
    }
    all.into_iter().map(|(rank, places)| places.message(rank)).collect()
}

/// Least elements of a run that is a part of its own. Shorter ones, of which lists without order are
/// full, are copied sooner place by place.
const LONG: usize = 8;
/// Least elements of a group of shorter runs at equal distances.
const MANY: usize = 32;

/// Joins places that follow each other to runs, and three or more runs of one length at equal
/// distances to one part.
#[derive(Default)]
struct Grouping {
    parts: Vec<ListPart>,
    /// Runs of one length at equal distances, to which the last run may not be added yet.
    group: Option<ListRun>,
    /// The last run, which may go on.
    last: Option<(usize, usize)>,
    /// Elements of all.
    elements: usize,
}

impl Grouping {
    #[inline]
    fn push(&mut self, start: usize, len: usize) {
        self.elements += len;
        if len == 1 && self.passes_single(start) {
            return;
        }
        self.push_run(start, len);
    }

    /// Adds the place of a single element, if it and those before it are in no order: most of a list
    /// without runs. Returns `false`, and does nothing, if there may be a run or equal distances.
    #[inline]
    fn passes_single(&mut self, place: usize) -> bool {
        let (Some((last, 1)), Some(group)) = (&mut self.last, &mut self.group) else {
            return false;
        };
        let second = group.start.wrapping_add_signed(group.step);
        let step = last.wrapping_sub(second) as isize;
        if *last + 1 == place || (group.len, group.count) != (1, 2) || step == group.step {
            return false;
        }
        let first = group.start;
        (group.start, group.step, *last) = (second, step, place);
        self.add_place(first);
        true
    }

    fn push_run(&mut self, start: usize, len: usize) {
        match &mut self.last {
            Some((begin, before)) if *begin + *before == start => *before += len,
            last => {
                if let Some(run) = last.replace((start, len)) {
                    self.add_run(run);
                }
            }
        }
    }

    fn push_places(&mut self, places: FarPlaces) {
        let FarPlaces { start, step, count } = places;
        match step {
            1 => self.push(start, count),
            _ if count < MANY => places.iter().for_each(|place| self.push(place, 1)),
            _ => {
                self.elements += count;
                self.end_run();
                self.add_group(ListRun { start, len: 1, count, step });
            }
        }
    }

    /// Returns the message with a rank.
    fn message(mut self, rank: usize) -> ListMessage {
        self.end_run();
        ListMessage { rank, len: self.elements, parts: self.parts }
    }

    /// Adds what may go on to the parts.
    fn end_run(&mut self) {
        self.last.take().into_iter().for_each(|run| self.add_run(run));
        self.group.take().into_iter().for_each(|group| self.add_group(group));
    }

    fn add_run(&mut self, (start, len): (usize, usize)) {
        if let Some(group) = &mut self.group {
            let last = group.start.wrapping_add_signed(group.step * (group.count as isize - 1));
            let step = start.wrapping_sub(last) as isize;
            if group.len == len && (group.count == 1 || group.step == step) {
                (group.count, group.step) = (group.count + 1, step);
                return;
            }
        }
        let next = ListRun { start, len, count: 1, step: 0 };
        let Some(group) = self.group.replace(next) else { return };
        if group.count == 2 {
            // The second may begin a longer group.
            let second = group.start.wrapping_add_signed(group.step);
            self.add_group(ListRun { count: 1, step: 0, ..group });
            self.group = Some(ListRun { start: second, count: 1, step: 0, ..group });
            self.add_run((start, len));
            return;
        }
        self.add_group(group);
    }

    fn add_group(&mut self, group: ListRun) {
        if group.len >= LONG || group.len * group.count >= MANY {
            self.parts.push(ListPart::Runs(group));
            return;
        }
        for number in 0..group.count {
            let start = group.start.wrapping_add_signed(group.step * number as isize);
            (start..start + group.len).for_each(|place| self.add_place(place));
        }
    }

    fn add_place(&mut self, place: usize) {
        match self.parts.last_mut() {
            Some(ListPart::Places(places)) => places.push(place),
            _ => {
                let mut places = Places::Near(Vec::new());
                places.push(place);
                self.parts.push(ListPart::Places(places));
            }
        }
    }
}

impl Places {
    /// Adds a place.
    pub fn push(&mut self, place: usize) {
        match self {
            Self::Near(places) => match u32::try_from(place) {
                Ok(place) => places.push(place),
                Err(_) => {
                    let mut far: Vec<usize> = places.iter().map(|near| *near as usize).collect();
                    far.push(place);
                    *self = Self::Far(far);
                }
            },
            Self::Far(places) => places.push(place),
        }
    }

    /// Returns the number of places.
    pub fn len(&self) -> usize {
        match self {
            Self::Near(places) => places.len(),
            Self::Far(places) => places.len(),
        }
    }

    /// Returns `true` if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a place by its number.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn at(&self, number: usize) -> usize {
        match self {
            Self::Near(places) => places[number] as usize,
            Self::Far(places) => places[number],
        }
    }

    /// Returns some of the places.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn part(&self, numbers: core::ops::Range<usize>) -> Self {
        match self {
            Self::Near(places) => Self::Near(places[numbers].to_vec()),
            Self::Far(places) => Self::Far(places[numbers].to_vec()),
        }
    }
}

impl FromIterator<usize> for Places {
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        let mut all = Self::Near(Vec::new());
        places.into_iter().for_each(|place| all.push(place));
        all
    }
}
