"""The ranks of a process group, and what they agree about when they bind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._redist import ArrayError, CommunicatorError, MoveError, PlanError
from ._lazy import dist, torch
from ._route import Route

# From so many views a message on, our kernels take less time than a copy for each view.
MANY_VIEWS = 16


class Group:
    """A process group: this rank's number in it, and the numbers that its transport takes."""

    def __init__(self, group: Any, device: Any) -> None:
        if not dist.is_available() or not dist.is_initialized():
            raise CommunicatorError(
                "torch.distributed has no process group; call `torch.distributed.init_process_group` on all ranks first"
            )
        self.group = dist.group.WORLD if group is None else group
        self.rank, self.size = dist.get_rank(self.group), dist.get_world_size(self.group)
        if self.rank < 0:
            raise CommunicatorError("this rank is no member of the group; its members alone bind")
        whole = group is None or group is dist.group.WORLD
        self.peers = [
            rank if whole else dist.get_global_rank(self.group, rank) for rank in range(self.size)
        ]
        nccl = str(dist.get_backend(self.group)).lower() == "nccl"
        self.device = torch.device(device if device is not None else "cuda" if nccl else "cpu")
        if self.device.type == "cuda" and self.device.index is None:
            self.device = torch.device("cuda", torch.cuda.current_device())
        self.wire = self.device if nccl else torch.device("cpu")

    def numbers(self) -> dict[int, int]:
        """This group's numbers of the ranks of the default group."""
        return {rank: number for number, rank in enumerate(self.peers)}

    def gather(self, mine: Any) -> list[Any]:
        """Returns the value of each rank. Collective."""
        found: list[Any] = [None] * self.size
        dist.all_gather_object(found, mine, group=self.group)
        return found


def agree(group: Group, plan: str, error: Exception | None, views: Sequence[int] = ()) -> list[int]:
    """Compares plans of all ranks. Returns the most views of a message of each tensor, on any rank; -1 beside processors."""
    kind = group.device.type
    said = group.gather(
        {"error": str(error) if error else None, "plan": plan, "device": kind, "views": list(views)}
    )
    if error:
        raise error
    for rank, one in enumerate(said):
        if one["error"]:
            raise MoveError(f"rank {rank} could not bind: {one['error']}")
    for rank, one in enumerate(said):
        if one["plan"] != said[0]["plan"]:
            raise MoveError(
                f"rank {rank} binds {one['plan']}, but rank 0 binds {said[0]['plan']}; bring the same on all ranks"
            )
    if any(one["device"] != "cpu" for one in said):
        return [-1] * len(views)
    return [max(column) for column in zip(*(one["views"] for one in said))]


def kernels(packing: str, views: Sequence[int]) -> list[bool]:
    """Tells which tensors are packed by kernels."""
    return [
        most >= 0 and (packing == "kernels" or packing == "automatic" and most > MANY_VIEWS)
        for most in views
    ]


def check_packing(packing: str) -> None:
    if packing not in ("automatic", "kernels", "views"):
        raise PlanError(f'packing {packing!r}: write "automatic", "kernels" or "views"')


def check_size(group: Group, route: Route, what: str) -> None:
    if route.ranks > group.size:
        raise CommunicatorError(
            f"{what} has {route.ranks} ranks, but the group has {group.size}; bring a group of {route.ranks} or more"
        )


class Flat:
    """A tensor as the elements of its memory: itself where it is dense, a dense copy elsewhere."""

    def __init__(self, tensor: Any, fortran: bool, bits: Any, copies_back: bool) -> None:
        self.tensor, order = tensor, list(range(tensor.dim()))[:: -1 if fortran else 1]
        turned = tensor.permute(order) if fortran else tensor
        dense = turned.contiguous()
        self.is_copy = dense.numel() > 0 and dense.data_ptr() != turned.data_ptr()
        self.back = dense if copies_back and self.is_copy else None
        self.turned = turned
        self.elements = dense.view(-1).view(bits)

    def finish(self) -> None:
        if self.back is not None:
            self.turned.copy_(self.back)

    def overlaps(self, other: Flat) -> bool:
        spans = []
        for one in (self.elements, other.elements):
            start = one.data_ptr()
            spans.append((start, start + one.numel() * one.element_size()))
        (start, end), (begin, stop) = spans
        return start < stop and begin < end and self.elements.device == other.elements.device


class Wanted:
    """The tensor that a rank brings for a side."""

    def __init__(self, route: Route, side: str, rank: int, dtype: Any, device: Any) -> None:
        self.side, self.dtype, self.device = side, dtype, device
        self.shape = route.side(side).local_shape(rank)
        self.is_fortran = route.is_fortran(side)
        self.is_empty = 0 in self.shape

    def fault(self, tensor: Any) -> str | None:
        """Says why a tensor cannot be moved, in a few words; `None` if it can."""
        if tensor is None:
            return None if self.is_empty else "is missing"
        if not isinstance(tensor, torch.Tensor):
            return f"is a {type(tensor).__name__}, no tensor"
        if hasattr(tensor, "full_tensor"):
            return "is a DTensor; bring its `to_local()`"
        if tensor.layout != torch.strided or tensor.is_quantized:
            return f"is {tensor.layout}, not of dense memory"
        if tensor.numel() == 0 and self.is_empty:
            return None
        if tensor.dtype != self.dtype:
            return f"is of {str(tensor.dtype)[6:]}, not {str(self.dtype)[6:]}"
        if tensor.device != self.device:
            return f"is on {tensor.device}, not {self.device}"
        if tuple(tensor.shape) != self.shape:
            return f"has the shape {tuple(tensor.shape)}, not {self.shape}"
        return self._fault_of_out(tensor) if self.side == "dst" else None

    def _fault_of_out(self, tensor: Any) -> str | None:
        if tensor.requires_grad:
            return "requires gradients; bring its `detach()`"
        if tensor.is_conj() or tensor.is_neg():
            return "is a lazy conjugate or negative; bring its memory"
        if any(step == 0 and extent > 1 for step, extent in zip(tensor.stride(), tensor.shape)):
            return "is expanded, so that elements share memory"
        return None

    def flat(self, tensor: Any, bits: Any) -> Flat:
        """The elements of a tensor without fault. A source that requires gradients is detached."""
        if tensor is None or tensor.numel() == 0:
            return Flat(torch.empty(0, dtype=self.dtype, device=self.device), False, bits, False)
        tensor = tensor.detach().resolve_conj().resolve_neg()
        tensor = tensor.reshape(1) if tensor.dim() == 0 else tensor
        return Flat(tensor, self.is_fortran, bits, self.side == "dst")

    def empty(self) -> Any:
        """A new tensor that fits, its elements not initialised."""
        if not self.is_fortran:
            return torch.empty(self.shape, dtype=self.dtype, device=self.device)
        turned = torch.empty(self.shape[::-1], dtype=self.dtype, device=self.device)
        return turned.permute(list(range(len(self.shape)))[::-1])


def itemsize_of(dtype: Any) -> int:
    return int(torch.empty(0, dtype=dtype).element_size())


def wrong(name: str, why: str, wanted: Wanted, rank: int) -> ArrayError:
    form = f"{str(wanted.dtype)[6:]} of the shape {wanted.shape} on {wanted.device}"
    return ArrayError(
        f"rank {rank}: {name} {why}; bring a tensor of {form}. Nothing that this rank sends with it has moved"
    )
