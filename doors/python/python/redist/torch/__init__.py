"""Moves tensors of torch between the ranks of a process group of `torch.distributed`.

    bound = redist.torch.bind(redist.Plan(shape, src, dst, "u2"), dtype=torch.bfloat16)
    bound.run(a, out)

`redistribute_dtensor` moves a DTensor, and `Weights` all tensors of a model in one exchange. Errors
are those of `redist`. Torch is imported when it is used.
"""

from ._bound import Bound, Move, bind
from ._dtensor import forget, redistribute_dtensor
from ._placements import Placed, Placement, placements
from ._weights import Part, Spec, Weights, describe

__all__ = [
    "Bound",
    "Move",
    "Part",
    "Placed",
    "Placement",
    "Spec",
    "Weights",
    "bind",
    "describe",
    "forget",
    "placements",
    "redistribute_dtensor",
]
