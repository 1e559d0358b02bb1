//! Times to plan, to make programs and to pack, for up to a million ranks.

use super::case::Case;
use crate::processes::Timed;
use crate::sampling::medians;
use redist::plan::schedule::{Candidate, CostModel, Method, Schedules, steps};
use redist::program::Envelope;
use redist::{Redistribution, TypedPlan};
use serde::Serialize;
use std::hint::black_box;

/// A case with so many ranks: a line of `scale.csv`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub case: &'static str,
    /// Ranks on either side.
    pub ranks: usize,
    /// Messages that the measured rank sends.
    pub messages: usize,
    /// Making the plan, its class and its digest.
    pub plan_nanoseconds: f64,
    /// Making the measured rank's programs to pack and to unpack.
    pub program_nanoseconds: f64,
    /// The schedule's method; empty if all need the graph of all messages.
    pub method: String,
    /// Steps of the schedule.
    pub steps: Option<usize>,
    /// Computing the measured rank's part of the schedule.
    pub schedule_nanoseconds: Option<f64>,
    /// Packing and unpacking on the measured rank.
    pub pack_nanoseconds: f64,
    /// Exchange in the schedule's steps, by the model of a network.
    pub network_nanoseconds: Option<f64>,
    /// Exchange with all messages at once, by the model of a network.
    pub all_at_once_nanoseconds: Option<f64>,
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        let times =
            [&mut self.plan_nanoseconds, &mut self.program_nanoseconds, &mut self.pack_nanoseconds];
        times.into_iter().chain(&mut self.schedule_nanoseconds).collect()
    }
}

impl Row {
    pub fn setup(&self) -> f64 {
        self.plan_nanoseconds + self.program_nanoseconds + self.schedule_nanoseconds.unwrap_or(0.0)
    }

    pub fn network(&self) -> Option<f64> {
        self.network_nanoseconds
            .into_iter()
            .chain(self.all_at_once_nanoseconds)
            .min_by(f64::total_cmp)
    }
}

pub fn measure(case: &Case, ranks: usize, passes: usize) -> anyhow::Result<Row> {
    let plan = case.plan(ranks)?;
    let rank = ranks / 3;
    let model = CostModel::NETWORK;
    let choice = plan.choose(&model, size_of::<f64>());
    let estimate = |method: Method| {
        let candidate = |candidate: &&Candidate| candidate.method == method;
        choice.candidates.iter().find(candidate).and_then(|found| found.estimate.as_ref().ok())
    };
    let method = [Method::Circulant, Method::ClosedForm]
        .into_iter()
        .find(|method| estimate(*method).is_some());
    let schedule = method.and_then(|method| plan.schedule(method).ok().flatten());

    let runtime = TypedPlan::<f64, 1>::from(plan);
    let both = |rank| (runtime.binder().packing(rank), runtime.binder().unpacking(rank));
    let (packing, unpacking) = both(rank);
    let (source, mut destination) =
        (vec![1.0; packing.local_len()], vec![0.0; unpacking.local_len()]);
    let mut outbox = messages(packing.envelopes());
    let inbox = messages(unpacking.envelopes());
    let mut works: Vec<Box<dyn FnMut() + '_>> = vec![
        Box::new(|| {
            black_box(
                case.plan(black_box(ranks)).map(|plan| (plan.axis(0).class(), plan.digest())).ok(),
            );
        }),
        Box::new(|| {
            black_box(both(black_box(rank)));
        }),
        Box::new(|| {
            let mut out: Vec<&mut [f64]> = outbox.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(&source, &mut out);
            let arrived: Vec<&[f64]> = inbox.iter().map(Vec::as_slice).collect();
            unpacking.unpack(&mut destination, &arrived);
        }),
    ];
    if let Some(schedule) = &schedule {
        works.push(Box::new(|| {
            black_box(steps(&plan.into(), &**schedule, black_box(rank)));
        }));
    }
    let seconds = medians(&mut works, passes);
    drop(works);
    Ok(Row {
        case: case.name,
        ranks,
        messages: outbox.len(),
        plan_nanoseconds: seconds[0] * 1e9,
        program_nanoseconds: seconds[1] * 1e9,
        method: method.map(|method| method.to_string()).unwrap_or_default(),
        steps: method.and_then(estimate).map(|estimate| estimate.steps),
        schedule_nanoseconds: seconds.get(3).map(|seconds| seconds * 1e9),
        pack_nanoseconds: seconds[2] * 1e9,
        network_nanoseconds: method.and_then(estimate).map(|estimate| estimate.seconds * 1e9),
        all_at_once_nanoseconds: estimate(Method::AllAtOnce).map(|estimate| estimate.seconds * 1e9),
    })
}

pub fn messages(envelopes: &[Envelope]) -> Vec<Vec<f64>> {
    envelopes.iter().map(|envelope| vec![0.0; envelope.len]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::case::CASES;
    use super::*;
    use redist::Plan;

    #[test]
    fn messages_grow_until_all_partners_are_met() {
        let messages = |case: usize, ranks| measure(&CASES[case], ranks, 1).unwrap().messages;
        assert_eq!([4, 64, 1_000_000].map(|ranks| messages(0, ranks)), [4, 10, 10]);
        assert_eq!([4, 64, 1_000_000].map(|ranks| messages(2, ranks)), [4, 64, 2048]);
    }

    #[test]
    fn a_network_is_never_faster_than_its_bytes() {
        for case in &CASES {
            let row = measure(case, 1024, 1).unwrap();
            let plan: Plan<1> = case.plan(1024).unwrap();
            let stays = plan.volume(341, 341) * size_of::<f64>();
            let bytes = ((1 << 20) - stays) as f64;
            assert!(row.network().unwrap() >= 1e9 * CostModel::NETWORK.per_byte * bytes, "{row:?}");
            assert!(row.setup() > 0.0 && row.steps.unwrap() >= row.messages, "{row:?}");
        }
    }
}
