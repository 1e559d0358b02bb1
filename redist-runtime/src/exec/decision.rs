use crate::error::Error;
use crate::plan::AnyPlan;
use crate::plan::schedule::Method;
use crate::program::{Step, steps};
use crate::transport::Route;

pub(super) struct Decision {
    pub method: Method,
    pub steps: Option<Vec<Step>>,
    pub reason: &'static str,
}

impl Decision {
    /// Decides alike on all ranks with one plan and method, except for the steps.
    pub fn new(plan: &AnyPlan, method: Option<Method>, rank: usize) -> Result<Self, Error> {
        let Some(method) = method else { return Ok(Self::at_once("no schedule is asked for")) };
        let schedule = plan.schedule(method)?;
        let steps = schedule.map(|schedule| steps(plan, &*schedule, rank));
        Ok(Self { method, steps, reason: "asked for by the caller" })
    }

    fn at_once(reason: &'static str) -> Self {
        Self { method: Method::AllAtOnce, steps: None, reason }
    }

    pub fn order(&self) -> Option<Vec<usize>> {
        let steps = self.steps.as_deref()?;
        Some(steps.iter().filter_map(|step| step.send).collect())
    }

    /// Decides for a trapezoid. Fails for steps, because some pairs of ranks with common elements
    /// send no message, and for routes of whole arrays.
    pub fn for_a_trapezoid(method: Option<Method>, route: Route) -> Result<Self, Error> {
        let unavailable = |what| Error::Unavailable {
            what,
            reason: "of a trapezoid, packed messages go, all at once".into(),
        };
        match (method, route) {
            (_, Route::Staged) => Err(unavailable(format!("the route `{route}`"))),
            (Some(method), _) if method != Method::AllAtOnce => {
                Err(unavailable(format!("the method `{method}`")))
            }
            _ => Ok(Self::at_once("a trapezoid has no steps")),
        }
    }
}
