//! Documents the decisions in the item's docs: lines of Markdown.

mod ranks;
mod tables;

use super::blocks;
use super::table::wanted;
use redist_notation::spec::{Saving, SideSpec, Spec, Value};
use redist_notation::tiers::{self, text};
use redist_plan::plan::{Axis, Side};
use tables::layouts;

pub fn of_literals(spec: &Spec, axes: &[Axis]) -> Vec<String> {
    let mut lines = heading(spec);
    lines.extend(ranks::sides(spec));
    lines.extend(ranks::volumes(spec));
    for (dimension, axis) in axes.iter().enumerate() {
        let table = if wanted(spec, axis) { "; its table is in the binary" } else { "" };
        lines.push(format!(" - dimension {dimension}: {axis}{table}"));
    }
    lines.extend(spec.relabelled.map(relabelled));
    lines.push(format!(" - {}", blocks::in_words(spec)));
    lines.push(" - planned by the macro; nothing is left to run time".into());
    lines
}

fn relabelled(Saving { elements, stayed, stays }: Saving) -> String {
    format!(
        " - the ranks of `to` have the cells that let most stay: {stays} of {elements} elements, {stayed} before"
    )
}

pub fn of_open(spec: &Spec, has_blocks: bool) -> Vec<String> {
    let mut lines = heading(spec);
    lines.extend(layouts(spec));
    for (dimension, tier) in tiers::tiers(spec).iter().enumerate() {
        let planner = match tier.blocks {
            Value::Literal(_) | Value::Constant => "planned when this crate is compiled",
            Value::Generic => "planned by the compiler for each instance",
            Value::Parameter => "planned by `new`",
        };
        let reason =
            if tier.reason.is_empty() { String::new() } else { format!(": {}", tier.reason) };
        lines.push(format!(
            " - dimension {dimension}: {}; {planner}{reason}",
            dealt(spec, dimension)
        ));
    }
    if has_blocks {
        lines.push(format!(" - {}", blocks::WRITTEN));
    }
    if spec.has_copies() {
        lines.push(
            " - each copy of `to` is read from one of `from`; `bind` plans all of them".into(),
        );
    }
    lines.push(" - see `explain()` for what was decided".into());
    lines
}

fn heading(spec: &Spec) -> Vec<String> {
    let documented = spec.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
    let mut lines = if documented { vec![String::new()] } else { Vec::new() };
    lines.extend([" # Plan".into(), String::new()]);
    lines
}

fn dealt(spec: &Spec, dimension: usize) -> String {
    let words = spec.sides().map(|(which, side)| match side {
        SideSpec::Value(value, _) => format!("`{}`", text(value)),
        SideSpec::Layout(layout) => {
            let own = if which == Side::Destination { layout.axes[dimension] } else { dimension };
            format!("`{}`", layout.dists[own])
        }
    });
    words.join(" → ")
}
