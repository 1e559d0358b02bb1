"""Redistribution of DTensors, between placements and between meshes."""

from __future__ import annotations

import importlib
import math
from collections import OrderedDict
from typing import Any

from .._redist import ArrayError, PlanError
from ._bound import Bound
from ._lazy import dist, torch
from ._placements import Placed, Placement
from ._route import Route

# Bound moves of each process group, the last used behind; the group is kept, so that its number is no other's.
_KEPT = 32
_bounds: dict[int, tuple[Any, OrderedDict[Any, Bound]]] = {}


def forget() -> None:
    """Drops the buffers that calls of `redistribute_dtensor` have kept for the next ones."""
    _bounds.clear()


def module_of_dtensor() -> Any:
    try:
        return importlib.import_module("torch.distributed.tensor")
    except ImportError as error:
        raise ImportError(
            "this torch has no `torch.distributed.tensor`; DTensors need torch 2.5 or later",
            name="torch.distributed.tensor",
        ) from error


def local_of(dtensor: Any) -> Any:
    """The local tensor of a DTensor, when the collective that makes it is over."""
    local = dtensor._local_tensor
    return local.wait() if hasattr(local, "wait") else local


def check_order(dtensor: Any, name: str) -> None:
    """Refuses shards in an order that placements do not tell."""
    spec: Any = getattr(dtensor, "_spec", None)
    order = getattr(spec, "shard_order", None)
    usual = getattr(spec, "compute_default_shard_order", None)
    if (
        order
        and usual
        and not getattr(spec, "use_strided_shard_as_shard_order", True)
        and order != usual(spec.placements)
    ):
        raise PlanError(
            f"{name} is cut by its mesh in the order {order}, which its placements do not tell; redistribute it to the usual order first"
        )


def _kept(group: Any, key: Any, make: Any) -> Bound:
    group = dist.group.WORLD if group is None else group
    _, bounds = _bounds.setdefault(id(group), (group, OrderedDict()))
    if key not in bounds:
        bounds[key] = make()
        if len(bounds) > _KEPT:
            bounds.popitem(last=False)
    bounds.move_to_end(key)
    return bounds[key]


def _move(src: Placed, dst: Placed, local: Any, dtype: Any, device: Any, group: Any) -> Any:
    key = (
        src.shape,
        dtype,
        str(device),
        src.mesh,
        src.ranks,
        src.placements,
        dst.mesh,
        dst.ranks,
        dst.placements,
    )
    bound = _kept(
        group, key, lambda: Bound(Route.between(src, dst), group, dtype=dtype, device=device)
    )
    out = bound.empty("dst")
    bound.run(local, out)
    return out


def _flat(placed: Placed) -> Placed:
    """One copy in blocks over all ranks of a mesh, along the longest dimension."""
    longest = max(range(len(placed.shape)), key=lambda dim: placed.shape[dim])
    return Placed(placed.shape, list(placed.ranks), [Placement("shard", longest)])


def redistribute_dtensor(
    dtensor: Any, mesh: Any = None, placements: Any = None, *, group: Any = None
) -> Any:
    """Moves a DTensor to placements, on its own mesh or on another. Returns a new DTensor. Collective.

    All ranks of the `group` call, also those of no mesh; the default is the group of all ranks. Ranks
    of the group bind the move in the first call, and later calls with these placements use it again.
    A DTensor that requires gradients is refused, since none flow back: bring its `detach()`.
    """
    tensors = module_of_dtensor()
    if not isinstance(dtensor, tensors.DTensor):
        raise ArrayError(
            f"dtensor is a {type(dtensor).__name__}; bring a DTensor, or `bind` a plan for tensors"
        )
    if dtensor.requires_grad:
        raise ArrayError(
            "dtensor requires gradients, and none would flow back; bring its `detach()`"
        )
    check_order(dtensor, "dtensor")
    mesh = dtensor.device_mesh if mesh is None else mesh
    if placements is None:
        raise PlanError(
            "placements: write one for each dimension of the mesh, such as `[Shard(0)]`"
        )
    src, dst = (
        Placed(dtensor.shape, dtensor.device_mesh, dtensor.placements),
        Placed(dtensor.shape, mesh, placements),
    )
    local = _moved(src, dst, local_of(dtensor), dtensor, group)
    whole = [int(extent) for extent in dtensor.shape]
    strides = [math.prod(whole[dim + 1 :]) for dim in range(len(whole))]
    read = [_of_torch(tensors, one) for one in dst.placements]
    return tensors.DTensor.from_local(
        local, mesh, read, run_check=False, shape=torch.Size(whole), stride=tuple(strides)
    )


def _moved(src: Placed, dst: Placed, local: Any, dtensor: Any, group: Any) -> Any:
    device = local.device
    if src.addends > 1 and len(dst.copies) > 1 and src.shape:
        # Sums are made once, in blocks, and then copied.
        blocks = _flat(src)
        local, src = _move(src, blocks, local, dtensor.dtype, device, group), blocks
    return _move(src, dst, local, dtensor.dtype, device, group)


def _of_torch(tensors: Any, one: Placement) -> Any:
    if one.kind == "shard":
        return tensors.Shard(one.dim)
    if one.kind == "replicate":
        return tensors.Replicate()
    if one.kind == "partial":
        return tensors.Partial(one.op)
    strided = importlib.import_module("torch.distributed.tensor.placement_types")._StridedShard
    return strided(one.dim, split_factor=one.factor)
