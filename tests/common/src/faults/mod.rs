//! The fault matrix: the expected result of each fault of one rank, by way and transport. Tests of
//! both transports play every cell, and write `docs/internals/faults.md`.

mod expected;
mod page;
mod play;

pub use expected::{After, Expected};
pub use page::page;
pub(crate) use play::name;
pub use play::{Arrays, Line, Sight, play};

use redist::transport::Route;

pub const FAULTY: usize = 1;

pub const RANKS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before a call, which is left out.
    Before,
    /// Before any copy, but after all ranks have met.
    Amid,
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Panics at some time of a call, catches the panic and continues.
    PanicsAndGoesOn(When),
    /// Panics at some time of a call, and unwinds to the end of its thread or program.
    Panics(When),
    /// Ends well, but before the call.
    ReturnsEarly,
    DropsStarted,
    /// Starts a move and forgets it, as `mem::forget` does.
    OtherPlan,
    OtherElement,
    /// Binds with another length of segments.
    OtherOptions,
    OtherMethod,
    ShortSource,
    ShortDestination,
    /// Moves arrays by two plans in another order.
    OtherOrder,
    /// Binds a plan while the other ranks move an array.
    OtherCall,
    /// Is killed, as by the operating system.
    Killed(When),
    LibraryFails(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `bind`, or the making of shared arrays.
    Bind,
    Run,
    Start,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Threads share their arrays.
    Lent,
    Messages,
    /// Packed messages in the order of a schedule.
    Steps,
    /// Chunks in a window of shared memory.
    Chunks,
    SharedSource,
    Shared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    Threads,
    /// MPI processes of one node.
    Mpi,
    /// MPI processes of several nodes, where all ranks agree in each move.
    Nodes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub ranks: Ranks,
    pub way: Way,
    pub call: Call,
    pub fault: Fault,
}

const THREAD_WAYS: &[Way] = &[Way::Lent, Way::Messages];
const MPI_WAYS: &[Way] = &[Way::Chunks, Way::Messages, Way::Steps, Way::SharedSource, Way::Shared];

pub const LIBRARY_CALLS: &[&str] =
    &["MPI_Isend", "MPI_Irecv", "MPI_Testsome", "MPI_Allreduce", "shm_open"];

fn faults() -> impl Iterator<Item = Fault> {
    let whens = [When::Before, When::Amid, When::After];
    let plain = [
        Fault::ReturnsEarly,
        Fault::DropsStarted,
        Fault::OtherPlan,
        Fault::OtherElement,
        Fault::OtherOptions,
        Fault::OtherMethod,
        Fault::ShortSource,
        Fault::ShortDestination,
        Fault::OtherOrder,
        Fault::OtherCall,
    ];
    let panics = whens
        .into_iter()
        .flat_map(|when| [Fault::PanicsAndGoesOn(when), Fault::Panics(when), Fault::Killed(when)]);
    let library = LIBRARY_CALLS.iter().map(|call| Fault::LibraryFails(call));
    panics.chain(plain).chain(library)
}

pub fn cells(ranks: Ranks) -> Vec<Cell> {
    let ways = if ranks == Ranks::Threads { THREAD_WAYS } else { MPI_WAYS };
    let all = faults().flat_map(|fault| {
        [Call::Bind, Call::Run, Call::Start]
            .into_iter()
            .flat_map(move |call| ways.iter().map(move |&way| Cell { ranks, way, call, fault }))
    });
    all.filter(|cell| cell.expected().is_some()).collect()
}

impl Cell {
    pub fn name(&self) -> String {
        let text = format!("faults::{:?}::{:?}::{:?}", self.way, self.call, self.fault);
        text.replace(['(', ')', '"'], "_").trim_end_matches('_').to_owned()
    }

    pub fn route(&self) -> Route {
        match self.way {
            Way::Lent | Way::Chunks | Way::Steps | Way::SharedSource | Way::Shared => {
                Route::Automatic
            }
            Way::Messages => Route::Messages,
        }
    }
}
