//! Copies between a local array and a message, or between both local arrays, by listed runs.

use super::list_volume::ListVolume;
use super::with_const::with_const;
use crate::cache::copy_slice;
use crate::program::lists::{ListPart, ListRun, Places};
use core::mem;
use core::ops::Range;

/// The elements of a message, ready to copy.
pub(super) struct ListCopier {
    /// Bytes of an element.
    width: usize,
    parts: Vec<ListPart>,
}

/// Evaluates an expression with an iterator over places, which each arm has compiled for itself.
macro_rules! with_places {
    ($places:expr, $name:ident => $body:expr) => {
        match $places {
            Places::Near(places) => {
                let $name = places.iter().map(|place| *place as usize);
                $body
            }
            Places::Far(places) => {
                let $name = places.iter().copied();
                $body
            }
        }
    };
}

impl ListCopier {
    pub fn new(parts: Vec<ListPart>, width: usize) -> Self {
        Self { width, parts }
    }

    /// Counts what is exchanged with a rank.
    pub fn volume(&self, rank: usize) -> ListVolume {
        let mut volume = ListVolume { rank, ..ListVolume::default() };
        for part in &self.parts {
            match part {
                ListPart::Places(places) => volume.add_singles(places.len()),
                ListPart::Runs(run) => volume.add_runs(run.len, run.count),
            }
        }
        volume
    }

    /// Copies elements of the local array to the front of a message; returns their bytes.
    pub fn pack(&self, local: &[u8], message: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            let message = &mut message[end..];
            end += match part {
                ListPart::Places(places) => {
                    let len = places.len() * width;
                    let to = &mut message[..len];
                    with_places!(places, from => gathered(width, local, from, to));
                    len
                }
                ListPart::Runs(run) => pack_runs(run, width, local, message),
            };
        }
        end
    }

    /// Copies the front of a message to the local array; returns the bytes.
    pub fn unpack(&self, message: &[u8], local: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            let message = &message[end..];
            end += match part {
                ListPart::Places(places) => {
                    let len = places.len() * width;
                    let from = &message[..len];
                    with_places!(places, to => scattered(width, from, to, local));
                    len
                }
                ListPart::Runs(run) => unpack_runs(run, width, message, local),
            };
        }
        end
    }
}

/// Elements that stay on a rank, ready to copy from one local array to the other.
pub(super) struct StayCopier {
    /// Bytes of an element.
    width: usize,
    parts: Vec<StayPart>,
}

/// Least single elements that are a part of their own, however they go on.
const FEW: usize = 16;

/// Some elements that stay.
enum StayPart {
    /// Single elements, which lie together afterwards, from a place on.
    Gathered { from: Places, to: usize },
    /// Single elements at any places.
    Placed { from: Places, to: Places },
    /// As many runs of one length on both sides.
    Runs { from: ListRun, to: ListRun },
}

impl StayCopier {
    /// Pairs the elements of a rank's message to itself with the places to which they go.
    pub fn new([from, to]: [&[ListPart]; 2], width: usize) -> Self {
        let (mut parts, mut singles) = (Vec::new(), [Vec::new(), Vec::new()]);
        let mut group: Option<[ListRun; 2]> = None;
        let (mut before, mut after) = (Cursor::new(from), Cursor::new(to));
        while let Some(((from, left), (to, room))) = before.front().zip(after.front()) {
            if let Some(places) = before.places() {
                let (own, len) = match after.places() {
                    Some(to) => (Some(to), places.len()),
                    // They lie together afterwards.
                    None => (None, places.len().min(room)),
                };
                let len = own.as_ref().map_or(len, |to| to.len().min(len));
                if len >= FEW {
                    group.take().into_iter().for_each(|group| add(group, &mut singles, &mut parts));
                    add_singles(&mut singles, &mut parts);
                    let from = places.part(len);
                    parts.push(match own {
                        Some(after) => StayPart::Placed { from, to: after.part(len) },
                        None => StayPart::Gathered { from, to },
                    });
                    before.pass(len);
                    after.pass(len);
                    continue;
                }
            }
            let next = (from, to, left.min(room));
            if !group.as_mut().is_some_and(|group| goes_on(group, next)) {
                group.take().into_iter().for_each(|group| add(group, &mut singles, &mut parts));
                group =
                    Some([from, to].map(|start| ListRun { start, len: next.2, count: 1, step: 0 }));
            }
            before.skip(next.2);
            after.skip(next.2);
        }
        group.take().into_iter().for_each(|group| add(group, &mut singles, &mut parts));
        add_singles(&mut singles, &mut parts);
        Self { width, parts }
    }

    /// Counts what stays on a rank.
    pub fn volume(&self, rank: usize) -> ListVolume {
        let mut volume = ListVolume { rank, ..ListVolume::default() };
        for part in &self.parts {
            match part {
                StayPart::Gathered { from, .. } | StayPart::Placed { from, .. } => {
                    volume.add_singles(from.len());
                }
                StayPart::Runs { from, .. } => volume.add_runs(from.len, from.count),
            }
        }
        volume
    }

    /// Copies all elements to a buffer that has room for just these; returns their bytes.
    pub fn pack(&self, from: &[u8], kept: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            let kept = &mut kept[end..];
            end += match part {
                StayPart::Gathered { from: places, .. } | StayPart::Placed { from: places, .. } => {
                    let len = places.len() * width;
                    with_places!(places, places => gathered(width, from, places, &mut kept[..len]));
                    len
                }
                StayPart::Runs { from: runs, .. } => pack_runs(runs, width, from, kept),
            };
        }
        end
    }

    /// Copies all elements from such a buffer; returns their bytes.
    pub fn unpack(&self, kept: &[u8], to: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            let kept = &kept[end..];
            end += match part {
                StayPart::Gathered { from, to: start } => {
                    let len = from.len() * width;
                    copy_slice(&kept[..len], &mut to[start * width..][..len]);
                    len
                }
                StayPart::Placed { to: places, .. } => {
                    let len = places.len() * width;
                    with_places!(places, places => scattered(width, &kept[..len], places, to));
                    len
                }
                StayPart::Runs { to: runs, .. } => unpack_runs(runs, width, kept, to),
            };
        }
        end
    }

    /// Copies all elements from array to array; returns their bytes.
    pub fn copy(&self, from: &[u8], to: &mut [u8]) -> usize {
        self.parts.iter().map(|part| self.copy_part(part, from, to)).sum()
    }

    fn copy_part(&self, part: &StayPart, from: &[u8], to: &mut [u8]) -> usize {
        let width = self.width;
        match part {
            StayPart::Gathered { from: places, to: start } => {
                let len = places.len() * width;
                let to = &mut to[start * width..][..len];
                with_places!(places, places => gathered(width, from, places, to));
                len
            }
            StayPart::Placed { from: before, to: after } => {
                with_places!(before, before => with_places!(after, after => {
                    placed(width, (from, before), (&mut *to, after));
                }));
                before.len() * width
            }
            StayPart::Runs { from: before, to: after } if before.len == 1 => {
                placed(width, (from, starts(before)), (to, starts(after)));
                before.count * width
            }
            StayPart::Runs { from: before, to: after } => {
                for (before, after) in run_places(before, width).zip(run_places(after, width)) {
                    copy_slice(&from[before], &mut to[after]);
                }
                before.len * before.count * width
            }
        }
    }
}

/// Walks over the elements of a message.
struct Cursor<'a> {
    parts: &'a [ListPart],
    /// Places, or runs, of the first part that are passed.
    passed: usize,
    /// Elements of the next run that are passed.
    at: usize,
}

/// The places of a part that are not passed.
struct PlacesLeft<'a>(&'a Places, usize);

impl PlacesLeft<'_> {
    fn len(&self) -> usize {
        self.0.len() - self.1
    }

    fn part(&self, len: usize) -> Places {
        self.0.part(self.1..self.1 + len)
    }
}

impl<'a> Cursor<'a> {
    const fn new(parts: &'a [ListPart]) -> Self {
        Self { parts, passed: 0, at: 0 }
    }

    /// Returns the next place, and the elements that lie together from there on.
    fn front(&self) -> Option<(usize, usize)> {
        Some(match self.parts.first()? {
            ListPart::Places(places) => (places.at(self.passed), 1),
            ListPart::Runs(run) => {
                let start = run.start.wrapping_add_signed(run.step * self.passed as isize);
                (start + self.at, run.len - self.at)
            }
        })
    }

    /// Returns the next places, if they are of single elements.
    fn places(&self) -> Option<PlacesLeft<'a>> {
        match self.parts.first()? {
            ListPart::Places(places) => Some(PlacesLeft(places, self.passed)),
            ListPart::Runs(_) => None,
        }
    }

    /// Passes single elements, or elements of a run.
    fn pass(&mut self, len: usize) {
        match self.parts.first() {
            Some(ListPart::Places(_)) => self.pass_places(len),
            _ => self.skip(len),
        }
    }

    /// Passes so many places of single elements.
    fn pass_places(&mut self, count: usize) {
        self.passed += count;
        if let Some(ListPart::Places(places)) = self.parts.first()
            && self.passed == places.len()
        {
            self.next_part();
        }
    }

    /// Passes elements of the next run, or a place.
    fn skip(&mut self, len: usize) {
        let Some(ListPart::Runs(run)) = self.parts.first() else { return self.pass_places(len) };
        self.at += len;
        if self.at == run.len {
            (self.passed, self.at) = (self.passed + 1, 0);
        }
        if self.passed == run.count {
            self.next_part();
        }
    }

    fn next_part(&mut self) {
        (self.parts, self.passed) = (&self.parts[1..], 0);
    }
}

/// Adds a pair of runs to a group of pairs, if it is of their length and at their distances.
fn goes_on(group: &mut [ListRun; 2], (from, to, len): (usize, usize, usize)) -> bool {
    let steps = [0, 1].map(|side: usize| {
        let ListRun { start, count, step, .. } = group[side];
        let last = start.wrapping_add_signed(step * (count as isize - 1));
        [from, to][side].wrapping_sub(last) as isize
    });
    let fits =
        |(run, step): (&ListRun, isize)| run.len == len && (run.count == 1 || run.step == step);
    let goes_on = group.iter().zip(steps).all(fits);
    if goes_on {
        for (run, step) in group.iter_mut().zip(steps) {
            (run.count, run.step) = (run.count + 1, step);
        }
    }
    goes_on
}

/// Adds a group of pairs to the parts; up to two single elements to those that any places have.
fn add(group: [ListRun; 2], singles: &mut [Vec<usize>; 2], parts: &mut Vec<StayPart>) {
    let [from, to] = group;
    if from.len == 1 && from.count <= 2 {
        for (list, run) in singles.iter_mut().zip(group) {
            list.extend(starts(&run));
        }
        return;
    }
    add_singles(singles, parts);
    parts.push(StayPart::Runs { from, to });
}

fn add_singles(singles: &mut [Vec<usize>; 2], parts: &mut Vec<StayPart>) {
    let [from, to] = singles.each_mut().map(mem::take);
    let Some(first) = to.first().copied() else { return };
    let from = from.into_iter().collect();
    let lie_together = (first..).zip(&to).all(|(expected, to)| expected == *to);
    parts.push(match lie_together {
        true => StayPart::Gathered { from, to: first },
        false => StayPart::Placed { from, to: to.into_iter().collect() },
    });
}

/// Returns the first place of each run.
fn starts(runs: &ListRun) -> impl Iterator<Item = usize> + use<> {
    let ListRun { start, count, step, .. } = *runs;
    (0..count).map(move |number| start.wrapping_add_signed(step * number as isize))
}

/// Returns the bytes of runs in the local array.
fn run_places(runs: &ListRun, width: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let len = runs.len;
    starts(runs).map(move |start| start * width..(start + len) * width)
}

/// Copies runs of the local array to the front of a message; returns their bytes.
fn pack_runs(runs: &ListRun, width: usize, local: &[u8], message: &mut [u8]) -> usize {
    let bytes = runs.len * runs.count * width;
    let message = &mut message[..bytes];
    if runs.len == 1 {
        gathered(width, local, starts(runs), message);
        return bytes;
    }
    for (places, to) in run_places(runs, width).zip(message.chunks_exact_mut(runs.len * width)) {
        copy_slice(&local[places], to);
    }
    bytes
}

/// Copies the front of a message to runs of the local array; returns their bytes.
fn unpack_runs(runs: &ListRun, width: usize, message: &[u8], local: &mut [u8]) -> usize {
    let bytes = runs.len * runs.count * width;
    let message = &message[..bytes];
    if runs.len == 1 {
        scattered(width, message, starts(runs), local);
        return bytes;
    }
    for (places, from) in run_places(runs, width).zip(message.chunks_exact(runs.len * width)) {
        copy_slice(from, &mut local[places]);
    }
    bytes
}

/// Copies elements at these places to the neighbours in `to`.
fn gathered(width: usize, local: &[u8], places: impl Iterator<Item = usize>, to: &mut [u8]) {
    with_const!(
        width,
        BYTES in [1 2 4 8 16] => {
            let ((local, _), (to, _)) = (local.as_chunks::<BYTES>(), to.as_chunks_mut::<BYTES>());
            to.iter_mut().zip(places).for_each(|(to, place)| *to = local[place]);
        },
        else for (to, place) in to.chunks_exact_mut(width).zip(places) {
            to.copy_from_slice(&local[place * width..][..width]);
        }
    );
}

/// Copies the neighbours in `from` to these places.
fn scattered(width: usize, from: &[u8], places: impl Iterator<Item = usize>, local: &mut [u8]) {
    with_const!(
        width,
        BYTES in [1 2 4 8 16] => {
            let ((from, _), (local, _)) = (from.as_chunks::<BYTES>(), local.as_chunks_mut::<BYTES>());
            from.iter().zip(places).for_each(|(from, place)| local[place] = *from);
        },
        else for (from, place) in from.chunks_exact(width).zip(places) {
            local[place * width..][..width].copy_from_slice(from);
        }
    );
}

/// Copies elements from places of one array to those of another.
fn placed(
    width: usize,
    (from, before): (&[u8], impl Iterator<Item = usize>),
    (to, after): (&mut [u8], impl Iterator<Item = usize>),
) {
    let pairs = before.zip(after);
    with_const!(
        width,
        BYTES in [1 2 4 8 16] => {
            let ((from, _), (to, _)) = (from.as_chunks::<BYTES>(), to.as_chunks_mut::<BYTES>());
            pairs.for_each(|(before, after)| to[after] = from[before]);
        },
        else for (before, after) in pairs {
            to[after * width..][..width].copy_from_slice(&from[before * width..][..width]);
        }
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn run(start: usize, len: usize, count: usize, step: isize) -> ListPart {
        ListPart::Runs(ListRun { start, len, count, step })
    }

    fn singles(places: &[usize]) -> ListPart {
        ListPart::Places(places.iter().copied().collect())
    }

    fn places(parts: &[ListPart]) -> Vec<usize> {
        let of = |part: &ListPart| -> Vec<usize> {
            match part {
                ListPart::Places(places) => (0..places.len()).map(|at| places.at(at)).collect(),
                ListPart::Runs(run) => run_places(run, 1).flatten().collect(),
            }
        };
        parts.iter().flat_map(of).collect()
    }

    /// Copies elements of this width, which tell their places, and returns the number of parts.
    fn check(from: &[ListPart], to: &[ListPart], width: usize) -> usize {
        let (before, after) = (places(from), places(to));
        assert_eq!(before.len(), after.len(), "{from:?} {to:?}");
        let bytes = |places: &[usize]| (places.iter().max().unwrap() + 1) * width;
        let source: Vec<u8> = (0..bytes(&before)).map(|byte| byte as u8).collect();
        let mut found = vec![255; bytes(&after)];
        let copier = StayCopier::new([from, to], width);
        assert_eq!(copier.copy(&source, &mut found), before.len() * width);
        let mut expected = vec![255; found.len()];
        for (before, after) in before.into_iter().zip(after) {
            expected[after * width..][..width].copy_from_slice(&source[before * width..][..width]);
        }
        assert_eq!(found, expected, "{from:?} {to:?} {width}");
        let mut kept = vec![0; places(from).len() * width];
        found.fill(255);
        assert_eq!(copier.pack(&source, &mut kept), kept.len());
        assert_eq!(copier.unpack(&kept, &mut found), kept.len());
        assert_eq!(found, expected, "in two calls: {from:?} {to:?} {width}");
        copier.parts.len()
    }

    #[test]
    fn elements_that_stay_are_copied_once() {
        let backwards = [run(9, 1, 10, -1)];
        let blocks = [run(0, 4, 3, 8)];
        let mixed = [singles(&[3, 0]), run(20, 2, 5, 3)];
        let together = [run(2, 12, 1, 0)];
        for width in [1, 3, 8] {
            assert_eq!(check(&backwards, &[run(0, 10, 1, 0)], width), 1);
            assert_eq!(check(&blocks, &together, width), 1);
            assert_eq!(check(&together, &blocks, width), 1);
            assert_eq!(check(&mixed, &together, width), 2);
            assert_eq!(check(&together, &mixed, width), 2);
            assert_eq!(check(&mixed, &blocks, width), 4);
            check(&[run(7, 5, 1, 0), run(1, 7, 1, 0)], &blocks, width);
        }
        let many: Vec<usize> = (0..50).map(|at| at * 7 % 50).collect();
        let more: Vec<usize> = (0..50).map(|at| at * 3).collect();
        let (many, more) = ([singles(&many)], [singles(&more)]);
        assert_eq!(check(&many, &more, 8), 1);
        assert_eq!(check(&many, &[run(4, 50, 1, 0)], 8), 1);
        assert_eq!(check(&many, &[run(4, 40, 1, 0), run(50, 1, 10, 2)], 8), 3);
        assert_eq!(check(&many, &[singles(&[9, 1]), run(10, 48, 1, 0)], 8), 2);
        let apart = [singles(&[5, 2, 9, 0, 4])];
        assert_eq!(check(&apart, &[run(3, 5, 1, 0)], 4), 1);
        assert_eq!(check(&[run(3, 5, 1, 0)], &apart, 4), 1);
        assert_eq!(check(&apart, &[singles(&[1, 0, 8, 4, 6])], 4), 1);
        assert_eq!(check(&apart, &[run(7, 2, 1, 0), run(1, 1, 3, 2)], 4), 1);
    }

    #[test]
    fn elements_come_back_from_a_message() {
        let parts = [
            run(5, 100, 2, 200),
            singles(&(0..700).map(|at| at * 31 % 701).collect::<Vec<_>>()),
            run(3000, 3, 40, 4),
            run(4000, 1, 50, 1),
            ListPart::Places(Places::Far(vec![3999, 2990])),
        ];
        for width in [1, 8, 12] {
            let (copier, places) = (ListCopier::new(parts.to_vec(), width), places(&parts));
            let bytes = (places.iter().max().unwrap() + 1) * width;
            let source: Vec<u8> = (0..bytes).map(|byte| (byte % 251) as u8).collect();
            let (mut message, mut found) = (vec![0; places.len() * width], vec![0; bytes]);
            assert_eq!(copier.pack(&source, &mut message), message.len());
            let of = |place: &usize| source[place * width..][..width].iter().copied();
            assert!(places.iter().flat_map(of).eq(message.iter().copied()), "{width}");
            assert_eq!(copier.unpack(&message, &mut found), message.len());
            let has_come =
                |place: &usize| found[place * width..][..width] == source[place * width..][..width];
            assert!(places.iter().all(has_come), "{width}");
        }
    }
}
