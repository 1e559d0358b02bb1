//! Cuts a rank's rows to a trapezoid.

use super::value::message_order;
use super::{LoopDim, Program, StridedCopy};
use crate::plan::{AnyPlan, Section, Side, Trapezoid};
use core::ops::Range;

/// A local array's rows in a trapezoid, along the faster dimension in message order.
#[derive(Clone, Copy, Debug)]
pub struct Clip {
    trapezoid: Trapezoid,
    /// Rows and columns of the matrix.
    extents: [usize; 2],
    /// `true` if local rows lie along the matrix's rows.
    along_rows: bool,
    /// The dimension that numbers local rows, and this rank's coordinate along it.
    slower: (Section, usize),
    /// The dimension along which local rows lie, and this rank's coordinate along it.
    faster: (Section, usize),
}

impl Clip {
    /// Returns `None` if `rank` holds nothing there, or if the plan is of no matrix.
    pub fn new(plan: &AnyPlan, trapezoid: Trapezoid, side: Side, rank: usize) -> Option<Self> {
        let coordinates = plan.descriptor(side).coordinates(rank)?;
        let [rows, columns] = plan.axes() else { return None };
        let order: Vec<usize> = message_order(plan).collect();
        let along = |dimension: usize| {
            let section = plan.axis(dimension).side(side);
            (section, coordinates[plan.axis_on(side, dimension)])
        };
        Some(Self {
            trapezoid,
            extents: [rows.len(), columns.len()],
            along_rows: order[0] == 0,
            slower: along(order[0]),
            faster: along(order[1]),
        })
    }

    fn row(&self, number: usize) -> Range<usize> {
        let Range { start, end } = match self.along_rows {
            true => self.trapezoid.columns(self.extents, number),
            false => self.trapezoid.rows(self.extents, number),
        };
        let (section, coordinate) = self.faster;
        section.owned_below(coordinate, start)..section.owned_below(coordinate, end)
    }

    /// Visits all runs: a message, and its next elements. Compiled once, because each run takes longer
    /// than a call.
    pub fn for_each_run(&self, program: &Program, visit: &mut dyn FnMut(usize, StridedCopy)) {
        let [slower, faster] = &program.dims[..] else { return };
        let (section, coordinate) = self.slower;
        let (mut next, mut offset) = (0, program.first + slower.start * slower.stride);
        let from = faster.start * faster.stride;
        for group in slower.all_groups() {
            let mut peer = group.peer;
            for _ in 0..group.count {
                for _ in 0..group.len {
                    let number = section.next_owned(coordinate, next);
                    let number = number.expect("the rank holds as many rows as its program says");
                    let message = peer * slower.message_stride;
                    clipped_row(faster, self.row(number), &mut |peer, at, len| {
                        let at = offset + from + at * faster.stride;
                        visit(message + peer, StridedCopy::evenly(at, len, faster.stride));
                    });
                    (next, offset) = (number + 1, offset + slower.stride);
                }
                peer = (peer + 1) % slower.peers.len();
            }
        }
    }
}

fn clipped_row(level: &LoopDim, kept: Range<usize>, visit: &mut impl FnMut(usize, usize, usize)) {
    let mut start = 0;
    for group in level.all_groups() {
        if start >= kept.end {
            return;
        }
        // Whole runs before what is kept.
        let skipped = (kept.start.saturating_sub(start) / group.len).min(group.count);
        let mut peer = (group.peer + skipped) % level.peers.len();
        start += skipped * group.len;
        for _ in skipped..group.count {
            let (first, end) = (start.max(kept.start), (start + group.len).min(kept.end));
            if first >= end {
                return;
            }
            visit(peer, first, end - first);
            (start, peer) = (start + group.len, (peer + 1) % level.peers.len());
        }
    }
}

impl Program {
    /// Shortens messages to their clipped part, which may be empty.
    pub fn clip(&mut self, clip: &Clip) {
        let mut lens = vec![0; self.envelopes.len()];
        clip.for_each_run(self, &mut |message, runs| lens[message] += runs.elements());
        for (envelope, len) in self.envelopes.iter_mut().zip(lens) {
            envelope.len = len;
        }
    }
}
