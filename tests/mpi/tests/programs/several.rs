//! Three programs in one launch: many producers to one consumer, and one producer to many.

use crate::coupled::{held, layout, own_ranks};
use redist::layout::Descriptor;
use redist::mpi::{Communicator, Coupling, Programs};
use redist::{Bound, Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Case, Outcome, programs};

pub const CASES: &[Case] = &[
    Case::new("several::producers_to_one", &[1, 2, 3], |world| star(world, Side::Destination))
        .beside(&[1, 1]),
    Case::new("several::producers_to_one", &[2], |world| star(world, Side::Destination))
        .beside(&[3, 4]),
    Case::new("several::one_to_consumers", &[1, 2, 3], |world| star(world, Side::Source))
        .beside(&[1, 1]),
    Case::new("several::one_to_consumers", &[2], |world| star(world, Side::Source)).beside(&[3, 4]),
    Case::new("several::a_chain", &[1, 2], chain).beside(&[1, 1]),
    Case::new("several::a_chain", &[3], chain).beside(&[2, 4]),
    Case::new("several::launched_together", &[1], chain).beside(&[2, 1]).alone(),
    Case::new("several::a_program_that_takes_no_part", &[1, 2], bystander).beside(&[1, 1]),
];

const EXTENTS: [usize; 2] = [12, 9];
const STEPS: usize = 10;

struct Line {
    coupling: Coupling,
    bound: Bound<u64, 2>,
    own: Descriptor<2>,
}

impl Line {
    fn new(
        programs: &Programs,
        role: Side,
        program: usize,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let coupling = programs.couple(role, program)?;
        let dealt = if role == Side::Source { "(cyclic(2), *)" } else { "(*, block)" };
        let own = layout(&format!("{dealt} onto {}", own_ranks(&coupling)), coupling.first_rank());
        let (peer, extents) = coupling.handshake(own, Some(EXTENTS))?;
        let (from, to) = if role == Side::Source { (own, peer) } else { (peer, own) };
        let bound = TypedPlan::new(extents, from, to)?.bind(&coupling)?;
        Ok(Self { coupling, bound, own: Descriptor::new(extents, own)? })
    }

    fn step(&mut self, step: usize) -> Outcome {
        let held = held(&self.own, self.coupling.rank(), step);
        let mut received = vec![0; self.bound.local_len(Side::Destination)];
        let is_producer = self.coupling.role() == Side::Source;
        self.bound.run(if is_producer { &held[..] } else { &[] }, &mut received)?;
        assert!(is_producer || received == held, "step {step}");
        Ok(())
    }
}

/// Plays program 0 in the middle, in the role of `role`; programs' arrays differ by step numbers.
fn star(world: &Communicator, role: Side) -> Outcome {
    let programs = programs(world)?;
    let other = if role == Side::Source { Side::Destination } else { Side::Source };
    let mut lines = match programs.program() {
        0 => vec![(1, Line::new(&programs, role, 1)?), (2, Line::new(&programs, role, 2)?)],
        program => vec![(program, Line::new(&programs, other, 0)?)],
    };
    for step in 0..STEPS {
        for (program, line) in &mut lines {
            line.step(100 * *program + step)?;
        }
    }
    Ok(())
}

fn chain(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    let mut lines = Vec::new();
    for first in 0..2 {
        match programs.program() {
            program if program == first => {
                lines.push(Line::new(&programs, Side::Source, first + 1)?)
            }
            program if program == first + 1 => {
                lines.push(Line::new(&programs, Side::Destination, first)?)
            }
            _ => {}
        }
    }
    for step in 0..STEPS {
        lines.iter_mut().try_for_each(|line| line.step(step))?;
    }
    Ok(())
}

/// Only `Programs::of` takes all programs.
fn bystander(world: &Communicator) -> Outcome {
    let programs = programs(world)?;
    assert_eq!(programs.count(), 3);
    match programs.program() {
        0 => Line::new(&programs, Side::Source, 2)?.step(1)?,
        2 => Line::new(&programs, Side::Destination, 0)?.step(1)?,
        _ => {}
    }
    world.barrier()?;
    Ok(())
}
