//! One HTML page of a plan: self-contained, with a script that shows the planner's numbers.

mod data;
mod messages;
mod part;
mod steps;
#[cfg(test)]
mod tests;
mod texts;

use crate::drawing::{Drawing, line};
use crate::error::DrawError;
use data::PageData;
use redist_plan::plan::Plan;
pub use texts::PageTexts;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Drawing {
    /// Makes one HTML page, which needs no network. `kind` is ignored; `pair` is picked at first.
    ///
    /// # Errors
    /// The errors of [`page`](Drawing::page), and a slice at an index above 2^48.
    pub fn html<const D: usize>(
        &self,
        plan: &Plan<D>,
        texts: &PageTexts,
    ) -> Result<String, DrawError> {
        if let Some(line) = line(plan) {
            return self.html(&line, texts);
        }
        let title = self.title.as_deref().unwrap_or("Redistribution");
        let data = PageData::of(self, plan, title, texts)?;
        // `<` would end the element that the data stands in.
        let json = serde_json::to_string(&data)
            .map_err(|error| DrawError::of("", error.to_string()))?
            .replace('<', "\\u003c");
        Ok(format!(
            include_str!("page.html"),
            title = escaped(title),
            style = STYLE,
            data = json,
            script = SCRIPT
        ))
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
