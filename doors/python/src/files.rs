//! Arrays of files: one run over a manifest, as of the command line.

use crate::errors::{FileError, PlanError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use redist_doors::words::{PYTHON, in_names};
use redist_doors::{ArrayOutcome, FileRun, FileWork, FilesError, Manifest, RunOptions};
use std::path::PathBuf;

/// Converts the arrays of a manifest, which is the name of a file or a dictionary of its keys.
#[pyfunction]
#[pyo3(signature = (manifest, *, memory=256 << 20, threads=None, force=false, check=false, sync=true))]
#[pyo3(
    text_signature = "(manifest, *, memory=268435456, threads=None, force=False, check=False, sync=True)"
)]
pub fn convert<'py>(
    manifest: &Bound<'py, PyAny>,
    memory: usize,
    threads: Option<usize>,
    force: bool,
    check: bool,
    sync: bool,
) -> PyResult<Bound<'py, PyList>> {
    let options = RunOptions { memory, threads, force, check, sync };
    outcomes(manifest, options, FileWork::Convert)
}

/// Compares the arrays of a manifest on both sides.
#[pyfunction]
#[pyo3(signature = (manifest, *, memory=256 << 20, threads=None))]
#[pyo3(text_signature = "(manifest, *, memory=268435456, threads=None)")]
pub fn verify_files<'py>(
    manifest: &Bound<'py, PyAny>,
    memory: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let options = RunOptions { memory, threads, ..RunOptions::default() };
    outcomes(manifest, options, FileWork::Compare)
}

fn outcomes<'py>(
    manifest: &Bound<'py, PyAny>,
    options: RunOptions,
    work: FileWork,
) -> PyResult<Bound<'py, PyList>> {
    let py = manifest.py();
    let manifest = read(manifest)?;
    let done = py.detach(|| FileRun::of(&manifest, options, work));
    let warn = py.import("warnings")?.getattr("warn")?;
    for words in done.warnings {
        warn.call1((words,))?;
    }
    let listed = PyList::empty(py);
    for array in done.arrays.map_err(file_error)? {
        listed.append(described(py, &array)?)?;
    }
    Ok(listed)
}

fn read(manifest: &Bound<'_, PyAny>) -> PyResult<Manifest> {
    if manifest.cast::<PyDict>().is_ok() {
        let text = manifest.py().import("json")?.call_method1("dumps", (manifest,))?;
        return Manifest::from_json(&text.extract::<String>()?).map_err(file_error);
    }
    let path: PathBuf = manifest.extract().map_err(|_| {
        PlanError::new_err(
            "manifest: bring the name of a file, or a dictionary of a manifest's keys",
        )
    })?;
    Manifest::read(&path).map_err(file_error)
}

fn described<'py>(py: Python<'py>, array: &ArrayOutcome) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("name", &array.name)?;
    described.set_item("bytes", array.bytes)?;
    described.set_item("element_bytes", array.element_bytes)?;
    described.set_item("files", (array.files[0], array.files[1]))?;
    described.set_item("checksum", &array.checksum)?;
    described.set_item("kept", array.kept)?;
    described.set_item("seconds", array.seconds)?;
    Ok(described)
}

pub fn file_error(error: FilesError) -> PyErr {
    let words = in_names(&error.to_string(), PYTHON);
    match error {
        FilesError::Asked(_) => PlanError::new_err(words),
        FilesError::Failed(_) => FileError::new_err(words),
    }
}
