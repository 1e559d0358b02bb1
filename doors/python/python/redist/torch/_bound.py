"""A plan bound to a process group: one tensor moves, as often as wanted."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Union

import numpy as np

from .._redist import ArrayError, CommunicatorError, MoveError, Plan, PlanError
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
from ._route import Route


class Move:
    """A move that was started: `finish` completes it, and so does the end of a `with`."""

    def __init__(self, owner: Any) -> None:
        self._owner: Any = owner

    def test(self) -> bool:
        """Tells whether all messages that were posted have come; `finish` still unpacks them."""
        return self._owner is None or bool(self._owner._is_done())

    def finish(self) -> None:
        """Waits for the messages, and unpacks them. Ends with an error if a rank brought a wrong tensor."""
        owner, self._owner = self._owner, None
        if owner is not None:
            owner._finish(self)

    def __enter__(self) -> Move:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finish()


class Bound:
    """A plan bound to a process group, made by `bind`. Buffers are made once, one for each partner."""

    def __init__(
        self,
        plan: Union[Plan, Route],
        group: Any = None,
        *,
        dtype: Any = None,
        device: Any = None,
        packing: str = "automatic",
    ) -> None:
        self._group = Group(group, device)
        self._open: Move | None = None
        error: Exception | None = None
        self.plan, text, views = plan, "", 0
        try:
            text, views = self._prepare(plan, dtype, packing)
        except (ArrayError, CommunicatorError, PlanError, TypeError, ValueError) as found:
            error = found
        most = agree(self._group, text, error, [views])
        self._item.kernels = kernels(packing, most)[0]
        self._exchange = Exchange([self._item])
        size = self._exchange.size
        arena = torch.empty(size, dtype=torch.uint8, device=self._group.device)
        wire = (
            arena
            if self._group.wire == self._group.device
            else torch.empty(size, dtype=torch.uint8, device=self._group.wire)
        )
        self._exchange.prepare(arena, wire, self._group.group, self._group.peers)

    def _prepare(self, plan: Union[Plan, Route], dtype: Any, packing: str) -> tuple[str, int]:
        check_packing(packing)
        route = plan if isinstance(plan, Route) else Route.of(plan)
        check_size(self._group, route, "the plan")
        self.dtype = _dtype(plan, dtype)
        itemsize, rank = itemsize_of(self.dtype), self._group.rank
        self._wanted = {
            side: Wanted(route, side, rank, self.dtype, self._group.device)
            for side in ("src", "dst")
        }
        self._item = Item(0, route, self.dtype, itemsize, route.legs(rank, itemsize), rank)
        return f"{route.described()} for {str(self.dtype)[6:]} by {packing}", self._item.most_views

    @property
    def rank(self) -> int:
        """This rank's number in the group."""
        return self._group.rank

    @property
    def group(self) -> Any:
        """The process group."""
        return self._group.group

    @property
    def device(self) -> Any:
        """The device of tensors and of buffers."""
        return self._group.device

    @property
    def packing(self) -> str:
        """`"kernels"` or `"views"`, the same on all ranks."""
        return "kernels" if self._item.kernels else "views"

    @property
    def sent(self) -> int:
        """Bytes of elements that this rank sends in a move; each message has 64 bytes more."""
        return self._exchange.sent

    @property
    def received(self) -> int:
        """Bytes of elements that this rank receives in a move."""
        return self._exchange.received

    def local_shape(self, side: str) -> tuple[int, ...]:
        """Returns the shape of this rank's tensor on the side `"src"` or `"dst"`."""
        return self._side(side).shape

    def empty(self, side: str) -> Any:
        """Makes a new tensor for this rank's part on a side, its elements not initialised."""
        return self._side(side).empty()

    def _side(self, side: str) -> Wanted:
        if side not in self._wanted:
            raise PlanError(f'side {side!r}: write "src" or "dst"')
        return self._wanted[side]

    def run(self, a: Any, out: Any) -> None:
        """Moves `a` of all ranks to `out` of all ranks. Collective."""
        self.start(a, out).finish()

    def start(self, a: Any, out: Any) -> Move:
        """Packs `a`, and posts the messages. `a` may be written to afterwards; `out` belongs to the move."""
        if self._open is not None:
            self._open.finish()
        faults = {
            side: self._wanted[side].fault(tensor) for side, tensor in (("src", a), ("dst", out))
        }
        flat = {
            side: self._wanted[side].flat(
                None if faults[side] else tensor, bits(self._item.itemsize)
            )
            for side, tensor in (("src", a), ("dst", out))
        }
        if flat["src"].overlaps(flat["dst"]):
            faults["src"] = "shares memory with `out`"
        self._said = [
            wrong(name, why, self._wanted[side], self.rank)
            for side, name in (("src", "`a`"), ("dst", "`out`"))
            if (why := faults[side])
        ]
        self._out: Flat = flat["dst"]
        source = {0: faults["src"]} if faults["src"] else {}
        self._exchange.start(
            [flat["src"].elements], [None if faults["dst"] else flat["dst"].elements], source
        )
        self._open = move = Move(self)
        return move

    def _is_done(self) -> bool:
        return self._exchange.is_done()

    def _finish(self, move: Move) -> None:
        self._open = None
        missing = self._exchange.finish(["`a`"])
        self._out.finish()
        if self._said:
            raise self._said[0]
        if missing:
            raise MoveError("; ".join(missing))


def _dtype(plan: Union[Plan, Route], dtype: Any) -> Any:
    """The type of tensors: that which is asked for, or the plan's."""
    if dtype is None:
        if not isinstance(plan, Plan):
            raise PlanError("dtype: say the type of the tensors, such as `torch.bfloat16`")
        dtype = _of_numpy(plan.dtype)
    if not isinstance(dtype, torch.dtype):
        raise PlanError(f"dtype {dtype!r}: write a type of torch's, such as `torch.bfloat16`")
    if isinstance(plan, Plan) and plan.dtype.itemsize != itemsize_of(dtype):
        raise PlanError(
            f"the plan is for elements of {plan.dtype.itemsize} bytes, and {dtype} has {itemsize_of(dtype)}; plan for `u{itemsize_of(dtype)}`"
        )
    return dtype


def _of_numpy(dtype: np.dtype[Any]) -> Any:
    try:
        return torch.from_numpy(np.empty(0, dtype)).dtype
    except TypeError as error:
        raise PlanError(
            f"torch has no type for {dtype}; say `dtype=` with one of {dtype.itemsize} bytes"
        ) from error


def bind(
    plan: Plan,
    group: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    packing: str = "automatic",
) -> Bound:
    """Binds a plan to a process group of `torch.distributed`, and makes the buffers. Collective.

    The `dtype` is torch's, and has the bytes of the plan's elements; the plan's own is the default.
    Tensors are on the `device`: the processor under gloo, the current one under NCCL. The `packing`
    is by strided views, or by our kernels for processors; the default takes kernels for many views.
    """
    return Bound(plan, group, dtype=dtype, device=device, packing=packing)
