//! Programs that do not fit together: every rank of both gets an error.

use crate::coupled::{couple, layout, own_ranks};
use redist::layout::Ranks;
use redist::mpi::{Communicator, Coupling};
use redist::{Error, Layout, Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Case, Outcome, programs};

pub const CASES: &[Case] = &[
    Case::new("handshake::layouts_and_extents", &[1, 2, 3], layouts_and_extents).beside(&[2]),
    Case::new("handshake::every_word_of_a_layout", &[1, 2], every_word).beside(&[2]),
    Case::new("handshake::different_extents", &[1, 2, 3], different_extents).beside(&[2]),
    Case::new("handshake::neither_knows_the_extents", &[1, 2], neither_knows).beside(&[2]),
    Case::new("handshake::other_dimensions", &[2, 3], other_dimensions).beside(&[1]),
    Case::new("handshake::foreign_ranks", &[1, 2], foreign_ranks).beside(&[2]),
    Case::new("handshake::too_many_ranks", &[1, 2], too_many_ranks).beside(&[2]),
    Case::new("handshake::a_layout_that_meets_nothing", &[1, 2], a_layout_that_meets_nothing)
        .beside(&[2]),
    Case::new("handshake::different_elements", &[1, 2], different_elements).beside(&[2]),
    Case::new("handshake::two_producers", &[1, 2, 3], |world| one_role(world, Side::Source))
        .beside(&[2]),
    Case::new("handshake::two_consumers", &[1, 2, 3], |world| one_role(world, Side::Destination))
        .beside(&[2]),
    Case::new("handshake::no_such_program", &[2], no_such_program),
    Case::new("handshake::no_such_program", &[1], no_such_program).beside(&[2]),
    Case::new("handshake::no_such_program_in_the_launch", &[1], no_such_program)
        .beside(&[2])
        .alone(),
    Case::new("handshake::again_and_again", &[1, 3, 9], couples_again_and_again).beside(&[1]),
];

fn blocks(coupling: &Coupling) -> Layout<1> {
    layout(&format!("block onto {}", own_ranks(coupling)), coupling.first_rank())
}

fn expect<T: std::fmt::Debug>(result: Result<T, Error>, words: &str) -> Outcome {
    let error = result.expect_err("the programs do not fit").to_string();
    assert!(error.contains(words), "`{error}` lacks `{words}`");
    Ok(())
}

fn layouts_and_extents(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let (producers, consumers) = (coupling.producers(), coupling.consumers());
    for knows in [Some(Side::Source), Some(Side::Destination), None] {
        let known = (knows.is_none() || knows == Some(coupling.role())).then_some([17]);
        let (peer, extents) = coupling.handshake(blocks(&coupling), known)?;
        let (ranks, first) =
            if coupling.role() == Side::Source { (consumers, producers) } else { (producers, 0) };
        assert_eq!((peer, extents), (layout(&format!("block onto {ranks}"), first), [17]));
    }
    Ok(())
}

fn every_word(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let (producers, consumers) = (coupling.producers(), coupling.consumers());
    let sizes: Vec<usize> = (0..producers).map(|rank| if rank == 0 { 17 } else { 0 }).collect();
    let from =
        layout::<2>(&format!("(gen_block({sizes:?}), *) onto {producers} storage fortran"), 0);
    let to = "(cyclic(2), cyclic(3)) onto (1, CONSUMERS) first (0, 1) order col of [30, 40] at [3, 7] transposed";
    let to = layout::<2>(&to.replace("CONSUMERS", &consumers.to_string()), producers);
    let (own, peer) = if coupling.role() == Side::Source { (from, to) } else { (to, from) };
    assert_eq!(coupling.handshake(own, Some([17, 20]))?, (peer, [17, 20]));
    TypedPlan::<u8, 2>::new([17, 20], from, to)?.bind(&coupling)?;
    Ok(())
}

fn different_extents(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let extents = if coupling.role() == Side::Source { [17] } else { [18] };
    let shaken = coupling.handshake(blocks(&coupling), Some(extents));
    expect(shaken, "the producer's array has extents [17], the consumer's [18]")
}

fn neither_knows(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    expect(coupling.handshake(blocks(&coupling), None), "neither program knows the extents")
}

fn other_dimensions(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    if coupling.role() == Side::Source {
        return expect(
            coupling.handshake(blocks(&coupling), Some([17])),
            "`(block, *) onto 1 ranks",
        );
    }
    let own = layout("(block, *) onto 1", coupling.first_rank());
    expect(
        coupling.handshake(own, Some([17, 2])),
        &format!("`block onto {}` is no layout here", coupling.producers()),
    )
}

/// The consumer forgot `first_rank`.
fn foreign_ranks(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let shaken = coupling.handshake(blocks(&coupling).ranks(Ranks::From(0)), Some([17]));
    let (first, end) = (coupling.producers(), coupling.producers() + coupling.consumers());
    expect(
        shaken,
        &format!(
            "the destination's ranks are {first}..{end} here, but its layout is `block onto 2`"
        ),
    )
}

fn too_many_ranks(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let own = layout(&format!("block onto {}", own_ranks(&coupling) + 1), coupling.first_rank());
    expect(coupling.handshake(own, Some([17])), "the source's ranks are 0..")
}

/// Layouts that are valid but too small for the extents: both sides refuse the plan alike.
fn a_layout_that_meets_nothing(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let own = layout(&format!("block(2) onto {}", own_ranks(&coupling)), coupling.first_rank());
    let (peer, extents) = coupling.handshake(own, Some([17]))?;
    let (from, to) = if coupling.role() == Side::Source { (own, peer) } else { (peer, own) };
    let error = TypedPlan::<u8, 1>::new(extents, from, to)
        .expect_err("the layouts are too small")
        .to_string();
    assert!(error.contains("but the extent is 17"), "{error}");
    Ok(())
}

fn different_elements(world: &Communicator) -> Outcome {
    let coupling = couple(world)?;
    let own = blocks(&coupling);
    let (peer, extents) = coupling.handshake(own, Some([17]))?;
    let told = match coupling.role() {
        Side::Source => TypedPlan::<f32, 1>::new(extents, own, peer)?.bind(&coupling).map(drop),
        Side::Destination => {
            TypedPlan::<f64, 1>::new(extents, peer, own)?.bind(&coupling).map(drop)
        }
    };
    expect(
        told,
        &format!("rank {} moves elements of type f64, rank 0 of type f32", coupling.producers()),
    )
}

fn one_role(world: &Communicator, role: Side) -> Outcome {
    let programs = programs(world)?;
    let coupled = programs.couple(role, 1 - programs.program());
    expect(coupled, &format!("both programs are the {role}"))
}

fn no_such_program(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let count = programs.count();
    expect(
        programs.couple(Side::Source, count),
        &format!("cannot be coupled with program {count} of {count}"),
    )?;
    expect(programs.couple(Side::Source, programs.program()), "cannot be coupled with program")
}

fn couples_again_and_again(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let role = if programs.program() == 0 { Side::Source } else { Side::Destination };
    for extent in 0..100 {
        let coupling = programs.couple(role, 1 - programs.program())?;
        let (_, extents) = coupling.handshake(blocks(&coupling), Some([extent]))?;
        assert_eq!(extents, [extent]);
    }
    Ok(())
}
