//! Chooses the method of a plan by a cost model.

use super::aligned::CostedSchedule;
use super::caterpillar::Caterpillar;
use super::estimate::{Costs, Prices, caterpillar_elements};
use super::koenig::Koenig;
use super::reason::{Candidate, Choice, reason};
use super::{CostModel, Estimate, MessageGraph, Method, Schedule, ScheduleError, product};
use redist_plan::plan::{AnyPlan, Plan, Side};

/// Most messages of a graph that is coloured although other methods reach both bounds.
const MAX_MESSAGES_ALWAYS_COLOURED: usize = 1 << 12;

/// A schedule with its costs (`None` for all at once), or the reason against the method.
type Attempt = Result<(Option<CostedSchedule>, Estimate), ScheduleError>;

/// Schedules of a plan's messages.
#[doc(hidden)]
pub trait Schedules {
    /// Chooses the cheapest method by a cost model, the same on every rank. Among equals, it is the
    /// first in [`Method::ALL`]; with a contention of 0, all at once. Costs are upper bounds above
    /// 2^18 messages.
    fn choose(&self, model: &CostModel, element_bytes: usize) -> Choice;

    /// Chooses as [`choose`](Self::choose) does, among the methods that have steps.
    fn choose_steps(&self, model: &CostModel, element_bytes: usize) -> Choice;

    /// Returns the steps of one method; `None` for all at once.
    ///
    /// # Errors
    /// The method does not apply to this plan.
    fn schedule(&self, method: Method) -> Result<Option<Box<dyn Schedule>>, ScheduleError>;
}

impl<const D: usize> Schedules for Plan<D> {
    fn choose(&self, model: &CostModel, element_bytes: usize) -> Choice {
        AnyPlan::from(self).choose(model, element_bytes)
    }

    fn choose_steps(&self, model: &CostModel, element_bytes: usize) -> Choice {
        AnyPlan::from(self).choose_steps(model, element_bytes)
    }

    fn schedule(&self, method: Method) -> Result<Option<Box<dyn Schedule>>, ScheduleError> {
        AnyPlan::from(self).schedule(method)
    }
}

impl Schedules for AnyPlan {
    fn choose(&self, model: &CostModel, element_bytes: usize) -> Choice {
        choose_among(self, &Method::ALL, Prices { model, element_bytes })
    }

    fn choose_steps(&self, model: &CostModel, element_bytes: usize) -> Choice {
        choose_among(self, &Method::ALL[1..], Prices { model, element_bytes })
    }

    fn schedule(&self, method: Method) -> Result<Option<Box<dyn Schedule>>, ScheduleError> {
        if method == Method::AllAtOnce {
            return Ok(None);
        }
        Ok(Some(line(self, method, || Ok(MessageGraph::of_any(self)?))?.schedule))
    }
}

fn choose_among(plan: &AnyPlan, methods: &[Method], prices: Prices<'_>) -> Choice {
    let graph = MessageGraph::of_any(plan).map_err(ScheduleError::from);
    let costs = graph.as_ref().map_or(Costs::Bounds(plan), Costs::Graph);
    let mut attempts = Vec::new();
    for method in Method::ALL {
        let attempted = attempt(plan, method, (&graph, &costs), &attempts, prices);
        attempts.push((method, attempted));
    }
    let candidates: Vec<Candidate> = attempts.iter().map(candidate).collect();
    let method = cheapest(&candidates, methods);
    let chosen = attempts.into_iter().find(|(candidate, _)| *candidate == method);
    let schedule = chosen.and_then(|(_, attempt)| attempt.ok()?.0).map(|line| line.schedule);
    let least_steps = costs.least_steps();
    let reason =
        reason(plan, (method, schedule.as_deref()), &candidates, (least_steps, &graph), prices);
    Choice { method, schedule, candidates, least_steps, reason }
}

/// Returns the schedule of a method and its costs, given the attempts before it.
fn attempt(
    plan: &AnyPlan,
    method: Method,
    (graph, costs): (&Result<MessageGraph, ScheduleError>, &Costs<'_>),
    before: &[(Method, Attempt)],
    prices: Prices<'_>,
) -> Attempt {
    match (method, graph) {
        (Method::AllAtOnce, _) => return Ok((None, costs.all_at_once(prices))),
        (Method::Koenig, Ok(graph)) => {
            if let Some(best) = unbeaten(graph, before) {
                return Err(ScheduleError::NotNeeded { method, best });
            }
        }
        _ => {}
    }
    let line = line(plan, method, || graph.clone())?;
    let estimate = costs.schedule(&line, prices);
    Ok((Some(line), estimate))
}

/// Returns the schedule of a method that has steps.
fn line(
    plan: &AnyPlan,
    method: Method,
    graph: impl FnOnce() -> Result<MessageGraph, ScheduleError>,
) -> Result<CostedSchedule, ScheduleError> {
    let ranks = |side| plan.descriptor(side).ranks();
    match method {
        Method::Koenig => {
            let schedule = Koenig::of(&graph()?)?;
            Ok(CostedSchedule { schedule: Box::new(schedule), elements: 0 })
        }
        Method::Caterpillar | Method::AllAtOnce => {
            let schedule = Caterpillar::new(ranks(Side::Source), ranks(Side::Destination));
            let elements = caterpillar_elements(plan, schedule.steps());
            Ok(CostedSchedule { schedule: Box::new(schedule), elements })
        }
        Method::Circulant | Method::ClosedForm => product::closed(plan, method),
    }
}

fn unbeaten(graph: &MessageGraph, attempts: &[(Method, Attempt)]) -> Option<Method> {
    if graph.edges().len() <= MAX_MESSAGES_ALWAYS_COLOURED {
        return None;
    }
    let least = (graph.least_steps(), graph.least_elements());
    let reaches = |(_, attempt): &&(Method, Attempt)| {
        attempt.as_ref().is_ok_and(|(line, estimate)| {
            line.is_some() && (estimate.steps, estimate.elements) == least
        })
    };
    attempts.iter().find(reaches).map(|(method, _)| *method)
}

fn candidate((method, attempt): &(Method, Attempt)) -> Candidate {
    let estimate = attempt.as_ref().map(|(_, estimate)| *estimate).map_err(ScheduleError::clone);
    Candidate { method: *method, estimate }
}

fn cheapest(candidates: &[Candidate], methods: &[Method]) -> Method {
    let mut best = (Method::Caterpillar, f64::INFINITY);
    for candidate in candidates.iter().filter(|candidate| methods.contains(&candidate.method)) {
        if let Ok(estimate) = &candidate.estimate
            && estimate.seconds < best.1
        {
            best = (candidate.method, estimate.seconds);
        }
    }
    best.0
}
