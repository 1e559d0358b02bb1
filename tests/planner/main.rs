//! Layouts, plans, messages and schedules: against a reference, the simulator, and the papers.

mod costs;
mod oracle;
mod properties;
mod schedules;
mod split;
mod worked_examples;
