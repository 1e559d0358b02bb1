//! The generalized basic-cycle calculation: a table of the first cycle's units.

use super::cursor::Cursor;
use super::regular::Regular;
use super::{Intersection, Operations, Segments};
use num_integer::gcd;
use redist::plan::Axis;

/// Hsu, Bai, Chung and Yang, *A Generalized Basic-Cycle Calculation Method for Efficient Array
/// Redistribution*.
///
/// A rank finds the owner of every unit of `gcd(s, t)` elements in the first cycle, `lcm(s P, t Q) /
/// (gcd(s, t) P)` units. Neighbouring units of one destination block become one entry of a table,
/// which all cycles repeat.
///
/// A set-up is a unit, a comparison an entry of the table.
#[derive(Clone, Copy, Debug)]
pub struct BasicCycle;

impl Intersection for BasicCycle {
    fn name(&self) -> &'static str {
        "basic cycle"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let (period, unit) = (line.period(), gcd(line.source.block, line.destination.block));
        let repetitions = line.repetitions(period);
        let mut set_ups = 0;
        found.clear();
        for own in line.own_blocks(rank, period) {
            let (mut start, mut first) = (own.start, Cursor::at(own.start, &line.destination));
            let mut push = |(start, end), first: Cursor| {
                let offsets = (own.local + (start - own.start), first.local());
                let peer = line.destination.coordinate(first.relative());
                found.push(repetitions.family(start, end - start, peer, offsets));
            };
            set_ups += 1;
            for next in (own.start + unit..own.end).step_by(unit) {
                set_ups += 1;
                let here = Cursor::at(next, &line.destination);
                if here.left() == line.destination.block {
                    push((start, next), first);
                    (start, first) = (next, here);
                }
            }
            push((start, own.end), first);
        }
        Operations { set_ups, comparisons: found.len() }
    }
}
