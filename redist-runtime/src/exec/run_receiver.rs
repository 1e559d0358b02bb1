//! Functions of runs, which receive each run that arrives, or runs that are joined.

use crate::cache::copy_slice;
use crate::program::StridedCopy;
use core::ops::Range;

/// Receives runs of messages, with their places in the destination.
pub trait RunReceiver {
    /// Receives runs of a message. `widths` are bytes of an element: of the message, of the destination.
    fn receive(
        &mut self,
        message: &[u8],
        destination: &mut [u8],
        runs: StridedCopy,
        widths: [usize; 2],
    );

    /// Ends what was received so far. Later runs may have the same places again.
    fn end(&mut self, destination: &mut [u8]);
}

/// Calls a function for each run: with the bytes of its elements, at any address, and with the bytes of
/// as many kept elements.
pub struct EachRun<F>(pub F);

impl<F: FnMut(&[u8], &mut [u8])> RunReceiver for EachRun<F> {
    fn receive(
        &mut self,
        message: &[u8],
        destination: &mut [u8],
        runs: StridedCopy,
        widths: [usize; 2],
    ) {
        for (from, to) in runs.runs() {
            let [from, to] = bytes_of([from, to], runs.len, widths);
            (self.0)(&message[from], &mut destination[to]);
        }
    }

    fn end(&mut self, _destination: &mut [u8]) {}
}

/// Calls a function as [`EachRun`] does, but joins short runs: for a function that takes long to call.
pub struct JoinedRuns<F> {
    function: F,
    /// Elements that have arrived, and wait.
    arrived: Vec<u8>,
    /// Their places in the destination, in bytes.
    places: Vec<Range<usize>>,
    /// Elements that are kept there, while the function is called.
    kept: Vec<u8>,
}

impl<F: FnMut(&[u8], &mut [u8])> JoinedRuns<F> {
    /// Bytes of arrived elements from which a run is passed on as it lies.
    const LONG: usize = 8 << 10;
    /// Bytes of arrived elements from which the function is called: half of a cache of 256 KiB.
    const MOST: usize = 128 << 10;

    /// Joins runs for this function.
    pub fn new(function: F) -> Self {
        Self { function, arrived: Vec::new(), places: Vec::new(), kept: Vec::new() }
    }
}

impl<F: FnMut(&[u8], &mut [u8])> RunReceiver for JoinedRuns<F> {
    fn receive(
        &mut self,
        message: &[u8],
        destination: &mut [u8],
        runs: StridedCopy,
        widths: [usize; 2],
    ) {
        for (from, to) in runs.runs() {
            let [from, to] = bytes_of([from, to], runs.len, widths);
            if from.len() >= Self::LONG {
                (self.function)(&message[from], &mut destination[to]);
                continue;
            }
            self.arrived.extend_from_slice(&message[from]);
            match self.places.last_mut() {
                Some(last) if last.end == to.start => last.end = to.end,
                _ => self.places.push(to),
            }
            if self.arrived.len() >= Self::MOST {
                self.end(destination);
            }
        }
    }

    fn end(&mut self, destination: &mut [u8]) {
        let Self { function, arrived, places, kept } = self;
        if arrived.is_empty() {
            return;
        }
        kept.clear();
        places.iter().for_each(|place| kept.extend_from_slice(&destination[place.clone()]));
        function(arrived, kept);
        let mut rest = &kept[..];
        for place in places.drain(..) {
            let (own, others) = rest.split_at(place.len());
            copy_slice(own, &mut destination[place]);
            rest = others;
        }
        arrived.clear();
    }
}

fn bytes_of(starts: [usize; 2], len: usize, widths: [usize; 2]) -> [Range<usize>; 2] {
    let of = |at: usize, width: usize| at * width..(at + len) * width;
    [of(starts[0], widths[0]), of(starts[1], widths[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Spacing;

    /// Adds bytes to numbers of two bytes, and counts the calls.
    fn added(calls: &mut usize, arrived: &[u8], kept: &mut [u8]) {
        *calls += 1;
        for (arrived, kept) in arrived.iter().zip(kept.chunks_exact_mut(2)) {
            let sum = u16::from_ne_bytes([kept[0], kept[1]]) + u16::from(*arrived);
            kept.copy_from_slice(&sum.to_ne_bytes());
        }
    }

    #[test]
    fn joined_runs_are_what_single_ones_are() {
        let message: Vec<u8> = (0..200_010).map(|at| (at % 251) as u8).collect();
        for (len, inner, outer) in
            [(1, (3, 2), (40_000, 5)), (3, (2, 5), (9, 40)), (9_000, (4, 9_000), (1, 0))]
        {
            let spacing = |(count, step)| Spacing { count, source: step, destination: step };
            let runs = StridedCopy {
                inner: spacing(inner),
                outer: spacing(outer),
                ..StridedCopy::run(2, 7, len)
            };
            let (mut single, mut joined) = (vec![1; 2 * 200_010], vec![1; 2 * 200_010]);
            let mut counts = [0; 2];
            for _ in 0..2 {
                let mut each =
                    EachRun(|from: &[u8], to: &mut [u8]| added(&mut counts[0], from, to));
                each.receive(&message, &mut single, runs, [1, 2]);
                let mut all =
                    JoinedRuns::new(|from: &[u8], to: &mut [u8]| added(&mut counts[1], from, to));
                all.receive(&message, &mut joined, runs, [1, 2]);
                all.end(&mut joined);
                all.end(&mut joined);
            }
            assert!(single == joined && single.iter().any(|byte| *byte > 1), "{runs:?}");
            let elements = runs.elements();
            let most = if len >= JoinedRuns::<fn(&[u8], &mut [u8])>::LONG {
                4
            } else {
                1 + elements / (128 << 10)
            };
            assert_eq!(counts, [2 * inner.0 * outer.0, 2 * most]);
        }
    }
}
