//! One rank's steps of a schedule.

use crate::Schedule;
use redist_plan::plan::{AnyPlan, Side};

/// The messages of a rank in one step, in ranks of the communicator; both may be the rank itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// The rank that it sends a message to.
    pub send: Option<usize>,
    /// The rank that it receives a message from.
    pub receive: Option<usize>,
}

/// Returns the steps in which `rank` sends or receives, by one call of `schedule` a step.
pub fn steps(plan: &AnyPlan, schedule: &dyn Schedule, rank: usize) -> Vec<Step> {
    let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
    let (source, destination) = (from.number_of(rank), to.number_of(rank));
    let step = |step| {
        let send = source
            .and_then(|source| schedule.destination(step, source))
            .map(|number| to.nth_rank(number));
        let receive = destination
            .and_then(|number| schedule.source(step, number))
            .map(|number| from.nth_rank(number));
        Step {
            send: send.filter(|peer| plan.volume(rank, *peer) > 0),
            receive: receive.filter(|peer| plan.volume(*peer, rank) > 0),
        }
    };
    (0..schedule.steps()).map(step).filter(|step| *step != Step::default()).collect()
}
