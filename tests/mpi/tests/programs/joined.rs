//! Programs that hold and want parts of one array, coupled in one call.

use redist::exec::{ArrayPart, JoinedParts, PartsError, ProgramPart};
use redist::layout::{Descriptor, Ranks};
use redist::mpi::{Communicator, Programs};
use redist::{AnyElement, Element, Error, Layout, Side};
use redist_mpi_tests::{Case, Outcome, programs};
use std::ops::Range;

pub const CASES: &[Case] = &[
    Case::new("joined::two_and_two", &[1, 2, 3], |world| moves(world, QUARTERS)).beside(&[1, 2, 1]),
    Case::new("joined::two_and_two", &[1], |world| moves(world, QUARTERS)).beside(&[1, 1, 1]),
    Case::new("joined::one_and_three", &[1, 2], |world| moves(world, ONE_AND_THREE))
        .beside(&[1, 1, 1]),
    Case::new("joined::three_and_one", &[1, 2], |world| moves(world, THREE_AND_ONE))
        .beside(&[1, 1, 1]),
    Case::new("joined::three_and_two", &[1, 3], |world| moves(world, THREE_AND_TWO))
        .beside(&[2, 1, 1, 2]),
    Case::new("joined::types_that_are_values", &[1, 2], of_any_type).beside(&[1, 1, 1]),
    Case::new("joined::parts_that_meet_nothing", &[1, 2], |world| moves(world, APART))
        .beside(&[1, 1, 1]),
    Case::new("joined::two_finished_in_any_order", &[1, 2], in_any_order).beside(&[1, 1, 1]),
    Case::new("joined::dropped", &[1, 2], dropped).beside(&[1, 1, 1]),
    Case::new("joined::a_rank_that_is_not_ready", &[1, 2], not_ready).beside(&[1, 1, 1]),
    Case::new("joined::parts_that_overlap", &[1, 2], overlap).beside(&[1, 1, 1]),
    Case::new("joined::what_no_producer_holds", &[1, 2], not_produced).beside(&[1, 1, 1]),
    Case::new("joined::different_extents", &[1, 2], different_extents).beside(&[1, 1, 1]),
    Case::new("joined::outside_the_array", &[1, 2], outside).beside(&[1, 1, 1]),
    Case::new("joined::different_elements", &[1, 2], different_elements).beside(&[1, 1, 1]),
    Case::new("joined::different_dimensions", &[1, 2], different_dimensions).beside(&[1, 1]),
    Case::new("joined::too_many_ranks", &[1, 2], too_many_ranks).beside(&[1, 1]),
    Case::new("joined::ranks_of_two_minds", &[2, 3], two_minds).beside(&[1, 1]),
    Case::new("joined::a_layout_that_is_too_small", &[1, 2], too_small).beside(&[1]),
];

type Parts = &'static [Option<(Side, ArrayPart<2>)>];

const WHOLE: [usize; 2] = [13, 11];
const UNTOUCHED: u64 = u64::MAX;
const STEPS: u64 = 5;

const fn holds(at: [usize; 2], extents: [usize; 2]) -> Option<(Side, ArrayPart<2>)> {
    Some((Side::Source, ArrayPart { at, extents }))
}

const fn wants(at: [usize; 2], extents: [usize; 2]) -> Option<(Side, ArrayPart<2>)> {
    Some((Side::Destination, ArrayPart { at, extents }))
}

/// Producers have some rows and the other rows; consumers some columns and the other columns.
const QUARTERS: Parts = &[
    holds([0, 0], [5, 11]),
    holds([5, 0], [8, 11]),
    wants([0, 0], [13, 6]),
    wants([0, 6], [13, 5]),
];
const ONE_AND_THREE: Parts = &[
    holds([0, 0], [13, 11]),
    wants([0, 0], [4, 11]),
    wants([3, 3], [9, 7]),
    wants([12, 0], [1, 11]),
];
const THREE_AND_ONE: Parts =
    &[wants([1, 1], [12, 9]), holds([0, 0], [4, 11]), holds([4, 0], [9, 4]), holds([4, 4], [9, 7])];
const THREE_AND_TWO: Parts = &[
    holds([0, 0], [4, 11]),
    wants([2, 0], [11, 11]),
    holds([4, 0], [9, 4]),
    wants([0, 5], [13, 6]),
    holds([4, 4], [9, 7]),
];
/// No program wants program 1's part, program 3 wants none of any part, program 2 takes no part.
const APART: Parts = &[holds([0, 0], [5, 11]), holds([5, 0], [8, 11]), None, wants([0, 2], [5, 0])];

fn element([row, column]: [usize; 2], step: u64) -> u64 {
    step * 1_000_000 + (row * 1000 + column) as u64
}

fn dealt(role: Side, ranks: usize) -> Layout<2> {
    let text = match role {
        Side::Source => format!("(cyclic(2), *) onto {ranks}"),
        Side::Destination => format!("(*, cyclic(3)) onto {ranks} storage fortran"),
    };
    text.parse().expect("the test's layouts are right")
}

fn own(programs: &Programs, parts: Parts) -> Option<ProgramPart<2>> {
    let (role, part) = parts[programs.program()]?;
    Some(ProgramPart { role, whole: WHOLE, part, layout: dealt(role, programs.size()) })
}

/// Returns a rank's elements of its program's part; `value` is of the index in the whole.
fn filled(own: &ProgramPart<2>, rank: usize, value: impl Fn([usize; 2]) -> u64) -> Vec<u64> {
    let ProgramPart { part, layout, .. } = own;
    if part.extents.contains(&0) {
        return Vec::new();
    }
    let array = Descriptor::new(part.extents, *layout).expect("the test's layouts fit");
    let mut local = vec![UNTOUCHED; array.local_len(rank)];
    for row in 0..part.extents[0] {
        for column in 0..part.extents[1] {
            if array.owner([row, column]) == rank {
                let place = array.local_offset([row, column]);
                local[place] = value([part.at[0] + row, part.at[1] + column]);
            }
        }
    }
    local
}

/// Returns a rank's arrays at a step: source, destination, and expected destination.
fn arrays(programs: &Programs, own: Option<&ProgramPart<2>>, step: u64) -> [Vec<u64>; 3] {
    let full = own.map_or(Vec::new(), |own| filled(own, programs.rank(), |at| element(at, step)));
    match own {
        Some(own) if own.role == Side::Destination => [vec![], vec![UNTOUCHED; full.len()], full],
        _ => [full, vec![], vec![]],
    }
}

// feature: programs that are coupled = `Programs`, `Coupling`, `Programs::join_parts`
fn moves(world: &Communicator, parts: Parts) -> Outcome {
    let programs = programs(world)?;
    let own = own(&programs, parts);
    let mut joined = programs.join_parts::<u64, 2>(own)?;
    for step in 0..STEPS {
        let [source, mut destination, expected] = arrays(&programs, own.as_ref(), step);
        assert_eq!(joined.local_len(Side::Source), source.len());
        assert_eq!(joined.local_len(Side::Destination), destination.len());
        if step % 2 == 0 {
            joined.run(&source, &mut destination)?;
        } else {
            let mut started = joined.start(&source, &mut destination)?;
            while !started.test()? {}
            started.finish()?;
        }
        assert_eq!(destination, expected, "program {}, step {step}", programs.program());
    }
    Ok(())
}

/// A move of a rank's arrays.
type Run = Box<dyn FnMut(&[u64], &mut [u64]) -> Result<(), Error>>;

/// Some programs know the element type when they are compiled, others when they run.
fn of_any_type(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let own = own(&programs, QUARTERS);
    let mut run: Run;
    if programs.program() % 2 == 0 {
        let mut joined = programs.join_parts::<u64, 2>(own)?;
        run = Box::new(move |source, destination| joined.run(source, destination));
    } else {
        let element = AnyElement::named("u64").expect("a type of this name");
        let mut joined = programs.join_any_parts(Ok(own), element)?;
        run = Box::new(move |source, destination| {
            let source: Vec<u8> = source.iter().flat_map(|value| value.to_ne_bytes()).collect();
            let mut found = vec![0; size_of_val(destination)];
            joined.run(&source, &mut found)?;
            for (value, bytes) in destination.iter_mut().zip(found.chunks_exact(8)) {
                *value = u64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
            }
            Ok(())
        });
    }
    for step in 0..STEPS {
        let [source, mut destination, expected] = arrays(&programs, own.as_ref(), step);
        run(&source, &mut destination)?;
        assert_eq!(destination, expected, "program {}, step {step}", programs.program());
    }
    Ok(())
}

fn in_any_order(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let own = own(&programs, QUARTERS);
    let mut first = programs.join_parts::<u64, 2>(own)?;
    let mut second = programs.join_parts::<u64, 2>(own)?;
    let [a, mut from_a, expect_a] = arrays(&programs, own.as_ref(), 1);
    let [b, mut from_b, expect_b] = arrays(&programs, own.as_ref(), 2);
    let (one, two) = (first.start(&a, &mut from_a)?, second.start(&b, &mut from_b)?);
    if programs.program() % 2 == 0 {
        one.finish()?;
        two.finish()?;
    } else {
        two.finish()?;
        one.finish()?;
    }
    assert_eq!((from_a, from_b), (expect_a, expect_b));
    Ok(())
}

fn dropped(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let own = own(&programs, QUARTERS);
    let mut joined = programs.join_parts::<u64, 2>(own)?;
    for step in 0..STEPS {
        let [source, mut destination, expected] = arrays(&programs, own.as_ref(), step);
        let before = destination.clone();
        let _ = joined.start(&source, &mut destination)?;
        assert_eq!(destination, before, "it is not finished");
        joined.run(&source, &mut destination)?;
        assert_eq!(destination, expected);
    }
    Ok(())
}

/// The error reaches programs without a common part, whose arrivals from other programs are not
/// written. The next move works.
fn not_ready(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let own = own(&programs, QUARTERS);
    let mut joined = programs.join_parts::<u64, 2>(own)?;
    for at_fault in 0..world.size() {
        let is_at_fault = world.rank() == at_fault;
        let [mut source, mut destination, expected] = arrays(&programs, own.as_ref(), 1);
        let right = source.len();
        if is_at_fault {
            source.push(0);
        }
        let before = destination.clone();
        let told = joined.run(&source, &mut destination).expect_err("a rank has a wrong array");
        match (is_at_fault, &told) {
            (true, Error::LocalLength { rank, side: Side::Source, expected, found, .. }) => {
                assert_eq!((*rank, *expected, *found), (at_fault, right, right + 1));
            }
            (false, Error::PeerFailed { rank, reason }) => {
                assert_eq!(*rank, at_fault);
                assert!(reason.contains("the local source array must hold"), "{reason}");
            }
            _ => return Err(told.into()),
        }
        assert_eq!(destination, before, "rank {at_fault} was not ready");
        source.truncate(right);
        joined.run(&source, &mut destination)?;
        assert_eq!(destination, expected);
    }
    Ok(())
}

fn told<T: Element, const D: usize>(
    joined: Result<JoinedParts<T, D>, Error>,
) -> Result<PartsError, String> {
    match joined {
        Err(Error::Parts(error)) => Ok(error),
        Err(error) => Err(format!("another error: {error}")),
        Ok(_) => Err("the parts do not fit".into()),
    }
}

fn ranges<const D: usize>(ranges: [Range<usize>; D]) -> Vec<Range<usize>> {
    ranges.into()
}

fn overlap(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    const PARTS: Parts =
        &[holds([0, 0], [6, 11]), wants([0, 0], [1, 1]), None, holds([5, 0], [8, 11])];
    let expected = PartsError::Overlap { programs: [0, 3], ranges: ranges([5..6, 0..11]) };
    assert_eq!(told(programs.join_parts::<u64, 2>(own(&programs, PARTS)))?, expected);
    // Nothing is left behind: fitting parts can be joined.
    moves(world, QUARTERS)
}

fn not_produced(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    const PARTS: Parts = &[
        holds([0, 0], [5, 11]),
        wants([0, 0], [1, 1]),
        wants([0, 2], [9, 4]),
        holds([6, 0], [7, 11]),
    ];
    let expected = PartsError::NotProduced { program: 2, ranges: ranges([5..6, 2..6]) };
    assert_eq!(told(programs.join_parts::<u64, 2>(own(&programs, PARTS)))?, expected);
    moves(world, QUARTERS)
}

fn different_extents(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let mut own = own(&programs, QUARTERS);
    if let Some(own) = own.as_mut().filter(|_| programs.program() == 2) {
        own.whole = [13, 12];
    }
    let expected = PartsError::Extents { programs: [0, 2], dimension: 1, extents: [11, 12] };
    assert_eq!(told(programs.join_parts::<u64, 2>(own))?, expected);
    Ok(())
}

fn outside(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    const PARTS: Parts =
        &[holds([0, 0], [5, 11]), holds([5, 0], [8, 11]), None, wants([0, 6], [13, 6])];
    let expected = PartsError::Outside { program: 3, dimension: 1, range: 6..12, extent: 11 };
    assert_eq!(told(programs.join_parts::<u64, 2>(own(&programs, PARTS)))?, expected);
    Ok(())
}

fn different_elements(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let own = own(&programs, QUARTERS);
    let error = match programs.program() {
        1 => told(programs.join_parts::<f64, 2>(own))?,
        _ => told(programs.join_parts::<u64, 2>(own))?,
    };
    let elements = ["u64", "f64"].map(|name| format!("{name} (8 bytes, aligned to 8)"));
    assert_eq!(error, PartsError::Elements { programs: [0, 1], elements });
    Ok(())
}

fn different_dimensions(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let error = if programs.program() == 1 {
        let part = ArrayPart { at: [0], extents: [5] };
        let layout = format!("block onto {}", programs.size()).parse()?;
        let own = ProgramPart { role: Side::Source, whole: [5], part, layout };
        told(programs.join_parts::<u64, 1>(Some(own)))?
    } else {
        told(programs.join_parts::<u64, 2>(own(&programs, QUARTERS)))?
    };
    let (at_fault, here) = if programs.program() == 1 { (0, 1) } else { (1, 2) };
    match error {
        PartsError::Unreadable { program, dimensions, .. } => {
            assert_eq!((program, dimensions), (at_fault, here));
            Ok(())
        }
        error => Err(error.into()),
    }
}

fn too_many_ranks(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let mut own = own(&programs, QUARTERS);
    if let Some(own) = own.as_mut().filter(|_| programs.program() == 1) {
        own.layout = own.layout.ranks(Ranks::From(1));
    }
    let error = told(programs.join_parts::<u64, 2>(own))?;
    let is_named = matches!(error, PartsError::Layout { program: 1, .. });
    assert!(is_named && error.to_string().contains("it has ranks 0..1"), "{error}");
    Ok(())
}

/// The last rank of program 0 names another part than the first.
fn two_minds(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let mut own = own(&programs, QUARTERS);
    let at_fault = programs.program() == 0 && programs.rank() + 1 == programs.size();
    if let Some(own) = own.as_mut().filter(|_| at_fault) {
        own.part.extents[0] -= 1;
    }
    let error = programs.join_parts::<u64, 2>(own).map(drop).expect_err("two ranks disagree");
    let reason = "it says another part of the array than rank 0 of its program";
    match &error {
        Error::Coupling { .. } if at_fault => {}
        Error::PeerFailed { .. } if !at_fault => {}
        _ => return Err(error.into()),
    }
    assert!(error.to_string().contains(reason), "{error}");
    Ok(())
}

fn too_small(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    const PARTS: Parts = &[holds([0, 0], [13, 11]), wants([0, 0], [13, 11])];
    let mut own = own(&programs, PARTS);
    if let Some(own) = own.as_mut().filter(|_| programs.program() == 1) {
        own.layout = "(block(2), *) onto 1".parse()?;
    }
    let error = programs.join_parts::<u64, 2>(own).map(drop).expect_err("it does not fit");
    assert!(error.to_string().contains("but the extent is 13"), "{error}");
    Ok(())
}
