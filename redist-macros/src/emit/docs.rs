//! Documents the decisions in the item's docs: lines of Markdown.

use super::blocks;
use super::table::wanted;
use quote::ToTokens;
use redist_notation::planned::{self, PaddedPlan};
use redist_notation::spec::{Saving, SideSpec, Spec, Value};
use redist_notation::tiers::{self, text};
use redist_plan::layout::{Descriptor, Ranks};
use redist_plan::plan::{Axis, Section, Side};

pub fn of_literals(spec: &Spec, axes: &[Axis]) -> Vec<String> {
    let mut lines = heading(spec);
    lines.extend(sides(spec));
    lines.extend(volumes(spec));
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

const MAX_LISTED_RANKS: usize = 8;

fn sides(spec: &Spec) -> Vec<String> {
    let Some(plan) = planned::padded_plan(spec) else { return layouts(spec) };
    let sides = [("from", &spec.from, Side::Source), ("to", &spec.to, Side::Destination)];
    let rows = sides.map(|(word, written, side)| {
        let largest = extents(spec, &largest(plan.descriptor(side)));
        [word.into(), cell(written), in_words(&plan, side), largest]
    });
    let heads = [array(spec), "layout".into(), "ranks".into(), "largest local array".into()];
    table(heads, [false; 4], rows)
}

fn volumes(spec: &Spec) -> Vec<String> {
    let Some(plan) = planned::padded_plan(spec) else { return Vec::new() };
    let sides = [Side::Source, Side::Destination];
    if sides.into_iter().any(|side| plan.descriptor(side).ranks() > MAX_LISTED_RANKS) {
        return Vec::new();
    }
    let [sources, destinations] = sides.map(|side| ranks(&plan, side));
    let stored = |side, rank| extents(spec, &plan.descriptor(side).local(rank).extents());
    let heads = ["elements".into(), "local array".into()].into_iter();
    let heads = heads.chain(destinations.iter().map(|to| format!("to {to}")));
    let sent = sources.into_iter().map(|from| {
        let volumes = destinations.iter().map(|&to| plan.volume(from, to).to_string());
        [format!("from {from}"), stored(Side::Source, from)]
            .into_iter()
            .chain(volumes)
            .collect::<Vec<_>>()
    });
    let after = destinations.iter().map(|&to| stored(Side::Destination, to));
    let after = ["local array".into(), String::new()].into_iter().chain(after).collect();
    let right = (0..destinations.len() + 2).map(|column| column > 0);
    table(heads, right, sent.chain([after]))
}

fn ranks(plan: &PaddedPlan, side: Side) -> Vec<usize> {
    let descriptor = plan.descriptor(side);
    (0..descriptor.ranks()).map(|number| descriptor.nth_rank(number)).collect()
}

/// `2..6`, or how many a map has: the layout lists them.
fn in_words(plan: &PaddedPlan, side: Side) -> String {
    let descriptor = plan.descriptor(side);
    match descriptor.layout().ranks {
        Ranks::From(first) => format!("{first}..{}", first + descriptor.ranks()),
        Ranks::Map(list) => format!("{} listed", list.len()),
    }
}

/// Extents that no local array exceeds, and some local array has.
fn largest<const D: usize>(side: &Descriptor<D>) -> [usize; D] {
    core::array::from_fn(|dimension| {
        let whole = Section::new(side.axis(dimension), 0);
        whole.most_owned_below(side.extents()[dimension])
    })
}

/// `512 × 300`, in as many dimensions as the item has.
fn extents(spec: &Spec, extents: &[usize]) -> String {
    let extents = extents[..spec.extents.len()].iter().map(usize::to_string);
    extents.collect::<Vec<_>>().join(" × ")
}

fn layouts(spec: &Spec) -> Vec<String> {
    let rows =
        [("from", &spec.from), ("to", &spec.to)].map(|(word, side)| [word.into(), cell(side)]);
    table([array(spec), "layout".into()], [false; 2], rows)
}

fn array(spec: &Spec) -> String {
    let extents: Vec<String> = spec.extents.iter().map(|extent| text(&extent.expr)).collect();
    cell(format!("[{}; {}]", text(spec.element.to_token_stream()), extents.join(", ")))
}

/// Escapes bars, which would end the cell.
fn cell(text: impl ToString) -> String {
    format!("`{}`", text.to_string().replace('|', "\\|"))
}

fn table(
    heads: impl IntoIterator<Item = String>,
    right: impl IntoIterator<Item = bool>,
    rows: impl IntoIterator<Item = impl IntoIterator<Item = String>>,
) -> Vec<String> {
    let row = |cells: Vec<String>| format!(" | {} |", cells.join(" | "));
    let rule = right.into_iter().map(|right| if right { "---:" } else { "---" });
    let mut lines = vec![
        row(heads.into_iter().collect()),
        format!(" |{}|", rule.collect::<Vec<_>>().join("|")),
    ];
    lines.extend(rows.into_iter().map(|cells| row(cells.into_iter().collect())));
    lines.push(String::new());
    lines
}
