//! Writes the page of the fault matrix.

use super::{After, Call, Cell, Expected, FAULTY, Fault, RANKS, Ranks, Way, When, cells};
use std::fmt::Write as _;

pub fn page() -> String {
    let mut text = format!(
        "# What happens when a rank goes wrong\n\n\
         One rank of {RANKS}, rank {FAULTY}, does what it should not, in one call. Each row is what every rank sees, and what\n\
         the next move of all ranks that are left comes to. Tests play every row, by every way that it names, over threads and\n\
         over both MPI libraries, with a time limit; this page is written from what they compare with\n\
         (`FAULTS=overwrite cargo test --test movement faults`).\n\n\
         Each of these ranks has elements for each. Ranks without elements from rank {FAULTY} succeed, and go on\n\
         (`tests/movement/partners.rs`). Bound `collectively`, they get the error, too.\n\n\
         What an error says is on the page of [errors][Error]. A panic that is not caught unwinds to the end of the rank:\n\
         of its thread, or of `main` and into `MPI_Finalize`. In MPI all rows hold from the first plan or shared array on; a\n\
         panic before that leaves the others waiting, unless `redist::mpi::abort_on_panic` was called. Calls of\n\
         the library fail by the profiling interface, when they have been made where other ranks take part in them.\n\n\
         Ranks of one node move chunks, and those of different nodes send messages. Between nodes, each cell after which the\n\
         next move works is played again with 1, 63, 64, 65 and 130 calls in between (`faults_between::`). Mistakes so many calls\n\
         ahead of others, and votes that a rank has passed, are `tests/mpi/tests/ranks/apart.rs`.\n"
    );
    for (ranks, title) in [
        (Ranks::Threads, "Threads"),
        (Ranks::Mpi, "MPI, one node"),
        (Ranks::Nodes, "MPI, several nodes"),
    ] {
        let cells = cells(ranks);
        let _ = write!(
            text,
            "\n## {title}\n\n{} cells.\n\n\
             | rank {FAULTY} | in | by | rank {FAULTY} gets | all other ranks get | the next move |\n|---|---|---|---|---|---|\n",
            cells.len()
        );
        for row in rows(&cells) {
            text += &row;
        }
    }
    text += "\n[Error]: ../README.md#the-reference-of-the-api\n";
    text
}

struct Row {
    cell: Cell,
    calls: Vec<Call>,
    ways: Vec<Way>,
}

impl Row {
    fn comes_to_the_same(&self, other: &Cell) -> bool {
        (self.cell.fault, self.cell.expected()) == (other.fault, other.expected())
    }
}

/// Joins cells that differ only in the way, and rows that differ only in the call.
fn rows(cells: &[Cell]) -> Vec<String> {
    let mut of_calls: Vec<Row> = Vec::new();
    for cell in cells {
        let alike = |row: &&mut Row| row.comes_to_the_same(cell) && row.calls == [cell.call];
        match of_calls.iter_mut().find(alike) {
            Some(row) => row.ways.push(cell.way),
            None => {
                of_calls.push(Row { cell: *cell, calls: vec![cell.call], ways: vec![cell.way] })
            }
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    for of_call in of_calls {
        let alike =
            |row: &&mut Row| row.comes_to_the_same(&of_call.cell) && row.ways == of_call.ways;
        match rows.iter_mut().find(alike) {
            Some(row) => row.calls.extend(of_call.calls),
            None => rows.push(of_call),
        }
    }
    rows.iter().map(|row| in_words(row, cells)).collect()
}

fn in_words(row: &Row, cells: &[Cell]) -> String {
    let is_missing = |cell: &Cell| !row.ways.contains(&cell.way);
    let ways = match cells.iter().any(is_missing) {
        false => "every way".to_owned(),
        true => row.ways.iter().map(|way| way.in_words()).collect::<Vec<_>>().join(", "),
    };
    let calls = row.calls.iter().map(|call| in_words_call(*call)).collect::<Vec<_>>().join(", ");
    let [faulty, others, after] = match row.cell.expected() {
        Some(Expected::Told { faulty, others, after }) => {
            [got(faulty), got(others), in_words_after(after)]
        }
        Some(Expected::JobEnds) | None => ["the job ends".into(), String::new(), String::new()],
    };
    let fault = in_words_fault(row.cell.fault);
    format!("| {fault} | {calls} | {ways} | {faulty} | {others} | {after} |\n")
}

fn got(name: &str) -> String {
    match name {
        "ok" => "`Ok`".into(),
        "panic" => "the panic".into(),
        "gone" => "nothing".into(),
        error => format!("`{error}`"),
    }
}

fn in_words_after(after: After) -> String {
    match after {
        After::Works => "works".into(),
        After::Fails(error) => format!("`{error}`"),
    }
}

fn in_words_call(call: Call) -> &'static str {
    match call {
        Call::Bind => "setting up",
        Call::Run => "`run`",
        Call::Start => "`start` … `finish`",
    }
}

impl Way {
    pub fn in_words(self) -> &'static str {
        match self {
            Way::Lent => "lent arrays",
            Way::Messages => "messages",
            Way::Steps => "messages by a schedule",
            Way::Chunks => "chunks",
            Way::SharedSource => "a shared source",
            Way::Shared => "shared arrays",
        }
    }
}

fn in_words_fault(fault: Fault) -> String {
    let at = |when| match when {
        When::Before => "before it",
        When::Amid => "in the middle",
        When::After => "after it",
    };
    match fault {
        Fault::PanicsAndGoesOn(When::Before) => {
            "panics before it, catches that, and goes on with another call".into()
        }
        Fault::PanicsAndGoesOn(when) => format!("panics {}, catches that, and goes on", at(when)),
        Fault::Panics(when) => format!("panics {}", at(when)),
        Fault::ReturnsEarly => "returns before it".into(),
        Fault::DropsStarted => "drops the move that it has started".into(),
        Fault::OtherPlan => "brings another plan".into(),
        Fault::OtherElement => "brings another element type".into(),
        Fault::OtherOptions => "brings another length of messages".into(),
        Fault::OtherMethod => "brings another schedule".into(),
        Fault::ShortSource => "brings a source that is too short".into(),
        Fault::ShortDestination => "brings a destination that is too short".into(),
        Fault::OtherOrder => "moves by another plan".into(),
        Fault::OtherCall => "binds a plan".into(),
        Fault::Killed(when) => format!("is killed {}", at(when)),
        Fault::LibraryFails(call) => format!("`{call}` fails there"),
    }
}
