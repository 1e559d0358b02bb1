"""The plans of a tensor's move, with copies and addends on either side, and a rank's messages of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from .._redist import Plan, PlanError
from ._placements import Placed

# Types whose bytes move, by the bytes of an element.
BITS = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}
_View = tuple[tuple[int, ...], int, tuple[int, ...]]


class _OfPlan:
    """A side of a plan, which has one copy."""

    addends, op = 1, "sum"

    def __init__(self, plan: Plan, side: Any) -> None:
        self.plan, self.side = plan, side
        self.copies = (plan.src if side == "src" else plan.dst,)
        self.copy_of = {rank: 0 for rank in range(plan.ranks)}

    def local_shape(self, rank: int) -> tuple[int, ...]:
        return self.plan.local_shape(self.side, rank) if rank in self.copy_of else (0,)

    def __str__(self) -> str:
        return self.copies[0]


_Side = Union[Placed, _OfPlan]


@dataclass
class Leg:
    """A rank's part in the move from one copy to another: views by the other rank, and its own."""

    plan: Plan
    addend: int
    sends: dict[int, list[_View]] = field(default_factory=dict)
    receives: dict[int, list[_View]] = field(default_factory=dict)
    own: list[tuple[_View, _View]] = field(default_factory=list)

    @property
    def most_views(self) -> int:
        messages = [len(views) for part in (self.sends, self.receives) for views in part.values()]
        return max([*messages, len(self.own)])


class Route:
    """A tensor's way from one side to another: which copy sends to which rank."""

    def __init__(
        self,
        shape: Sequence[int],
        src: _Side,
        dst: _Side,
        plan: Plan | None = None,
        starts: Sequence[Sequence[int]] = ((), ()),
    ) -> None:
        self.shape, self.src, self.dst, self._plan = tuple(shape), src, dst, plan
        # Where the moved elements begin in each side's tensor.
        self._starts = [tuple(start) or (0,) * len(self.shape) for start in starts]
        self.ranks = 1 + max([*src.copy_of, *dst.copy_of])
        self._pairs: dict[tuple[int, int], list[int]] = {}
        for rank in sorted(dst.copy_of):
            for pair in self._sources(rank):
                self._pairs.setdefault(pair, []).append(rank)
        self._fortran = [self._is_fortran(side) for side in (src, dst)]

    @classmethod
    def of(cls, plan: Plan) -> Route:
        return cls(plan.shape, _OfPlan(plan, "src"), _OfPlan(plan, "dst"), plan)

    @classmethod
    def between(cls, src: Placed, dst: Placed, parts: Sequence[int | None] = (None, None)) -> Route:
        """The way of a tensor, or of the part with this number of either side's."""
        sections = [_section(side, part) for side, part in zip((src, dst), parts)]
        (shape, start), (other, end) = sections
        if shape != other:
            raise PlanError(
                f"the source has the shape {shape}, and the destination {other}; a move keeps it"
            )
        return cls(shape or (1,), src, dst, None, (start, end))

    @staticmethod
    def _is_fortran(side: _Side) -> bool:
        if isinstance(side, Placed):
            return False
        rank = next((rank for rank in side.copy_of if side.plan.local_size(side.side, rank) > 1), 0)
        return not side.plan.empty(side.side, rank).flags.c_contiguous

    def is_fortran(self, side: str) -> bool:
        return self._fortran[side == "dst"]

    def side(self, side: str) -> _Side:
        return self.src if side == "src" else self.dst

    def neutral(self, rank: int) -> int | None:
        """The value of all elements of a rank's addend that changes nothing, since another has the values."""
        number = {"sum": 0, "product": 1}.get(self.dst.op)
        return number if self.dst.copy_of.get(rank, 0) % self.dst.addends else None

    def _sources(self, rank: int) -> Iterator[tuple[int, int]]:
        """The copies that send to a rank: its own, if it has one, since its elements need not travel."""
        if self.neutral(rank) is not None:
            return
        to, addends = self.dst.copy_of[rank], self.src.addends
        own = self.src.copy_of.get(rank)
        copy = to % (len(self.src.copies) // addends) if own is None else own // addends
        for addend in range(addends):
            yield copy * addends + addend, to

    def plan_of(
        self,
        pair: tuple[int, int],
        itemsize: int,
        at: Sequence[int] = (),
        shape: Sequence[int] = (),
    ) -> Plan:
        """The plan between two copies, of the moved elements, or of a section of these."""
        if self._plan is not None:
            return self._plan
        source, target = (
            self._words(side, number, at, shape) for side, number in zip(("src", "dst"), pair)
        )
        return Plan(shape or self.shape, source, target, BITS[itemsize])

    def _words(self, side: str, copy: int, at: Sequence[int], shape: Sequence[int]) -> str:
        placed, start = self.side(side), self._starts[side == "dst"]
        whole = list(placed.shape) if isinstance(placed, Placed) else list(self.shape)
        if list(shape or self.shape) == (whole or [1]):
            return placed.copies[copy]
        first = [one + more for one, more in zip(start, at or (0,) * len(start))]
        return f"{placed.copies[copy]} of {whole} at {first}"

    def legs(
        self, me: int, itemsize: int, at: Sequence[int] = (), shape: Sequence[int] = ()
    ) -> list[Leg]:
        """The legs that a rank takes part in, in an order that is that of all ranks."""
        found = []
        for pair, receivers in sorted(self._pairs.items()):
            sends = self.src.copy_of.get(me) == pair[0]
            if not sends and me not in receivers:
                continue
            plan = self.plan_of(pair, itemsize, at, shape)
            if me < plan.ranks:
                found.append(_leg(plan, me, receivers, pair[0] % self.src.addends))
        return found

    def costs(
        self, itemsize: int, ranks: int, at: Sequence[int] = (), shape: Sequence[int] = ()
    ) -> Any:
        """Bytes that each rank sends and receives."""
        found = np.zeros(ranks, np.int64)
        for pair, receivers in self._pairs.items():
            volumes = self.plan_of(pair, itemsize, at, shape).volumes.copy()
            np.fill_diagonal(volumes, 0)
            kept = [rank for rank in receivers if rank < len(volumes)]
            found[: len(volumes)] += volumes[:, kept].sum(axis=1)
            found[kept] += volumes[:, kept].sum(axis=0)
        return found * itemsize

    def described(self) -> str:
        if self._plan is not None:
            return (
                f"the plan {self._plan.digest} of {list(self.shape)} from {self.src} to {self.dst}"
            )
        return f"{self.src} → {self.dst}"


def _section(side: Placed, part: int | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of a side's tensor, or of a part of it, and where that begins."""
    shape, start = list(side.shape), [0] * len(side.shape)
    if part is not None:
        if not 0 <= part < len(side.parts):
            raise PlanError(f"there is no part {part} of a tensor with {len(side.parts)} parts; count from 0")
        shape[side.along], start[side.along] = side.parts[part], sum(side.parts[:part])
    return tuple(shape), tuple(start)


def _leg(plan: Plan, me: int, receivers: Sequence[int], addend: int) -> Leg:
    messages, leg = plan.messages(me), Leg(plan, addend)
    for peer, views in messages.sends.items():
        if peer not in receivers:
            continue
        if peer == me:
            leg.own = [
                (
                    (view.shape, view.src.offset, view.src.strides),
                    (view.shape, view.dst.offset, view.dst.strides),
                )
                for view in views
            ]
        else:
            leg.sends[peer] = [(view.shape, view.src.offset, view.src.strides) for view in views]
    for peer, views in messages.receives.items():
        if me in receivers and peer != me:
            leg.receives[peer] = [(view.shape, view.dst.offset, view.dst.strides) for view in views]
    return leg


def elements(views: Sequence[_View]) -> int:
    return sum(math.prod(shape) for shape, _, _ in views)
