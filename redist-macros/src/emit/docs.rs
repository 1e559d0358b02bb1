//! What was decided, as docs of the item.

use super::table::wanted;
use super::unroll::Loops;
use redist_notation::spec::{DistSpec, SideSpec, Spec, Value, Which};
use redist_notation::tiers;
use redist_runtime::plan::Axis;

/// Lines of Markdown.
pub fn of_literals(spec: &Spec, axes: &[Axis], loops: &Loops) -> Vec<String> {
    let mut lines = heading(spec);
    for (dimension, axis) in axes.iter().enumerate() {
        let table = if wanted(spec, axis) { "; its table is in the binary" } else { "" };
        lines.push(format!(" - dimension {dimension}: {axis}{table}"));
    }
    let loops = match (&loops.pack, &loops.unpack) {
        (Some(_), Some(_)) => "packing and unpacking are unrolled",
        (Some(_), None) => "packing is unrolled; unpacking copies stretches by the library's loops",
        (None, Some(_)) => "unpacking is unrolled; packing copies stretches by the library's loops",
        (None, None) => "packing and unpacking copy stretches by the library's loops",
    };
    lines.push(format!(" - {loops}"));
    lines.push(" - planned by the macro; nothing is left to run time".into());
    lines
}

/// Lines of Markdown for an item that is not about literals alone.
pub fn of_open(spec: &Spec, loops: &str) -> Vec<String> {
    let mut lines = heading(spec);
    for (dimension, tier) in tiers::tiers(spec).iter().enumerate() {
        let planner = match tier.blocks {
            Value::Literal(_) | Value::Constant => "planned when this crate is compiled",
            Value::Generic => "planned by the compiler for each instance",
            Value::Parameter => "planned by `new`",
        };
        let reason = if tier.reason.is_empty() { String::new() } else { format!(": {}", tier.reason) };
        lines.push(format!(" - dimension {dimension}: {}; {planner}{reason}", dealt(spec, dimension)));
    }
    lines.push(format!(" - {loops}"));
    lines.push(" - see `explain()` for what was decided".into());
    lines
}

fn heading(spec: &Spec) -> Vec<String> {
    let documented = spec.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
    let mut lines = if documented { vec![String::new()] } else { Vec::new() };
    lines.extend([" # Plan".into(), String::new()]);
    lines
}

/// Both distributions of a dimension, in the user's words.
fn dealt(spec: &Spec, dimension: usize) -> String {
    let words = spec.sides().map(|(which, side)| match side {
        SideSpec::Value(value, _) => format!("`{}`", tiers::text(value)),
        SideSpec::Layout(layout) => {
            let own = if which == Which::Destination { layout.axes[dimension] } else { dimension };
            match &layout.dists[own] {
                DistSpec::Collapsed => "`*`".into(),
                DistSpec::Block => "`block`".into(),
                DistSpec::BlockOf(block) => format!("`block({})`", tiers::text(&block.expr)),
                DistSpec::Cyclic(block) => format!("`cyclic({})`", tiers::text(&block.expr)),
                DistSpec::GenBlock(sizes) => {
                    let sizes: Vec<String> = sizes.iter().map(|size| tiers::text(&size.expr)).collect();
                    format!("`gen_block([{}])`", sizes.join(", "))
                }
            }
        }
    });
    words.join(" → ")
}
