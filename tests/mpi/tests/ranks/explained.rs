//! `explain` of a bound plan describes the calls of its moves, and only these are prepared.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, plan};
use redist::exec::Calls;
use redist::mpi::Communicator;
use redist::plan::schedule::Method;
use redist::transport::{Route, Way};
use redist::{Bound, Redistribution, Side};
use redist_mpi_tests::{Case, Outcome, nodes};
use redist_testing::strategies;

pub const CASES: &[Case] = &[
    Case::new("explained::every_way", FROM_THREE, every_way).limit(60),
    Case::new("explained::shared_arrays", FROM_THREE, shared_arrays).limit(60),
];

/// On three ranks; others hold nothing.
fn line(to: &str) -> strategies::Case<1> {
    case([3000], "cyclic(100) onto 3", to)
}

fn said<'a>(text: &'a str, subject: &str) -> Result<&'a str, String> {
    let prefix = format!("  {subject}: ");
    text.lines()
        .find_map(|line| line.strip_prefix(&prefix))
        .ok_or_else(|| format!("no {subject} in {text}"))
}

struct Expected<'a> {
    way: Way,
    prepared: &'a [&'a str],
    source: &'a str,
    destination: &'a str,
    calls: fn(Calls, usize) -> bool,
}

fn check(parts: &Parts<u64>, mut bound: Bound<u64, 1>, expected: &Expected<'_>) -> Outcome {
    assert_eq!((bound.way(), &bound.prepared()[..]), (expected.way, expected.prepared));
    let text = bound.explain();
    assert!(said(&text, "way")?.starts_with(&expected.way.to_string()), "{text}");
    assert!(said(&text, "source")?.starts_with(expected.source), "{text}");
    // A rank that holds nothing has no choice.
    let holds_nothing = bound.local_len(Side::Destination) == 0;
    assert!(
        holds_nothing || said(&text, "destination")?.starts_with(expected.destination),
        "{text}"
    );
    let has_messages = expected.way == Way::Messages;
    assert_eq!(said(&text, "schedule")?.starts_with("none: with"), !has_messages, "{text}");
    parts.moved(&mut bound, 1)?;
    let (calls, messages) = (bound.calls(), bound.incoming().len());
    assert!(
        holds_nothing || (expected.calls)(calls, messages),
        "{calls:?} of {messages} messages, but {text}"
    );
    Ok(())
}

fn every_way(world: &Communicator) -> Outcome {
    let (short, long) =
        (case([3000], "cyclic onto 3", "cyclic(100) onto 3"), line("cyclic(70) onto 3"));
    let rank = world.rank();
    let (few, many) = (Parts::new(&short, rank), Parts::new(&long, rank));
    let bind = |case: &strategies::Case<1>, route| {
        let planned = plan::<u64, 1>(case);
        planned.binder().route(route).method(Method::AllAtOnce).bind(world)
    };
    if nodes(world) == 1 {
        check(
            &few,
            bind(&short, Route::Automatic)?,
            &Expected {
                way: Way::Chunks,
                prepared: &["copies from chunks"],
                source: "nothing is packed: it is shown to the others chunk after chunk",
                destination: "copied from the ranks' chunks",
                calls: |calls, _| {
                    calls == Calls { rounds: calls.rounds, ..Calls::default() } && calls.rounds > 0
                },
            },
        )?;
    }
    let packed = plan::<u64, 1>(&short).binder().packing(rank).kernel();
    check(
        &few,
        bind(&short, Route::Messages)?,
        &Expected {
            way: Way::Messages,
            prepared: &["packing", "unpacking"],
            source: &format!("packed by {packed}"),
            destination: "unpacked from all messages together, as they arrive, by",
            calls: |calls, _| calls == Calls { packed: 1, unpacked: 1, ..Calls::default() },
        },
    )?;
    check(
        &many,
        bind(&long, Route::Messages)?,
        &Expected {
            way: Way::Messages,
            prepared: &["packing", "unpacking"],
            source: "packed by",
            destination: "unpacked from all messages together, as they arrive, by",
            calls: |calls, _| calls == Calls { packed: 1, unpacked: 1, ..Calls::default() },
        },
    )?;
    let by_steps = plan::<u64, 1>(&long).binder().method(Method::Caterpillar).bind(world)?;
    let steps = format!("caterpillar, {} step", by_steps.steps().ok_or("it has steps")?.len());
    assert!(said(&by_steps.explain(), "schedule")?.starts_with(&steps), "{}", by_steps.explain());
    Ok(())
}

/// Ranks copy shared arrays directly on one node, and as other arrays over several.
fn shared_arrays(world: &Communicator) -> Outcome {
    let case = line("cyclic(2) onto 3");
    let parts = Parts::<u64>::new(&case, world.rank());
    for route in [Route::Automatic, Route::Messages] {
        let mut bound = plan::<u64, 1>(&case).binder().route(route).bind(world)?;
        let lent = usize::from(nodes(world) == 1 && route == Route::Automatic);
        let (mut from, mut to) =
            (bound.shared_array(Side::Source)?, bound.shared_array(Side::Destination)?);
        from.copy_from_slice(&parts.source(1));
        let mut own = parts.untouched();
        bound.run(&from, &mut own)?;
        parts.same(&own, 1)?;
        assert_eq!(bound.calls().copied, lent);
        bound.run(&from, &mut to)?;
        parts.same(&to, 1)?;
        let calls = bound.calls();
        assert_eq!((calls.copied, calls.shares), (lent, lent));
        assert_eq!(lent == 1, calls == Calls { copied: 1, shares: 1, ..Calls::default() });
        // A rank with an ordinary array sends to its receivers the ordinary way.
        match world.rank() {
            1 => bound.run(&parts.source(1), &mut own)?,
            _ => bound.run(&from, &mut own)?,
        }
        parts.same(&own, 1)?;
        let calls = bound.calls();
        let by_slots = matches!(bound.way(), Way::Chunks | Way::Slots);
        let moved = if by_slots { calls.rounds } else { calls.packed };
        let has_nothing = bound.local_len(Side::Source) == 0;
        assert!(has_nothing || moved > 0, "{route}: {calls:?}");
    }
    Ok(())
}
