//! Steps of a schedule on an HTML page.

use super::messages::{MessageData, share};
use crate::drawing::Drawing;
use crate::error::DrawError;
use crate::number::{counted, grouped};
use crate::schedule::{Message, in_words, longest, messages};
use redist_plan::plan::Plan;
use redist_schedules::Schedule;
use serde::Serialize;

/// Most steps that a page lists.
const MAX_STEPS: usize = 64;

/// Most senders whose messages a page lists.
const MAX_SENDERS: usize = 64;

/// A schedule for a page.
#[derive(Serialize)]
pub struct ScheduleData {
    pub heading: String,
    pub note: Option<String>,
    pub steps: Vec<StepData>,
}

/// One step: its messages, and its longest message in words.
#[derive(Serialize)]
pub struct StepData {
    pub messages: Vec<MessageData>,
    pub longest: String,
}

impl ScheduleData {
    pub fn of<const D: usize>(drawing: &Drawing, plan: &Plan<D>) -> Result<Self, DrawError> {
        let (schedule, least) = drawing.schedule(plan)?;
        let steps: Vec<Vec<Message>> = (0..schedule.steps())
            .map(|step| messages(plan, &*schedule, step, MAX_SENDERS))
            .filter(|messages| !messages.is_empty())
            .take(MAX_STEPS)
            .collect();
        let most = longest(steps.iter().flatten());
        let data = |Message { ranks: [source, destination], len, .. }: &Message| {
            MessageData(*source, *destination, grouped(*len as u128), share(*len, most))
        };
        let step = |messages: &Vec<Message>| StepData {
            longest: counted(longest(messages) as u128, "element"),
            messages: messages.iter().map(data).collect(),
        };
        Ok(Self {
            heading: in_words(&*schedule, least),
            note: note(&*schedule),
            steps: steps.iter().map(step).collect(),
        })
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
