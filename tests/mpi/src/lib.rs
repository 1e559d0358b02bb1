//! A test harness for MPI, which launches the test binary again as the ranks of jobs.
//!
//! A cell is a case with a number of ranks. A job plays a list of cells, each on a communicator of
//! its own. A cell that ends a job, or tests its beginning or end, has its own. If another cell
//! ends its job, the harness reports it, and another job plays those behind it.
//!
//! A cell passes only if every rank left a note that it passed, and its job ended as expected. So
//! no rank panics, fails, hangs, is killed, leaves early or stays out of the job unseen.

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
pub use nodes::{learns, nodes, several_nodes};
pub use oversubscribed::rounds;
pub use profiling::address_of;
pub use rank::{current_case, doing, programs};
pub use ranks::{part, passed_on, reversed};

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_shows_the_example() {
        let page = include_str!("../../../docs/mpi.md");
        assert!(page.contains(include_str!("../examples/tiles_to_columns.rs")));
    }
}
