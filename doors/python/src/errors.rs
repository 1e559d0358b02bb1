use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use redist_doors::words::{PYTHON, in_names};

create_exception!(redist, Error, PyException, "An error of this package.");
create_exception!(redist, PlanError, Error, "There is no such plan, layout, option or picture.");
create_exception!(redist, ArrayError, Error, "An array is not what the plan was bound for.");
create_exception!(redist, CommunicatorError, Error, "No plan can be bound to this communicator.");
create_exception!(redist, MoveError, Error, "A plan was not bound, or a move was not made.");

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("PlanError", py.get_type::<PlanError>())?;
    module.add("ArrayError", py.get_type::<ArrayError>())?;
    module.add("CommunicatorError", py.get_type::<CommunicatorError>())?;
    module.add("MoveError", py.get_type::<MoveError>())
}

pub fn plan_error(error: impl ToString) -> PyErr {
    PlanError::new_err(in_names(&error.to_string(), PYTHON))
}

pub fn move_error(error: impl ToString) -> PyErr {
    MoveError::new_err(in_names(&error.to_string(), PYTHON))
}
