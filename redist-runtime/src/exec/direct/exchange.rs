//! Rows copied by code that the compiler wrote for the blocks of both sides. Unsafe, because the
//! code copies by pointers; one check covers all steps of a row.

use crate::exec::kernels::{ExchangeCode, Memory, StepKernel, Vectors, best};
use crate::plan::{Axis, Side};
use crate::program::{MAX_COORDINATES, MAX_STEP_PEERS, RepeatedRuns, RowEnd, RowRuns, RowsBetween};
use core::ops::Range;
use core::ptr;

/// Start of the current row in each rank's array, by coordinate along the row.
pub(super) struct RowPointers {
    /// Start in each source.
    pub from: [*const u8; MAX_COORDINATES],
    /// Start in each destination.
    pub to: [*mut u8; MAX_COORDINATES],
    /// Elements from the last row's start to the ends of the arrays, by side.
    pub room: [[usize; MAX_COORDINATES]; 2],
}

impl RowPointers {
    /// Moves on to the next row, by side.
    pub fn advance(&mut self, [sources, destinations]: [&[RowEnd]; 2], width: usize) {
        for (from, end) in self.from.iter_mut().zip(sources) {
            *from = from.wrapping_add(end.step * width);
        }
        for (to, end) in self.to.iter_mut().zip(destinations) {
            *to = to.wrapping_add(end.step * width);
        }
    }

    /// Panics if a run does not lie in its arrays.
    pub fn check(&self, rounds: &RepeatedRuns<'_>) {
        let last = rounds.spacing.count.saturating_sub(1);
        let further = |at: usize, step: usize| at.saturating_add(step.saturating_mul(last));
        let at = [
            further(rounds.at.0, rounds.spacing.source),
            further(rounds.at.1, rounds.spacing.destination),
        ];
        let fits = |side: usize, coordinate: u16, end: usize| {
            at[side].saturating_add(end) <= self.room[side][usize::from(coordinate)]
        };
        for (side, spans) in rounds.spans().iter().enumerate() {
            let all_fit = spans.iter().all(|span| fits(side, span.coordinate, span.end));
            assert!(all_fit, "an array shorter than its plan");
        }
        if rounds.spans().iter().any(|spans| spans.is_empty()) {
            for run in rounds.runs() {
                let end = |start: u32| (start as usize).saturating_add(run.len as usize);
                assert!(
                    fits(0, run.from, end(run.source)) && fits(1, run.to, end(run.destination)),
                    "an array shorter than its plan"
                );
            }
        }
    }
}

/// Copies whole periods of rows from all ranks' arrays to all, or to one, by compiled code.
#[derive(Clone, Debug)]
pub(super) struct RowExchange {
    kernel: StepKernel,
    memory: Memory,
    /// Bytes of an element.
    width: usize,
    /// Indices in a period of the row, over all ranks.
    indices: usize,
    /// Elements of a period in one local array, by side.
    shares: [usize; 2],
    /// Stream of each coordinate of the row, by side: its distance from the coordinate with block
    /// 0.
    streams: [Vec<usize>; 2],
    /// Streams that are written: all, or that of one destination.
    written: Range<usize>,
}

impl RowExchange {
    /// Returns the code for rows with these runs along `axis`, if there is some.
    pub fn new(
        written: Option<&ExchangeCode>,
        vectors: Vectors,
        (axis, runs): (&Axis, &RowRuns),
        (width, memory): (usize, Memory),
    ) -> Option<Self> {
        let ExchangeCode { blocks, kernels, width: of } = written?;
        let [from, to] = [axis.side(Side::Source), axis.side(Side::Destination)];
        let same = axis.regular_blocks() == Some((blocks.own, blocks.peer))
            && (from.ranks(), to.ranks()) == (blocks.ranks, blocks.peers)
            && *of == width;
        let kernel = best(kernels, vectors, memory);
        let kernel = kernel.filter(|_| same && from.at() == 0 && to.at() == 0)?;
        let indices = blocks.all_ranks()?;
        if axis.len() / indices < kernel.times {
            return None;
        }
        let streams = [Side::Source, Side::Destination].map(|side| {
            let deal = axis.side(side).deal();
            runs.coordinates(side).iter().map(|own| deal.relative(*own)).collect::<Vec<_>>()
        });
        let written = match streams[1][..] {
            [one] => one..one + 1,
            _ => 0..blocks.peers,
        };
        // Code exists for one stream or for all, so not for several.
        if written.len() != streams[1].len() {
            return None;
        }
        let shares = [indices / blocks.ranks, indices / blocks.peers];
        Some(Self { kernel, memory, width, indices, shares, streams, written })
    }

    pub fn in_words(&self) -> String {
        let ahead = match self.memory {
            Memory::Cached => String::new(),
            memory => format!(", {memory}"),
        };
        format!("whole periods by code for these blocks, {}{ahead}", self.kernel.vectors)
    }

    pub fn elements(&self, indices: &Range<usize>) -> usize {
        indices.len() / self.indices * self.shares[1] * self.written.len()
    }

    /// Copies the whole steps of rows, from their first whole period on; returns their indices.
    /// Panics if they do not lie in the arrays.
    ///
    /// # Safety
    /// Each pointer's array has as many elements as `room` says from the start of the last row on.
    /// While this runs, nothing else reads or writes the indices' elements in the destinations,
    /// nothing writes to the sources, and the two do not overlap.
    pub unsafe fn copy(&self, pointers: &RowPointers, rows: &RowsBetween<'_>) -> Range<usize> {
        let RowsBetween { elements, sources, destinations, count, .. } = *rows;
        let first = elements.start.div_ceil(self.indices);
        let steps = (elements.end / self.indices).saturating_sub(first) / self.kernel.times;
        if steps == 0 {
            return elements.start..elements.start;
        }
        let end = first + steps * self.kernel.times;
        let [at, ends] = [first, end].map(|period| self.shares.map(|share| period * share));
        for ((end, room), streams) in ends.iter().zip(&pointers.room).zip(&self.streams) {
            let fits = room[..streams.len()].iter().all(|room| end <= room);
            assert!(fits, "an array is too short");
        }
        let (mut from, mut to) = ([ptr::null(); MAX_STEP_PEERS], [ptr::null_mut(); MAX_STEP_PEERS]);
        for row in 0..count {
            for (number, stream) in self.streams[0].iter().enumerate() {
                let begin = (at[0] + row * sources[number].step) * self.width;
                from[*stream] = pointers.from[number].wrapping_add(begin);
            }
            for (number, stream) in self.streams[1].iter().enumerate() {
                let begin = (at[1] + row * destinations[number].step) * self.width;
                to[*stream] = pointers.to[number].wrapping_add(begin);
            }
            // SAFETY: `new` matched the code with these blocks and ranks, whose period has `shares`
            // elements in each local array. All periods of the last row lie inside the arrays, as
            // checked above, and so do periods of rows before it, which do not lie behind it.
            // Coordinates without a pointer share no element with those written. The caller keeps
            // all others from the written elements and from writing to the sources, which do not
            // overlap them.
            // `best` chose instructions that the processor has.
            unsafe { self.kernel.copy(steps, &mut from, &mut to, self.written.clone()) };
        }
        first * self.indices..end * self.indices
    }
}
