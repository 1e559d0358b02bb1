//! One redistribution by every schedule: steps, cost by the model, and the time to compute it.

use super::relays::{self, BYTES};
use crate::processes::Timed;
use crate::sampling::medians;
use anyhow::Context as _;
use redist::Plan;
use redist::plan::schedule::{CostModel, MessageGraph, check};
use redist_study::ScheduledCase;
use redist_study::matchings::Order;
use serde::Serialize;
use std::hint::black_box;

/// About how many elements a rank holds: 1 MiB in double precision.
const ELEMENTS_PER_RANK: usize = 1 << 17;

/// Repeated matchings of more ranks would take minutes.
const MOST_MATCHED: usize = 64;

/// A schedule of one case: a line of `schedules.csv`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub family: &'static str,
    /// Elements in a block of the source.
    pub source_block: usize,
    /// Elements in a block of the destination.
    pub destination_block: usize,
    /// Elements in the larger block over elements in the smaller one.
    pub k: usize,
    /// Source ranks.
    pub sources: usize,
    /// Destination ranks.
    pub destinations: usize,
    /// Extent, in elements.
    pub extent: usize,
    pub method: String,
    /// For all at once the messages of the busiest rank; for relays the sum over their phases.
    pub steps: usize,
    /// The least steps of any schedule without contention.
    pub least_steps: usize,
    /// Sum over the steps of the longest message; for all at once the elements of the busiest rank.
    pub elements: usize,
    /// The least elements of any schedule: of the busiest rank.
    pub least_elements: usize,
    /// Startups, by the model of a network.
    pub startup_microseconds: f64,
    /// Longer for all messages at once, which the model charges for contention.
    pub transmission_microseconds: f64,
    /// Startups and transmission together.
    pub communication_microseconds: f64,
    /// Computing the schedule of one rank, and of all where the method needs that; 0 for relays.
    pub compute_nanoseconds: f64,
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        vec![&mut self.compute_nanoseconds]
    }
}

pub fn measure(case: &ScheduledCase, passes: usize) -> anyhow::Result<Vec<Row>> {
    let plan = case.plan(ELEMENTS_PER_RANK)?;
    let graph = MessageGraph::of(&plan).with_context(|| format!("{case:?}"))?;
    let few = graph.sources().max(graph.destinations()) <= MOST_MATCHED;
    let applicable: Vec<Order> = Order::of(&plan)
        .into_iter()
        .filter(|order| few || matches!(order, Order::Planner(_)))
        .collect();
    let mut works: Vec<Box<dyn FnMut()>> = Vec::new();
    for order in &applicable {
        works.push(Box::new(move || compute(&plan, *order)));
    }
    let seconds = medians(&mut works, passes);
    let rows = applicable
        .iter()
        .zip(seconds)
        .map(|(order, seconds)| row(case, &plan, &graph, *order, seconds));
    let relayed = relays::of(case, &plan)?;
    let relayed = relayed.into_iter().map(|(name, cost)| {
        Ok(priced(case, &plan, &graph, (name.into(), cost.steps, cost.elements), (0.0, 0.0)))
    });
    rows.chain(relayed).collect()
}

fn compute(plan: &Plan<1>, order: Order) {
    if let Ok(Some(schedule)) = order.schedule(black_box(plan)) {
        let rank = schedule.sources() / 2;
        (0..schedule.steps()).for_each(|step| {
            black_box(schedule.destination(step, rank));
        });
    }
}

fn row(
    case: &ScheduledCase,
    plan: &Plan<1>,
    graph: &MessageGraph,
    order: Order,
    seconds: f64,
) -> anyhow::Result<Row> {
    let wrong = || format!("{order}, {case:?}");
    let model = CostModel::NETWORK;
    let (steps, elements, contention) = match order.schedule(plan).with_context(wrong)? {
        None => (graph.least_steps(), graph.busiest(), model.contention),
        Some(schedule) => {
            let checked = check(&*schedule, graph).with_context(wrong)?;
            (checked.steps, checked.elements, 0.0)
        }
    };
    let found = (order.to_string(), steps, elements);
    Ok(priced(case, plan, graph, found, (contention, seconds)))
}

/// Makes the row of a method with its steps and its elements; `contention` is the model's.
fn priced(
    case: &ScheduledCase,
    plan: &Plan<1>,
    graph: &MessageGraph,
    (method, steps, elements): (String, usize, usize),
    (contention, seconds): (f64, f64),
) -> Row {
    let model = CostModel::NETWORK;
    let startup = model.seconds(steps, 0.0) * 1e6;
    let transmission = model.seconds(0, (elements * BYTES) as f64 * (1.0 + contention)) * 1e6;
    Row {
        family: case.family,
        source_block: case.blocks.0,
        destination_block: case.blocks.1,
        k: case.k(),
        sources: case.ranks.0,
        destinations: case.ranks.1,
        extent: plan.axis(0).len(),
        method,
        steps,
        least_steps: graph.least_steps(),
        elements,
        least_elements: graph.least_elements(),
        startup_microseconds: startup,
        transmission_microseconds: transmission,
        communication_microseconds: startup + transmission,
        compute_nanoseconds: seconds * 1e9,
    }
}
