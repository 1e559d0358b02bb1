//! Algorithm 4 of the ASPEN paper, as printed and as corrected.

use crate::case::{Case, Tuple};

#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Line 5 goes to the larger of two numbers: the local blocks, and the blocks of a period.
    pub larger: bool,
    /// Lines 13, 24 and 34: `to` includes the extent.
    pub extent_too: bool,
    /// Line 21: `to` includes the end.
    pub end_too: bool,
    /// Line 21: whole remote blocks only (reading B), or the own block's rest, too (reading A).
    pub whole_blocks_only: bool,
    /// Lines 15, 26 and 36 convert the exclusive end to a local index.
    pub converts_ends: bool,
    /// Line 32.
    pub tail: Tail,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    /// `Left <= Right`, as printed.
    AtMost,
    /// `Left < Right`.
    Below,
    /// Lines 31 to 39 left out.
    Absent,
}

pub const PRINTED: Reading = Reading {
    larger: true,
    extent_too: false,
    end_too: false,
    whole_blocks_only: false,
    converts_ends: true,
    tail: Tail::AtMost,
};
pub const PRINTED_B: Reading = Reading { whole_blocks_only: true, ..PRINTED };
pub const CORRECTED: Reading =
    Reading { larger: false, converts_ends: false, tail: Tail::Below, ..PRINTED };

/// Tuples of local indices, in the order of the loops.
pub fn run(case: &Case, reading: Reading) -> Vec<Tuple> {
    let mut printer = Printer { case, reading, tuples: Vec::new() };
    let (source, _, period) = case.periods();
    let (own, of_a_period) = (case.blocks(case.s, case.source_ranks, case.p), period / source);
    for block in 0..if reading.larger { own.max(of_a_period) } else { own.min(of_a_period) } {
        printer.own_block(case.p * case.s + block * source);
    }
    printer.tuples
}

struct Printer<'a> {
    case: &'a Case,
    reading: Reading,
    tuples: Vec<Tuple>,
}

impl Printer<'_> {
    /// Lines 6 to 39.
    fn own_block(&mut self, start: i64) {
        let Case { extent, s, t, destination_ranks, .. } = *self.case;
        let (end, offset) = (start + s, start % t);
        let (mut remote, mut left) = (start / t % destination_ranks, start);
        if start - offset + t <= end {
            let right = (start - offset + t).min(extent);
            self.emit(remote, left, right - left);
            (left, remote) = (right, (remote + 1) % destination_ranks);
        }
        while self.goes_on(left, end.min(extent)) {
            let right = (left + t).min(end).min(extent);
            self.emit(remote, left, right - left);
            (left, remote) = (left + t, (remote + 1) % destination_ranks);
        }
        let right = end.min(extent);
        match self.reading.tail {
            Tail::AtMost if left <= right => self.emit(remote, left, right - left),
            Tail::Below if left < right => self.emit(remote, left, right - left),
            _ => {}
        }
    }

    /// Line 21.
    fn goes_on(&self, left: i64, limit: i64) -> bool {
        match self.reading.whole_blocks_only {
            true => left + self.case.t <= limit,
            false => left < limit || self.reading.end_too && left == limit,
        }
    }

    /// Lines 13 to 17, which stand there three times.
    fn emit(&mut self, remote: i64, left: i64, len: i64) {
        let ((.., period), extent) = (self.case.periods(), self.case.extent);
        let mut global = left;
        while global < extent || self.reading.extent_too && global == extent {
            let (start, end) = (self.local(global), (global + len).min(extent));
            let end =
                if self.reading.converts_ends { self.local(end) } else { start + end - global };
            self.tuples.push((remote, start, end));
            global += period;
        }
    }

    /// `G2L`.
    fn local(&self, global: i64) -> i64 {
        global / (self.case.s * self.case.source_ranks) * self.case.s + global % self.case.s
    }
}
