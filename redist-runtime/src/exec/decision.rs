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
    /// Decides alike on all ranks with one plan and method, except for the steps.
    pub fn new(plan: &AnyPlan, asked: Option<AskedMethod>, rank: usize) -> Result<Self, Error> {
        let Some(AskedMethod { method, steps }) = asked else {
            return Ok(Self::at_once("no schedule is asked for"));
        };
        Ok(Self { method, steps: steps(plan, method, rank)?, reason: "asked for by the caller" })
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
    pub fn for_a_trapezoid(asked: Option<AskedMethod>, route: Route) -> Result<Self, Error> {
        let unavailable = |what| Error::Unavailable {
            what,
            reason: "of a trapezoid, packed messages go, all at once".into(),
        };
        match (asked.map(|asked| asked.method), route) {
            (_, Route::Staged) => Err(unavailable(format!("the route `{route}`"))),
            (Some(method), _) if method != Method::AllAtOnce => {
                Err(unavailable(format!("the method `{method}`")))
            }
            _ => Ok(Self::at_once("a trapezoid has no steps")),
        }
    }
}
