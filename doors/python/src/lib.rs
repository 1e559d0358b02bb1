//! The Python package `redist`: plans, and numpy arrays that move between ranks of mpi4py.
//! `redist/__init__.py` exports the names, `redist/_redist.pyi` has their types.

mod array;
mod batch;
mod bound;
mod bound_batch;
mod communicator;
mod coupling;
mod dtype;
mod errors;
mod file_array;
mod files;
mod foreign;
mod function;
mod index_move;
mod layouts;
mod list_volume;
mod members;
mod messages;
mod moves;
mod mpi4py;
mod names;
mod packing;
mod parts;
mod picture;
mod plan;
mod programs;
mod ranks;
mod saved;
mod scaling;
mod shared;
mod simulated;
mod thread;
mod wishes;
mod words;

use pyo3::prelude::*;

/// Plans that move distributed numpy arrays from one block-cyclic layout to another.
#[pymodule]
fn _redist(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<plan::PythonPlan>()?;
    module.add_class::<plan::PythonRelabelled>()?;
    module.add_class::<index_move::IndexMove>()?;
    module.add_class::<list_volume::PythonListVolume>()?;
    module.add_class::<messages::Messages>()?;
    module.add_class::<messages::Views>()?;
    module.add_class::<messages::View>()?;
    module.add_class::<messages::Place>()?;
    module.add_class::<packing::Packing>()?;
    module.add_class::<picture::Picture>()?;
    module.add_class::<picture::Page>()?;
    module.add_function(wrap_pyfunction!(layouts::layout, module)?)?;
    module.add_function(wrap_pyfunction!(layouts::scalapack, module)?)?;
    module.add_function(wrap_pyfunction!(layouts::darray, module)?)?;
    module.add_class::<bound::PythonBound>()?;
    module.add_class::<moves::Move>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<batch::PythonCopies>()?;
    module.add_class::<bound_batch::BoundBatch>()?;
    module.add_class::<programs::PythonPrograms>()?;
    module.add_class::<coupling::PythonCoupling>()?;
    module.add_class::<shared::SharedMemory>()?;
    module.add_class::<ranks::PythonRank>()?;
    module.add_function(wrap_pyfunction!(ranks::run, module)?)?;
    module.add_class::<file_array::OpenedFiles>()?;
    module.add_function(wrap_pyfunction!(files::convert, module)?)?;
    module.add_function(wrap_pyfunction!(files::verify_files, module)?)?;
    errors::add(module)
}
