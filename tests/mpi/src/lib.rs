//! A test harness for MPI: each trial launches the test binary again, as the ranks of a job of its
//! own.
//!
//! A trial passes only if the launcher ends well *and* every rank left a note that it passed, so a
//! rank that panics, returns an error, hangs, is killed, leaves early, or never belonged to the job
//! cannot go unseen.
//!
//! | file | task |
//! |---|---|
//! | `case.rs` | what a test consists of, and what it should end like |
//! | `implementation.rs` | which MPI is linked, and how to launch its jobs |
//! | `oversubscribed.rs` | more ranks than cores: what tests do about it |
//! | `yielding.rs` | a timer that has ranks give up their cores; all unsafe code |
//! | `job.rs` | one job: start, time limit, output |
//! | `nodes.rs` | one node, or several |
//! | `note.rs` | what a rank leaves behind for the harness |
//! | `rank.rs` | what a launched rank does |
//! | `verdict.rs` | notes, exit status and output → passed or failed |
//! | `harness.rs` | the trials of a test binary |

#![cfg(feature = "mpi")]

mod case;
mod harness;
mod implementation;
mod job;
mod nodes;
mod note;
mod oversubscribed;
mod rank;
mod verdict;
mod yielding;

pub use case::{Body, Case, Outcome};
pub use harness::main;
pub use implementation::unasked_bytes;
pub use nodes::nodes;
pub use oversubscribed::rounds;
pub use rank::current_case;

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_shows_the_example() {
        let page = include_str!("../../../docs/mpi.md");
        assert!(page.contains(include_str!("../examples/tiles_to_columns.rs")));
    }
}
