"""Arrays between transforms along their axes, by the names of mpi4py-fft's `pencil`.

    from redist.pencil import Pencil, Subcomm  # in place of: from mpi4py_fft.pencil import …

    subcomm = Subcomm(MPI.COMM_WORLD, [0, 0, 1])
    before = Pencil(subcomm, (64, 64, 64), axis=2)
    after = before.pencil(1)
    transfer = before.transfer(after, float)
    transfer.forward(a, b)  # arrays of before.subshape and after.subshape
    transfer.backward(b, a)

`mpi4py_fft.pencil.Transfer = redist.pencil.Transfer` has `PFFT` and `DistArray` of mpi4py-fft move by this library.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal, Optional, Union

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ._redist import Bound, CommunicatorError, MoveError, Plan, PlanError

__all__ = ["Pencil", "Subcomm", "Transfer"]


class Subcomm(tuple[Any, ...]):
    """A communicator for each axis of a process grid: the ranks that differ in this coordinate alone.

    `comm` is a communicator of mpi4py. If it has a Cartesian topology, that is the grid, and `dims` is left out. Otherwise
    `dims` has the ranks along each axis: 1 for an axis that is not distributed, 0 for an extent that MPI chooses. A number
    `n` stands for `n` zeros, and None for one. With `reorder`, MPI may give the ranks of the grid new numbers. Collective.
    """

    __slots__ = ()

    def __new__(cls, comm: Any, dims: Optional[Union[int, Sequence[int]]] = None, reorder: bool = True) -> Subcomm:
        """Splits a communicator."""
        MPI = _mpi()
        if not isinstance(comm, MPI.Comm):
            raise CommunicatorError(f"a {type(comm).__name__} is no communicator of mpi4py; bring one, as `MPI.COMM_WORLD`")
        if comm == MPI.COMM_NULL or comm.Is_inter():
            raise CommunicatorError("pencils need a communicator of one group of ranks, neither null nor an inter-communicator")
        if comm.Get_topology() == MPI.CART:
            if dims is not None:
                raise PlanError(f"dims is {dims}, but the communicator has a process grid; leave `dims` out")
            return super().__new__(cls, _lines(MPI.Cartcomm(comm)))
        extents = MPI.Compute_dims(comm.Get_size(), _extents(comm.Get_size(), dims))
        cart = comm.Create_cart(extents, reorder=reorder)
        try:
            return super().__new__(cls, _lines(cart))
        finally:
            cart.Free()

    def destroy(self) -> None:
        """Frees the communicators. Transfers that have moved an array go on to do so. Collective."""
        for comm in self:
            if comm:
                comm.Free()


class Transfer:
    """Moves an array from pencils along one axis to pencils along another, and back.

    `comm` has the ranks that hold the array of `shape` together: each has all of `axisA` before, as an array of `subshapeA`,
    and all of `axisB` after, as an array of `subshapeB`. `Pencil.transfer` makes one. Each of the two directions is planned
    in its first call.
    """

    def __init__(
        self,
        comm: Any,
        shape: Sequence[int],
        dtype: DTypeLike,
        subshapeA: Sequence[int],
        axisA: int,
        subshapeB: Sequence[int],
        axisB: int,
    ) -> None:
        """Plans the move; no rank waits for another one."""
        self.comm = comm
        self.shape = _numbers(shape)
        self.dtype = np.dtype(dtype)
        self.subshapeA, self.axisA = _numbers(subshapeA), axisA
        self.subshapeB, self.axisB = _numbers(subshapeB), axisB
        ranks, rank = comm.Get_size(), comm.Get_rank()
        whole = [_axis(self.shape, axis) for axis in (axisA, axisB)]
        if whole[0] == whole[1]:
            raise PlanError(f"both pencils lie along axis {whole[0]}; transfer to a pencil along another axis")
        sides = [_cut(len(self.shape), axis, ranks) for axis in reversed(whole)]
        self._plan: Optional[Plan] = Plan(self.shape, sides[0], sides[1], self.dtype)
        arrays: tuple[tuple[Literal["src", "dst"], tuple[int, ...]], ...] = (("src", self.subshapeA), ("dst", self.subshapeB))
        for side, given in arrays:
            must = self._plan.local_shape(side, rank)
            if given != must:
                raise PlanError(f"the {side} array of rank {rank} of {ranks} has the shape {must}, not {given}")
        self._bound: dict[bool, Bound] = {}

    def forward(self, arrayA: NDArray[Any], arrayB: NDArray[Any]) -> None:
        """Moves `arrayA`, of `subshapeA`, to `arrayB`, of `subshapeB`. Collective."""
        self._direction(True).run(arrayA, arrayB)

    def backward(self, arrayB: NDArray[Any], arrayA: NDArray[Any]) -> None:
        """Moves `arrayB`, of `subshapeB`, to `arrayA`, of `subshapeA`. Collective."""
        self._direction(False).run(arrayB, arrayA)

    def destroy(self) -> None:
        """Frees what moves need. No rank waits for another one."""
        self._plan = None
        self._bound.clear()

    def _direction(self, forward: bool) -> Bound:
        """Returns what moves in a direction; its first call binds, with all ranks."""
        bound = self._bound.get(forward)
        if bound is None:
            if self._plan is None:
                raise MoveError("this transfer is destroyed; make another one by `Pencil.transfer`")
            plan = self._plan if forward else self._plan.inverse()
            bound = self._bound[forward] = plan.bind(self.comm)
        return bound


class Pencil:
    """This rank's part of an array whose axes are distributed over the communicators of a `Subcomm`, all but `axis`.

    Axes that the communicators do not reach are not distributed. Where an extent is no multiple of its ranks, the first ranks
    have one element more each. `subshape` and `substart` are the extents and the first index of this rank's part.
    """

    def __init__(self, subcomm: Sequence[Any], shape: Sequence[int], axis: int = -1) -> None:
        """Finds the part; no rank waits for another one."""
        self.shape = _numbers(shape)
        if len(self.shape) < 2 or min(self.shape) < 1:
            raise PlanError(f"pencils have two axes or more, of one element or more each, not the shape {self.shape}")
        self.axis = _axis(self.shape, axis)
        self.subcomm = _for_each_axis(subcomm, len(self.shape), self.axis)
        if self.subcomm[self.axis].Get_size() != 1:
            raise PlanError(
                f"axis {self.axis} is distributed over {self.subcomm[self.axis].Get_size()} ranks, and pencils along it are not; "
                f"give the communicator of this axis one rank, or align pencils with an axis that has one"
            )
        parts = [_part(extent, comm.Get_size(), comm.Get_rank()) for extent, comm in zip(self.shape, self.subcomm)]
        self.subshape = tuple(extent for extent, _ in parts)
        self.substart = tuple(start for _, start in parts)

    def pencil(self, axis: int) -> Pencil:
        """Returns the pencil of the same array along another axis, over whose ranks this one's axis is distributed."""
        axis = _axis(self.shape, axis)
        subcomm = list(self.subcomm)
        subcomm[axis], subcomm[self.axis] = subcomm[self.axis], subcomm[axis]
        return Pencil(subcomm, self.shape, axis)

    def transfer(self, pencil: Pencil, dtype: DTypeLike) -> Transfer:
        """Plans the move from this pencil to another one of the same array. No rank waits for another one."""
        if self.shape != pencil.shape:
            raise PlanError(f"this pencil has an array of {self.shape}, the second one of {pencil.shape}")
        mine, theirs = list(self.subcomm), list(pencil.subcomm)
        theirs[self.axis], theirs[pencil.axis] = theirs[pencil.axis], theirs[self.axis]
        for axis, (comm, other) in enumerate(zip(mine, theirs)):
            if comm != other and max(comm.Get_size(), other.Get_size()) > 1:
                raise PlanError(
                    f"axis {axis} is distributed over other ranks on the two sides; make the second pencil by "
                    f"`pencil.pencil({pencil.axis})` of the first"
                )
        line = self.subcomm[pencil.axis]
        shape = list(self.subshape)
        shape[pencil.axis] = self.shape[pencil.axis]
        return Transfer(line, shape, dtype, self.subshape, self.axis, pencil.subshape, pencil.axis)


def _mpi() -> Any:
    """Returns `mpi4py.MPI`, which initialises MPI where nothing has done so."""
    return import_module("mpi4py.MPI")


def _numbers(list_of: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(number) for number in list_of)


def _axis(shape: tuple[int, ...], axis: int) -> int:
    """Returns an axis that counts from 0, of one that may count from the end."""
    if not -len(shape) <= axis < len(shape):
        raise PlanError(f"axis {axis} is none of an array of {len(shape)} axes")
    return int(axis) % len(shape)


def _cut(axes: int, cut: int, ranks: int) -> str:
    """Returns the layout of an array of which one axis is distributed."""
    return f"({', '.join('block balanced' if axis == cut else '*' for axis in range(axes))}) onto {ranks}"


def _part(extent: int, ranks: int, rank: int) -> tuple[int, int]:
    """Returns the extent and the first index of a rank's part of an axis."""
    each, more = divmod(extent, ranks)
    return each + (rank < more), each * rank + min(rank, more)


def _extents(ranks: int, dims: Any) -> list[int]:
    """Returns the extents of a process grid, where 0 is one that MPI chooses."""
    if dims is None:
        return [0]
    if np.ndim(dims) == 0:
        if dims < 1:
            raise PlanError(f"dims is {dims}; a process grid has one axis or more")
        return [0] * int(dims)
    extents = [max(0, int(extent)) for extent in dims]
    given = int(np.prod([extent for extent in extents if extent], dtype=object))
    if not extents or ranks % given or (0 not in extents and given != ranks):
        raise PlanError(f"no grid of {ranks} ranks has the extents {extents}; write 0 for an extent that MPI chooses")
    return extents


def _lines(cart: Any) -> list[Any]:
    """Returns the communicators of a Cartesian one, a communicator for each axis."""
    axes = cart.Get_dim()
    if axes < 1:
        raise CommunicatorError("the process grid of this communicator has no axis; bring one with an axis or more")
    return [cart.Sub([axis == kept for axis in range(axes)]) for kept in range(axes)]


def _for_each_axis(subcomm: Sequence[Any], axes: int, whole: int) -> tuple[Any, ...]:
    """Returns a communicator for each axis of an array, where fewer are given than it has axes."""
    comms = list(subcomm)
    if not 1 <= len(comms) <= axes:
        raise PlanError(f"{len(comms)} communicators are given for an array of {axes} axes; bring 1 to {axes}")
    if len(comms) < axes:
        MPI = _mpi()
        comms += [MPI.COMM_SELF] * (axes - 1 - len(comms))
        comms.insert(whole, MPI.COMM_SELF)
    return tuple(comms)
