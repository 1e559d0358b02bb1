//! Laws that need no oracle, by every route; arrays between pages that trap; indices past 2^32.

use crate::EVERY;
use crate::arrays::{Parts, plan};
use crate::random::each_of;
use crate::routes::selectable;
use redist::mpi::Communicator;
use redist::transport::Route;
use redist::{Error, Plan, Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Case as Trial, Outcome};
use redist_testing::guarded::{Flush, Guarded, noting};
use redist_testing::sections::{element, places};
use redist_testing::strategies::{Case, Chain, chains_on, long_lines};
use std::time::Instant;

pub const CASES: &[Trial] = &[
    Trial::new("laws::chains_of_lines", EVERY, chains::<1>),
    Trial::new("laws::chains_of_planes", EVERY, chains::<2>),
    Trial::new("laws::chains_of_spaces", EVERY, chains::<3>),
    Trial::new("laws::between_pages_that_trap", &[2, 4, 9], between_pages),
    Trial::new("laws::sections_past_32_bits", &[2], sections_past_32_bits),
    Trial::new("laws::more_than_2_pow_32", &[2], more_than_2_pow_32).limit(900).ignored(),
    Trial::new("laws::more_than_2_pow_31", &[2], more_than_2_pow_31).limit(900).ignored(),
];

fn by_every_route(world: &Communicator, outcome_of: impl Fn(Route) -> Outcome) -> Outcome {
    selectable(world)
        .try_for_each(|route| outcome_of(route).map_err(|error| format!("{route}: {error}").into()))
}

type Tag = [u32; 2];

fn moved<const D: usize>(
    case: &Case<D>,
    (world, route): (&Communicator, Route),
    source: &[Tag],
) -> Result<Vec<Tag>, Error> {
    let mut bound =
        plan::<Tag, D>(case).binder().route(route).max_message_bytes(100).bind(world)?;
    let mut destination = vec![[u32::MAX; 2]; bound.local_len(Side::Destination)];
    bound.run(source, &mut destination)?;
    Ok(destination)
}

/// A → B → C is A → C.
fn chains<const D: usize>(world: &Communicator) -> Outcome {
    let (rank, ranks) = (world.rank(), world.size());
    each_of(world, (20, chains_on::<D>(ranks)), |chain: &Chain<D>| {
        by_every_route(world, |route| {
            let by = (world, route);
            let len = chain.first.plan().descriptor(Side::Source).local_len(rank);
            let source: Vec<Tag> = (0..len).map(|offset| [rank as u32, offset as u32]).collect();
            let twice = moved(&chain.second, by, &moved(&chain.first, by, &source)?)?;
            let once = moved(&chain.both, by, &source)?;
            if twice == once { Ok(()) } else { Err(format!("{twice:?}, not {once:?}").into()) }
        })
    })
}

fn between_pages(world: &Communicator) -> Outcome {
    let (rank, ranks) = (world.rank(), world.size());
    each_of(world, (12, long_lines()), |case| {
        if case.plan().ranks() > ranks {
            return Ok(());
        }
        by_every_route(world, |route| {
            let words = format!("rank {rank}: {case:?}, {route}");
            noting(&words, || {
                guarded::<u8>(case, (world, route))?;
                guarded::<[f32; 3]>(case, (world, route))?;
                guarded::<u64>(case, (world, route))
            })
        })
    })
}

fn guarded<T: crate::arrays::Counted>(
    case: &Case<1>,
    (world, route): (&Communicator, Route),
) -> Outcome {
    let parts = Parts::<T>::new(case, world.rank());
    let mut bound = plan::<T, 1>(case).binder().route(route).max_message_bytes(100).bind(world)?;
    for flush in Flush::BOTH {
        let of = |elements: Vec<T>| Guarded::from_fn(elements.len(), flush, |at| elements[at]);
        let (source, mut destination) = (of(parts.source(1)), of(parts.untouched()));
        bound.run(&*source, &mut *destination)?;
        parts.same(&destination, 1)?;
        let mut destination = of(parts.untouched());
        bound.start(&*source, &mut *destination)?.finish()?;
        parts.same(&destination, 1)?;
    }
    Ok(())
}

fn sections_past_32_bits(world: &Communicator) -> Outcome {
    let line = Plan::<1>::parse(
        [5000],
        "cyclic(64) onto 2 of [17179869184] at [17179862000]",
        "cyclic(48) onto 1 of [8589934999] at [4294965000]",
    )?;
    let plane = Plan::<2>::parse(
        [67, 131],
        "(cyclic(8), *) onto 2 of [131101, 70001] at [131003, 69800]",
        "(*, cyclic(16)) onto 1 storage fortran of [65599, 65701] at [65500, 65549]",
    )?;
    // Chunks are counted over the whole local arrays, and so take seconds even for single
    // bytes.
    selectable(world).try_for_each(|route| {
        if route == Route::Chunks {
            return section::<1, 1>(&line, (world, route));
        }
        section::<8, 1>(&line, (world, route))?;
        section::<4, 2>(&plane, (world, route))
    })
}

fn section<const N: usize, const D: usize>(
    plan: &Plan<D>,
    (world, route): (&Communicator, Route),
) -> Outcome {
    let rank = world.rank();
    let redistribution = TypedPlan::<[u8; N], D>::from(*plan);
    let mut bound = redistribution.binder().route(route).bind(world)?;
    let array = |side| Guarded::<[u8; N]>::zeroed(bound.local_len(side), Flush::Back);
    let (mut source, mut destination) = (array(Side::Source), array(Side::Destination));
    for (offset, index) in places(plan, Side::Source, rank) {
        source[offset] = index.map_or([0xEE; N], element);
    }
    bound.run(&*source, &mut *destination)?;
    let places = places(plan, Side::Destination, rank);
    assert!(rank > 0 || places.iter().any(|(offset, _)| *offset > u32::MAX as usize), "{plan}");
    match places.iter().find(|(at, index)| destination[*at] != index.map_or([0; N], element)) {
        Some((offset, index)) => Err(format!("{plan}: wrong at {offset}, {index:?}").into()),
        None => Ok(()),
    }
}

/// Takes 9 GiB of memory.
fn more_than_2_pow_32(world: &Communicator) -> Outcome {
    bytes(world, ((1 << 32) + 1001, Route::Automatic))
}

/// Whole messages take 9 GiB of memory.
fn more_than_2_pow_31(world: &Communicator) -> Outcome {
    by_every_route(world, |route| bytes(world, ((1 << 31) + 1001, route)))
}

fn bytes(world: &Communicator, (len, route): (usize, Route)) -> Outcome {
    let plan = TypedPlan::<u8, 1>::parse([len], "block onto 1", "block onto 1 ranks 1..2")?;
    let mut bound = plan.binder().route(route).bind(world)?;
    let value = |index: usize| (index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8;
    let source: Vec<u8> = (0..bound.local_len(Side::Source)).map(value).collect();
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    let begun = Instant::now();
    bound.run(&source, &mut destination)?;
    eprintln!("{len} bytes in {:?}, {route}", begun.elapsed());
    assert_eq!(destination.len(), if world.rank() == 1 { len } else { 0 });
    assert!((0..).zip(&destination).all(|(index, found)| *found == value(index)));
    Ok(())
}
