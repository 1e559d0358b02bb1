//! Schedules of any plan.

mod closed_forms;
mod dimensions;
mod huge;
mod koenig;
mod seen_by_ranks;
mod support;
mod worked_example;
