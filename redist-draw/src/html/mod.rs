//! One HTML page of a plan, to look at in a browser: self-contained, with a script that shows
//! numbers of the planner and makes none.

mod data;
mod messages;
mod part;
mod steps;
#[cfg(test)]
mod tests;

use crate::drawing::Drawing;
use crate::error::DrawError;
use data::PageData;
use redist_plan::plan::{Plan, Side};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The name of an item in the macro's call where the caller gives none.
const USUAL_NAME: &str = "Move";

/// The texts of a page that a plan alone does not have.
///
/// ```
/// use redist_draw::{Drawing, PageTexts};
/// use redist_plan::plan::Plan;
///
/// let plan = Plan::parse([72], "cyclic(4) onto 3", "cyclic(6) onto 2").unwrap();
/// let texts = PageTexts { element: "f64".into(), name: None, explain: plan.explain() };
/// let page = Drawing::default().html(&plan, &texts).unwrap();
/// assert!(page.starts_with("<!doctype html>") && page.contains("cyclic(6) onto 2"));
/// ```
#[derive(Clone, Debug)]
pub struct PageTexts {
    /// The element type, as the macro takes it.
    pub element: String,
    /// The name of the macro's item; `Move` where there is none, or where it is no identifier.
    pub name: Option<String>,
    /// The text of `explain`.
    pub explain: String,
}

impl PageTexts {
    /// Writes the call of `redistribute!` that makes the plan.
    fn macro_call<const D: usize>(&self, plan: &Plan<D>) -> String {
        let name = self.name.as_deref().filter(|name| is_identifier(name)).unwrap_or(USUAL_NAME);
        let [from, to] = [Side::Source, Side::Destination]
            .map(|side| plan.descriptor(side).layout().to_string());
        let extents = plan.extents().map(|extent| extent.to_string()).join(", ");
        format!(
            "redist::redistribute! {{\n    pub struct {name}: [{}; {extents}] {{\n        \
             from: {from},\n        to: {to},\n    }}\n}}",
            self.element
        )
    }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

impl Drawing {
    /// Makes one HTML page with both layouts, the messages, the schedule, and the texts. The page
    /// needs no network. `kind` is ignored; `pair` are the ranks that are picked at first.
    ///
    /// # Errors
    /// The errors of [`page`](Drawing::page), and a slice at an index above 2^48.
    pub fn html<const D: usize>(
        &self,
        plan: &Plan<D>,
        texts: &PageTexts,
    ) -> Result<String, DrawError> {
        let title = self.title.as_deref().unwrap_or("Redistribution");
        let data = PageData::of(self, plan, title, texts)?;
        // `<` would end the element that the data stands in.
        let json = serde_json::to_string(&data)
            .map_err(|error| DrawError::of("", error.to_string()))?
            .replace('<', "\\u003c");
        let parts = [
            ("{{title}}", escaped(title)),
            ("{{style}}", STYLE.to_owned()),
            ("{{data}}", json),
            ("{{script}}", SCRIPT.to_owned()),
        ];
        Ok(filled(TEMPLATE, &parts))
    }
}

/// Puts each text in the place of its mark. Marks within texts stay.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let (mut page, mut rest) = (String::new(), template);
    for (mark, text) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page += before;
        page += text;
        rest = after;
    }
    page + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
