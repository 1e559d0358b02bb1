//! The fault matrix over MPI: each rank's result, and that of the next move, is that of
//! `docs/internals/faults.md`.

use crate::injected;
use redist::exec::{DestinationArray, SourceArray};
use redist::mpi::{Communicator, SharedArray};
use redist::{Error, Side};
use redist_mpi_tests::{Case, Outcome, current_case, several_nodes};
use redist_testing::faults::{
    self, After, Arrays, Cell, Expected, Fault, Line, Ranks, Sight, Way, When, play,
};
use std::marker::PhantomData;
use std::ops::DerefMut;
use std::{panic, process};

pub fn cases() -> Vec<Case> {
    faults::cells(ranks()).into_iter().map(case).collect()
}

fn ranks() -> Ranks {
    if several_nodes() { Ranks::Nodes } else { Ranks::Mpi }
}

fn case(cell: Cell) -> Case {
    let mut case = Case::new(cell.name().leak(), &[faults::RANKS], played).limit(20).of_a_table();
    let is_left_out = cell.fault == Fault::PanicsAndGoesOn(When::Before);
    if cell.fault == Fault::ReturnsEarly || is_left_out && cell.ranks != Ranks::Threads {
        // Other ranks learn of it at the end of its program.
        case = case.alone();
    }
    let is_over = matches!(cell.expected(), Some(Expected::Told { after: After::Fails(_), .. }));
    if is_over || cell.fault == Fault::LibraryFails("MPI_Win_allocate_shared") {
        case = case.leaves_messages();
    }
    match (cell.expected(), cell.fault) {
        (Some(Expected::JobEnds), Fault::Panics(_)) => {
            case.fails(&["launcher: exit status", "the faulty rank panics"])
        }
        (Some(Expected::JobEnds), Fault::Killed(_)) => {
            case.fails(&["launcher: exit status", "rank 1: ended without a word"])
        }
        (Some(Expected::JobEnds), _) => case
            .fails(&["launcher: exit status", "the other ranks cannot be told, so the job ends"]),
        _ => case,
    }
}

fn played(world: &Communicator) -> Outcome {
    let name = current_case().unwrap_or_default();
    let all = faults::cells(ranks());
    injected::fail_no_more();
    let cell = *all.iter().find(|cell| cell.name() == name).ok_or("there is no such cell")?;
    match cell.fault {
        Fault::PanicsAndGoesOn(_) => panic::set_hook(Box::new(|_| ())),
        // It unwinds to the end of the program, where the library notices.
        Fault::Panics(_) => panic::set_hook(Box::new(|info| eprintln!("{info}"))),
        _ => {}
    }
    let played = match cell.way {
        Way::Shared => {
            play(cell, &Program::<SharedArray<u64>, SharedArray<u64>>(world, PhantomData))
        }
        Way::SharedSource => play(cell, &Program::<SharedArray<u64>, Vec<u64>>(world, PhantomData)),
        _ => play(cell, &Program::<Vec<u64>, Vec<u64>>(world, PhantomData)),
    };
    played.map_err(Into::into)
}

struct Program<'w, S, D>(&'w Communicator, PhantomData<(S, D)>);

trait Made: Sized + DerefMut<Target = [u64]> {
    fn made(bound: &Line, side: Side) -> Result<Self, Error>;
}

impl Made for Vec<u64> {
    fn made(bound: &Line, side: Side) -> Result<Self, Error> {
        Ok(vec![0; bound.local_len(side)])
    }
}

impl Made for SharedArray<u64> {
    fn made(bound: &Line, side: Side) -> Result<Self, Error> {
        bound.shared_array(side)
    }
}

impl<S: Made + SourceArray<u64>, D: Made + DestinationArray<u64>> Sight for Program<'_, S, D> {
    type Ranks = Communicator;
    type Source = S;
    type Destination = D;

    fn ranks(&self) -> &Communicator {
        self.0
    }

    fn arrays(&self, bound: &Line) -> Result<Arrays<Self>, Error> {
        Ok((S::made(bound, Side::Source)?, D::made(bound, Side::Destination)?))
    }

    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn killer(&self) -> Box<dyn Fn()> {
        Box::new(|| {
            let id = process::id().to_string();
            let _ = process::Command::new("kill").args(["-KILL", &id]).status();
        })
    }

    fn fail(&self, call: &'static str) {
        injected::fail(call);
    }
}
