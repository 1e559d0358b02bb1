use super::messages::{MessageData, share};
use crate::drawing::Drawing;
use crate::error::DrawError;
use crate::number::{counted, grouped};
use redist_plan::plan::schedule::Schedule;
use redist_plan::plan::{Plan, Side};
use serde::Serialize;

const MAX_STEPS: usize = 64;

const MAX_SENDERS: usize = 64;

#[derive(Serialize)]
pub struct ScheduleData {
    pub heading: String,
    pub note: Option<String>,
    pub steps: Vec<StepData>,
}

#[derive(Serialize)]
pub struct StepData {
    pub messages: Vec<MessageData>,
    pub longest: String,
}

impl ScheduleData {
    pub fn of<const D: usize>(drawing: &Drawing, plan: &Plan<D>) -> Result<Self, DrawError> {
        let (schedule, least) = drawing.schedule(plan)?;
        let steps: Vec<Vec<[usize; 3]>> = (0..schedule.steps())
            .map(|step| volumes(plan, &*schedule, step))
            .filter(|messages| !messages.is_empty())
            .take(MAX_STEPS)
            .collect();
        let most = steps.iter().flatten().map(|message| message[2]).max().unwrap_or(1);
        let data = |messages: Vec<[usize; 3]>| StepData {
            longest: longest(&messages),
            messages: messages
                .into_iter()
                .map(|[source, destination, volume]| {
                    let elements = grouped(volume as u128);
                    MessageData(source, destination, elements, share(volume, most))
                })
                .collect(),
        };
        Ok(Self {
            heading: heading(&*schedule, least),
            note: note(&*schedule),
            steps: steps.into_iter().map(data).collect(),
        })
    }
}

fn volumes<const D: usize>(
    plan: &Plan<D>,
    schedule: &dyn Schedule,
    step: usize,
) -> Vec<[usize; 3]> {
    let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
    let message = |sender| {
        let receiver = schedule.destination(step, sender)?;
        let [source, destination] = [from.nth_rank(sender), to.nth_rank(receiver)];
        let volume = plan.volume(source, destination);
        (volume > 0).then_some([source, destination, volume])
    };
    (0..schedule.sources().min(MAX_SENDERS)).filter_map(message).collect()
}

fn longest(messages: &[[usize; 3]]) -> String {
    let longest = messages.iter().map(|message| message[2]).max().unwrap_or(0);
    counted(longest as u128, "element")
}

fn heading(schedule: &dyn Schedule, least: Option<usize>) -> String {
    let steps = counted(schedule.steps() as u128, "step");
    match least {
        Some(least) if least == schedule.steps() => {
            format!("{}, {steps}: no schedule has fewer", schedule.method())
        }
        Some(least) => {
            format!("{}, {steps}; at least {} needed", schedule.method(), grouped(least as u128))
        }
        None => format!("{}, {steps}", schedule.method()),
    }
}

fn note(schedule: &dyn Schedule) -> Option<String> {
    let (steps, senders) = (schedule.steps(), schedule.sources());
    (steps > MAX_STEPS || senders > MAX_SENDERS).then(|| {
        format!(
            "The page plays up to {MAX_STEPS} of {} and the first {MAX_SENDERS} of {}.",
            counted(steps as u128, "step"),
            counted(senders as u128, "sender"),
        )
    })
}
