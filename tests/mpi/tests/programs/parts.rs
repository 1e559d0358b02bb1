//! Programs that hold parts of one array: two produce it, two consume it, coupled in pairs.

use crate::coupled::{layout, own_ranks};
use redist::exec::{ArrayPart, CommonPart};
use redist::layout::Descriptor;
use redist::mpi::{Communicator, Coupling};
use redist::{Bound, Error, Redistribution, RuntimePlan, Side};
use redist_mpi_tests::{Case, Outcome, programs};

pub const CASES: &[Case] = &[
    Case::new("parts::two_and_two", &[1, 2, 3], |world| two_and_two(world, &QUARTERS))
        .beside(&[1, 2, 1]),
    Case::new("parts::two_and_two", &[1], |world| two_and_two(world, &QUARTERS)).beside(&[1, 1, 1]),
    Case::new("parts::with_nothing_in_common", &[1, 2], |world| two_and_two(world, &APART))
        .beside(&[1, 1, 1]),
    Case::new("parts::no_whole_part", &[1, 2], no_whole_part).beside(&[1]),
];

type Parts = [ArrayPart<2>; 4];

const fn part(at: [usize; 2], extents: [usize; 2]) -> ArrayPart<2> {
    ArrayPart { at, extents }
}

const QUARTERS: Parts =
    [part([0, 0], [5, 11]), part([5, 0], [8, 11]), part([0, 0], [13, 6]), part([0, 6], [13, 5])];

/// The first program has none of the last one's part, and no program has all of it.
const APART: Parts =
    [part([0, 0], [5, 11]), part([5, 0], [8, 11]), part([0, 0], [13, 6]), part([7, 3], [9, 20])];

const UNTOUCHED: u64 = u64::MAX;
const STEPS: u64 = 5;

fn element([row, column]: [usize; 2], step: u64) -> u64 {
    step * 1_000_000 + (row * 1000 + column) as u64
}

/// Returns a rank's elements of its program's part; `value` is of the index in the whole.
fn filled(
    array: &Descriptor<2>,
    part: ArrayPart<2>,
    rank: usize,
    value: impl Fn([usize; 2]) -> u64,
) -> Vec<u64> {
    let mut local = vec![UNTOUCHED; array.local_len(rank)];
    for row in 0..part.extents[0] {
        for column in 0..part.extents[1] {
            if array.owner([row, column]) == rank {
                let whole = [part.at[0] + row, part.at[1] + column];
                local[array.local_offset([row, column])] = value(whole);
            }
        }
    }
    local
}

fn line(
    coupling: &Coupling,
    part: ArrayPart<2>,
) -> Result<(Descriptor<2>, Option<Bound<u64, 2>>), Error> {
    let dealt = match coupling.role() {
        Side::Source => "(cyclic(2), *)",
        Side::Destination => "(*, cyclic(3))",
    };
    let own = layout(&format!("{dealt} onto {}", own_ranks(coupling)), coupling.first_rank());
    let common = coupling.handshake_of_parts(own, part)?;
    let bind = |common: CommonPart<2>| {
        RuntimePlan::new(common.part.extents, common.from, common.to)?.bind(coupling)
    };
    let array = Descriptor::new(part.extents, own).expect("the parts are not empty");
    Ok((array, common.map(bind).transpose()?))
}

fn two_and_two(world: &Communicator, parts: &Parts) -> Outcome {
    let programs = programs(world)?;
    let (me, mut lines) = (programs.program(), Vec::new());
    let pairs = (0..2).flat_map(|producer| (2..4).map(move |consumer| (producer, consumer)));
    for (producer, consumer) in pairs.filter(|&(p, c)| me == p || me == c) {
        let (role, other) =
            if me == producer { (Side::Source, consumer) } else { (Side::Destination, producer) };
        let coupling = programs.couple(role, other)?;
        let (array, bound) = line(&coupling, parts[me])?;
        lines.push((coupling, array, bound));
    }
    let holds = |part: &ArrayPart<2>, index: [usize; 2]| {
        (0..2).all(|d| (part.at[d]..part.at[d] + part.extents[d]).contains(&index[d]))
    };
    let produced = |index| parts[..2].iter().any(|part| holds(part, index));
    for step in 0..STEPS {
        let (coupling, array, _) = &lines[0];
        let rank = coupling.rank();
        let mut own = match coupling.role() {
            Side::Source => filled(array, parts[me], rank, |index| element(index, step)),
            Side::Destination => vec![UNTOUCHED; array.local_len(rank)],
        };
        for (coupling, _, bound) in &mut lines {
            let Some(bound) = bound else { continue };
            match coupling.role() {
                Side::Source => bound.run(&own[..], &mut [][..])?,
                Side::Destination => bound.run(&[][..], &mut own[..])?,
            }
        }
        let (_, array, _) = &lines[0];
        let expected = filled(array, parts[me], rank, |index| match produced(index) {
            true => element(index, step),
            false => UNTOUCHED,
        });
        assert_eq!(own, expected, "program {me}, rank {rank}, step {step}");
    }
    let met = lines.iter().filter(|(.., bound)| bound.is_some()).count();
    let apart = *parts == APART && (me == 0 || me == 3);
    assert_eq!(met, if apart { 1 } else { 2 });
    Ok(())
}

fn no_whole_part(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let me = programs.program();
    let role = if me == 0 { Side::Source } else { Side::Destination };
    let coupling = programs.couple(role, 1 - me)?;
    let of = if me == 0 { " of [20, 20] at [1, 1]" } else { "" };
    let text = format!("(block, *) onto {}{of}", own_ranks(&coupling));
    let own = layout(&text, coupling.first_rank());
    match coupling.handshake_of_parts(own, part([0, 0], [4, 4])) {
        Err(Error::Coupling { .. }) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
