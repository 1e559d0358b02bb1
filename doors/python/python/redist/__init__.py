"""Moves distributed numpy arrays from one block-cyclic layout to another.

    plan = redist.Plan((1000, 600), "(block, *) onto 4", "(*, block) onto 4", "f8")
    bound = plan.bind(MPI.COMM_WORLD)
    rows, columns = bound.empty("src"), bound.empty("dst")
    rows[...] = ...
    bound.run(rows, columns)

`Plan` describes the notation of layouts. All errors are `redist.Error`s.
"""

from ._redist import (
    ArrayError,
    Bound,
    CommunicatorError,
    Error,
    Move,
    MoveError,
    Page,
    Picture,
    Plan,
    PlanError,
    __version__,
    layout,
)

__all__ = [
    "ArrayError",
    "Bound",
    "CommunicatorError",
    "Error",
    "Move",
    "MoveError",
    "Page",
    "Picture",
    "Plan",
    "PlanError",
    "__version__",
    "layout",
]
