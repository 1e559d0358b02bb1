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

    Each dimension has a length of `blocks`: -1 if it is not distributed, 0 for one block for each
    rank. The `grid` has the extents of the process grid, ignored for such a dimension. The grid
    coordinates of block 0 are `first`. The `ranks` of the communicator form the grid.
    """

@final
class Picture:
    """Pictures of a plan, as SVG: notebooks show them, `save` writes them."""

    @property
    def svg(self) -> str:
        """The text of the SVG."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes it to a file, as SVG; refuses a name with another suffix than `.svg`."""

    def _repr_svg_(self) -> str:
        """Gives notebooks the text of the SVG."""

@final
class Page:
    """One HTML page of a plan, for a browser or a notebook; `save` writes it."""

    @property
    def html(self) -> str:
        """The text of the page."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the page to a file."""

    def _repr_html_(self) -> str:
        """Gives notebooks the page in a frame of its own."""

@final
class Plan:
    """The messages for an array of `shape` from the layout `src` to the layout `dst`.

    Layouts are texts, such as `"(block, *) onto 4"`, `"(cyclic(64), cyclic(64)) onto (2, 3)"` or
    `"scalapack(64, 64, 2, 3)"`. `dtype` is the element type, anything that numpy takes for one; the
    default is float64. With `relabel`, the destination's ranks have those cells of its grid that
    let most elements stay. A plan needs no communicator; `bind` does.

    Plans of the same move are equal, and can be copied and pickled.
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
        """The global shape of the moved array, in the source's order of axes."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""

    @property
    def src(self) -> str:
        """The source's layout, in the notation."""

    @property
    def dst(self) -> str:
        """The destination's layout, in the notation."""

    @property
    def ranks(self) -> int:
        """The least number of ranks of a communicator."""

    @property
    def digest(self) -> str:
        """A digest, which is the same for two plans of the same move; ranks compare it."""

    def local_shape(self, side: _Side, rank: SupportsIndex) -> tuple[int, ...]:
        """Returns the shape of a rank's local array on a side; zeros if it has none."""

    def local_size(self, side: _Side, rank: SupportsIndex) -> int:
        """Returns the number of elements of a rank's local array on a side."""

    def empty(self, side: _Side, rank: SupportsIndex) -> NDArray[Any]:
        """Makes a new array for a rank's part on a side, its elements not initialised.

        It has the side's shape and order of axes, C's or Fortran's.
        """

    def owner(self, side: _Side, index: Sequence[SupportsIndex]) -> int:
        """Returns the rank that holds the element of this index of a side's stored array."""

    def global_index(self, side: _Side, rank: SupportsIndex, index: Sequence[SupportsIndex]) -> tuple[int, ...]:
        """Returns the index, in a side's stored array, of the element at an index of a rank's local array."""

    def global_indices(self, side: _Side, rank: SupportsIndex) -> list[NDArray[np.int64]]:
        """Returns an array for each axis of a side's stored array: a rank's indices along it.

        `whole[numpy.ix_(*plan.global_indices(side, rank))]` is the rank's local array.
        """

    def inverse(self) -> Plan:
        """Returns the plan of the way back."""

    def explain(self) -> str:
        """Describes layouts, classes, windows, volumes, and the least number of steps."""

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
        """Draws the ranks' elements, those that two ranks share, volumes, or the steps.

        A `pair` has the source rank and the destination rank whose common pieces are drawn. The two
        drawn `axes` begin with the vertical one. Other axes are cut at their index in `slices`. The
        `method` orders the messages.
        """

    def page(
        self,
        *,
        title: str | None = None,
        pair: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> Page:
        """Makes one HTML page, for a browser or a notebook.

        It has both layouts, the message of the element under the pointer, the matrix of messages,
        the schedule step by step, and `explain`. At first, the `pair` of source rank and destination
        rank is selected.
        """

    def _repr_html_(self) -> str | None:
        """Gives notebooks the page; nothing if the array is empty."""

    def bind(
        self,
        comm: Any,
        *,
        src_like: NDArray[Any] | None = None,
        dst_like: NDArray[Any] | None = None,
        route: Literal["automatic", "staged", "messages"] = "automatic",
    ) -> Bound:
        """Checks the plan with all ranks of an mpi4py communicator, and prepares moves.

        Collective. Arrays must be dense in the order of the layouts (`Bound.empty` makes them). With
        `src_like` or `dst_like`, they must be like that array: of the same shape and strides, as
        views of larger arrays have. The `route` is the way of elements, the same on all ranks.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Plan], tuple[list[int], str, str, np.dtype[Any]]]: ...

@final
class Bound:
    """A plan bound to the ranks of a communicator, made by `Plan.bind`.

    It moves arrays as often as wanted, without planning or allocating again. Only the thread that
    bound it uses it; other threads of Python run while it moves.
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
        """The way of elements in `run`, in the words of `bind`'s `route`."""

    def local_shape(self, side: _Side) -> tuple[int, ...]:
        """Returns the shape of this rank's local array on a side."""

    def empty(self, side: _Side) -> NDArray[Any]:
        """Makes a new dense array for this rank's part on a side, its elements not initialised."""

    def shared(self, side: _Side) -> NDArray[Any]:
        """Makes a new dense array of zeros, in memory that other ranks of its node can use in `run`.

        Collective. If all ranks are on one node and pass such arrays, each element is copied once,
        from array to array.
        """

    def run(self, a: NDArray[Any], out: NDArray[Any]) -> None:
        """Moves `a`, this rank's part on the source's side, to `out`, its part on the other side.

        Collective. Other threads of Python run meanwhile; none of them may write to `a`, use `out`,
        or resize either.
        """

    def start(self, a: NDArray[Any], out: NDArray[Any]) -> Move:
        """Begins the same move; finishing the returned `Move` ends it.

        Collective. `a` may be written to at once; `out` is written to when the move is finished.
        """

    def explain(self) -> str:
        """Describes a move of this rank: plan, schedule, way, kernels."""

@final
class SharedMemory:
    """The memory of an array of `Bound.shared`, which keeps it."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """Describes these bytes to numpy."""

@final
class Move:
    """A move under way, made by `Bound.start`.

    As a context manager, it is finished at the end of the block. A forgotten one is finished, too,
    but its errors are only printed.
    """

    @property
    def is_finished(self) -> bool:
        """True once it has been finished."""

    def test(self) -> bool:
        """Returns `True` if `finish` would not wait. Lets MPI make progress."""

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
