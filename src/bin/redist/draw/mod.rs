//! `redist draw`: pictures of a redistribution, as SVG.
//!
//! One file or folder a picture, each a pure function from a plan to a [`Canvas`]; [`page`] puts
//! them below each other.

mod axis;
mod canvas;
mod common;
mod intersection;
mod legend;
mod metrics;
mod number;
mod options;
mod ownership;
mod page;
mod pair;
mod palette;
mod region;
mod scale;
mod schedule;
mod sides;
#[cfg(test)]
mod tests;
mod view;
mod volumes;

use crate::failure::CommandFailure;
use crate::input::{PlannedItem, Visitor};
use canvas::Canvas;
use options::What;
use redist::Plan;
use redist::plan::schedule::CostModel;
use std::io::Write;
use std::path::Path;

pub use options::DrawOptions;

/// Bytes of an element whose type does not tell: those of an `f64`.
const USUAL_BYTES: usize = 8;

/// Runs the command.
pub fn run(options: DrawOptions) -> Result<(), CommandFailure> {
    options.input.clone().visit(options)
}

impl Visitor for DrawOptions {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        let title = self
            .title
            .clone()
            .or_else(|| item.name.clone())
            .unwrap_or_else(|| "Redistribution".to_owned());
        let svg = page::page(&item.plan, &title, self.pictures(&item.plan, item.element_bytes)?);
        write(&self.output, &svg)
    }
}

impl DrawOptions {
    fn pictures<const D: usize>(
        &self,
        plan: &Plan<D>,
        element_bytes: Option<usize>,
    ) -> Result<Vec<Canvas>, CommandFailure> {
        if let Some(dimension) = plan.extents().iter().position(|extent| *extent == 0) {
            return Err(CommandFailure::InputOptions(format!(
                "dimension {dimension} has no elements: there is nothing to draw"
            )));
        }
        let view = view::View::new(plan, self.axes, &self.slices, self.pair)?;
        let wanted = |what| self.what == What::All || self.what == what;
        let mut pictures = Vec::new();
        if wanted(What::Ownership) {
            pictures.push(ownership::picture(plan, &view));
        }
        if wanted(What::Intersection) {
            pictures.push(intersection::picture(plan, &view));
        }
        if wanted(What::Volumes) {
            pictures.push(volumes::picture(plan));
        }
        if wanted(What::Schedule) {
            pictures.push(self.chart(plan, element_bytes)?);
        }
        Ok(pictures)
    }

    /// The steps of the method that was asked for, else of the one that costs the least on a
    /// network.
    fn chart<const D: usize>(
        &self,
        plan: &Plan<D>,
        element_bytes: Option<usize>,
    ) -> Result<Canvas, CommandFailure> {
        let choice = plan.choose_steps(&CostModel::NETWORK, element_bytes.unwrap_or(USUAL_BYTES));
        let schedule = match self.method {
            Some(method) => plan
                .schedule(method)
                .map_err(|error| CommandFailure::InputOptions(format!("--method: {error}")))?,
            None => choice.schedule,
        };
        let schedule = schedule.ok_or_else(|| {
            CommandFailure::InputOptions("there is no schedule with steps".to_owned())
        })?;
        Ok(schedule::picture(plan, &*schedule, choice.least_steps))
    }
}

fn write(output: &Path, svg: &str) -> Result<(), CommandFailure> {
    if output.as_os_str() == "-" {
        return std::io::stdout()
            .write_all(svg.as_bytes())
            .map_err(|error| CommandFailure::work("standard output", error));
    }
    std::fs::write(output, svg).map_err(|error| CommandFailure::work(output.display(), error))
}
