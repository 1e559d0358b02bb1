//! Right programs whose ranks are ahead of each other: messages of later moves are there before.

use redist::mpi::Communicator;
use redist::{Bound, Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Case, Outcome};
use std::thread;
use std::time::Duration;

pub const CASES: &[Case] = &[
    Case::new("ahead::a_later_message_waits_beside", &[3], a_later_message_waits_beside).limit(30),
    Case::new("ahead::a_sender_fills_no_memory", &[3], a_sender_fills_no_memory).limit(90),
];

/// Elements of short messages, and of messages that no library sends unasked. One rank of three
/// has three times as many.
const LENS: [usize; 2] = [900, 120_000];

/// Moves `x` and then `y`, as the rank's role says: one runs `y` while `x` is under way, one starts
/// both, and one is late and runs both.
fn a_later_message_waits_beside(world: &Communicator) -> Outcome {
    for len in LENS {
        let plan = TypedPlan::<f64, 1>::parse([3 * len], "block onto 3", "cyclic onto 3")?;
        let (mut x, mut y) = (plan.bind(world)?, plan.bind(world)?);
        let right = |bound: &Bound<f64, 1>, found: &[f64], add: f64| {
            let all = bound.global_indices(Side::Destination);
            found.iter().zip(all).all(|(found, [at])| *found == at as f64 + add)
        };
        for turn in 0..6 {
            let own = len * world.rank();
            let source = |add: f64| (0..len).map(|at| (own + at) as f64 + add).collect::<Vec<_>>();
            let (one, other) = (source(turn as f64), source(turn as f64 + 0.5));
            let (mut into_x, mut into_y) = (vec![0.0; len], vec![0.0; len]);
            match (world.rank() + turn) % 3 {
                0 => {
                    let first = x.start(&one, &mut into_x)?;
                    y.run(&other, &mut into_y)?;
                    first.finish()?;
                }
                1 => {
                    let first = x.start(&one, &mut into_x)?;
                    let second = y.start(&other, &mut into_y)?;
                    first.finish()?;
                    second.finish()?;
                }
                _ => {
                    thread::sleep(Duration::from_millis(20));
                    x.run(&one, &mut into_x)?;
                    y.run(&other, &mut into_y)?;
                }
            }
            let is_right = right(&x, &into_x, turn as f64) && right(&y, &into_y, turn as f64 + 0.5);
            assert!(is_right, "{len} elements, turn {turn}");
        }
    }
    Ok(())
}

/// Calls of a sender between its moves by a plan.
const BETWEEN: [usize; 6] = [0, 1, 2, 3, 7, 15];

/// Rank 1 waits for a late rank 2, while rank 0 goes on sending to it, with other calls in between.
fn a_sender_fills_no_memory(world: &Communicator) -> Outcome {
    const LEN: usize = 6_000;
    const MOVES: usize = 500;
    for (between, turn) in BETWEEN.into_iter().zip((0..3).cycle()) {
        let role = (world.rank() + turn) % 3;
        let rank = |role: usize| (role + 3 - turn) % 3;
        let bind = |len: usize, from: usize, to: usize| {
            let side = |role: usize| format!("* onto 1 ranks {}..{}", rank(role), rank(role) + 1);
            TypedPlan::<f64, 1>::parse([len], &side(from), &side(to))?.bind(world)
        };
        let (mut there, mut alone) = (bind(LEN, 0, 1)?, bind(8, 0, 0)?);
        let mut from_late = bind(8, 2, 1)?;
        moved(&mut there, 0.0)?;
        let before = resident_bytes();
        if role == 2 {
            thread::sleep(Duration::from_millis(700));
        }
        moved(&mut from_late, 0.0)?;
        let grown = resident_bytes().saturating_sub(before);
        for turn in 0..MOVES {
            moved(&mut there, turn as f64)?;
            (0..between).try_for_each(|_| moved(&mut alone, 1.0))?;
        }
        let most = MOVES * LEN * size_of::<f64>() / 4;
        assert!(grown < most, "{between} calls between: grown by {grown} bytes");
    }
    Ok(())
}

fn moved(line: &mut Bound<f64, 1>, value: f64) -> Result<(), redist::Error> {
    let source = vec![value; line.local_len(Side::Source)];
    let mut destination = vec![-1.0; line.local_len(Side::Destination)];
    line.run(&source, &mut destination)?;
    assert!(destination.iter().all(|found| *found == value), "the value is {value}");
    Ok(())
}

/// Returns the bytes of this process that are in memory; 0 where the system does not say.
pub fn resident_bytes() -> usize {
    const PAGE: usize = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * PAGE
}
