"""All tensors of a model, moved in one exchange, in buckets of bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Union

from .._redist import CommunicatorError, MoveError, PlanError
from ._bound import Move
from ._dtensor import check_order, local_of
from ._exchange import Exchange, Item, bits
from ._group import (
    Flat,
    Group,
    Wanted,
    agree,
    check_packing,
    check_size,
    itemsize_of,
    kernels,
    wrong,
)
from ._lazy import torch
from ._placements import Placed
from ._route import Route


class Spec(NamedTuple):
    """The description of a tensor: its shape, type, mesh of ranks, and placements.

    A fused tensor says the lengths of its `parts` along a dimension. Each part is cut by itself, and a
    rank has its parts of all of them one after the other.
    """

    shape: tuple[int, ...]
    dtype: Any
    mesh: Any
    placements: tuple[Any, ...]
    parts: tuple[int, ...] = ()
    along: int = 0

    def placed(self) -> Placed:
        return Placed(self.shape, self.mesh, self.placements, self.parts, self.along)


class Part(NamedTuple):
    """A part of a fused tensor, numbered from 0, as the source of another tensor or of a part of one."""

    name: str
    number: int


def describe(state: Mapping[str, Any], ranks: Sequence[int] | None = None) -> dict[str, Spec]:
    """Describes the tensors of a `state_dict`: DTensors, and plain ones that all of `ranks` have whole.

    Other values, such as numbers, are left out. The description is plain data, which can be sent.
    """
    found = {}
    for name, tensor in state.items():
        if not isinstance(tensor, torch.Tensor):
            continue
        if hasattr(tensor, "full_tensor"):
            check_order(tensor, f"tensor {name!r}")
            spec: Any = tensor
            placements = tuple(
                str(one) for one in Placed(spec.shape, spec.device_mesh, spec.placements).placements
            )
            found[name] = Spec(
                tuple(spec.shape), spec.dtype, spec.device_mesh.mesh.tolist(), placements
            )
        elif ranks is None:
            raise PlanError(
                f"tensor {name!r} is no DTensor; say `ranks=`, the ranks that have such tensors whole"
            )
        else:
            found[name] = Spec(tuple(tensor.shape), tensor.dtype, list(ranks), ("replicate",))
    return found


_Source = Union[str, Part]
_Sources = Union[_Source, Sequence[_Source]]
_Names = Union[Mapping[str, _Sources], Callable[[str], _Sources], None]


def _listed(name: str, given: _Sources, dst: Spec) -> list[tuple[_Source, int | None]]:
    """The sources of a tensor, each with the part of it that they become."""
    if isinstance(given, (str, Part)):
        return [(given, None)]
    sources = list(given)
    if len(sources) != len(dst.parts):
        raise PlanError(
            f"tensor {name!r} has {len(dst.parts)} parts, but {len(sources)} sources; write one for each, and the lengths as `parts` of its Spec"
        )
    return [(source, number) for number, source in enumerate(sources)]


def _name(source: _Source) -> str:
    return source.name if isinstance(source, Part) else source


def _agreed(found: Sequence[Any], side: str) -> dict[str, Spec]:
    """The description that some ranks brought, which must be one."""
    brought = [(rank, specs) for rank, specs in enumerate(found) if specs is not None]
    if not brought:
        raise PlanError(
            f"no rank brought the {side} description; one rank at least calls `describe`, and the others give None"
        )
    first, specs = brought[0]
    for rank, other in brought:
        if other != specs:
            name = next(name for name in [*specs, *other] if specs.get(name) != other.get(name))
            raise PlanError(
                f"the {side} tensor {name!r} is {other.get(name)} on rank {rank}, but {specs.get(name)} on rank {first}"
            )
    return dict(specs)


class _Tensor:
    """A tensor of the model: its names, its way, and what this rank brings of it."""

    def __init__(
        self, name: str, given: _Source, part: int | None, src: Spec, dst: Spec, group: Group
    ) -> None:
        self.name, self.source, self.dtype = name, _name(given), src.dtype
        parts = (given.number if isinstance(given, Part) else None, part)
        if src.dtype != dst.dtype:
            raise PlanError(
                f"tensor {name!r} is {src.dtype} in the source and {dst.dtype} in the destination; convert it before or after"
            )
        try:
            self.route = Route.between(_numbered(src, group), _numbered(dst, group), parts)
        except PlanError as error:
            raise PlanError(f"tensor {name!r}: {error}") from error
        if self.route.src.addends > 1 and len(self.route.dst.copies) > 1:
            raise PlanError(
                f"tensor {name!r} is partial, and has copies in the destination; `redistribute_dtensor` adds it first"
            )
        if self.route.src.addends > 1 and part is not None:
            raise PlanError(
                f"a source of tensor {name!r} is partial, and becomes a part of it; `redistribute_dtensor` adds it first"
            )
        self.itemsize = itemsize_of(self.dtype)
        check_size(group, self.route, f"tensor {name!r}")
        self.wanted = {
            side: Wanted(self.route, side, group.rank, self.dtype, group.device)
            for side in ("src", "dst")
        }

    def sections(
        self, most: int, ranks: int
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], Any]]:
        """Sections of the moved elements of bounded cost: where they begin, their shape, their cost of each rank."""
        shape = self.route.shape
        cost = self.route.costs(self.itemsize, ranks)
        if cost.max(initial=0) <= most or max(shape) < 2 or self.route.src.addends > 1:
            yield (), shape, cost
            return
        dim = max(range(len(shape)), key=lambda at: shape[at])
        yield from self._halves(dim, 0, shape[dim], most, ranks)

    def _halves(
        self, dim: int, start: int, end: int, most: int, ranks: int
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], Any]]:
        whole = self.route.shape
        shape = (*whole[:dim], end - start, *whole[dim + 1 :])
        at = (*(0,) * dim, start, *(0,) * (len(whole) - dim - 1))
        cost = self.route.costs(self.itemsize, ranks, at, shape)
        if cost.max(initial=0) <= most or end - start == 1:
            yield at, shape, cost
            return
        middle = (start + end) // 2
        yield from self._halves(dim, start, middle, most, ranks)
        yield from self._halves(dim, middle, end, most, ranks)


def _numbered(spec: Spec, group: Group) -> Placed:
    """Places a tensor on the group's numbers of the mesh's ranks."""
    placed, numbers = spec.placed(), group.numbers()
    away = [rank for rank in placed.ranks if rank not in numbers]
    if away:
        raise CommunicatorError(
            f"rank {away[0]} of a mesh is no member of the group; bring a group of all ranks of both meshes"
        )
    if all(rank == number for rank, number in numbers.items()):
        return placed
    return Placed(
        spec.shape,
        _nested([numbers[rank] for rank in placed.ranks], placed.mesh),
        placed.placements,
        placed.parts,
        placed.along,
    )


def _nested(ranks: list[Any], extents: Sequence[int]) -> list[Any]:
    for extent in reversed(extents[1:]):
        ranks = [ranks[at : at + extent] for at in range(0, len(ranks), extent)]
    return ranks


class Weights:
    """Moves all tensors of a model from one set of placements to another, as often as wanted.

    Both descriptions are mappings of names to `Spec`s, as `describe` makes them. A rank that has
    none of a side gives None. `names` tells the source's name of a destination's tensor, by a mapping
    or a function; others keep their name. A fused tensor has a list of sources, one for each of its
    parts, and a `Part` of a fused tensor is a source. Messages of a bucket take at most `max_bytes` on each
    rank, a tensor that takes more is moved in sections. Collective.
    """

    def __init__(
        self,
        src: Mapping[str, Spec] | None,
        dst: Mapping[str, Spec] | None,
        group: Any = None,
        *,
        names: _Names = None,
        max_bytes: int = 256 << 20,
        device: Any = None,
        packing: str = "automatic",
    ) -> None:
        self._group = Group(group, device)
        self._open: Move | None = None
        renamed = dict(names) if isinstance(names, Mapping) else names
        found = self._group.gather((src, dst))
        error: Exception | None = None
        text = ""
        try:
            text = self._plan(
                [
                    _agreed([one[at] for one in found], side)
                    for at, side in enumerate(("source", "destination"))
                ],
                renamed,
                max_bytes,
                packing,
            )
        except (CommunicatorError, PlanError) as one:
            error = one
        views = [] if error else [item.most_views for bucket in self._buckets for item in bucket]
        most = iter(kernels(packing, agree(self._group, text, error, views)))
        for bucket in self._buckets:
            for item in bucket:
                item.kernels = next(most)
        self._allocate()

    def _plan(
        self, sides: Sequence[dict[str, Spec]], names: _Names, max_bytes: int, packing: str
    ) -> str:
        check_packing(packing)
        if max_bytes < 1:
            raise PlanError(f"max_bytes {max_bytes}: write a number of bytes, 1 at least")
        src, dst = sides
        of = names if callable(names) else lambda name: (names or {}).get(name, name)
        sources = {name: _listed(name, of(name), dst[name]) for name in dst}
        lost = [
            f"{name!r}" if name == _name(source) else f"{name!r} (as {_name(source)!r})"
            for name, listed in sources.items()
            for source, _ in listed
            if _name(source) not in src
        ]
        if lost:
            raise PlanError(
                f"the source has no tensor for {', '.join(lost[:5])}; write `names=` for names that differ"
            )
        used = {_name(source) for listed in sources.values() for source, _ in listed}
        self.unused = sorted(set(src) - used)
        self._tensors = [
            _Tensor(name, source, part, src[_name(source)], dst[name], self._group)
            for name, listed in sources.items()
            for source, part in listed
        ]
        self._buckets = self._fill(max_bytes)
        said = [
            (name, [(source, src[_name(source)]) for source, _ in listed], dst[name])
            for name, listed in sources.items()
        ]
        return f"weights {said} in {max_bytes} bytes by {packing}"

    def _fill(self, max_bytes: int) -> list[list[Item]]:
        """Fills buckets in the order of the names, each until some rank's messages would exceed the bound."""
        buckets: list[list[Item]] = [[]]
        used: Any = 0
        rank = self._group.rank
        for number, tensor in enumerate(self._tensors):
            for at, shape, cost in tensor.sections(max_bytes, self._group.size):
                if buckets[-1] and (used + cost).max() > max_bytes:
                    buckets.append([])
                    used = 0
                used = used + cost
                legs = tensor.route.legs(rank, tensor.itemsize, at, shape)
                buckets[-1].append(
                    Item(number, tensor.route, tensor.dtype, tensor.itemsize, legs, rank)
                )
        return buckets

    def _allocate(self) -> None:
        group = self._group
        self._exchanges = [Exchange(bucket) for bucket in self._buckets]
        size = max(exchange.size for exchange in self._exchanges)
        arena = torch.empty(size, dtype=torch.uint8, device=group.device)
        wire = (
            arena
            if group.wire == group.device
            else torch.empty(size, dtype=torch.uint8, device=group.wire)
        )
        for exchange in self._exchanges:
            exchange.prepare(arena, wire, group.group, group.peers)
        self._names = [f"tensor {tensor.source!r}" for tensor in self._tensors]
        self.memory = size

    @property
    def rank(self) -> int:
        """This rank's number in the group."""
        return self._group.rank

    @property
    def buckets(self) -> int:
        """Exchanges that a move takes, one after the other."""
        return len(self._exchanges)

    @property
    def messages(self) -> int:
        """Messages that this rank sends in a move, of all buckets."""
        return sum(exchange.partners for exchange in self._exchanges)

    @property
    def sent(self) -> int:
        """Bytes of elements that this rank sends in a move; each message has 64 bytes more."""
        return sum(exchange.sent for exchange in self._exchanges)

    @property
    def received(self) -> int:
        """Bytes of elements that this rank receives in a move."""
        return sum(exchange.received for exchange in self._exchanges)

    def empty(self, side: str = "dst") -> dict[str, Any]:
        """Makes new tensors for this rank's parts on a side, by name; none where the rank has no part."""
        if side not in ("src", "dst"):
            raise PlanError(f'side {side!r}: write "src" or "dst"')
        held = {
            tensor.name if side == "dst" else tensor.source: tensor.wanted[side]
            for tensor in self._tensors
            if self.rank in tensor.route.side(side).copy_of
        }
        return {name: wanted.empty() for name, wanted in held.items()}

    def run(self, src: Mapping[str, Any] | None, dst: Mapping[str, Any] | None) -> None:
        """Moves the tensors of one `state_dict` into those of another. Collective.

        A rank that has none of a side gives None. DTensors give their local tensors. Other entries are
        left alone.
        """
        self.start(src, dst).finish()

    def start(self, src: Mapping[str, Any] | None, dst: Mapping[str, Any] | None) -> Move:
        """Packs the first bucket, and posts its messages; `finish` moves all other buckets.

        With one bucket, sources may be written to once this returns. Otherwise they belong to the move.
        """
        if self._open is not None:
            self._open.finish()
        self._said: list[Exception] = []
        self._faults: dict[int, str] = {}
        self._flats = {
            side: self._flat(side, state or {}) for side, state in (("src", src), ("dst", dst))
        }
        self._missing: list[str] = []
        self._begin(0)
        self._open = move = Move(self)
        return move

    def _flat(self, side: str, state: Mapping[str, Any]) -> list[Flat | None]:
        found: list[Flat | None] = []
        # A fused tensor is brought once, for all of its parts.
        brought: dict[str, tuple[Flat | None, str | None]] = {}
        for number, tensor in enumerate(self._tensors):
            name, wanted = tensor.name if side == "dst" else tensor.source, tensor.wanted[side]
            if name in brought:
                flat, why = brought[name]
                found.append(flat)
                if why and side == "src":
                    self._faults[number] = why
                continue
            given: Any = state.get(name) if self.rank in tensor.route.side(side).copy_of else None
            given = local_of(given) if hasattr(given, "full_tensor") else given
            why = wanted.fault(given)
            if why:
                self._said.append(
                    wrong(
                        f"the {'source' if side == 'src' else 'destination'} tensor {name!r}",
                        why,
                        wanted,
                        self.rank,
                    )
                )
                if side == "src":
                    self._faults[number] = why
            flat = (
                None
                if why and side == "dst"
                else wanted.flat(None if why else given, bits(tensor.itemsize))
            )
            brought[name] = flat, why
            found.append(flat)
        return found

    def _begin(self, number: int) -> None:
        self._now = number
        items = {item.number for item in self._buckets[number]}
        faults = {at: why for at, why in self._faults.items() if at in items}
        sources, outs = (
            [one.elements if one else None for one in self._flats[side]] for side in ("src", "dst")
        )
        self._exchanges[number].start(sources, outs, faults)

    def _is_done(self) -> bool:
        return self._now == len(self._exchanges) - 1 and self._exchanges[self._now].is_done()

    def _finish(self, move: Move) -> None:
        self._open = None
        while True:
            self._missing += self._exchanges[self._now].finish(self._names)
            if self._now == len(self._exchanges) - 1:
                break
            self._begin(self._now + 1)
        for flat in {id(flat): flat for flat in self._flats["dst"] if flat is not None}.values():
            flat.finish()
        if self._said:
            raise self._said[0]
        if self._missing:
            raise MoveError("; ".join(dict.fromkeys(self._missing)))
