use quote::ToTokens;
use redist_notation::spec::Spec;
use redist_notation::tiers::text;

pub fn layouts(spec: &Spec) -> Vec<String> {
    let rows =
        [("from", &spec.from), ("to", &spec.to)].map(|(word, side)| [word.into(), cell(side)]);
    table([array(spec), "layout".into()], [false; 2], rows)
}

pub fn array(spec: &Spec) -> String {
    let extents: Vec<String> = spec.extents.iter().map(|extent| text(&extent.expr)).collect();
    cell(format!("[{}; {}]", text(spec.element.to_token_stream()), extents.join(", ")))
}

/// Escapes bars, which would end the cell.
pub fn cell(text: impl ToString) -> String {
    format!("`{}`", text.to_string().replace('|', "\\|"))
}

pub fn table(
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
