//! The fault matrix over threads, and its page; `mpi/tests/ranks/faults.rs` plays it over MPI.

use redist::threads::{self, Failure, Rank};
use redist::{Error, Side};
use redist_testing::faults::{Arrays, Cell, FAULTY, Fault, Line, RANKS, Ranks, Sight, When};
use redist_testing::faults::{cells, page, play};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs, panic, thread};

/// Far longer than any cell takes.
const LIMIT: Duration = Duration::from_secs(30);

struct OneThread<'r>(&'r Rank);

impl Sight for OneThread<'_> {
    type Ranks = Rank;
    type Source = Vec<u64>;
    type Destination = Vec<u64>;

    fn ranks(&self) -> &Rank {
        self.0
    }

    fn arrays(&self, bound: &Line) -> Result<Arrays<Self>, Error> {
        let of = |side| vec![0; bound.local_len(side)];
        Ok((of(Side::Source), of(Side::Destination)))
    }

    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn killer(&self) -> Box<dyn Fn()> {
        Box::new(|| unreachable!("a thread is not killed alone"))
    }

    fn fail(&self, call: &'static str) {
        unreachable!("no {call} here")
    }
}

fn played(cell: Cell) -> Result<(), String> {
    let played = threads::run(RANKS, |rank| play(cell, &OneThread(rank)));
    match (cell.fault, played) {
        (Fault::Panics(_), Err(Failure::Panic { rank: FAULTY, .. })) => Ok(()),
        (Fault::Panics(_), other) => Err(format!("{other:?}, should be a panic")),
        (_, other) => other.map(drop).map_err(|failure| failure.to_string()),
    }
}

#[test]
fn every_cell_ends_as_it_must() {
    panic::set_hook(Box::new(|_| ()));
    let cells = cells(Ranks::Threads);
    assert!(cells.len() > 60, "only {} cells", cells.len());
    assert!(cells.iter().any(|cell| cell.fault == Fault::Panics(When::Amid)));
    let wrong: Vec<String> = cells.into_iter().filter_map(|cell| wrong(cell).err()).collect();
    let _ = panic::take_hook();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn wrong(cell: Cell) -> Result<(), String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(played(cell)));
    let ended = receiver.recv_timeout(LIMIT).unwrap_or_else(|_| Err("it hangs".into()));
    ended.map_err(|error| format!("{}: {error}", cell.name()))
}

/// `FAULTS=overwrite` writes it again.
#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/internals/faults.md");
    if env::var("FAULTS").is_ok_and(|value| value == "overwrite") {
        fs::write(&path, page()).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, page(), "write it by `FAULTS=overwrite cargo test --test movement faults`");
}
