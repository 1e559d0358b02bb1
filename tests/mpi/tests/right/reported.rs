//! Right programs that once went wrong: numbers below [`REPORTED`] are theirs.

use crate::program::{Binding, Call, Dealt, Group, Made, Phase, Planned, Program};
use std::time::Duration;

/// Programs that are written here, not drawn.
pub const REPORTED: u64 = 2;

/// Returns the program with a number below [`REPORTED`].
pub fn reported(number: u64) -> Program {
    if number == 0 { a_message_of_a_later_move() } else { far_ahead_of_a_receiver() }
}

fn program(number: u64, plans: Vec<Planned>, phases: Vec<Phase>) -> Program {
    let all = Group { made: Made::Duplicate(None), members: vec![0, 1, 2] };
    Program { number, ranks: 3, groups: vec![all], plans, phases }
}

fn plan(extent: usize, from: (&'static str, &[usize]), to: (&'static str, &[usize])) -> Planned {
    let dealt = |(by, ranks): (_, &[usize])| Dealt { by, ranks: ranks.to_vec() };
    let (from, to, binding) = (dealt(from), dealt(to), Binding::Usual);
    Planned { group: 0, extent, from, to, binding, shared: [false; 2] }
}

/// Rank 0 waits for rank 2 in the second move, when rank 1's message of that move is there. It has to
/// bring its own message of the first move to rank 2.
fn a_message_of_a_later_move() -> Program {
    let all = [0, 1, 2];
    let plan = plan(20_000, ("block", &all), ("cyclic", &all));
    let calls = vec![
        vec![Call::Start(0), Call::Run(1), Call::Finish(0)],
        vec![Call::Start(0), Call::Start(1), Call::Finish(0), Call::Finish(1)],
        vec![Call::Work(Duration::from_millis(50)), Call::Run(0), Call::Run(1)],
    ];
    program(
        0,
        vec![plan.clone(), plan],
        vec![Phase { times: 5, late: vec![Duration::ZERO; 3], calls }],
    )
}

/// Rank 0 sends by one plan in every second call; the receiver waits for the last rank, which
/// works.
fn far_ahead_of_a_receiver() -> Program {
    let [ahead, alone, late] = [(60_000, 0, 1), (8, 0, 0), (8, 2, 1)]
        .map(|(extent, from, to)| plan(extent, ("block", &[from]), ("block", &[to])));
    let in_one_order = |calls: &[Call]| vec![calls.to_vec(); 3];
    let is_late = vec![Duration::ZERO, Duration::ZERO, Duration::from_secs(1)];
    let first = Phase { times: 1, late: is_late, calls: in_one_order(&[Call::Run(2)]) };
    let calls = in_one_order(&[Call::Run(0), Call::Run(1)]);
    let then = Phase { times: 150, late: vec![Duration::ZERO; 3], calls };
    program(1, vec![ahead, alone, late], vec![first, then])
}
