//! The schedule that a plan is bound with, seen from one rank.

use crate::error::Error;
use crate::plan::AnyPlan;
use crate::plan::schedule::{CostModel, Method, Schedule, Strategy};
use crate::program::{Step, steps};

/// What was decided about the order of messages in time.
pub(super) struct Decision {
    pub method: Method,
    /// This rank's; `None` where all messages go at once.
    pub steps: Option<Vec<Step>>,
    pub reason: String,
}

impl Decision {
    /// The same on all ranks with one plan, strategy and model, but for the steps.
    pub fn new(
        plan: &AnyPlan,
        strategy: Strategy,
        model: &CostModel,
        element_bytes: usize,
        rank: usize,
    ) -> Result<Self, Error> {
        let own = |schedule: Option<Box<dyn Schedule>>| {
            schedule.map(|schedule| steps(plan, &*schedule, rank))
        };
        Ok(match strategy {
            // No schedule beats all at once then, and the graph of all messages need not be looked
            // at.
            Strategy::Automatic if model.contention <= 0.0 => {
                let reason = "all at once: messages that meet do not slow each other down".into();
                Self { method: Method::AllAtOnce, steps: None, reason }
            }
            Strategy::Automatic => {
                let choice = plan.choose(model, element_bytes);
                Self { method: choice.method, steps: own(choice.schedule), reason: choice.reason }
            }
            Strategy::Only(method) => Self {
                method,
                steps: own(plan.schedule(method)?),
                reason: "asked for by the caller".into(),
            },
        })
    }
}
