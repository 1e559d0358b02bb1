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

/// Calls between a fault and the next move: in other places than those at which tags repeat, and there.
const BETWEEN: [usize; 5] = [1, 63, 64, 65, 130];

/// Returns the cells of the table, and, between nodes, those again after which moves work, with
/// calls between.
pub fn cases() -> Vec<Case> {
    let cells = faults::cells(ranks());
    let works =
        |cell: &&Cell| matches!(cell.expected(), Some(Expected::Told { after: After::Works, .. }));
    let later = cells.iter().filter(works).filter(|_| several_nodes());
    let later = later.flat_map(|cell| BETWEEN.map(|calls| (*cell, name(*cell, calls))));
    let all = cells.iter().map(|cell| (*cell, cell.name())).chain(later);
    all.map(|(cell, name)| case(cell, name)).collect()
}

fn name(cell: Cell, calls: usize) -> String {
    cell.name().replacen("faults::", &format!("faults_between::{calls}::"), 1)
}

/// Returns the cell of a name, and its number of calls between.
fn cell_of(name: &str) -> Option<(Cell, usize)> {
    let named = |calls: usize| {
        let all = faults::cells(ranks()).into_iter();
        all.map(move |cell| (cell, calls)).find(|(cell, calls)| match calls {
            0 => cell.name() == name,
            calls => self::name(*cell, *calls) == name,
        })
    };
    [0].into_iter().chain(BETWEEN).find_map(named)
}

fn ranks() -> Ranks {
    if several_nodes() { Ranks::Nodes } else { Ranks::Mpi }
}

fn case(cell: Cell, name: String) -> Case {
    let mut case = Case::new(name.leak(), &[faults::RANKS], played).limit(20).of_a_table();
    let is_left_out = cell.fault == Fault::PanicsAndGoesOn(When::Before);
    if cell.fault == Fault::ReturnsEarly || is_left_out && cell.ranks != Ranks::Threads {
        // Other ranks learn of it at the end of its program.
        case = case.alone();
    }
    let is_over = matches!(cell.expected(), Some(Expected::Told { after: After::Fails(_), .. }));
    if is_over || cell.fault == Fault::LibraryFails("shm_open") {
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
    injected::fail_no_more();
    let (cell, calls) = cell_of(&name).ok_or("there is no such cell")?;
    match cell.fault {
        Fault::PanicsAndGoesOn(_) => panic::set_hook(Box::new(|_| ())),
        // It unwinds to the end of the program, where the library notices.
        Fault::Panics(_) => panic::set_hook(Box::new(|info| eprintln!("{info}"))),
        _ => {}
    }
    let played = match cell.way {
        Way::Shared => {
            play(cell, &Program::<SharedArray<u64>, SharedArray<u64>>(world, calls, PhantomData))
        }
        Way::SharedSource => {
            play(cell, &Program::<SharedArray<u64>, Vec<u64>>(world, calls, PhantomData))
        }
        _ => play(cell, &Program::<Vec<u64>, Vec<u64>>(world, calls, PhantomData)),
    };
    played.map_err(Into::into)
}

/// The ranks, and the calls between the fault and the next move.
struct Program<'w, S, D>(&'w Communicator, usize, PhantomData<(S, D)>);

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

    fn calls_between(&self) -> usize {
        self.1
    }
}
