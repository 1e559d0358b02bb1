//! Local arrays that are not dense, on some ranks only: by every route, in shared arrays, and with
//! errors of impossible ones.

use crate::FROM_THREE;
use redist::exec::Binder;
use redist::mpi::Communicator;
use redist::plan::schedule::Method;
use redist::transport::{Route, Way};
use redist::{Bound, Error, Redistribution, Side, TypedPlan, redistribute};
use redist_mpi_tests::{Case, Outcome};

pub const CASES: &[Case] = &[
    Case::new("strides::by_every_route", FROM_THREE, by_every_route),
    Case::new("strides::in_steps", FROM_THREE, in_steps),
    Case::new("strides::in_shared_arrays", FROM_THREE, in_shared_arrays).on_one_node(),
    Case::new("strides::what_cannot_be", FROM_THREE, what_cannot_be),
];

redistribute! {
    struct TilesToColumns: [u64; 90, 70] {
        from: scalapack(7, 5, 3, 1),
        to: (*, cyclic(4)) onto 2,
    }
}

/// An element of a gap, before and after every move.
const GAP: u64 = u64::MAX;

/// Rank 1 has leading dimensions, rank 2 halos, and all others are dense.
fn padded<'a>(plan: &'a TilesToColumns, rank: usize) -> Binder<'a, TilesToColumns, 2> {
    let arrays = plan.plan();
    [Side::Source, Side::Destination].into_iter().fold(plan.binder(), |binder, side| {
        let [rows, columns] = arrays.descriptor(side).local_extents(rank).unwrap_or([0, 0]);
        match rank {
            1 => binder.leading_dimension(side, rows.max(columns) + 3),
            2 => binder.within(side, [rows + 2, columns + 2], [1, 1]),
            _ => binder,
        }
    })
}

fn fill(array: &mut [u64], bound: &Bound<u64, 2>, side: Side, round: u64) {
    array.fill(GAP);
    for [row, column] in bound.global_indices(side) {
        let offset = bound.local(side).offset_of([row, column]).expect("it is of this rank");
        array[offset] = round << 32 | (row << 16 | column) as u64;
    }
}

fn array(bound: &Bound<u64, 2>, side: Side, round: u64) -> Vec<u64> {
    let mut array = vec![0; bound.local_len(side)];
    fill(&mut array, bound, side, round);
    array
}

fn moved(bound: &mut Bound<u64, 2>, starts: bool, round: u64) -> Outcome {
    let source = array(bound, Side::Source, round);
    let mut destination = array(bound, Side::Destination, 1000);
    if starts {
        bound.start(&source, &mut destination)?.finish()?;
    } else {
        bound.run(&source, &mut destination)?;
    }
    if destination == array(bound, Side::Destination, round) {
        return Ok(());
    }
    Err(format!("rank {}, round {round}: {}", bound.rank(), bound.explain()).into())
}

fn by_every_route(world: &Communicator) -> Outcome {
    let (plan, rank) = (TilesToColumns::new(), world.rank());
    for route in Route::ALL {
        let mut bound = match padded(&plan, rank).route(route).bind(world) {
            Ok(bound) => bound,
            Err(Error::Unavailable { what, reason }) if route == Route::Chunks => {
                let is_told = ["rank 1", "no memory"].iter().any(|why| reason.contains(why));
                assert!(what.contains("chunks") && is_told, "{what}: {reason}");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        assert!(
            !matches!(bound.way(), Way::Lent | Way::Chunks | Way::Slots),
            "{}",
            bound.explain()
        );
        for round in 0..6 {
            moved(&mut bound, round == 4 || round == 5 && rank == 2, round)?;
        }
    }
    Ok(())
}

fn in_steps(world: &Communicator) -> Outcome {
    let (plan, rank) = (TilesToColumns::new(), world.rank());
    let mut bound = padded(&plan, rank).method(Method::Koenig).bind(world)?;
    (0..4).try_for_each(|round| moved(&mut bound, false, round))
}

/// Ranks do not know each other's gaps, so messages go between shared arrays, too.
fn in_shared_arrays(world: &Communicator) -> Outcome {
    let (plan, rank) = (TilesToColumns::new(), world.rank());
    let mut bound = padded(&plan, rank).bind(world)?;
    let mut source = bound.shared_array(Side::Source)?;
    let mut destination = bound.shared_array(Side::Destination)?;
    for round in 0..3 {
        fill(&mut source, &bound, Side::Source, round);
        fill(&mut destination, &bound, Side::Destination, 1000);
        bound.run(&source, &mut destination)?;
        assert!(destination[..] == array(&bound, Side::Destination, round), "rank {rank}");
    }
    assert_eq!(bound.calls().unpacked, 3);
    Ok(())
}

fn what_cannot_be(world: &Communicator) -> Outcome {
    let plan = TypedPlan::<u64, 2>::parse([90, 70], "(block, *) onto 3", "(*, block) onto 2")?;
    let binder = plan.binder();
    let rank = world.rank();
    let binder = if rank == 1 { binder.strides(Side::Source, [69, 1]) } else { binder };
    match binder.bind(world).map(drop) {
        Err(Error::Padding { rank: 1, side: Side::Source, .. }) if rank == 1 => Ok(()),
        Err(Error::PeerFailed { rank: 1, reason }) if reason.contains("at least 70") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
