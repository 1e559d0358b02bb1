//! Moves with a function of elements, and of trapezoids: against the simulator, by every route, in
//! steps and in segments; functions that panic.

use crate::arrays::{Parts, case, plan};
use crate::random::each;
use crate::routes::selectable;
use crate::{EVERY, FROM_THREE};
use redist::exec::{Binder, Calls, scale_add};
use redist::mpi::Communicator;
use redist::plan::schedule::Method;
use redist::plan::{Diag, Side, Uplo};
use redist::transport::Route;
use redist::{Bound, Error, Redistribution, TypedPlan};
use redist_mpi_tests::{Case as Trial, Outcome, learns};
use redist_testing::strategies::Case;
use std::panic::{self, AssertUnwindSafe};

pub const CASES: &[Trial] = &[
    Trial::new("transforms::random_lines", EVERY, |world| {
        each::<1>(world, |case| by_every_route(case, world))
    }),
    Trial::new("transforms::random_planes", EVERY, |world| {
        each::<2>(world, |case| by_every_route(case, world))
    }),
    Trial::new("transforms::in_steps_and_pieces", FROM_THREE, in_steps_and_pieces),
    Trial::new("transforms::from_chunks", &[3, 4], from_chunks).on_one_node(),
    Trial::new("transforms::some_run_without_a_function", FROM_THREE, some_run).limit(60),
    Trial::new("transforms::a_function_that_panics", FROM_THREE, a_function_that_panics).limit(60),
    Trial::new("transforms::random_trapezoids", EVERY, |world| {
        each::<2>(world, |case| trapezoids(case, world))
    }),
    Trial::new("transforms::long_trapezoids_in_pieces", FROM_THREE, long_trapezoids),
];

type Bind<'a, const D: usize> = Binder<'a, TypedPlan<u64, D>, D>;

fn comes_once<const D: usize>(parts: &Parts<u64>, bound: &mut Bound<u64, D>) -> Outcome {
    for round in [1, 2] {
        let mut kept: Vec<_> = parts.untouched().into_iter().map(|kept| (kept, 0_u32)).collect();
        let take =
            |moved: u64, (kept, count): &mut (u64, u32)| (*kept, *count) = (moved, *count + 1);
        match round {
            1 => bound.run_with(&parts.source(round), &mut kept, take)?,
            _ => bound.start_with(&parts.source(round), &mut kept)?.finish_with(take)?,
        }
        let all: Vec<u64> = kept.iter().map(|(kept, _)| *kept).collect();
        parts.same(&all, round)?;
        assert!(kept.iter().all(|(_, count)| *count <= 1), "an element came twice");
    }
    Ok(())
}

fn bound_and_checked<const D: usize>(
    case: &Case<D>,
    world: &Communicator,
    binder: impl Fn(Bind<'_, D>) -> Bind<'_, D>,
) -> Outcome {
    let (parts, plan) = (Parts::new(case, world.rank()), plan(case));
    comes_once(&parts, &mut binder(plan.binder()).bind(world)?)
}

fn by_every_route<const D: usize>(case: &Case<D>, world: &Communicator) -> Outcome {
    bound_and_checked(case, world, |binder| binder)?;
    selectable(world)
        .try_for_each(|route| bound_and_checked(case, world, |binder| binder.route(route)))
}

fn in_steps_and_pieces(world: &Communicator) -> Outcome {
    let every = format!("onto {}", world.size());
    for (from, to) in [
        (format!("cyclic(10) {every}"), format!("cyclic(2) {every}")),
        (format!("block {every}"), format!("cyclic {every} first 1")),
    ] {
        let line = case([90_001], &from, &to);
        for bytes in [1 << 20, 1003] {
            bound_and_checked(&line, world, |binder| {
                binder.route(Route::Messages).max_message_bytes(bytes)
            })?;
            for method in [Method::Caterpillar, Method::Koenig] {
                bound_and_checked(&line, world, |binder| {
                    binder.method(method).max_message_bytes(bytes)
                })?;
            }
        }
    }
    Ok(())
}

fn some_run(world: &Communicator) -> Outcome {
    let line = case([12_000], "block onto 3", "cyclic(7) onto 3");
    let (parts, plan) = (Parts::<u64>::new(&line, world.rank()), plan(&line));
    for route in selectable(world) {
        let mut bound = plan.binder().route(route).bind(world)?;
        for round in 0..6 {
            if (round as usize + world.rank()).is_multiple_of(3) {
                let mut sums = vec![5; bound.local_len(Side::Destination)];
                bound.run_with(&parts.source(round), &mut sums, scale_add(2, 3))?;
                let twice = parts.destination(round).into_iter().map(|moved| 2 * moved + 15);
                assert!(twice.eq(sums), "a wrong sum");
            } else {
                parts.moved(&mut bound, round)?;
            }
        }
    }
    Ok(())
}

/// A function receives chunks if rows stay rows; else packed messages go.
fn from_chunks(world: &Communicator) -> Outcome {
    for (to, rows_stay) in
        [("(*, cyclic(3)) onto 3", true), ("(block, *) onto 3 transposed", false)]
    {
        let plane = case([90, 70], "(block, *) onto 3", to);
        let (parts, plan) = (Parts::new(&plane, world.rank()), plan(&plane));
        let mut bound = plan.bind(world)?;
        comes_once(&parts, &mut bound)?;
        let Calls { rounds, packed, .. } = bound.calls();
        let reads = rows_stay && learns(world, 3);
        // A started move is packed in any case.
        assert_eq!((rounds > 0, packed), (reads, 2 - usize::from(rows_stay)));
    }
    Ok(())
}

fn a_function_that_panics(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let line = case([300_000], "block onto 3", "cyclic(7) onto 3");
    let (parts, plan) = (Parts::<u64>::new(&line, world.rank()), plan(&line));
    let binders: [fn(Bind<'_, 1>) -> Bind<'_, 1>; 3] = [
        |binder| binder,
        |binder| binder.route(Route::Messages).max_message_bytes(10_000),
        |binder| binder.method(Method::Caterpillar),
    ];
    for binder in binders {
        let mut bound = binder(plan.binder()).bind(world)?;
        let (mut kept, mut calls) = (parts.untouched(), 0);
        let run = || {
            bound.run_with(&parts.source(1), &mut kept, |moved, kept| {
                calls += 1;
                assert!(world.rank() != 1 || calls < 50_000, "this rank has had enough");
                *kept = moved;
            })
        };
        let went = panic::catch_unwind(AssertUnwindSafe(run));
        // The other ranks do not wait for the next call of this library.
        world.barrier()?;
        match went {
            Err(_) if world.rank() == 1 => {}
            Ok(Ok(())) if world.rank() != 1 => parts.same(&kept, 1)?,
            other => return Err(format!("{other:?}").into()),
        }
        parts.moved(&mut bound, 2)?;
        comes_once(&parts, &mut bound)?;
    }
    Ok(())
}

const PARTS: [(Uplo, Diag); 4] = [
    (Uplo::Upper, Diag::NonUnit),
    (Uplo::Upper, Diag::Unit),
    (Uplo::Lower, Diag::NonUnit),
    (Uplo::Lower, Diag::Unit),
];

fn of_trapezoid(
    parts: &Parts<u64>,
    bound: &Bound<u64, 2>,
    (uplo, diag): (Uplo, Diag),
    round: u64,
) -> Vec<u64> {
    let (plan, [rows, columns]) = (bound.plan(), bound.plan().extents().map(|len| len as i64));
    let at = plan.descriptor(Side::Destination).layout().at;
    let is_inside = |index: [usize; 2]| {
        let [row, column] = [0, 1].map(|dimension| {
            let axis = plan.axis_on(Side::Destination, dimension);
            index[axis] as i64 - at[axis] as i64
        });
        let beyond = match uplo {
            Uplo::Upper => row - column - (rows - columns).max(0),
            Uplo::Lower => column - row - (columns - rows).max(0),
        };
        beyond < i64::from(diag == Diag::NonUnit)
    };
    let values = parts.destination(round).into_iter().zip(parts.untouched());
    let values = bound.global_indices(Side::Destination).zip(values);
    values.map(|(index, (new, old))| if is_inside(index) { new } else { old }).collect()
}

fn trapezoid(case: &Case<2>, world: &Communicator, part: (Uplo, Diag), bytes: usize) -> Outcome {
    let (parts, plan) = (Parts::new(case, world.rank()), plan(case));
    let binder = plan.binder().trapezoid(part.0, part.1).max_message_bytes(bytes);
    let mut bound = binder.bind(world)?;
    for round in 1..4 {
        let (source, mut kept) = (parts.source(round), parts.untouched());
        match round {
            1 => bound.run(&source, &mut kept)?,
            2 => bound.start(&source, &mut kept)?.finish()?,
            _ => bound.run_with(&source, &mut kept, |moved, kept| *kept = moved)?,
        }
        assert!(kept == of_trapezoid(&parts, &bound, part, round), "{case:?}: {part:?}, {round}");
    }
    // Shared arrays are not copied from.
    match [Side::Source, Side::Destination].map(|side| bound.shared_array(side)) {
        [Ok(mut source), Ok(mut kept)] => {
            source.copy_from_slice(&parts.source(4));
            kept.copy_from_slice(&parts.untouched());
            bound.run(&source, &mut kept)?;
            assert!(
                kept[..] == of_trapezoid(&parts, &bound, part, 4),
                "{case:?}: {part:?}, shared"
            );
        }
        [Err(Error::Unavailable { .. }), _] => {}
        [source, kept] => return Err(format!("{:?}, {:?}", source.err(), kept.err()).into()),
    }
    Ok(())
}

fn trapezoids(case: &Case<2>, world: &Communicator) -> Outcome {
    PARTS.into_iter().try_for_each(|part| trapezoid(case, world, part, 24))
}

fn long_trapezoids(world: &Communicator) -> Outcome {
    let size = world.size();
    for extents in [[300, 300], [200, 450], [450, 200]] {
        let from = format!("(cyclic(16), *) onto {size}");
        let plane = case(extents, &from, &format!("(*, cyclic(5)) onto {size} storage fortran"));
        for part in PARTS {
            trapezoid(&plane, world, part, 1003)?;
            trapezoid(&plane, world, part, 1 << 20)?;
        }
    }
    Ok(())
}
