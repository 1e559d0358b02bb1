//! What was decided, as docs of the item.

use super::table::wanted;
use super::unroll::Loops;
use crate::spec::Spec;
use redist_runtime::plan::Axis;

/// Lines of Markdown.
pub fn lines(spec: &Spec, axes: &[Axis], loops: &Loops) -> Vec<String> {
    let documented = spec.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
    let mut lines = if documented { vec![String::new()] } else { Vec::new() };
    lines.extend([" # Plan".into(), String::new()]);
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
