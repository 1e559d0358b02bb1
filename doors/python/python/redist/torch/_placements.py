"""Layouts of tensors on a mesh of devices, in the notation; needs no torch."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .._redist import PlanError

_Range = tuple[int, int]


class Placement(NamedTuple):
    """One placement, of one dimension of the mesh."""

    kind: str
    dim: int = 0
    factor: int = 1
    op: str = "sum"

    def __str__(self) -> str:
        words = {
            "shard": f"shard({self.dim})",
            "strided": f"strided({self.dim}, {self.factor})",
            "partial": f"partial({self.op})",
        }
        return words.get(self.kind, self.kind)


_OPS = ("sum", "avg", "min", "max", "product")
_WORDS = re.compile(
    r"(shard)\((-?\d+)\)|(strided)\((-?\d+),(\d+)\)|(replicate)(?:\(\))?|(partial)(?:\((\w*)\))?"
)


def _read(word: str, at: int) -> Placement:
    found = _WORDS.fullmatch(word.replace(" ", "").lower())
    if not found:
        known = "`shard(0)`, `strided(0, 2)`, `replicate` or `partial`"
        raise PlanError(f"placement {at} of the mesh is {word!r}; write {known}")
    shard, dim, strided, strided_dim, factor, replicate, _, op = found.groups()
    if shard:
        return Placement("shard", int(dim))
    if strided:
        return Placement("strided", int(strided_dim), int(factor))
    return Placement("replicate") if replicate else Placement("partial", op=op or "sum")


def _placement(word: Any, at: int) -> Placement:
    """Reads a word, or a placement of torch's, by its name and fields."""
    if isinstance(word, Placement):
        return word
    if isinstance(word, str):
        return _read(word, at)
    name = type(word).__name__
    if name == "_StridedShard":
        return Placement("strided", int(word.dim), int(word.split_factor))
    if name == "Shard":
        return Placement("shard", int(word.dim))
    if name == "Replicate":
        return Placement("replicate")
    if name == "Partial":
        return Placement("partial", op=str(word.reduce_op))
    raise PlanError(
        f"placement {at} of the mesh is a {name}, which no layout says; bring Shard, _StridedShard, Replicate or Partial"
    )


def _checked(one: Placement, at: int, shape: Sequence[int]) -> Placement:
    if one.kind == "partial" and one.op not in _OPS:
        raise PlanError(
            f"placement {at} of the mesh is partial({one.op}); addends are combined by {', '.join(_OPS)}"
        )
    if one.kind not in ("shard", "strided"):
        return one
    dim = one.dim + len(shape) if one.dim < 0 else one.dim
    if not 0 <= dim < len(shape):
        raise PlanError(
            f"placement {at} of the mesh shards dimension {one.dim}, but the tensor has {len(shape)}"
        )
    if one.factor < 1:
        raise PlanError(
            f"placement {at} of the mesh has the split factor {one.factor}; a tensor is cut into 1 chunk at least"
        )
    return one._replace(dim=dim)


def _ranks(mesh: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The extents of a mesh, and its ranks row by row: of a DeviceMesh, an array, or nested lists."""
    nested = getattr(mesh, "mesh", mesh)
    nested = nested.tolist() if hasattr(nested, "tolist") else nested
    extents: list[int] = []
    ranks: list[Any] = [nested]
    while ranks and not isinstance(ranks[0], int):
        if (
            not all(isinstance(row, (list, tuple)) for row in ranks)
            or len({len(row) for row in ranks}) != 1
        ):
            raise PlanError(
                f"mesh {nested!r}: write the ranks as nested lists of equal lengths, such as [[0, 1], [2, 3]]"
            )
        extents.append(len(ranks[0]))
        ranks = [one for row in ranks for one in row]
    if not ranks or not all(isinstance(rank, int) and rank >= 0 for rank in ranks):
        raise PlanError(f"mesh {nested!r}: ranks are numbers from 0 on, one at least")
    if len(set(ranks)) != len(ranks):
        raise PlanError(f"mesh {nested!r} names a rank twice; a rank has one place in it")
    return tuple(extents), tuple(ranks)


def _push(held: list[_Range], start: int, end: int) -> None:
    if held and held[-1][1] == start:
        held[-1] = (held[-1][0], end)
    elif start < end:
        held.append((start, end))


def _chunks(ranges: list[_Range], ways: int) -> list[list[_Range]]:
    """Cuts as `torch.chunk` does: the last chunk is shorter, and those behind it are empty."""
    size = max(1, -(-sum(end - start for start, end in ranges) // ways))
    parts: list[list[_Range]] = [[] for _ in range(ways)]
    number, room = 0, size
    for start, end in ranges:
        while start < end:
            if room == 0:
                number, room = number + 1, size
            stop = min(end, start + room)
            _push(parts[number], start, stop)
            room, start = room - (stop - start), stop
    return parts


def _cut(ranges: list[_Range], ways: int, one: Placement) -> list[list[_Range]]:
    if one.kind == "shard":
        return _chunks(ranges, ways)
    parts: list[list[_Range]] = [[] for _ in range(ways)]
    for chunk in _chunks(ranges, one.factor):
        for part, more in zip(parts, _chunks(chunk, ways)):
            for start, end in more:
                _push(part, start, end)
    return parts


def _dealt(extent: int, held: list[list[_Range]]) -> str | None:
    """`cyclic(b)`, if blocks of one length are dealt in turn."""
    block = held[0][0][1] - held[0][0][0] if held[0] else 1
    again: list[list[_Range]] = [[] for _ in held]
    if extent > block * sum(len(part) for part in held):
        return None
    for number, start in enumerate(range(0, extent, block)):
        _push(again[number % len(held)], start, min(extent, start + block))
    return f"cyclic({block})" if again == held else None


def _words(extent: int, held: list[list[_Range]], cuts: Sequence[Placement]) -> str:
    """The distribution along a dimension, as short as it can be said."""
    if not cuts:
        return "*"
    size = max(1, -(-extent // len(held)))
    if held == [
        [(min(extent, at * size), min(extent, at * size + size))] if at * size < extent else []
        for at in range(len(held))
    ]:
        return "block"
    starts = [part[0][0] for part in held if part]
    if all(len(part) <= 1 for part in held) and starts == sorted(starts):
        return f"gen_block([{', '.join(str(sum(end - start for start, end in part)) for part in held)}])"
    dealt = _dealt(extent, held)
    if dealt:
        return dealt
    parts = sorted((start, owner) for owner, part in enumerate(held) for start, _ in part)
    cut_before = ", ".join(str(start) for start, _ in parts[1:])
    return f"blocks([{cut_before}], [{', '.join(str(owner) for _, owner in parts)}])"


def _row_major(place: Iterable[int], extents: Iterable[int]) -> int:
    number = 0
    for at, extent in zip(place, extents):
        number = number * extent + at
    return number


def _place(number: int, extents: Sequence[int]) -> list[int]:
    place = []
    for extent in reversed(extents):
        number, at = divmod(number, extent)
        place.append(at)
    return place[::-1]


def _run(ranks: Sequence[int]) -> str:
    first, size = ranks[0], len(ranks)
    if list(ranks) == list(range(first, first + size)):
        return f"{first}..{first + size}"
    return f"[{', '.join(map(str, ranks))}]"


def _fused(shape: Sequence[int], parts: Sequence[int], along: int) -> tuple[tuple[int, ...], int]:
    lengths = tuple(int(length) for length in parts)
    if not lengths:
        return (), 0
    dim = along + len(shape) if along < 0 else along
    if not 0 <= dim < len(shape):
        raise PlanError(f"parts are along dimension {along}, but the tensor has {len(shape)}")
    if min(lengths) < 1 or sum(lengths) != shape[dim]:
        raise PlanError(
            f"parts {list(lengths)} have {sum(lengths)} indices, but dimension {dim} has {shape[dim]}; write the length of each part, 1 at least"
        )
    return lengths, dim


class Placed:
    """A tensor on a mesh of devices, with a placement for each dimension of the mesh.

    `copies` has a layout for each copy. Neighbours of `addends` copies add up to the tensor, where
    placements are partial. A tensor without dimensions is planned as one of one element. The
    dimension `along` may consist of `parts` of these lengths, each of which is cut by itself.
    """

    def __init__(
        self,
        shape: Sequence[int],
        mesh: Any,
        placements: Sequence[Any],
        parts: Sequence[int] = (),
        along: int = 0,
    ) -> None:
        self.shape = tuple(int(extent) for extent in shape)
        self.parts, self.along = _fused(self.shape, parts, along)
        self.mesh, self.ranks = _ranks(mesh)
        if len(placements) != len(self.mesh):
            raise PlanError(
                f"the mesh has {len(self.mesh)} dimensions, but there are {len(placements)} placements; write one for each"
            )
        read = [_placement(word, at) for at, word in enumerate(placements)]
        self.placements = tuple(_checked(one, at, self.shape) for at, one in enumerate(read))
        self._along = [
            [
                at
                for at, one in enumerate(self.placements)
                if one.kind in ("shard", "strided") and one.dim == dim
            ]
            for dim in range(len(self.shape))
        ]
        self._held = [self._parts(dim) for dim in range(len(self.shape))]
        ops = {one.op for one in self.placements if one.kind == "partial"}
        if len(ops) > 1:
            raise PlanError(
                f"the tensor is partial by {' and '.join(sorted(ops))}; addends of one tensor are combined by one of them"
            )
        self.op = next(iter(ops), "sum")
        self._number()

    def _parts(self, dim: int) -> list[list[_Range]]:
        fused = self.parts and dim == self.along
        found: list[list[_Range]] = []
        start = 0
        for length in self.parts if fused else (self.shape[dim],):
            held: list[list[_Range]] = [[(start, start + length)] if length else []]
            for at in self._along[dim]:
                ways, one = self.mesh[at], self.placements[at]
                held = [part for ranges in held for part in _cut(ranges, ways, one)]
            found = found or [[] for _ in held]
            for ranges, more in zip(found, held):
                for first, end in more:
                    _push(ranges, first, end)
            start += length
        return found

    def _number(self) -> None:
        """Numbers copies, the addends of each one after the other, and finds the ranks of each."""
        kept = [at for at, one in enumerate(self.placements) if one.kind == "replicate"]
        added = [at for at, one in enumerate(self.placements) if one.kind == "partial"]
        self.addends = math.prod(self.mesh[at] for at in added)
        count = self.addends * math.prod(self.mesh[at] for at in kept)
        grid = [len(held) for held in self._held]
        cells: list[list[int]] = [[0] * math.prod(grid) for _ in range(count)]
        self.copy_of: dict[int, int] = {}
        for number, rank in enumerate(self.ranks):
            place = _place(number, self.mesh)
            copy = _row_major(
                [place[at] for at in kept + added], [self.mesh[at] for at in kept + added]
            )
            cells[copy][_row_major(self._cell(place), grid)] = rank
            self.copy_of[rank] = copy
        self.copy_ranks = cells
        self.copies = tuple(f"{self._dists()} ranks {_run(ranks)}" for ranks in cells)

    def _cell(self, place: Sequence[int]) -> list[int]:
        return [
            _row_major([place[at] for at in along], [self.mesh[at] for at in along])
            for along in self._along
        ]

    def _dists(self) -> str:
        dists = [
            _words(extent, held, [self.placements[at] for at in along])
            for extent, held, along in zip(self.shape, self._held, self._along)
        ]
        grid = [str(len(held)) for held, along in zip(self._held, self._along) if along]
        text = f"({', '.join(dists)})" if len(dists) > 1 else "".join(dists) or "*"
        if not grid:
            return text
        return f"{text} onto {grid[0]}" if len(grid) == 1 else f"{text} onto ({', '.join(grid)})"

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """The shape of a rank's local tensor, as DTensor has it; `(0,)` beside the mesh."""
        if rank not in self.copy_of:
            return (0,)
        cell = self._cell(_place(self.ranks.index(rank), self.mesh))
        return tuple(
            sum(end - start for start, end in held[at]) for held, at in zip(self._held, cell)
        )

    def ranges(self, rank: int) -> list[list[_Range]]:
        """The indices of a rank along each dimension, as ranges, which it stores one after the other."""
        cell = self._cell(_place(self.ranks.index(rank), self.mesh))
        return [held[at] for held, at in zip(self._held, cell)]

    def __str__(self) -> str:
        return f"{list(self.shape)} on {list(self.mesh)} of ranks {_run(self.ranks)}: {', '.join(map(str, self.placements))}"

    def said(self) -> str:
        """One text for all copies, with `copies`."""
        if len(self.copies) == 1:
            return self.copies[0]
        if self.addends > 1:
            raise PlanError(
                f"{self}: no layout says partial sums; `redist.torch.redistribute_dtensor` adds them"
            )
        first, size = self.copy_ranks[0], len(self.copy_ranks[0])
        if all(
            list(ranks) == list(range(first[0] + size * at, first[0] + size * (at + 1)))
            for at, ranks in enumerate(self.copy_ranks)
        ):
            return f"{self.copies[0]} copies {len(self.copies)}"
        text = self._along_axis()
        if text is None:
            raise PlanError(
                f"{self}: copies on these ranks are no axis of a grid; `redist.torch.Placed(…).copies` has a layout for each"
            )
        return text

    def _along_axis(self) -> str | None:
        """`copies k along a`, if all copies are an axis of one grid of consecutive ranks."""
        grid = [len(held) for held, along in zip(self._held, self._along) if along]
        count, first = len(self.copies), min(self.ranks)
        for axis in range(len(grid) + 1):
            stride = math.prod(grid[axis:])
            right = (
                [
                    first + (cell // stride * count + copy) * stride + cell % stride
                    for cell in range(len(self.copy_ranks[0]))
                ]
                for copy in range(count)
            )
            if list(right) == self.copy_ranks:
                ranks = f" ranks {first}.." if first else ""
                return f"{self._dists()}{ranks} copies {count} along {axis}"
        return None


def placements(shape: Sequence[int], mesh: Any, placements: Sequence[Any]) -> str:
    """Writes the layout of a tensor on a mesh of devices, as PyTorch's DTensor places it.

    The `mesh` has its ranks in nested lists, as an array, or is a DeviceMesh. There is a placement
    for each of its dimensions: `"shard(0)"`, `"strided(0, 2)"`, `"replicate"`, or one of torch's.
    Copies are said by `copies`, which `redist explain` reads and a `Plan` does not.
    """
    return Placed(shape, mesh, placements).said()
