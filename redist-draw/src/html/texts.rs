//! Texts of an HTML page.

use redist_plan::plan::{Plan, Side};

/// Name of an item that has none.
const USUAL_NAME: &str = "Move";

/// The texts of a page beside the plan.
///
/// ```
/// use redist_draw::{Drawing, PageTexts};
/// use redist_plan::plan::Plan;
///
/// let plan = Plan::parse([72], "cyclic(4) onto 3", "cyclic(6) onto 2").unwrap();
/// let texts = PageTexts { element: "f64".into(), name: None };
/// let page = Drawing::default().html(&plan, &texts).unwrap();
/// assert!(page.starts_with("<!doctype html>") && page.contains("cyclic(6) onto 2"));
/// ```
#[derive(Clone, Debug)]
pub struct PageTexts {
    /// The element type, as the macro takes it.
    pub element: String,
    /// `Move` by default, or if it is no identifier.
    pub name: Option<String>,
}

impl PageTexts {
    pub(super) fn macro_call<const D: usize>(&self, plan: &Plan<D>) -> String {
        let [from, to] = [Side::Source, Side::Destination]
            .map(|side| plan.descriptor(side).layout().to_string());
        self.item(&plan.extents(), [&from, &to])
    }

    /// Writes the macro's call for an array of these extents, in elements, and both layouts in the
    /// notation.
    pub fn item(&self, extents: &[usize], [from, to]: [&str; 2]) -> String {
        let name = self.name.as_deref().filter(|name| is_identifier(name)).unwrap_or(USUAL_NAME);
        let extents = extents.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
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
