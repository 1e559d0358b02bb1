//! When one rank sends and receives which of its messages.

use crate::layout::Descriptor;
use crate::plan::schedule::Schedule;
use crate::plan::{Plan, Side};

/// What one rank does in one step of a schedule, in ranks of the communicator.
///
/// The rank itself may be named: a message from a rank to itself takes its place among the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// The rank that it sends a message to.
    pub send: Option<usize>,
    /// The rank that it receives a message from.
    pub receive: Option<usize>,
}

/// The steps of `rank` in which it sends or receives something, in order: pairs without a message are left out.
///
/// Costs as many calls as the schedule has steps, whatever the number of ranks.
pub fn steps<const D: usize>(plan: &Plan<D>, schedule: &dyn Schedule, rank: usize) -> Vec<Step> {
    let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
    let (source, destination) = (number(from, rank), number(to, rank));
    let (from_base, to_base) = (from.layout().ranks_from, to.layout().ranks_from);
    let step = |step| {
        let send = source.and_then(|source| schedule.destination(step, source)).map(|number| to_base + number);
        let receive = destination.and_then(|number| schedule.source(step, number)).map(|number| from_base + number);
        Step {
            send: send.filter(|peer| plan.volume(rank, *peer) > 0),
            receive: receive.filter(|peer| plan.volume(*peer, rank) > 0),
        }
    };
    (0..schedule.steps()).map(step).filter(|step| *step != Step::default()).collect()
}

/// The number of a rank of the communicator in one side's grid.
fn number<const D: usize>(side: &Descriptor<D>, rank: usize) -> Option<usize> {
    rank.checked_sub(side.layout().ranks_from).filter(|number| *number < side.ranks())
}
