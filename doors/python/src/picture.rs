//! `redist.Picture`: pictures that notebooks show.

use crate::errors::PlanError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Pictures of a plan, as SVG: notebooks show them, `save` writes them.
#[pyclass(frozen, module = "redist")]
pub struct Picture {
    /// The text of the SVG.
    #[pyo3(get)]
    pub svg: String,
}

#[pymethods]
impl Picture {
    /// Returns the SVG for notebooks.
    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    /// Writes it to a file, as SVG; refuses a name with another suffix than `.svg`.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
        if suffix.is_some_and(|suffix| suffix != "svg") {
            let (name, other) = (path.display(), path.with_extension("svg"));
            return Err(PlanError::new_err(format!(
                "{name}: a picture is SVG; save it as {}, and convert that",
                other.display()
            )));
        }
        write(&path, &self.svg)
    }

    fn __str__(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("<redist.Picture: {} characters of SVG>", self.svg.len())
    }
}

/// One HTML page of a plan, for a browser or a notebook; `save` writes it.
#[pyclass(frozen, module = "redist")]
pub struct Page {
    /// The text of the page.
    #[pyo3(get)]
    pub html: String,
}

/// Height of a page in a notebook, in pixels.
const FRAME_HEIGHT: u32 = 900;

#[pymethods]
impl Page {
    /// Gives notebooks the page in a frame of its own, so that its script sees nothing else.
    pub fn _repr_html_(&self) -> String {
        let text = self.html.replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<iframe title=\"A redistribution\" sandbox=\"allow-scripts\" width=\"100%\" \
             height=\"{FRAME_HEIGHT}\" style=\"border: 1px solid #c9d0d6\" srcdoc=\"{text}\"></iframe>"
        )
    }

    /// Writes the page to a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        write(&path, &self.html)
    }

    fn __str__(&self) -> &str {
        &self.html
    }

    fn __repr__(&self) -> String {
        format!("<redist.Page: {} characters of HTML>", self.html.len())
    }
}

fn write(path: &Path, text: &str) -> PyResult<()> {
    std::fs::write(path, text)
        .map_err(|error| PlanError::new_err(format!("{}: {error}", path.display())))
}
