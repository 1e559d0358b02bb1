//! What can go wrong once layouts have met: when a plan is bound to ranks, and when it runs.

use crate::plan::schedule::{Method, ScheduleError};
use crate::plan::{Digest, PlanError, Side};

/// Why a redistribution did not happen. Whatever the reason, no destination has been written to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The layouts do not meet.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An item of the macro was given values at run time that do not make a plan.
    #[error("`{item}::new`: {error}{}", given(expressions))]
    Given {
        /// The name of the item.
        item: &'static str,
        /// What is wrong.
        error: PlanError,
        /// The item's expressions that it depends on.
        expressions: Vec<String>,
    },
    /// The grids name more ranks than there are.
    #[error("the plan needs {needed} ranks, but the communicator has {size}; use more ranks or smaller grids")]
    TooFewRanks {
        /// Ranks that the grids reach to.
        needed: usize,
        /// Ranks in the communicator.
        size: usize,
    },
    /// The method that was asked for does not apply to the plan.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A local array has the wrong length.
    #[error("rank {rank}: the local {side} array must hold {expected} elements, found {found}; see `local_extents`")]
    LocalLength {
        /// The rank at fault.
        rank: usize,
        /// Which array.
        side: Side,
        /// The length that the layout gives, in elements.
        expected: usize,
        /// The length of the slice.
        found: usize,
    },
    /// Another rank brought another plan.
    #[error("rank {rank} bound a plan with digest {theirs}, rank {here} one with {ours}; all ranks must bind the same")]
    DifferentPlan {
        /// The rank that differs.
        rank: usize,
        /// Its plan's digest.
        theirs: Digest,
        /// The rank it was compared with.
        here: usize,
        /// That rank's digest.
        ours: Digest,
    },
    /// Another rank brought another schedule.
    #[error(
        "rank {rank} bound a plan with the schedule `{theirs}`, rank {here} with `{ours}`; \
         all ranks must bind with the same strategy and the same cost model"
    )]
    DifferentSchedule {
        /// The rank that differs.
        rank: usize,
        /// Its schedule's method.
        theirs: Method,
        /// The rank it was compared with.
        here: usize,
        /// That rank's method.
        ours: Method,
    },
    /// Another rank brought another route for its messages.
    #[error(
        "rank {rank} bound a plan to send by {theirs}, rank {here} by {ours}; all ranks must choose the same route"
    )]
    DifferentRoute {
        /// The rank that differs.
        rank: usize,
        /// Its route.
        theirs: String,
        /// The rank it was compared with.
        here: usize,
        /// That rank's route.
        ours: String,
    },
    /// Another rank moves another element type.
    #[error("rank {rank} moves elements of type {theirs}, rank {here} of type {ours}; all ranks must move the same")]
    DifferentElement {
        /// The rank that differs.
        rank: usize,
        /// Its element type.
        theirs: String,
        /// The rank it was compared with.
        here: usize,
        /// That rank's element type.
        ours: String,
    },
    /// Another rank found an error of its own, so this one did not move either.
    #[error("rank {rank} could not take part: {reason}")]
    PeerFailed {
        /// The rank that failed.
        rank: usize,
        /// Its error, in words.
        reason: String,
    },
    /// A shared array belongs to other ranks than those of the plan.
    #[error(
        "rank {rank} brought a shared array of other ranks as the {side}; make it with the communicator that the plan is \
         bound to, or with `shared_{side}`"
    )]
    ForeignArray {
        /// The rank.
        rank: usize,
        /// Which array.
        side: Side,
    },
    /// Ranks brought parts of different shared arrays.
    #[error(
        "rank {rank} brought a part of another shared array as the {side}; all ranks must bring their parts of one, made \
         together"
    )]
    DifferentArrays {
        /// The rank.
        rank: usize,
        /// Which array.
        side: Side,
    },
    /// The message-passing library failed.
    #[error("{call} failed on rank {rank}: {text} (error class {class})")]
    Library {
        /// The rank.
        rank: usize,
        /// The function that failed.
        call: &'static str,
        /// The library's class of the error.
        class: i32,
        /// The library's text.
        text: String,
    },
    /// Another rank is gone: it returned, failed or panicked while this one waited for it.
    #[error("rank {rank} {how} while rank {here} waited for it")]
    RankEnded {
        /// The rank that is gone.
        rank: usize,
        /// What it did: "returned", "failed: …" or "panicked: …".
        how: String,
        /// The rank that waited.
        here: usize,
    },
}

/// The expressions in brackets, or nothing.
fn given(expressions: &[String]) -> String {
    if expressions.is_empty() { String::new() } else { format!(" (given by {})", expressions.join(", ")) }
}
