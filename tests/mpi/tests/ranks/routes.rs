//! Every route has the result of whole messages, if ranks run, start, forget or cannot take part.

use crate::arrays::{Counted, Parts, case, moves_with, plan};
use crate::random::{drawn, each};
use crate::{EVERY, FROM_THREE};
use redist::mpi::Communicator;
use redist::plan::schedule::{Method, Schedules};
use redist::transport::{Route, Way};
use redist::{Bound, Error, Redistribution};
use redist_mpi_tests::{Case as Trial, Outcome, nodes};
use redist_testing::strategies::Case;

pub const CASES: &[Trial] = &[
    Trial::new("routes::listed", EVERY, listed),
    Trial::new("routes::random_lines", EVERY, |world| {
        each::<1>(world, |case| every_route::<u64, 1>(case, world))
    })
    .with_each_number(),
    Trial::new("routes::random_lines_of_bytes", EVERY, |world| {
        each::<1>(world, |case| every_route::<u8, 1>(case, world))
    })
    .with_each_number(),
    Trial::new("routes::random_planes", EVERY, |world| {
        each::<2>(world, |case| every_route::<f64, 2>(case, world))
    })
    .with_each_number(),
    Trial::new("routes::random_planes_of_arrays", EVERY, |world| {
        each::<2>(world, |case| every_route::<[f32; 3], 2>(case, world))
    })
    .with_each_number(),
    Trial::new("routes::random_spaces", EVERY, |world| {
        each::<3>(world, |case| every_route::<u128, 3>(case, world))
    })
    .with_each_number(),
    Trial::new("routes::small_pieces", EVERY, small_pieces),
    Trial::new("routes::pieces_in_steps", EVERY, pieces_in_steps),
    Trial::new("routes::long_rows_in_pieces", &[2, 3, 4], long_rows_in_pieces),
    Trial::new("routes::again_and_again", FROM_THREE, |world| {
        with_every_route(world, again_and_again)
    }),
    Trial::new("routes::some_run_what_others_start", FROM_THREE, |world| {
        with_every_route(world, some_run)
    })
    .limit(60),
    Trial::new("routes::one_starts", FROM_THREE, |world| with_every_route(world, one_starts))
        .limit(60),
    Trial::new("routes::forgotten", FROM_THREE, |world| with_every_route(world, forgotten))
        .limit(60),
    Trial::new("routes::wrong_length", FROM_THREE, |world| with_every_route(world, wrong_length))
        .limit(60),
    Trial::new("routes::wrong_length_where_others_start", FROM_THREE, |world| {
        with_every_route(world, wrong_length_where_others_start)
    })
    .limit(60),
];

/// Returns the possible routes: chunks only if all ranks share memory.
pub fn selectable(world: &Communicator) -> impl Iterator<Item = Route> {
    let first = if nodes(world) == 1 { Route::Chunks } else { Route::Automatic };
    [first, Route::Messages].into_iter()
}

pub fn way(route: Route) -> Way {
    match route {
        Route::Chunks => Way::Chunks,
        _ => Way::Messages,
    }
}

/// Segments of a few bytes, so that every message has many, and elements lie in two of them.
fn small_pieces(world: &Communicator) -> Outcome {
    fn moved<T: Counted, const D: usize>(world: &Communicator, bytes: usize) -> Outcome {
        each::<D>(world, |case| {
            moves_with::<T, D, _>(case, world, |binder| {
                binder.route(Route::Messages).max_message_bytes(bytes)
            })
        })
    }
    [1, 24, 200].into_iter().try_for_each(|bytes| {
        moved::<u64, 1>(world, bytes)?;
        moved::<f64, 2>(world, bytes)?;
        moved::<u8, 3>(world, bytes)
    })
}

fn long_rows_in_pieces(world: &Communicator) -> Outcome {
    let size = world.size();
    let (every, few) = (format!("onto {size}"), "onto 2");
    let lines = [
        (format!("cyclic(10) {every}"), format!("cyclic(2) {every}")),
        (format!("cyclic(3) {few}"), format!("cyclic(50) {every}")),
        (format!("block {every}"), format!("cyclic {few}")),
        (format!("cyclic(64) {every}"), format!("block {every}")),
    ];
    for (from, to) in drawn(lines, 2) {
        let line = case([900_000], &from, &to);
        for bytes in drawn([1 << 20, 100_003], 1) {
            moves_with::<f64, 1, _>(&line, world, |binder| {
                binder.route(Route::Messages).max_message_bytes(bytes)
            })?;
        }
    }
    let plane = case(
        [700, 900],
        &format!("(cyclic(64), *) {every}"),
        &format!("(block, cyclic(32)) onto ({size}, 1) storage fortran"),
    );
    moves_with::<f64, 2, _>(&plane, world, |binder| {
        binder.route(Route::Messages).max_message_bytes(50_000)
    })
}

fn pieces_in_steps(world: &Communicator) -> Outcome {
    each::<2>(world, |case| {
        let methods =
            Method::ALL.into_iter().filter(|method| case.plan().schedule(*method).is_ok());
        methods.into_iter().try_for_each(|method| {
            let outcome = moves_with::<u64, 2, _>(case, world, |binder| {
                binder.route(Route::Messages).max_message_bytes(40).method(method)
            });
            outcome.map_err(|error| format!("{method}: {error}").into())
        })
    })
}

fn every_route<T: Counted, const D: usize>(case: &Case<D>, world: &Communicator) -> Outcome {
    selectable(world).try_for_each(|route| {
        let outcome = moves_with::<T, D, _>(case, world, |binder| binder.route(route));
        outcome.map_err(|error| format!("{route}: {error}").into())
    })
}

fn with_every_route(world: &Communicator, body: fn(&Communicator, Route) -> Outcome) -> Outcome {
    selectable(world).try_for_each(|route| {
        body(world, route).map_err(|error| format!("{route}: {error}").into())
    })
}

fn listed(world: &Communicator) -> Outcome {
    let size = world.size();
    let some = size.div_ceil(2);
    let line =
        |extent, from: &str, to: &str| every_route::<u64, 1>(&case([extent], from, to), world);
    line(1003, &format!("cyclic(10) onto {size}"), &format!("cyclic(2) onto {size}"))?;
    line(1003, &format!("cyclic(2) onto {some}"), &format!("cyclic(10) onto {size}"))?;
    line(
        5003,
        &format!("cyclic(63) onto {size}"),
        &format!("cyclic(64) onto {some} first {}", some - 1),
    )?;
    line(
        700,
        &format!("cyclic(6) onto {size}"),
        &format!("cyclic(4) onto {some} ranks {}..{size}", size - some),
    )?;
    line(
        size + 1,
        &format!("block onto {size}"),
        &format!("cyclic onto {size} first {}", size - 1),
    )?;
    line(900, &format!("block onto {size}"), &format!("block onto {size}"))?;
    line(0, &format!("block onto {size}"), "block onto 1")?;
    if size > 2 {
        line(90, "gen_block([10, 80]) onto 2", "gen_block([70, 0, 20]) onto 3")?;
        line(
            90,
            "rows([10, 20, 30, 20, 10], cyclic) onto 3",
            "points([10, 20, 30, 20, 10]) onto 2",
        )?;
    }
    let plane = |from: &str, to: &str| {
        every_route::<f64, 2>(&case([40, 30], &format!("{from} onto {size}"), to), world)
    };
    plane("(block, *)", &format!("(*, cyclic(2)) onto {size} transposed"))?;
    plane("(cyclic(3), *)", &format!("(block, *) onto {size}"))?;
    plane("(*, cyclic)", &format!("(block, *) onto {some} storage fortran"))?;
    let of_bytes =
        case([3000], &format!("cyclic(5) onto {size}"), &format!("cyclic(3) onto {some}"));
    every_route::<u8, 1>(&of_bytes, world)
}

/// On few ranks, messages are too long to be sent before their receiver is ready.
pub fn everybody_to_everybody(world: &Communicator) -> Case<1> {
    let size = world.size();
    case(
        [(600 * size * size).min(12_000)],
        &format!("cyclic(4) onto {size}"),
        &format!("cyclic onto {size}"),
    )
}

pub fn parts(world: &Communicator) -> Parts<u64> {
    Parts::new(&everybody_to_everybody(world), world.rank())
}

fn bound(world: &Communicator, route: Route) -> Result<Bound<u64, 1>, Error> {
    plan(&everybody_to_everybody(world)).binder().route(route).max_message_bytes(500).bind(world)
}

fn again_and_again(world: &Communicator, route: Route) -> Outcome {
    let parts = parts(world);
    let mut bound = bound(world, route)?;
    assert_eq!(bound.way(), way(route));
    let is_told = bound.explain().contains("asked for by the caller");
    assert_eq!(is_told, route != Route::Automatic, "{}", bound.explain());
    (0..20).try_for_each(|round| parts.moved(&mut bound, round))
}

fn some_run(world: &Communicator, route: Route) -> Outcome {
    let parts = parts(world);
    parts.moved_by_some(&mut bound(world, route)?, world.rank() as u64)
}

/// A rank starts, and finishes when all other ranks have finished, or made the next move.
fn one_starts(world: &Communicator, route: Route) -> Outcome {
    let parts = parts(world);
    let mut bound = [bound(world, route)?, bound(world, route)?];
    for round in 0..6 {
        let [first, second] = &mut bound;
        if world.rank() as u64 % 3 == round % 3 {
            let (mut one, mut other) = (parts.untouched(), parts.untouched());
            let started = first.start(&parts.source(round), &mut one)?;
            second.start(&parts.source(round + 50), &mut other)?.finish()?;
            started.finish()?;
            parts.same(&one, round)?;
            parts.same(&other, round + 50)?;
        } else {
            parts.moved(first, round)?;
            parts.moved(second, round + 50)?;
        }
    }
    Ok(())
}

fn forgotten(world: &Communicator, route: Route) -> Outcome {
    let parts = parts(world);
    parts.forgotten(&mut bound(world, route)?, world.rank() as u64)
}

fn wrong_length(world: &Communicator, route: Route) -> Outcome {
    let parts = parts(world);
    let mut bound = bound(world, route)?;
    for round in 0..4 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let wrong = if round % 2 == 1 { &[2, 0][..] } else { &[2] };
        let is_wrong = wrong.contains(&world.rank());
        let error =
            bound.run(if is_wrong { &source[1..] } else { &source }, &mut destination).err();
        is_told(error, is_wrong, receives_from(world, wrong))?;
        assert!(destination == parts.untouched() || !receives_from(world, wrong));
        let short = if is_wrong { destination.len() - 1 } else { destination.len() };
        let error = bound.run(&source, &mut destination[..short]).err();
        is_told(error, is_wrong, receives_from(world, wrong))?;
        assert!(destination == parts.untouched() || !receives_from(world, wrong));
        parts.moved(&mut bound, round + 50)?;
    }
    Ok(())
}

fn wrong_length_where_others_start(world: &Communicator, route: Route) -> Outcome {
    let parts = parts(world);
    let mut bound = bound(world, route)?;
    for round in 0..4 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let is_wrong = world.rank() == 2;
        let starts = world.rank() == 0 || (round % 2 == 1 && !is_wrong);
        let short = if is_wrong { &source[1..] } else { &source[..] };
        let error = match starts {
            true => bound.start(short, &mut destination)?.finish().err(),
            false => bound.run(short, &mut destination).err(),
        };
        is_told(error, is_wrong, receives_from(world, &[2]))?;
        assert!(destination == parts.untouched() || !receives_from(world, &[2]));
        parts.moved(&mut bound, round + 50)?;
    }
    Ok(())
}

/// Returns `true` if this rank learns that some ranks are at fault, or is one of them.
pub fn receives_from(world: &Communicator, wrong: &[usize]) -> bool {
    let (plan, rank) = (everybody_to_everybody(world).plan(), world.rank());
    let receives = |from: &usize| *from == rank || plan.volume(*from, rank) > 0;
    wrong.iter().any(receives)
}

pub fn is_told(error: Option<Error>, is_wrong: bool, learns: bool) -> Outcome {
    match error {
        Some(Error::LocalLength { .. }) if is_wrong => Ok(()),
        Some(Error::PeerFailed { rank: 0 | 2, .. }) if !is_wrong => Ok(()),
        None if !learns => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
