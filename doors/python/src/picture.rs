//! Pictures of plans.

use crate::errors::PlanError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Pictures of a plan, as SVG: shown by notebooks, written by `save`.
#[pyclass(frozen, module = "redist")]
pub struct Picture {
    /// The text of the SVG.
    #[pyo3(get)]
    pub svg: String,
}

#[pymethods]
impl Picture {
    /// What notebooks ask for.
    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    /// Writes it to a file, as SVG: a name with another suffix than `.svg` is refused.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
        if suffix.is_some_and(|suffix| suffix != "svg") {
            let (name, other) = (path.display(), path.with_extension("svg"));
            return Err(PlanError::new_err(format!(
                "{name}: a picture is SVG; save it as {}, and convert that",
                other.display()
            )));
        }
        std::fs::write(&path, &self.svg)
            .map_err(|error| PlanError::new_err(format!("{}: {error}", path.display())))
    }

    fn __str__(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("<redist.Picture: {} characters of SVG>", self.svg.len())
    }
}
