"""One exchange: tensors of one rank are packed for its partners, sent, received and unpacked."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._redist import Packing
from ._lazy import dist, torch
from ._route import Leg, Route, elements

# Before each message: the tensor at fault, counted from 1, or 0; and words. Elements begin at a cache line.
HEADER = 64
_WORDS = HEADER - 4


def bits(itemsize: int) -> Any:
    """The type whose elements are copied as bytes."""
    return {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}[
        itemsize
    ]


@dataclass
class Item:
    """A tensor of an exchange, or a section of one."""

    number: int
    route: Route
    dtype: Any
    itemsize: int
    legs: list[Leg]
    rank: int
    kernels: bool = False

    @property
    def most_views(self) -> int:
        return max((leg.most_views for leg in self.legs), default=0)


@dataclass
class _Piece:
    """The part of a partner's buffer that is one message of a leg."""

    item: Item
    leg: Leg
    views: list[Any]
    start: int
    size: int
    boxes: list[Any]


def _strides(shape: Sequence[int]) -> tuple[int, ...]:
    found, step = [], 1
    for extent in reversed(shape):
        found.append(step)
        step *= extent
    return tuple(reversed(found))


def _box(flat: Any, view: Any) -> Any:
    shape, offset, strides = view
    return flat.as_strided(shape, strides, flat.storage_offset() + offset)


def _array(flat: Any, dtype: Any, shape: Sequence[int], fortran: bool) -> Any:
    """The array of numpy's at a tensor's memory, as a packing takes it."""
    array = flat.numpy().view(dtype)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)


class Exchange:
    """Buffers of one exchange, a part of the arena for each partner, and how to fill them."""

    def __init__(self, items: Sequence[Item]) -> None:
        # Long elements come first, so that none needs a gap before it.
        self.items = sorted(items, key=lambda item: -item.itemsize)
        self._out: dict[int, list[_Piece]] = {}
        self._in: dict[int, list[_Piece]] = {}
        self._scratch = [0, 0]
        sizes: dict[tuple[str, int], int] = {}
        for item in self.items:
            for leg in item.legs:
                for way, pieces, parts in (
                    ("out", self._out, leg.sends),
                    ("in", self._in, leg.receives),
                ):
                    for peer, views in parts.items():
                        start = sizes.get((way, peer), HEADER)
                        size = elements(views) * item.itemsize
                        pieces.setdefault(peer, []).append(
                            _Piece(item, leg, views, start, size, [])
                        )
                        sizes[way, peer] = start + size
                if item.kernels:
                    self._scratch[0] = max(
                        self._scratch[0], elements([view for view, _ in leg.own]) * item.itemsize
                    )
        self._sizes, self.size, self._at = sizes, 0, {}
        for key, size in sizes.items():
            self._at[key] = self.size
            self.size += -(-size // HEADER) * HEADER
        self._own_at = self.size
        self.size += -(-self._scratch[0] // HEADER) * HEADER
        self._packings: dict[int, Packing] = {}
        self._works: list[Any] = []
        self._failed: RuntimeError | None = None

    @property
    def sent(self) -> int:
        """Bytes of elements that go to other ranks."""
        return sum(piece.size for pieces in self._out.values() for piece in pieces)

    @property
    def received(self) -> int:
        """Bytes of elements that come from other ranks."""
        return sum(piece.size for pieces in self._in.values() for piece in pieces)

    @property
    def partners(self) -> int:
        """Messages that this rank sends."""
        return len(self._out)

    def prepare(self, arena: Any, wire: Any, group: Any, peers: Sequence[int]) -> None:
        """Lays the buffers into an arena on the tensors' device, and into a second one that travels."""
        self._group, self._peers, self._rank = group, peers, self.items[0].rank if self.items else 0
        self._buffers = {key: arena[at : at + self._sizes[key]] for key, at in self._at.items()}
        self._wires = {key: wire[at : at + self._sizes[key]] for key, at in self._at.items()}
        self._crosses = wire is not arena
        self._own = arena[self._own_at : self._own_at + self._scratch[0]]
        for way, pieces_of in (("out", self._out), ("in", self._in)):
            for peer, pieces in pieces_of.items():
                self._buffers[way, peer][:HEADER].zero_()
                for piece in pieces:
                    self._boxes(piece, self._buffers[way, peer])
        for item in self.items:
            for leg in item.legs if item.kernels else ():
                self._packings[id(leg)] = leg.plan.packing(item.rank)

    def _boxes(self, piece: _Piece, buffer: Any) -> None:
        flat, at = buffer[piece.start : piece.start + piece.size].view(bits(piece.item.itemsize)), 0
        for shape, _, _ in piece.views:
            piece.boxes.append(flat.as_strided(shape, _strides(shape), flat.storage_offset() + at))
            at += math.prod(shape)

    def start(self, sources: Sequence[Any], outs: Sequence[Any], faults: dict[int, str]) -> None:
        """Packs, posts all messages, and copies what stays. Nothing of a tensor at fault is read."""
        self._outs, self._sources, self._faulty = outs, sources, faults
        self._fill(faults)
        if self._crosses:
            for way, peer in self._out_keys():
                self._wires[way, peer].copy_(self._buffers[way, peer])
        self._post()
        for item in () if faults else self.items:
            if item.route.src.addends == 1:
                for leg in item.legs:
                    self._stay(item, leg, outs[item.number])

    def _out_keys(self) -> list[tuple[str, int]]:
        return [("out", peer) for peer in self._out]

    def _fill(self, faults: dict[int, str]) -> None:
        if not faults:
            for item in self.items:
                for leg in item.legs:
                    self._pack(item, leg)
        first = min(faults, default=-1)
        words = faults[first].encode()[:_WORDS] if faults else b""
        header = torch.frombuffer(
            bytearray(struct.pack(f"<I{_WORDS}s", first + 1, words)), dtype=torch.uint8
        )
        for key in self._out_keys():
            self._buffers[key][:HEADER].copy_(header)

    def _pack(self, item: Item, leg: Leg) -> None:
        if not item.kernels:
            pieces = [piece for peer in leg.sends for piece in self._out[peer] if piece.leg is leg]
            flat = self._sources[item.number] if pieces else None
            for piece in pieces:
                for box, view in zip(piece.boxes, piece.views):
                    box.copy_(_box(flat, view))
            return
        packing = self._packings[id(leg)]
        buffers = {peer: self._part("out", peer, leg) for peer in leg.sends}
        if leg.own and item.route.src.addends == 1:
            buffers[item.rank] = self._own[
                : elements([view for view, _ in leg.own]) * item.itemsize
            ].numpy()
        if not buffers:
            return
        array = self._as_array(item, leg, "src", self._sources[item.number])
        if buffers.keys() == packing.sends.keys():
            packing.pack_all(array, buffers)
        else:
            for peer, buffer in buffers.items():
                packing.pack(array, peer, buffer)
        if item.rank in buffers:
            out = self._outs[item.number]
            if out is not None:
                packing.unpack(buffers[item.rank], item.rank, self._as_array(item, leg, "dst", out))

    def _as_array(self, item: Item, leg: Leg, side: Any, flat: Any) -> Any:
        shape = leg.plan.local_shape(side, item.rank)
        return _array(flat, leg.plan.dtype, shape, item.route.is_fortran(side))

    def _part(self, way: str, peer: int, leg: Leg) -> Any:
        pieces = (self._out if way == "out" else self._in)[peer]
        piece = next(piece for piece in pieces if piece.leg is leg)
        return self._buffers[way, peer][piece.start : piece.start + piece.size].numpy()

    def _stay(self, item: Item, leg: Leg, out: Any) -> None:
        """Copies what stays on this rank, straight; kernels have copied theirs."""
        if (item.kernels and item.route.src.addends == 1) or out is None:
            return
        for source, target in leg.own:
            _box(out, target).copy_(_box(self._sources[item.number], source))

    def _post(self) -> None:
        calls = []
        for way, peer in self._wires:
            call = dist.isend if way == "out" else dist.irecv
            calls.append(dist.P2POp(call, self._wires[way, peer], self._peers[peer], self._group))
        self._works, self._failed = [], None
        try:
            self._works = dist.batch_isend_irecv(calls) if calls else []
        except RuntimeError as error:
            self._failed = error

    def is_done(self) -> bool:
        """Tells whether all messages have come and gone."""
        return all(work.is_completed() for work in self._works)

    def finish(self, names: Sequence[str]) -> list[str]:
        """Waits, and unpacks. Returns a sentence for each rank whose tensors did not come."""
        try:
            for work in self._works:
                work.wait()
        except RuntimeError as error:
            self._failed = error
        self._works = []
        if self._failed:
            return [f"a message was not sent or did not come: {self._failed}"]
        said = {peer: words for peer in self._in if (words := self._fault_of(peer, names))}
        for item in self.items:
            self._unpack(item, set(said))
        return list(said.values())

    def _fault_of(self, peer: int, names: Sequence[str]) -> str | None:
        if self._crosses:
            self._buffers["in", peer].copy_(self._wires["in", peer])
        number, words = struct.unpack(
            f"<I{_WORDS}s", self._wires["in", peer][:HEADER].cpu().numpy().tobytes()
        )
        if not number:
            return None
        why = words.rstrip(b"\0").decode(errors="ignore")
        return f"rank {peer} brought a wrong {names[number - 1]}, which {why}; bring what the plan is for on that rank"

    def _unpack(self, item: Item, missing: set[int]) -> None:
        out = self._outs[item.number]
        if out is None or item.number in self._faulty:
            return
        if item.route.src.addends > 1:
            if not any(peer in missing for leg in item.legs for peer in leg.receives):
                self._add(item, out)
            return
        self._make_neutral(item, out)
        for leg in item.legs:
            self._receive(item, leg, out, missing)

    @staticmethod
    def _make_neutral(item: Item, out: Any) -> bool:
        """Fills an addend that changes nothing. Tells whether it is one."""
        number = item.route.neutral(item.rank)
        if number is not None:
            out.view(item.dtype).fill_(number)
        return number is not None

    def _receive(self, item: Item, leg: Leg, out: Any, missing: set[int]) -> None:
        parts = [peer for peer in leg.receives if peer not in missing]
        if item.kernels and parts:
            packing = self._packings[id(leg)]
            array = self._as_array(item, leg, "dst", out)
            if parts and packing.receives.keys() == set(parts):
                packing.unpack_all({peer: self._part("in", peer, leg) for peer in parts}, array)
            else:
                for peer in parts:
                    packing.unpack(self._part("in", peer, leg), peer, array)
            return
        for peer in parts:
            piece = next(piece for piece in self._in[peer] if piece.leg is leg)
            for box, view in zip(piece.boxes, piece.views):
                _box(out, view).copy_(box)

    def _add(self, item: Item, out: Any) -> None:
        """Combines addends in the order of the mesh, the same on all ranks that hold a copy."""
        total = out.view(item.dtype)
        into = out
        if self._make_neutral(item, out):
            return
        for number, leg in enumerate(
            sorted(
                (leg for leg in item.legs if leg.receives or leg.own), key=lambda leg: leg.addend
            )
        ):
            if number:
                into = torch.empty_like(out)
            self._stay(item, leg, into)
            self._receive(item, leg, into, set())
            if number:
                _combine(item.route.src.op, total, into.view(item.dtype))
        if item.route.src.op == "avg":
            total.div_(item.route.src.addends)


def _combine(op: str, total: Any, other: Any) -> None:
    if op in ("sum", "avg"):
        total.add_(other)
    elif op == "product":
        total.mul_(other)
    else:
        total.copy_(torch.minimum(total, other) if op == "min" else torch.maximum(total, other))
