from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, SupportsIndex, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_Side = Literal["src", "dst"]
_Result = TypeVar("_Result")
_Arrays = NDArray[Any] | Sequence[NDArray[Any]]
_Function = Callable[[NDArray[Any], NDArray[Any]], Any]

__all__ = [
    "ArrayError",
    "Batch",
    "Bound",
    "BoundBatch",
    "CommunicatorError",
    "Copies",
    "Coupling",
    "Error",
    "FileError",
    "IndexMove",
    "ListVolume",
    "Messages",
    "Move",
    "MoveError",
    "OpenedFiles",
    "Packing",
    "Page",
    "Picture",
    "Place",
    "Plan",
    "PlanError",
    "Programs",
    "Rank",
    "RankError",
    "Relabelled",
    "SharedMemory",
    "View",
    "Views",
    "__version__",
    "convert",
    "darray",
    "layout",
    "run",
    "scalapack",
    "verify_files",
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

class FileError(Error):
    """Files were not converted, or differ."""

class RankError(Error):
    """A rank of `redist.threads.run` has failed. Its exception is the cause."""

def convert(
    manifest: str | PathLike[str] | dict[str, Any],
    *,
    memory: int = ...,
    threads: int | None = None,
    force: bool = False,
    check: bool = False,
    sync: bool = True,
) -> list[dict[str, Any]]:
    """Moves arrays from files of one layout to files of another, all or none.

    The manifest is the name of a file, or a dictionary of the same keys: docs/checkpoints.md has
    them. It is what `redist convert` does, without MPI, in at most `memory` bytes of elements. An
    outcome has the `name`, `bytes`, `element_bytes`, `files` of both sides, `checksum`, `kept`: true
    if a call that was killed had written the array, and `seconds`.
    """

def verify_files(
    manifest: str | PathLike[str] | dict[str, Any],
    *,
    memory: int = ...,
    threads: int | None = None,
) -> list[dict[str, Any]]:
    """Proves that both sides of a manifest hold the same arrays; raises `FileError` if not."""

@final
class OpenedFiles:
    """Reads boxes of an array in files: `redist.open_array` makes and wraps it."""

    def __new__(cls, manifest: str, memory: int) -> OpenedFiles: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """Extents, in elements."""

    @property
    def code(self) -> str:
        """The code of the elements: numpy's, or one of `bf16`, `f8_e4m3`, `f8_e5m2` and `f8_e8m0`."""

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Extents of chunks in the files, in elements; `None` if there are none."""

    @property
    def closed(self) -> bool:
        """`True` once `close` was called."""

    def read_into(self, bounds: tuple[Sequence[int], Sequence[int], Sequence[int]], to: Any) -> None:
        """Reads from first indices on, by steps, so many indices, into an array of bytes."""

    def close(self) -> None:
        """Closes the files; a call that reads at the time ends first."""

def layout(
    blocks: Sequence[SupportsIndex | Sequence[SupportsIndex]],
    grid: Sequence[SupportsIndex],
    *,
    first: Sequence[SupportsIndex] | None = None,
    ranks: Sequence[SupportsIndex] | None = None,
    column_major_ranks: bool = False,
    fortran: bool = False,
    axes: Sequence[SupportsIndex] | None = None,
    of: Sequence[SupportsIndex] | None = None,
    at: Sequence[SupportsIndex] | None = None,
) -> str:
    """Writes a layout from numbers, in the notation.

    Each dimension has a length of `blocks`: -1 if it is not distributed, 0 for one block for each
    rank; or a list with the size of each rank's block. The `grid` has the extents of the process
    grid, ignored for dimensions that are not distributed. The grid coordinates of block 0 are
    `first`. The `ranks` of the communicator form the grid. Axis `d` of the source is axis `axes[d]`
    here. The part that moves begins at index `at` of a stored array with the shape `of`.
    """

def scalapack(
    desc: Sequence[SupportsIndex] | NDArray[np.int32],
    grid: tuple[SupportsIndex, SupportsIndex],
    *,
    shape: tuple[SupportsIndex, SupportsIndex] | None = None,
    ia: SupportsIndex = 1,
    ja: SupportsIndex = 1,
) -> str:
    """Writes the layout of a matrix of ScaLAPACK, or of its part sub(A), in the notation.

    `desc` has the nine integers of `DESCINIT`, of which CTXT and LLD are not looked at. The `grid`
    has rows and columns, whose processes are ranks in row-major order. The part begins at row `ia`
    and column `ja`, which count from 1. It has the `shape`, and all that follows without one.
    """

def darray(
    gsizes: Sequence[SupportsIndex],
    distribs: Sequence[Literal["none", "block", "cyclic"] | int],
    dargs: Sequence[SupportsIndex | None],
    psizes: Sequence[SupportsIndex],
    order: Literal["C", "F"] | int = "C",
) -> str:
    """Writes the layout that the arguments of `MPI_Type_create_darray` say, in the notation.

    Each dimension has a distribution and a length of its blocks, or `None` for MPI's default.
    mpi4py's constants stand for the same. Ranks fill the grid `psizes` in row-major order.
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
class Place:
    """The place of a `View` in the memory of a local array: what `as_strided` takes."""

    @property
    def offset(self) -> int:
        """Elements of memory before the first one."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Elements of memory from neighbour to neighbour along each axis of the view."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class View:
    """A part of a message: a strided box of the sender's array, and one of the receiver's.

    Both list the same elements in the same order.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis, the slowest first; `()` for one element."""

    @property
    def size(self) -> int:
        """Elements in the view."""

    @property
    def src(self) -> Place:
        """The box in the sender's array."""

    @property
    def dst(self) -> Place:
        """The box in the receiver's array."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Views:
    """The views of one message: a sequence, whose members are made when they are asked for."""

    @property
    def elements(self) -> int:
        """Elements in all views."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: SupportsIndex, /) -> View: ...
    def __iter__(self) -> Iterator[View]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Messages:
    """Messages of one rank, made by `Plan.messages`.

    Arrays are dense, as `Plan.empty` makes them. The sender copies its boxes to a buffer, one after
    the other, and the receiver copies the buffer to its own: both have the same views, in the same
    order.
    """

    @property
    def rank(self) -> int:
        """The rank."""

    @property
    def sends(self) -> dict[int, Views]:
        """Views by the rank that they go to, this one among them for what stays."""

    @property
    def receives(self) -> dict[int, Views]:
        """Views by the rank that they come from, this one among them for what stays."""

@final
class Packing:
    """The packing and the unpacking of one rank, made by `Plan.packing`.

    A transport brings each buffer from its sender to its receiver. Elements lie in a buffer as in the
    messages of `Bound.run`. Any thread may use it. Other threads of Python run meanwhile; none may use
    the arrays of a call.
    """

    @property
    def rank(self) -> int:
        """The rank."""

    @property
    def sends(self) -> dict[int, int]:
        """The elements of each message that the rank sends, by receiver, itself among them."""

    @property
    def receives(self) -> dict[int, int]:
        """The elements of each message that the rank receives, by sender, itself among them."""

    def empty(self, elements: SupportsIndex) -> NDArray[Any]:
        """Makes a new buffer for a number of elements, not initialised."""

    def pack(self, array: NDArray[Any], peer: SupportsIndex, buffer: Any) -> None:
        """Packs the message to `peer` into a buffer.

        It is an array of the elements or of their bytes, or whatever has the buffer protocol.
        """

    def unpack(self, buffer: Any, peer: SupportsIndex, array: NDArray[Any]) -> None:
        """Unpacks the message from `peer`, which a buffer has, into the array.

        Elements of no message keep their values.
        """

    def pack_all(self, array: NDArray[Any], buffers: dict[int, Any]) -> None:
        """Packs all messages by the kernels of `Bound.run`, which read the array once.

        The buffers are by receiver.
        """

    def unpack_all(self, buffers: dict[int, Any], array: NDArray[Any]) -> None:
        """Unpacks all messages by the kernels of `Bound.run`. The buffers are by sender."""

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
        """Returns the shape of a rank's local array on a side; zeros if it has none.

        The ranks of a plan count from 0 to `ranks - 1`. Ranks of a larger communicator ask their
        `Bound`.
        """

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

    def messages(self, rank: SupportsIndex) -> Messages:
        """Returns the messages of a rank as strided views of dense local arrays.

        They are all that a transport needs: `.sends` and `.receives`, by the other rank.
        """

    def packing(
        self, rank: SupportsIndex, *, src_like: NDArray[Any] | None = None, dst_like: NDArray[Any] | None = None
    ) -> Packing:
        """Prepares the packing and the unpacking of a rank's messages, for a transport of your own.

        Arrays must be dense, as `empty` makes them. With `src_like` or `dst_like`, they must be like
        that array: of the same shape and strides.
        """

    @property
    def volumes(self) -> NDArray[np.int64]:
        """Elements from each rank to each: an array, sources × destinations."""

    @property
    def steps(self) -> int:
        """The least number of steps of any schedule; an upper bound if a search takes too long."""

    @property
    def stays(self) -> int:
        """Elements that stay on their rank; 0, a lower bound, if a search takes too long."""

    @property
    def memory(self) -> int:
        """Bytes of local arrays and messages on the rank that needs the most.

        An upper bound if a search takes too long.
        """

    def scatter(self, whole: NDArray[Any], side: _Side = "src") -> list[NDArray[Any]]:
        """Deals a whole array to the ranks of a side. Returns a new array for each rank.

        The array has the shape of the side's stored array, of which a section is a part. Ranks are
        threads of this process, so that neither MPI nor mpi4py is needed. Other threads of Python
        run meanwhile; none may write to the array.
        """

    def simulate(
        self,
        parts: Sequence[NDArray[Any]],
        *,
        into: Sequence[NDArray[Any]] | None = None,
        alpha: complex | np.number[Any] | None = None,
        beta: complex | np.number[Any] | None = None,
        conjugate: bool = False,
        function: _Function | None = None,
        part: Literal["upper", "lower"] | None = None,
        unit_diagonal: bool = False,
    ) -> list[NDArray[Any]]:
        """Moves the parts of all ranks, which are threads of this process.

        Takes an array for each rank, of the source's side. Returns a new one for each, of the
        destination's side; elements beside a moved section are zero.

        Elements arrive in the arrays of `into`, if there are any, which are then returned. They
        become `alpha` times what arrives, or its conjugate, plus `beta` times what they were. Those
        for which nothing arrives stay as they are.

        With a `function`, it is called with arrays of one axis: of elements that have arrived, and
        of those of `into` in their places. It writes to the latter, which may have another dtype.
        Ranks are threads: several may call it in turn. Of a matrix, the `part` "upper" or "lower" of
        the diagonal moves alone, as by `bind`.
        """

    def gather(self, parts: Sequence[NDArray[Any]], side: _Side = "dst") -> NDArray[Any]:
        """Puts the parts of a side's ranks together, an array for each. Returns a new array."""

    def verify(self) -> int:
        """Moves elements that tell themselves apart between threads, and compares every one.

        They go from array to array, and by messages. Returns the number of elements that moved.
        Takes the memory of all local arrays, of both sides.
        """

    def inverse(self) -> Plan:
        """Returns the plan of the way back."""

    def explain(self) -> str:
        """Describes layouts, classes, windows, volumes, and the least number of steps."""

    def explain_json(self, *, rank: int | None = None, counts: int | None = None) -> str:
        """Describes the same as JSON, as `redist explain --json` writes it.

        It also has schedules with their costs, and memory. With a `rank`, its messages are listed, too. Elements
        from each rank to each are listed for `counts` pairs of ranks at most, 2^20 unless told.
        """

    def facts(self) -> dict[str, Any]:
        """Returns facts about the plan: what `explain_json` has, as a dictionary.

        A number that takes too long to find is `None`.
        """

    def to_json(self) -> str:
        """Returns the plan as JSON, which `from_json` reads, and Rust, too.

        It has the shape (`extents`), both layouts, the element type and the digest.
        """

    @staticmethod
    def from_json(text: str, dtype: DTypeLike | None = None) -> Plan:
        """Plans what `to_json` has written, or what was written by hand.

        The text has `extents`, `from` and `to`. A digest is compared. The `dtype` is for texts
        without an element type.
        """

    def relabelled(self) -> Relabelled:
        """Returns the plan whose destination's ranks have those cells that let most elements stay.

        With the table of ranks, as `Plan(…, relabel=True)` plans it.
        """

    def scalapack(
        self, side: _Side, rank: SupportsIndex, context: SupportsIndex = 0
    ) -> list[int]:
        """Returns the nine integers of ScaLAPACK's descriptor of a side, as `DESCINIT` fills them.

        With this CTXT, and the least LLD. A rank without a part has CTXT -1.
        """

    def darray(
        self, side: _Side
    ) -> tuple[list[int], list[str], list[int | None], list[int], Literal["C", "F"]]:
        """Returns the arguments of `MPI_Type_create_darray` for the stored array of a side.

        They are gsizes, distributions, dargs, psizes and order, as `redist.darray` takes them.
        """

    def placements(self, side: _Side) -> tuple[list[Any], list[str]]:
        """Returns the mesh of a side, and a placement for each of its dimensions.

        The mesh has its ranks in nested lists. `redist.placements` takes both.
        """

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
        route: Literal["automatic", "chunks", "messages"] = "automatic",
        collectively: bool = False,
        part: Literal["upper", "lower"] | None = None,
        unit_diagonal: bool = False,
        max_bytes: SupportsIndex | None = None,
        method: Literal["all-at-once", "circulant", "closed-form", "koenig", "caterpillar"]
        | None = None,
        max_message_bytes: SupportsIndex | None = None,
    ) -> Bound:
        """Checks the plan with all ranks of an mpi4py communicator, and prepares moves.

        Collective. Ranks that are threads pass their `redist.threads.Rank`. Arrays must be dense in the order of the layouts (`Bound.empty` makes them). With
        `src_like` or `dst_like`, they must be like that array: of the same shape and strides, as
        views of larger arrays have. The `route` is the way of elements, the same on all ranks. With
        `collectively`, which all ranks give, a wrong array on one rank is an error on all ranks;
        without it, on those that receive from that rank.

        Of a matrix, the `part` "upper" or "lower" of the diagonal moves alone, without the diagonal
        if it is `unit_diagonal`. A rank's messages take `max_bytes` at most; a larger move goes in
        rounds. The `method` orders messages. They go in segments of `max_message_bytes` at most. All
        ranks give the same.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Plan], tuple[list[int], str, str, np.dtype[Any]]]: ...

@final
class Relabelled:
    """A plan that lets most elements stay, made by `Plan.relabelled`."""

    @property
    def plan(self) -> Plan:
        """The plan."""

    @property
    def table(self) -> NDArray[np.int64]:
        """By rank: the rank that has its cell of the destination's grid now.

        A rank beside that grid has itself.
        """

    @property
    def stayed(self) -> int:
        """Elements that stay on their rank by the other plan."""

    @property
    def stays(self) -> int:
        """Elements that stay on their rank by this plan."""

@final
class Programs:
    """The programs of one launch, by their numbers from 0 on.

    Such as of `mpiexec -n 3 python producer.py : -n 4 python consumer.py`. Collective over all ranks
    of `comm`, of all programs. With a `number`, which all ranks of a program give, programs are
    those of equal numbers.
    """

    def __new__(cls, comm: Any, *, number: SupportsIndex | None = None) -> Programs: ...
    @property
    def program(self) -> int:
        """This program's number."""

    @property
    def count(self) -> int:
        """The number of programs."""

    @property
    def rank(self) -> int:
        """This rank's number in its program."""

    @property
    def size(self) -> int:
        """The number of ranks of this program."""

    def couple(self, side: _Side, program: SupportsIndex) -> Coupling:
        """Couples this program, which is the `side`, with another `program`, the other side.

        Collective over both.
        """

    def join_parts(
        self,
        side: _Side | None,
        shape: SupportsIndex | Sequence[SupportsIndex],
        layout: str | None = None,
        *,
        at: SupportsIndex | Sequence[SupportsIndex] | None = None,
        extents: SupportsIndex | Sequence[SupportsIndex] | None = None,
        dtype: DTypeLike | None = None,
    ) -> Bound:
        """Joins programs that hold or want parts of one array, of this `shape`.

        This one holds a part, as `side` "src", or wants one, as "dst": from index `at` on, of these
        `extents`, or all of the array from `at` on. The `layout` is that of the part on this
        program's ranks, from 0 on. A program that takes no part passes `None` for its side.
        Collective over all ranks of all programs, as moves of what is bound.
        """

@final
class Coupling:
    """Two programs, of which one has an array and the other wants it.

    Made by `Programs.couple` or `Coupling.rendezvous`. `Plan.bind` takes it for a communicator. The
    ranks of the program that is the source are the first ones.
    """

    @staticmethod
    def rendezvous(
        comm: Any, side: _Side, file: str | PathLike[str], *, seconds: float = 60.0
    ) -> Coupling:
        """Couples two programs of different launches, of which this one is the `side`.

        Collective over `comm`, all ranks of this program. Both name one `file`, in a folder that
        rank 0 of either can write to, and wait for each other for at most `seconds`. The MPI
        library's ports join them.
        """

    def handshake(
        self, layout: str, shape: SupportsIndex | Sequence[SupportsIndex] | None = None
    ) -> tuple[str, tuple[int, ...]]:
        """Exchanges layouts with the other program, and the shape, as far as each knows it.

        Returns the other program's layout, and the shape. Collective over both. The `layout` is this
        program's own, on ranks from `first_rank` on.
        """

    @property
    def side(self) -> _Side:
        """The side of this program."""

    @property
    def rank(self) -> int:
        """This rank's number among the ranks of both programs."""

    @property
    def size(self) -> int:
        """The number of ranks of both programs."""

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of ranks: of the program that is the source, and of the other one."""

    @property
    def first_rank(self) -> int:
        """The number of this program's rank 0 among the ranks of both programs."""

@final
class IndexMove:
    """A move by the global indices of this rank's elements: each rank has lists of its own.

    There are `extent` indices, from 0 on. `src` has the index of each element of this rank's array
    before the move, `dst` of each element after it: arrays of integers, in the order of the local
    arrays. An index may be in any `dst`, any number of times, and in the `src` of one rank, or of
    several if their elements are `equal`. Each index stands for so many neighbouring `elements`;
    for more than one, local arrays have a row of these for each index. `extent`, `elements`,
    `equal` and `dtype` are the same on all ranks.
    """

    def __new__(
        cls,
        extent: SupportsIndex,
        src: ArrayLike,
        dst: ArrayLike,
        dtype: DTypeLike | None = None,
        *,
        elements: SupportsIndex = 1,
        equal: bool = False,
    ) -> IndexMove: ...
    def bind(self, comm: Any) -> Bound:
        """Plans with all ranks of a communicator of mpi4py's, or of `redist.threads.run`.

        Collective. A mistake in the lists of a rank is an error of all ranks.
        """

    @property
    def extent(self) -> int:
        """The number of all indices."""

    @property
    def elements(self) -> int:
        """The elements that each index stands for."""

    @property
    def equal(self) -> bool:
        """`True` if elements of one index are declared equal."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""

    @property
    def src(self) -> NDArray[np.int64]:
        """The index of each element before the move: a copy of the list, which is read-only."""

    @property
    def dst(self) -> NDArray[np.int64]:
        """The index of each element after the move: a copy of the list, which is read-only."""

@final
class ListVolume:
    """Numbers of a message of a move by lists, or of the elements that stay: of `Bound.volumes`."""

    @property
    def rank(self) -> int:
        """The other rank; this one for what stays on it."""

    @property
    def elements(self) -> int:
        """The elements of the message."""

    @property
    def runs(self) -> int:
        """Runs of neighbours that are copied; a single element is one."""

    @property
    def strides(self) -> int:
        """Groups of runs at equal distances, of which each takes one loop without a list."""

    @property
    def singles(self) -> int:
        """Elements that are copied one by one, each by a place of its own in a list."""

@final
class Bound:
    """A plan bound to ranks, made by `Plan.bind`, `IndexMove.bind` or `Programs.join_parts`.

    It moves arrays as often as wanted, without planning or allocating again. Only the thread that
    bound it uses it; other threads of Python run while it moves.
    """

    @property
    def plan(self) -> Plan:
        """The plan."""

    @property
    def lists(self) -> IndexMove:
        """The `IndexMove` that was bound."""

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

    def global_indices(self, side: _Side) -> list[NDArray[np.int64]]:
        """Returns this rank's indices along each axis of a side's stored array.

        As `Plan.global_indices` does, also on ranks that the plan lacks. Of an `IndexMove`, the list;
        of parts of an array, indices in the whole.
        """

    def empty(self, side: _Side) -> NDArray[Any]:
        """Makes a new dense array for this rank's part on a side, its elements not initialised."""

    def shared(self, side: _Side) -> NDArray[Any]:
        """Makes a new dense array of zeros, in memory that other ranks of its node can use in `run`.

        Collective. If all ranks are on one node and pass such arrays, each element is copied once,
        from array to array.
        """

    def run(
        self,
        a: NDArray[Any],
        out: NDArray[Any],
        *,
        alpha: complex | np.number[Any] | None = None,
        beta: complex | np.number[Any] | None = None,
        conjugate: bool = False,
        function: _Function | None = None,
    ) -> None:
        """Moves `a`, this rank's part on the source's side, to `out`, its part on the other side.

        Collective. Other threads of Python run meanwhile; none of them may write to `a`, use `out`,
        or resize either. If `out` lies between the elements of `a`, as an imaginary part between
        real ones, `run` copies `a` first.

        With `alpha`, `beta` or `conjugate`, elements of `out` become `alpha` times what arrives, or
        its conjugate, plus `beta` times what they were. With a `function`, it is called with arrays
        of one axis: of elements that have arrived, and of those of `out` in their places. It writes
        to the latter, and returns nothing. `out` may have another dtype then. A ufunc of two arrays
        is called with what is there, what has arrived, and `out`. Each rank chooses its own.
        """

    def run_in_place(self, a: NDArray[Any], out: NDArray[Any]) -> None:
        """Moves between arrays that share memory, as `in_place` makes them.

        Collective. The elements of `a` are gone when `out` has its own. The messages of a rank take
        the memory of all that it sends.
        """

    def in_place(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Makes a new array for this rank's part on each side, both in the same memory."""

    def start(self, a: NDArray[Any], out: NDArray[Any]) -> Move:
        """Begins the same move; finishing the returned `Move` ends it.

        Collective. `a` may be written to at once; `out` is written to when the move is finished.
        """

    def volumes(self, side: _Side) -> list[ListVolume]:
        """Returns a list of what goes to each rank (`"src"`), or comes from it (`"dst"`).

        By increasing rank, this one among them; of an `IndexMove`.
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
    """A move under way, made by `Bound.start` or `BoundBatch.start`.

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

@final
class Copies:
    """A plan between copies of one array of `shape`: broadcasts, all-gathers, and others.

    Behind a layout of the notation, `copies k` stands for `k` copies on the ranks behind each other,
    and `copies k along a` for copies along an axis of the grid. Each copy of the destination is read
    from one copy of the source. All messages go in one exchange.

    With `combine`, the copies of the source are addends. They are combined in their order, so that
    all ranks and all runs have the same bits. A function is called with arrays of one axis: of
    elements of an addend, and of results so far. It writes to the latter, and returns nothing.
    """

    def __new__(
        cls,
        shape: SupportsIndex | Sequence[SupportsIndex],
        src: str,
        dst: str,
        dtype: DTypeLike | None = None,
        *,
        combine: Literal["sum", "min", "max"] | _Function | None = None,
    ) -> Copies: ...
    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the moved array, in the source's order of axes."""

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
    def counts(self) -> tuple[int, int]:
        """The numbers of copies: of the source, of the destination."""

    @property
    def ranks(self) -> int:
        """The least number of ranks of a communicator."""

    def local_shape(self, side: _Side, rank: SupportsIndex) -> tuple[int, ...]:
        """Returns the shape of a rank's part of its copy on a side; zeros if it has none."""

    def empty(self, side: _Side, rank: SupportsIndex) -> NDArray[Any]:
        """Makes a new array for a rank's part of its copy, its elements not initialised."""

    def global_indices(self, side: _Side, rank: SupportsIndex) -> list[NDArray[np.int64]]:
        """Returns an array for each axis of a side's stored array: a rank's indices along it."""

    def explain(self) -> str:
        """Lists the source copy of each destination copy."""

    def bind(
        self, comm: Any, *, src_like: NDArray[Any] | None = None, dst_like: NDArray[Any] | None = None
    ) -> BoundBatch:
        """Checks the plans with all ranks of a communicator, and prepares moves.

        Collective. Communicators are as for `Plan.bind`. Arrays must be dense, as `BoundBatch.empty`
        makes them. With `src_like` or `dst_like`, they must be like that array: of the same shape
        and strides.
        """

    def simulate(self, parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Moves the parts of all ranks, which are threads of this process.

        Takes and returns a list with an array for each rank; elements beside a moved section are
        zero.
        """

@final
class Batch:
    """Several arrays that move in one exchange.

    At most one message goes from a rank to another, with the parts of all arrays. `plans` is a list
    of `Plan`s and `Copies`; shapes, layouts and dtypes may differ.
    """

    def __new__(cls, plans: Sequence[Plan | Copies]) -> Batch: ...
    @property
    def plans(self) -> list[Plan | Copies]:
        """The plans, in order."""

    @property
    def ranks(self) -> int:
        """The least number of ranks of a communicator."""

    def empty(self, side: _Side, rank: SupportsIndex) -> list[NDArray[Any]]:
        """Makes a list with a new array for a rank's part of each array on a side."""

    def bind(
        self,
        comm: Any,
        *,
        src_like: Sequence[NDArray[Any] | None] | None = None,
        dst_like: Sequence[NDArray[Any] | None] | None = None,
    ) -> BoundBatch:
        """Checks all plans with all ranks of a communicator, and prepares moves.

        Collective. Communicators are as for `Plan.bind`. Arrays must be dense, as `BoundBatch.empty`
        makes them. With `src_like` or `dst_like`, lists with an array or `None` for each plan, they
        must be like these.
        """

    def simulate(self, parts: Sequence[Sequence[NDArray[Any]]]) -> list[list[NDArray[Any]]]:
        """Moves the arrays of all ranks, which are threads of this process.

        Takes and returns a list for each rank, with an array for each plan; elements beside a moved
        section are zero.
        """

    def __len__(self) -> int: ...

@final
class BoundBatch:
    """Arrays of a `Batch`, or the one of `Copies`, bound to the ranks of a communicator.

    Of a `Batch`, `a` and `out` are lists with an array for each plan; of `Copies` they are an array
    each. Only the thread that bound it uses it; other threads of Python run while it moves.
    """

    @property
    def comm(self) -> Any:
        """The communicator."""

    @property
    def rank(self) -> int:
        """This rank's number in the communicator."""

    def run(self, a: _Arrays, out: _Arrays) -> None:
        """Moves `a`, this rank's parts on the source's side, to `out`, its parts on the other side.

        Collective. Other threads of Python run meanwhile; none of them may write to `a`, use `out`,
        or resize any.
        """

    def start(self, a: _Arrays, out: _Arrays) -> Move:
        """Begins the same move; finishing the returned `Move` ends it.

        Collective. `a` may be written to at once; `out` is written to when the move is finished.
        """

    def local_shape(self, side: _Side) -> Any:
        """Returns the shape of this rank's part of each array on a side."""

    def global_indices(self, side: _Side) -> Any:
        """Returns this rank's indices along each axis of a side's stored arrays."""

    def empty(self, side: _Side) -> Any:
        """Makes new dense arrays for this rank's parts on a side, elements not initialised."""

    def explain(self) -> str:
        """Describes a move of this rank: its messages and the code that packs them."""

@final
class Rank:
    """A rank that is a thread: the communicator that `redist.threads.run` gives a function.

    Only its own thread uses it, while the function runs.
    """

    @property
    def rank(self) -> int:
        """This rank's number, from 0."""

    @property
    def size(self) -> int:
        """The number of ranks."""

    def Get_rank(self) -> int:
        """Returns this rank's number, as mpi4py does."""

    def Get_size(self) -> int:
        """Returns the number of ranks, as mpi4py does."""

    def barrier(self) -> None:
        """Waits until all ranks have called it. Collective."""

    def Barrier(self) -> None:
        """Waits until all ranks have called it, as mpi4py does. Collective."""

def run(ranks: SupportsIndex, function: Callable[[Rank], _Result]) -> list[_Result]:
    """Calls `function` on a thread for each rank, with a `Rank` as its argument.

    Returns a list of the results, by rank. `Plan.bind` takes a `Rank` as it takes a communicator of
    mpi4py's. A rank that waits lets the other threads of Python run. If a function raises, `run`
    raises a `RankError` from that exception when all ranks have ended. Ranks that wait for that rank
    get a `MoveError`, so that none waits for ever.
    """
