//! Pictures of plans.

use pyo3::prelude::*;

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

    /// Writes it to a file.
    fn save(&self, path: std::path::PathBuf) -> PyResult<()> {
        Ok(std::fs::write(path, &self.svg)?)
    }

    fn __str__(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("<redist.Picture: {} characters of SVG>", self.svg.len())
    }
}
