use super::prepared::Facts;
use crate::error::Error;
use crate::plan::AnyPlan;
use crate::plan::schedule::Method;
use crate::program::{Step, steps};
use crate::transport::Route;

/// A method that the caller asks for, with the code of all schedules: programs without such calls
/// do not link it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedMethod {
    method: Method,
    steps: fn(&AnyPlan, Method, usize) -> Result<Steps, Error>,
}

type Steps = Option<Vec<Step>>;

impl AskedMethod {
    pub fn new(method: Method) -> Self {
        let steps = |plan: &AnyPlan, method, rank| {
            let schedule = plan.schedule(method)?;
            Ok(schedule.map(|schedule| steps(plan, &*schedule, rank)))
        };
        Self { method, steps }
    }
}

pub(super) struct Decision {
    pub method: Method,
    pub steps: Steps,
    pub reason: &'static str,
}

impl Decision {
    /// Decides alike on all ranks with one plan, method and route, except for the steps. Fails for
    /// steps of a trapezoid, because some pairs of ranks with common elements send no message, and
    /// for routes of whole arrays.
    pub fn new(facts: &Facts, asked: Option<AskedMethod>, route: Route) -> Result<Self, Error> {
        let at_once = |reason| Ok(Self { method: Method::AllAtOnce, steps: None, reason });
        let unavailable = |what| {
            let reason = "of a trapezoid, packed messages go, all at once".into();
            Err(Error::Unavailable { what, reason })
        };
        match (facts.trapezoid, asked) {
            (Some(_), _) if route == Route::Staged => unavailable(format!("the route `{route}`")),
            (Some(_), Some(AskedMethod { method, .. })) if method != Method::AllAtOnce => {
                unavailable(format!("the method `{method}`"))
            }
            (Some(_), _) => at_once("a trapezoid has no steps"),
            (None, None) => at_once("no schedule is asked for"),
            (None, Some(AskedMethod { method, steps })) => {
                let steps = steps(&facts.plan, method, facts.rank)?;
                Ok(Self { method, steps, reason: "asked for by the caller" })
            }
        }
    }

    pub fn order(&self) -> Option<Vec<usize>> {
        let steps = self.steps.as_deref()?;
        Some(steps.iter().filter_map(|step| step.send).collect())
    }
}
