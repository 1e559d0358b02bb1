//! The package's exceptions, in names of Python and numpy.

use crate::names::in_numpys_words;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use redist_doors::words::{PYTHON, in_names};

create_exception!(redist, Error, PyException, "An error of this package.");
create_exception!(redist, PlanError, Error, "There is no such plan, layout, option or picture.");
create_exception!(redist, ArrayError, Error, "An array is not what the plan was bound for.");
create_exception!(redist, CommunicatorError, Error, "No plan can be bound to this communicator.");
create_exception!(redist, MoveError, Error, "A plan was not bound, or a move was not made.");
create_exception!(redist, FileError, Error, "Files were not converted, or differ.");
create_exception!(redist, RankError, Error, "A rank of `redist.threads.run` has failed.");

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("PlanError", py.get_type::<PlanError>())?;
    module.add("ArrayError", py.get_type::<ArrayError>())?;
    module.add("CommunicatorError", py.get_type::<CommunicatorError>())?;
    module.add("MoveError", py.get_type::<MoveError>())?;
    module.add("FileError", py.get_type::<FileError>())?;
    module.add("RankError", py.get_type::<RankError>())
}

pub fn plan_error(error: impl ToString) -> PyErr {
    PlanError::new_err(in_names(&error.to_string(), PYTHON))
}

pub fn move_error(error: redist::Error) -> PyErr {
    MoveError::new_err(match error {
        redist::Error::DifferentElement { rank, theirs, here, ours } => {
            let [theirs, ours] = [theirs, ours].map(|name| in_numpys_words(&name));
            format!(
                "rank {rank} has planned for the dtype {theirs}, rank {here} for {ours}; plan for \
                 one dtype on all ranks, and bring arrays of it (`astype` converts)"
            )
        }
        other => in_names(&other.to_string(), PYTHON),
    })
}

/// Returns the error of a plan or a move for this dtype, which another rank's array may not have.
pub fn run_error(error: redist::Error, dtype: impl FnOnce() -> String) -> PyErr {
    const THEIRS: &str = "the plan's type";
    match error {
        redist::Error::PeerFailed { rank, reason } if reason.contains(THEIRS) => {
            let reason = reason.replace(THEIRS, &format!("the plan's dtype {}", dtype()));
            move_error(redist::Error::PeerFailed { rank, reason })
        }
        other => move_error(other),
    }
}
