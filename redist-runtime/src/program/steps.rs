//! The steps of a schedule in which one rank sends and receives its messages.

use crate::layout::AnyDescriptor;
use crate::plan::schedule::Schedule;
use crate::plan::{AnyPlan, Side};

/// The messages of one rank in one step of a schedule, in ranks of the communicator.
///
/// Both may be the rank itself: a message to itself is part of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// The rank that it sends a message to.
    pub send: Option<usize>,
    /// The rank that it receives a message from.
    pub receive: Option<usize>,
}

/// The steps of `rank` in which it sends or receives something, in order: pairs without a message
/// are left out.
///
/// Costs as many calls as the schedule has steps, whatever the number of ranks.
pub fn steps(plan: &AnyPlan, schedule: &dyn Schedule, rank: usize) -> Vec<Step> {
    let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
    let number = |side: &AnyDescriptor| side.holds(rank).then(|| rank - side.ranks_from());
    let (source, destination) = (number(from), number(to));
    let (from_base, to_base) = (from.ranks_from(), to.ranks_from());
    let step = |step| {
        let send = source
            .and_then(|source| schedule.destination(step, source))
            .map(|number| to_base + number);
        let receive = destination
            .and_then(|number| schedule.source(step, number))
            .map(|number| from_base + number);
        Step {
            send: send.filter(|peer| plan.volume(rank, *peer) > 0),
            receive: receive.filter(|peer| plan.volume(*peer, rank) > 0),
        }
    };
    (0..schedule.steps()).map(step).filter(|step| *step != Step::default()).collect()
}
