from collections.abc import Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, SupportsIndex, final

import numpy as np
from numpy.typing import DTypeLike, NDArray

_Side = Literal["src", "dst"]

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
    "SharedMemory",
    "__version__",
    "layout",
]
__version__: str

class Error(Exception):
    """An error of this package."""

class PlanError(Error):
    """There is no such plan, layout, option or picture."""

class ArrayError(Error):
    """An array is not what the plan was bound for."""

class CommunicatorError(Error):
    """No plan can be bound to this communicator."""

class MoveError(Error):
    """A plan was not bound, or a move was not made."""

def layout(
    blocks: Sequence[SupportsIndex],
    grid: Sequence[SupportsIndex],
    *,
    first: Sequence[SupportsIndex] | None = None,
    ranks: Sequence[SupportsIndex] | None = None,
    column_major_ranks: bool = False,
    fortran: bool = False,
) -> str:
    """Writes a layout from numbers, in the notation.

    `blocks` has the length of blocks along each dimension: -1 for a dimension that is not
    distributed, 0 for one block for each rank. `grid` has the extents of the process grid, which
    are not looked at where a dimension is not distributed. `first` are the grid coordinates of the
    first block, `ranks` those ranks of the communicator that form the grid.
    """

@final
class Picture:
    """Pictures of a plan, as SVG: shown by notebooks, written by `save`."""

    @property
    def svg(self) -> str:
        """The text of the SVG."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes it to a file, as SVG: a name with another suffix than `.svg` is refused."""

    def _repr_svg_(self) -> str:
        """Gives notebooks the text of the SVG."""

@final
class Page:
    """One HTML page of a plan, to look at in a browser or a notebook; written by `save`."""

    @property
    def html(self) -> str:
        """The text of the page."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the page to a file."""

    def _repr_html_(self) -> str:
        """Gives notebooks the page in a frame of its own."""

@final
class Plan:
    """A plan: who sends what to whom, for an array of `shape` that goes from the layout `src` to `dst`.

    Layouts are texts, such as `"(block, *) onto 4"`, `"(cyclic(64), cyclic(64)) onto (2, 3)"` or
    `"scalapack(64, 64, 2, 3)"`. `dtype` is what the elements are, anything that numpy takes for
    one; float64 where it is left out. With `relabel`, the destination's ranks are given those cells
    of its grid that let most elements stay. No communicator is needed: `bind` needs one.

    Plans that move the same are equal, and can be copied and pickled.
    """

    def __new__(
        cls,
        shape: SupportsIndex | Sequence[SupportsIndex],
        src: str,
        dst: str,
        dtype: DTypeLike | None = None,
        *,
        relabel: bool = False,
    ) -> Plan: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The global shape of what moves, in the source's order of axes."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""

    @property
    def src(self) -> str:
        """The source's layout, in the notation."""

    @property
    def dst(self) -> str:
        """The destination's layout, in the notation."""

    @property
    def ranks(self) -> int:
        """How many ranks a communicator needs at least."""

    @property
    def digest(self) -> str:
        """The same for two plans that move the same: ranks compare it."""

    def local_shape(self, side: _Side, rank: SupportsIndex) -> tuple[int, ...]:
        """The shape of a rank's local array on a side; zeros where it has none."""

    def local_size(self, side: _Side, rank: SupportsIndex) -> int:
        """The number of elements of a rank's local array on a side."""

    def empty(self, side: _Side, rank: SupportsIndex) -> NDArray[Any]:
        """A new array for a rank's part on a side, its elements not initialised.

        It has the shape, and the order of axes, C's or Fortran's, that the side has.
        """

    def owner(self, side: _Side, index: Sequence[SupportsIndex]) -> int:
        """The rank that holds the element of this index of a side's stored array."""

    def global_index(self, side: _Side, rank: SupportsIndex, index: Sequence[SupportsIndex]) -> tuple[int, ...]:
        """The index, in a side's stored array, of the element at an index of a rank's local array."""

    def global_indices(self, side: _Side, rank: SupportsIndex) -> list[NDArray[np.int64]]:
        """An array for each axis of a side's stored array: the indices along it that a rank has.

        `whole[numpy.ix_(*plan.global_indices(side, rank))]` is the rank's local array.
        """

    def inverse(self) -> Plan:
        """The plan of the way back."""

    def explain(self) -> str:
        """Says layouts, classes, windows, how much moves, in how many steps at least."""

    def draw(
        self,
        what: Literal["ownership", "intersection", "volumes", "schedule", "all"] = "all",
        *,
        title: str | None = None,
        pair: tuple[SupportsIndex, SupportsIndex] | None = None,
        axes: tuple[SupportsIndex, SupportsIndex] | None = None,
        slices: Mapping[SupportsIndex, SupportsIndex] | None = None,
        method: Literal["circulant", "closed-form", "koenig", "caterpillar"] | None = None,
    ) -> Picture:
        """Draws who holds what, what two ranks share, how much moves, and when.

        `pair` are the source rank and the destination rank whose common pieces are drawn, `axes`
        the two that are drawn of more, the one that goes down first; `slices` maps other axes to
        the index where they are cut; `method` orders the messages.
        """

    def page(
        self,
        *,
        title: str | None = None,
        pair: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> Page:
        """Makes one HTML page to look at, in a browser or a notebook.

        It has both layouts, the message of the element under the pointer, the matrix of messages,
        the schedule step by step, and what `explain` says. `pair` are the source rank and the
        destination rank that are picked at first.
        """

    def _repr_html_(self) -> str | None:
        """Gives notebooks the page; nothing where the array is empty."""

    def bind(
        self,
        comm: Any,
        *,
        src_like: NDArray[Any] | None = None,
        dst_like: NDArray[Any] | None = None,
        route: Literal["automatic", "staged", "messages", "joined"] = "automatic",
    ) -> Bound:
        """Checks the plan with all ranks of an mpi4py communicator, and prepares what moves need.

        Collective. Arrays are to be dense in the order of the layouts (`Bound.empty` makes them),
        unless `src_like` or `dst_like` is an array that others will be like: of the same shape and
        strides, as views of larger arrays have. `route` says how elements go; the same on all ranks.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Plan], tuple[list[int], str, str, np.dtype[Any]]]: ...

@final
class Bound:
    """A plan bound to the ranks of a communicator: `Plan.bind` makes it.

    It moves arrays as often as wanted, and neither plans nor allocates anew. The thread that bound
    it uses it alone; other threads of Python run while it moves.
    """

    @property
    def plan(self) -> Plan:
        """The plan."""

    @property
    def comm(self) -> Any:
        """The communicator."""

    @property
    def rank(self) -> int:
        """This rank's number in the communicator."""

    @property
    def way(self) -> str:
        """How elements get from rank to rank in `run`, in the words of `bind`'s `route`."""

    def local_shape(self, side: _Side) -> tuple[int, ...]:
        """The shape of this rank's local array on a side."""

    def empty(self, side: _Side) -> NDArray[Any]:
        """A new dense array for this rank's part on a side, its elements not initialised."""

    def shared(self, side: _Side) -> NDArray[Any]:
        """A new dense array of zeros, in memory that the other ranks of its node can use in `run`.

        Collective. If all ranks are on one node and bring such arrays, elements are copied once, from
        array to array.
        """

    def run(self, a: NDArray[Any], out: NDArray[Any]) -> None:
        """Moves `a`, this rank's part as the source has it, to `out`, as the destination has it.

        Collective. Other threads of Python run meanwhile; none of them may write to `a`, use `out`,
        or resize either.
        """

    def start(self, a: NDArray[Any], out: NDArray[Any]) -> Move:
        """Begins the same, so that other work can be done until the `Move` is finished.

        Collective. `a` may be written to at once; `out` is written to when the move is finished.
        """

    def explain(self) -> str:
        """Says what runs on this rank: the plan, the schedule, the way, the kernels."""

@final
class SharedMemory:
    """The memory that an array of `Bound.shared` lies in, which it keeps."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """How numpy makes an array of these bytes."""

@final
class Move:
    """A move that is under way: `Bound.start` makes it.

    As a context manager, it is finished at the end of the block. One that nothing keeps any more is
    waited for, like `finish`, but what goes wrong is only printed.
    """

    @property
    def is_finished(self) -> bool:
        """True once it has been finished."""

    def test(self) -> bool:
        """Says whether `finish` would not wait any more. Lets MPI make progress."""

    def finish(self) -> None:
        """Waits until `out` holds its part. To be called once."""

    def __enter__(self) -> Move: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...
