//! Prints the outcome.

use crate::clock::{Clock, Phase};
use crate::task::{Outcome, written};
use redist::{Redistribution, Side};

pub fn task(turn: &impl Redistribution<2>) {
    let plan = turn.plan();
    let [rows, columns] = plan.extents();
    let [from, to] = [Side::Source, Side::Destination].map(|side| *plan.descriptor(side).layout());
    println!("array    {rows} x {columns} complex numbers, of two f32 each");
    println!("turn     from {from}");
    println!("         to   {to}, and back");
}

/// Prints at once, because ranks may be processes.
pub fn kernels(outcome: &Outcome) {
    let mut text = format!("rank {}\n", outcome.rank);
    for (direction, lines) in ["to columns", "back to rows"].iter().zip(&outcome.kernels) {
        for line in written(lines) {
            text += &format!("         {direction}: {line}\n");
        }
    }
    print!("{text}");
}

pub fn times(clock: &Clock) {
    println!("time     of one transform on rank 0, in ms, medians of {}", clock.rounds());
    for (phase, words) in [
        (Phase::Lines, "transforms of lines"),
        (Phase::Transpositions, "two local transpositions"),
        (Phase::Turns, "two corner turns, with waiting for each other"),
        (Phase::WrittenTurns, "two corner turns alone, by code for these blocks"),
        (Phase::PlannedTurns, "the same, planned at run time, without such code"),
    ] {
        println!("         {:7.2} {words}", clock.median(phase));
    }
}

pub fn error(error: f64) {
    println!("check    largest error {error:.1e} of the largest coefficient, beside a serial");
    println!("         transform in double precision");
}
