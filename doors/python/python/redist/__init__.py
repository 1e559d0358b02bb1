"""Moves distributed numpy arrays from one block-cyclic layout to another.

    plan = redist.Plan((1000, 600), "(block, *) onto 4", "(*, block) onto 4", "f8")
    bound = plan.bind(MPI.COMM_WORLD)
    rows, columns = bound.empty("src"), bound.empty("dst")
    rows[...] = ...
    bound.run(rows, columns)

Without MPI, `plan.messages(rank)` tells what a rank sends, as strided views, and `plan.simulate(parts)` runs all ranks as threads.
`redist.threads.run` runs a function of your own on ranks that are threads. `redist.torch` moves tensors over process groups of torch.
`redist.Batch` moves several arrays in one exchange, and `redist.Copies` moves between copies of one, as broadcasts do.
`redist.pencil` has the classes of `mpi4py_fft.pencil`.
`Plan` describes the notation of layouts. All errors are `redist.Error`s.
"""


def _need_numpy() -> None:
    try:
        import numpy as _
    except ImportError as error:
        words = f"redist moves arrays of numpy, which cannot be imported: {error}; `pip install numpy`"
        raise ImportError(words, name="numpy") from error


def _need_lock() -> None:
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        words = "redist is not tested on the free-threaded build of Python, and does not load there; run the build with the lock"
        raise ImportError(words)


_need_numpy()
_need_lock()

from . import threads
from ._redist import (
    ArrayError,
    Batch,
    Bound,
    BoundBatch,
    CommunicatorError,
    Copies,
    Coupling,
    Error,
    FileError,
    IndexMove,
    ListVolume,
    Messages,
    Move,
    MoveError,
    Packing,
    Page,
    Picture,
    Place,
    Plan,
    PlanError,
    Programs,
    RankError,
    Relabelled,
    View,
    Views,
    __version__,
    convert,
    darray,
    layout,
    scalapack,
    verify_files,
)
from .files import FileArray, open_array
from .torch._placements import placements

__all__ = [
    "ArrayError",
    "Batch",
    "Bound",
    "BoundBatch",
    "CommunicatorError",
    "Copies",
    "Coupling",
    "Error",
    "FileArray",
    "FileError",
    "IndexMove",
    "ListVolume",
    "Messages",
    "Move",
    "MoveError",
    "Packing",
    "Page",
    "Picture",
    "Place",
    "Plan",
    "PlanError",
    "Programs",
    "RankError",
    "Relabelled",
    "View",
    "Views",
    "__version__",
    "convert",
    "darray",
    "layout",
    "open_array",
    "placements",
    "scalapack",
    "threads",
    "verify_files",
]
