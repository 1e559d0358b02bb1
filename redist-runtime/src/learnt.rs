//! A choice between ways that do the same, learnt from the time of moves. Processors differ in which
//! is faster, and no system says on which cores ranks are and stay.

use std::time::Duration;

/// Moves that try each way at first. The first one of all finds cold caches and fresh memory.
const FIRST_MOVES: u64 = 2;

/// Moves between two trials of a slower way.
const TRY_AGAIN: u64 = 32;

/// Bytes of a segment.
const SEGMENT_BYTES: usize = 4 << 20;

/// Remembered moves of a way: the least time counts, because other programs share the cores.
const REMEMBERED: usize = 4;

/// The times of moves by each of several ways, which have numbers from 0.
#[derive(Clone, Debug)]
pub struct LearntTimes {
    /// Moves that were made.
    moves: u64,
    /// Number of the last move's way.
    last: usize,
    /// By way, times of moves since it was last taken up.
    took: Vec<[Option<Duration>; REMEMBERED]>,
}

impl LearntTimes {
    pub fn of(ways: usize) -> Self {
        Self { moves: 0, last: 0, took: vec![[None; REMEMBERED]; ways] }
    }

    /// Returns the way of the next move; `first` is tried first.
    pub fn next(&self, first: usize) -> usize {
        let ways = self.took.len() as u64;
        let on = |way: usize, by: u64| (way + by as usize) % self.took.len();
        match self.moves {
            _ if ways < 2 => 0,
            moves if moves < FIRST_MOVES * ways => on(first, moves / FIRST_MOVES),
            moves if moves.is_multiple_of(TRY_AGAIN) => {
                on(self.best(), 1 + moves / TRY_AGAIN % (ways - 1))
            }
            _ => self.best(),
        }
    }

    /// Returns `true` if the next move's time tells anything.
    pub fn is_timed(&self) -> bool {
        let (ways, since) = (self.took.len() as u64, self.moves % TRY_AGAIN);
        let is_timed = self.moves < FIRST_MOVES * ways || since <= REMEMBERED as u64;
        ways > 1 && is_timed
    }

    /// Passes over the moves until the next one whose time tells anything, and returns their number
    /// with their way.
    pub fn pass(&mut self) -> (u64, usize) {
        let untimed = if self.is_timed() { 0 } else { TRY_AGAIN - self.moves % TRY_AGAIN };
        self.moves += untimed;
        (untimed, self.best())
    }

    /// Notes a move by a way, and its time, if that is known.
    pub fn note(&mut self, way: usize, took: Option<Duration>) {
        let times = &mut self.took[way];
        if let Some(took) = took {
            if way != self.last {
                // Old times: ranks may be on other cores now.
                *times = [None; REMEMBERED];
            }
            times[(self.moves % REMEMBERED as u64) as usize] = Some(took);
            self.last = way;
        }
        self.moves += 1;
    }

    fn best(&self) -> usize {
        let least = |times: &[Option<Duration>; REMEMBERED]| times.iter().flatten().min().copied();
        let of_way = |way: &usize| least(&self.took[*way]).unwrap_or(Duration::MAX);
        (0..self.took.len()).min_by_key(of_way).unwrap_or(0)
    }
}

/// Segments of the rounds of a large array's move. Each counts as a move, so that one move tries all
/// ways. Only the second half of a segment is timed. Stores of the first half, through the caches,
/// leave lines there that are written to memory later, in whichever way's time that is.
#[derive(Clone, Copy, Debug, Default)]
pub struct LearntSegments {
    /// Rounds of a segment; 0 if a move has few rounds, and counts whole.
    len: usize,
    /// Rounds of the segment under way.
    done: usize,
    /// `true` if one has ended in this move.
    any: bool,
}

impl LearntSegments {
    /// Segments of moves of so many rounds, of so many bytes each.
    pub fn of(rounds: usize, bytes: usize) -> Self {
        let len = (SEGMENT_BYTES / bytes.max(1)).max(2);
        Self { len: if rounds >= 2 * len { len } else { 0 }, ..Self::default() }
    }

    pub fn begin(&mut self) {
        (self.done, self.any) = (0, false);
    }

    /// Returns `true` if the next round's time tells anything.
    pub fn is_timed(&self) -> bool {
        self.done >= self.len / 2
    }

    /// Returns how many of the `left` next rounds are timed alike.
    pub fn alike(&self, left: usize) -> usize {
        let end = if self.is_timed() { self.len } else { self.len / 2 };
        if self.len == 0 { left } else { left.min(end - self.done) }
    }

    /// Notes [`alike`](Self::alike) rounds, or some of them. Returns `true` where a segment ends.
    pub fn note_rounds(&mut self, rounds: usize) -> bool {
        self.done += rounds;
        let ends = self.done == self.len;
        if ends {
            (self.done, self.any) = (0, true);
        }
        ends
    }

    /// Returns `true` if no segment has ended in this move, which counts whole.
    pub fn is_whole(&self) -> bool {
        !self.any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_halves_of_segments_are_timed() {
        let mut segments = LearntSegments::of(17, SEGMENT_BYTES / 6);
        for _ in 0..2 {
            segments.begin();
            assert!(segments.is_whole());
            let (mut left, mut found) = (17, Vec::new());
            while left > 0 {
                let (is_timed, rounds) = (segments.is_timed(), segments.alike(left));
                found.push((is_timed, rounds, segments.note_rounds(rounds)));
                left -= rounds;
            }
            let [untimed, timed] = [(false, 3, false), (true, 3, true)];
            assert_eq!(found, [untimed, timed, untimed, timed, untimed, (true, 2, false)]);
            assert!(!segments.is_whole());
        }
        // Few rounds have none, and all are timed.
        for (rounds, bytes) in [(3, SEGMENT_BYTES), (127, 64 << 10), (3, usize::MAX), (0, 1)] {
            let mut few = LearntSegments::of(rounds, bytes);
            assert_eq!(few.alike(rounds), rounds);
            assert!((0..rounds).all(|_| few.is_timed() && !few.note_rounds(1)));
            assert!(few.is_whole());
        }
        let mut many = LearntSegments::of(128, 64 << 10);
        assert_eq!((0..128).filter(|_| many.note_rounds(1)).count(), 2);
    }

    /// Returns the ways of as many moves, if each way takes so many microseconds.
    fn taken(learnt: &mut LearntTimes, moves: usize, micros: &[u64]) -> Vec<usize> {
        let next = |_| {
            let way = learnt.next(0);
            let took = Duration::from_micros(micros[way]);
            let is_timed = learnt.is_timed();
            learnt.note(way, is_timed.then_some(took));
            way
        };
        (0..moves).map(next).collect()
    }

    fn count(taken: &[usize], way: usize) -> usize {
        taken.iter().filter(|one| **one == way).count()
    }

    #[test]
    fn the_fastest_way_is_taken_but_for_trials() {
        for (micros, best) in [(&[10, 20][..], 0), (&[20, 10], 1), (&[30, 20, 10], 2)] {
            let mut learnt = LearntTimes::of(micros.len());
            let all = taken(&mut learnt, 10 * TRY_AGAIN as usize - 3, micros);
            // Two trials of each other way at first, and a trial in each later row.
            assert_eq!(count(&all, best), all.len() - 2 * (micros.len() - 1) - 9);
            assert!((0..micros.len()).all(|way| count(&all[TRY_AGAIN as usize..], way) > 3));
            // One slow move changes nothing.
            learnt.note(best, Some(Duration::from_secs(1)));
            assert_eq!(learnt.next(0), best);
        }
    }

    #[test]
    fn ranks_that_get_to_other_cores_are_noticed() {
        let (mut learnt, row) = (LearntTimes::of(2), TRY_AGAIN as usize);
        taken(&mut learnt, row - 3, &[10, 20]);
        let after = taken(&mut learnt, 4 * row, &[40, 20]);
        assert_eq!(after[0], 0);
        assert!(count(&after, 1) > 4 * row - 3 - 2 * REMEMBERED, "{after:?}");
    }

    #[test]
    fn moves_that_tell_nothing_are_passed_over() {
        let micros = [20, 10];
        let (mut each, mut some) = (LearntTimes::of(2), LearntTimes::of(2));
        let all = taken(&mut each, 5 * TRY_AGAIN as usize, &micros);
        let mut found = Vec::new();
        while found.len() < all.len() {
            let (untimed, way) = some.pass();
            found.extend(vec![way; untimed as usize]);
            found.extend(taken(&mut some, 1, &micros));
        }
        assert_eq!(found[..all.len()], all);
    }

    #[test]
    fn one_way_is_never_timed() {
        let mut learnt = LearntTimes::of(1);
        assert_eq!(taken(&mut learnt, 2 * TRY_AGAIN as usize, &[1]), [0; 2 * TRY_AGAIN as usize]);
        assert!(!learnt.is_timed());
    }
}
