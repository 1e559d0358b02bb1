//! `redist verify`: proves that every element of a plan arrives once, at its place.

mod programs;
mod proof;
mod schedules;
#[cfg(test)]
mod tests;

use crate::failure::CommandFailure;
use crate::input::{InputOptions, PlannedItem, Visitor};
use crate::output::{bar, print};
use crate::words::{TIE, columns, counted, filled, grouped, number};
use clap::Args;
use programs::{CheckedPrograms, Library, WithTables};
use proof::{Proof, Tally};
use redist::{Plan, Redistribution, Side, TypedPlan};
use std::time::Instant;

/// Proof that every element is written exactly once and lands right: all ranks pack and unpack, in
/// turn, in the memory of one rank's arrays.
#[derive(Args)]
pub struct VerifyOptions {
    #[command(flatten)]
    input: InputOptions,

    /// Check the schedules of all methods, too: no rank has two partners in a step, and every
    /// message moves once.
    #[arg(long)]
    all_methods: bool,
}

pub fn run(options: VerifyOptions) -> Result<(), CommandFailure> {
    options.input.visit_all(&options)
}

impl Visitor for &VerifyOptions {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        let (started, heading) = (Instant::now(), heading(item));
        let fail = |fault: String| CommandFailure::work(&heading, fault);
        let at_run_time = TypedPlan::<u32, D>::from(item.plan);
        let tally = prove(&item.plan, &Library(at_run_time.binder())).map_err(fail)?;
        let tables = WithTables::of(item.plan)
            .map(|tables| prove(&item.plan, &Library(tables.binder())))
            .transpose();
        let again =
            if tables.map_err(fail)?.is_some() { ", without and with window tables" } else { "" };
        let ranks =
            [Side::Source, Side::Destination].map(|side| item.plan.descriptor(side).ranks());
        say(&format!(
            "{heading}: verified: {}, each written once and in its place, in {} between {} and {}{again}, in \
             {:.2}{TIE}s",
            counted(tally.elements, "element"),
            counted(tally.messages, "message"),
            number(ranks[0]),
            counted(ranks[1], "rank"),
            started.elapsed().as_secs_f64(),
        ))?;
        if self.all_methods {
            let lines = schedules::check_all(&item.plan, tally).map_err(fail)?;
            lines.iter().try_for_each(|line| say(&format!("{heading}: {line}")))?;
        }
        Ok(())
    }
}

fn say(line: &str) -> Result<(), CommandFailure> {
    print(&filled("", &grouped(line), columns().unwrap_or(usize::MAX)))
}

fn heading<const D: usize>(item: &PlannedItem<D>) -> String {
    item.name.clone().unwrap_or_else(|| format!("{:?} of {}", item.plan.extents(), item.element))
}

/// Checks all ranks of both sides, and that both have moved the whole array.
fn prove<P: CheckedPrograms, const D: usize>(
    plan: &Plan<D>,
    programs: &P,
) -> Result<Tally, String> {
    let proof = Proof::new(plan, programs);
    let elements = plan.elements();
    let bar = bar(2 * elements as u64, "{msg:17} [{bar:40}] {percent:>3} %, {eta} left");
    let mut sides = [Tally::default(); 2];
    for (side, tally) in [Side::Source, Side::Destination].into_iter().zip(&mut sides) {
        bar.set_message(format!("{side} ranks"));
        for number in 0..proof.ranks(side) {
            let found = proof.rank(side, number)?;
            tally.elements += found.elements;
            tally.messages += found.messages;
            bar.inc(found.elements as u64);
        }
    }
    bar.finish_and_clear();
    let [sent, received] = sides;
    if sent != received || sent.elements != elements {
        return Err(format!(
            "{} in {} left their ranks and {} arrived in {}, but the array has {elements}",
            counted(sent.elements, "element"),
            counted(sent.messages, "message"),
            received.elements,
            received.messages
        ));
    }
    Ok(sent)
}
