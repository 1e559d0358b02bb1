//! A test harness for MPI: it launches the test binary again, as the ranks of jobs.
//!
//! A case with a number of ranks is a cell. A job plays a list of cells, each on a communicator of
//! its own; cells that end a job, or are about its beginning or its end, have jobs of their own. A
//! cell that ends a job is reported, and another job plays those behind it.
//!
//! A cell passes only if every rank left a note that it passed, and its job ended as it should. So
//! a rank that panics, returns an error, hangs, is killed, leaves early, or never belonged to the
//! job cannot go unseen.
//!
//! | file | task |
//! |---|---|
//! | `case.rs` | a test: its parts, and how its job should end |
//! | `cell.rs` | a case with a number of ranks |
//! | `draw.rs` | cells that a run plays: all, or a selection and a sample |
//! | `implementation.rs` | which MPI is played, and how to launch its jobs |
//! | `oversubscribed.rs` | more ranks than cores: what tests do about it |
//! | `yielding.rs` | a timer that has ranks give up their cores |
//! | `profiling.rs` | the library's functions by their names |
//! | `ranks.rs` | parts of the ranks, and messages around |
//! | `job.rs` | one job: start, end, notes and output |
//! | `nodes.rs` | one node, or several |
//! | `note.rs` | what a rank leaves behind for the harness |
//! | `output.rs` | the part of a job's output that belongs to a cell |
//! | `rank.rs` | what a launched rank does |
//! | `meeting.rs` | a barrier in which ranks sleep |
//! | `watch.rs` | an end to cells that hang |
//! | `verdict.rs` | notes, exit status and output → passed or failed |
//! | `play.rs` | cells to results: alone, or in lists |
//! | `report.rs` | the lines that a run prints |
//! | `harness.rs` | a run of a test binary |

#![cfg(feature = "mpi")]

mod case;
mod cell;
mod draw;
mod harness;
mod implementation;
mod job;
mod meeting;
mod nodes;
mod note;
mod output;
mod oversubscribed;
mod play;
mod profiling;
mod rank;
mod ranks;
mod report;
mod verdict;
mod watch;
mod yielding;

pub use case::{Body, Case, Outcome};
pub use harness::{main, main_in_lists, outcomes, play_if_launched, seed};
pub use implementation::{has_ports, unasked_bytes};
pub use nodes::nodes;
pub use oversubscribed::rounds;
pub use profiling::address_of;
pub use rank::{current_case, programs};
pub use ranks::{part, passed_on, reversed};

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_shows_the_example() {
        let page = include_str!("../../../docs/mpi.md");
        assert!(page.contains(include_str!("../examples/tiles_to_columns.rs")));
    }
}
