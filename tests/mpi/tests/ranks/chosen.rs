//! The chosen way, and the errors of impossible ones.

use crate::FROM_THREE;
use crate::arrays::{case, plan};
use crate::routes::{everybody_to_everybody, parts, selectable, way};
use redist::mpi::Communicator;
use redist::plan::schedule::Method;
use redist::transport::{Route, Way};
use redist::{Error, Redistribution};
use redist_mpi_tests::{Case as Trial, Outcome, nodes};

pub const CASES: &[Trial] = &[
    Trial::new("chosen::chunks_need_one_node", FROM_THREE, chunks_need_one_node).limit(30),
    Trial::new("chosen::short_messages", &[2, 4, 6], short_messages).limit(30),
    Trial::new("chosen::different_routes", FROM_THREE, different_routes).limit(30),
    Trial::new("chosen::with_a_schedule", FROM_THREE, with_a_schedule).limit(30),
];

fn chunks_need_one_node(world: &Communicator) -> Outcome {
    let redistribution = plan::<u64, 1>(&everybody_to_everybody(world));
    let chunks = redistribution.binder().route(Route::Chunks).bind(world).map(|bound| bound.way());
    match chunks {
        Ok(Way::Chunks) if nodes(world) == 1 => return Ok(()),
        Err(Error::Unavailable { what, reason })
            if nodes(world) > 1 && what.contains("chunks") && reason.contains("no memory") => {}
        other => return Err(format!("{other:?}").into()),
    }
    let mut bound = redistribution.binder().method(Method::AllAtOnce).bind(world)?;
    assert_eq!(bound.way(), Way::Messages);
    let (said, why) = (bound.explain(), ["have some for other nodes", "of a node travel together"]);
    assert!(why.iter().any(|why| said.contains(why)), "{said}");
    parts(world).moved(&mut bound, 1)
}

/// Between nodes, short messages of a node's ranks to one rank travel together, whether ranks run or
/// start.
fn short_messages(world: &Communicator) -> Outcome {
    let line = everybody_to_everybody(world);
    let short = plan::<u64, 1>(&line);
    let mut bound = short.bind(world)?;
    let together = "short messages of a node travel together";
    let (nodes, ranks) = (nodes(world), world.size());
    let several = nodes > 1 && ranks > nodes;
    assert_eq!(bound.explain().contains(together), several, "{}", bound.explain());
    let parts = parts(world);
    (0..5).try_for_each(|round| parts.moved(&mut bound, round))?;
    // Ranks that start work with ranks that run.
    for round in 5..9 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        match (round as usize + world.rank()) % 3 {
            0 => bound.run(&source, &mut destination)?,
            _ => bound.start(&source, &mut destination)?.finish()?,
        }
        parts.same(&destination, round)?;
    }
    let (from, to) = (format!("block onto {ranks}"), format!("cyclic onto {ranks}"));
    let long = plan::<u64, 1>(&case([ranks * ranks * 20_000], &from, &to)).bind(world)?;
    let steps = short.binder().method(Method::Caterpillar).bind(world)?;
    for apart in [long, steps] {
        assert!(!apart.explain().contains(together), "{}", apart.explain());
    }
    Ok(())
}

fn different_routes(world: &Communicator) -> Outcome {
    let redistribution = plan::<u64, 1>(&everybody_to_everybody(world));
    let told = |mine, others| {
        let route = if world.rank() == 1 { mine } else { others };
        redistribution.binder().route(route).bind(world).map(drop).err()
    };
    for others in Route::ALL {
        for mine in Route::ALL.into_iter().filter(|mine| *mine != others) {
            is_different(told(mine, others), mine, others)?;
        }
    }
    // A rank without a route asks for the automatic one.
    let error = match world.rank() {
        0 => redistribution.bind(world).map(drop).err(),
        _ => redistribution.binder().route(Route::Messages).bind(world).map(drop).err(),
    };
    is_different(error, Route::Messages, Route::Automatic)?;
    let bytes = 1000 + usize::from(world.rank() == 2);
    match redistribution
        .binder()
        .route(Route::Messages)
        .max_message_bytes(bytes)
        .bind(world)
        .map(drop)
    {
        Err(Error::DifferentOptions { rank: 2, theirs, .. }) if theirs.contains("1001 bytes") => {}
        other => return Err(format!("{other:?}").into()),
    }
    parts(world).moved(&mut redistribution.bind(world)?, 1)
}

fn is_different(error: Option<Error>, mine: Route, others: Route) -> Outcome {
    match error {
        Some(Error::DifferentOptions { rank: 1, theirs, here: 0, ours })
            if theirs.starts_with(&mine.to_string()) && ours.starts_with(&others.to_string()) =>
        {
            Ok(())
        }
        other => Err(format!("{mine} among {others}: {other:?}").into()),
    }
}

fn with_a_schedule(world: &Communicator) -> Outcome {
    let redistribution = plan::<u64, 1>(&everybody_to_everybody(world));
    for route in selectable(world) {
        let binder = redistribution.binder().route(route).method(Method::Koenig);
        let mut bound = binder.bind(world)?;
        assert_eq!((bound.steps().is_some(), bound.way()), (true, way(route)));
        parts(world).moved(&mut bound, 1)?;
    }
    Ok(())
}
