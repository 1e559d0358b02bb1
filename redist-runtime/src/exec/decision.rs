//! The schedule that a plan is bound with, seen from one rank.

use crate::error::Error;
use crate::plan::AnyPlan;
use crate::plan::schedule::{CostModel, Method, Schedule, Strategy};
use crate::program::{Step, steps};
use crate::transport::Route;

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
                let reason =
                    "all at once: messages that meet are not known to slow each other down".into();
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

    /// Where only a trapezoid moves: some pairs of ranks that share elements send none then, of
    /// which schedules know nothing.
    ///
    /// # Errors
    /// A method with steps, or a route that takes whole arrays, was asked for.
    pub fn for_a_trapezoid(strategy: Strategy, route: Route) -> Result<Self, Error> {
        let unavailable = |what| Error::Unavailable {
            what,
            reason: "of a trapezoid, packed messages go, all at once".into(),
        };
        match (strategy, route) {
            (_, Route::Staged | Route::DerivedTypes | Route::Joined) => {
                Err(unavailable(format!("the route `{route}`")))
            }
            (Strategy::Only(method), _) if method != Method::AllAtOnce => {
                Err(unavailable(format!("the method `{method}`")))
            }
            _ => {
                let reason = "all at once: a trapezoid has no steps".into();
                Ok(Self { method: Method::AllAtOnce, steps: None, reason })
            }
        }
    }
}
