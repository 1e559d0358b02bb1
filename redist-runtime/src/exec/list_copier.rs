//! Copies between a local array and a message, or between both local arrays, by listed runs.

use super::with_const::with_const;
use crate::program::lists::ListRun;
use core::ops::Range;

/// The runs of a message, ready to copy. Numbers are in elements.
pub(super) struct ListCopier {
    /// Bytes of an element.
    width: usize,
    parts: Vec<ListPart>,
}

/// Some runs of a message.
enum ListPart {
    /// Single elements.
    Places(Places),
    /// Runs of one length at equal distances.
    Runs(ListRun),
}

/// Places of single elements: four bytes each where these suffice, because a gather reads them all.
enum Places {
    Near(Vec<u32>),
    Far(Vec<usize>),
}

impl Places {
    fn new(places: Vec<usize>) -> Self {
        let near: Result<Vec<u32>, _> = places.iter().map(|place| u32::try_from(*place)).collect();
        near.map_or(Self::Far(places), Self::Near)
    }

    fn len(&self) -> usize {
        match self {
            Self::Near(places) => places.len(),
            Self::Far(places) => places.len(),
        }
    }
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
    pub fn new(runs: &[ListRun], width: usize) -> Self {
        let is_single = |run: &ListRun| run.len == 1 && run.count == 1;
        let mut parts = Vec::new();
        for runs in runs.chunk_by(|one, next| is_single(one) && is_single(next)) {
            match runs {
                [run] if !is_single(run) => parts.push(ListPart::Runs(*run)),
                _ => {
                    let places = runs.iter().map(|run| run.start).collect();
                    parts.push(ListPart::Places(Places::new(places)));
                }
            }
        }
        Self { width, parts }
    }

    /// Counts the runs.
    pub fn runs(&self) -> usize {
        let runs = |part: &ListPart| match part {
            ListPart::Places(places) => places.len(),
            ListPart::Runs(run) => run.count,
        };
        self.parts.iter().map(runs).sum()
    }

    /// Copies elements of the local array to the front of a message; returns their bytes.
    pub fn pack(&self, local: &[u8], message: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            match part {
                ListPart::Places(places) => {
                    let len = places.len() * width;
                    let to = &mut message[end..end + len];
                    with_places!(places, from => gathered(width, local, from, to));
                    end += len;
                }
                ListPart::Runs(run) => end += pack_runs(run, width, local, &mut message[end..]),
            }
        }
        end
    }

    /// Copies the front of a message to the local array; returns the bytes.
    pub fn unpack(&self, message: &[u8], local: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            match part {
                ListPart::Places(places) => {
                    let len = places.len() * width;
                    let from = &message[end..end + len];
                    with_places!(places, to => scattered(width, from, to, local));
                    end += len;
                }
                ListPart::Runs(run) => end += unpack_runs(run, width, &message[end..], local),
            }
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
    /// Pairs the runs of a rank's message to itself with the runs to which its elements go.
    pub fn new([from, to]: [&[ListRun]; 2], width: usize) -> Self {
        let (mut parts, mut singles) = (Vec::new(), [Vec::new(), Vec::new()]);
        let mut group: Option<[ListRun; 2]> = None;
        let (mut before, mut after) = (Cursor::new(from), Cursor::new(to));
        loop {
            let ends = before.front().zip(after.front());
            let next = ends.map(|((from, left), (to, room))| (from, to, left.min(room)));
            if let (Some(group), Some(next)) = (&mut group, next)
                && goes_on(group, next)
            {
                before.skip(next.2);
                after.skip(next.2);
                continue;
            }
            group.take().into_iter().for_each(|group| add(group, &mut singles, &mut parts));
            let Some((from, to, len)) = next else { break };
            group = Some([from, to].map(|start| ListRun { start, len, count: 1, step: 0 }));
            before.skip(len);
            after.skip(len);
        }
        add_singles(&mut singles, &mut parts);
        Self { width, parts }
    }

    /// Counts the runs.
    pub fn runs(&self) -> usize {
        let runs = |part: &StayPart| match part {
            StayPart::Gathered { from, .. } | StayPart::Placed { from, .. } => from.len(),
            StayPart::Runs { from, .. } => from.count,
        };
        self.parts.iter().map(runs).sum()
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
                    to[start * width..][..len].copy_from_slice(&kept[..len]);
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
                    to[after].copy_from_slice(&from[before]);
                }
                before.len * before.count * width
            }
        }
    }
}

/// Walks over runs, one after the other.
struct Cursor<'a> {
    runs: &'a [ListRun],
    /// Runs of the first group that are passed.
    passed: usize,
    /// Elements of the next one that are passed.
    at: usize,
}

impl<'a> Cursor<'a> {
    const fn new(runs: &'a [ListRun]) -> Self {
        Self { runs, passed: 0, at: 0 }
    }

    /// Returns the next place, and the elements that lie together from there on.
    fn front(&self) -> Option<(usize, usize)> {
        let run = self.runs.first()?;
        let start = run.start.wrapping_add_signed(run.step * self.passed as isize);
        Some((start + self.at, run.len - self.at))
    }

    /// Passes elements of the next run.
    fn skip(&mut self, len: usize) {
        self.at += len;
        if self.at == self.runs[0].len {
            (self.passed, self.at) = (self.passed + 1, 0);
        }
        if self.passed == self.runs[0].count {
            (self.runs, self.passed) = (&self.runs[1..], 0);
        }
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
    let [from, to] = singles.each_mut().map(core::mem::take);
    let Some(first) = to.first().copied() else { return };
    let from = Places::new(from);
    let lie_together = (first..).zip(&to).all(|(expected, to)| expected == *to);
    parts.push(match lie_together {
        true => StayPart::Gathered { from, to: first },
        false => StayPart::Placed { from, to: Places::new(to) },
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
        to.copy_from_slice(&local[places]);
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
        local[places].copy_from_slice(from);
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

    const fn run(start: usize, len: usize, count: usize, step: isize) -> ListRun {
        ListRun { start, len, count, step }
    }

    fn places(runs: &[ListRun]) -> Vec<usize> {
        runs.iter().flat_map(|run| run_places(run, 1).flatten()).collect()
    }

    /// Copies elements of this width, which tell their places, and returns the number of parts.
    fn check(from: &[ListRun], to: &[ListRun], width: usize) -> usize {
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
        let mixed = [run(3, 1, 1, 0), run(0, 1, 1, 0), run(20, 2, 5, 3)];
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
        let singles = [5, 2, 9, 0, 4].map(|place| run(place, 1, 1, 0));
        assert_eq!(check(&singles, &[run(3, 5, 1, 0)], 4), 1);
        assert_eq!(check(&[run(3, 5, 1, 0)], &singles, 4), 1);
    }

    #[test]
    fn places_beyond_four_bytes_are_kept() {
        let Places::Far(found) = Places::new(vec![3, 1 << 32]) else { panic!("they are far") };
        assert_eq!(found, [3, 1 << 32]);
        assert!(matches!(Places::new(vec![u32::MAX as usize]), Places::Near(_)));
    }
}
