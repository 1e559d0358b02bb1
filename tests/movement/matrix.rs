//! The matrix of features over threads, and its page; `mpi/tests/ranks/matrix.rs` is over MPI.

use redist::threads::{self, Rank};
use redist::{Bound, Element, Error, Side};
use redist_testing::matrix::{Actor, Cell, RANKS, World, page, play, playable};
use std::path::Path;
use std::{env, fs};

struct OneThread<'r>(&'r Rank);

impl Actor for OneThread<'_> {
    type Ranks = Rank;
    type Shared<T: Element> = Vec<T>;

    fn ranks(&self) -> &Rank {
        self.0
    }

    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn shared<T: Element>(&self, _: &Bound<T, 2>, _: Side) -> Result<Vec<T>, Error> {
        unreachable!("threads share no arrays")
    }
}

fn wrong(cell: Cell) -> Option<String> {
    let played = threads::run(RANKS, |rank| play(cell, &OneThread(rank)));
    played.err().map(|failure| format!("{}: {failure}", cell.name()))
}

#[test]
fn every_cell_is_as_the_table_says() {
    let cells: Vec<Cell> = playable(World::Threads).collect();
    assert!(cells.len() > 200, "only {} cells", cells.len());
    let wrong: Vec<String> = cells.into_iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `MATRIX=overwrite` writes it again.
#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/internals/matrix.md");
    if env::var("MATRIX").is_ok_and(|value| value == "overwrite") {
        fs::write(&path, page()).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, page(), "write it by `MATRIX=overwrite cargo test --test movement matrix`");
}
