"""Moves of redist.torch beside DTensor's, and beside an all-gather sliced by hand; over gloo.

    python bench_torch.py [--seconds 3] [--only dtensor weights views] [--ranks 4 8]

Ranks are processes of this machine. Each method's result is compared with the others' first. Then
all are timed in rounds, in a new random order in each; a time is that of the slowest rank. Told are
the median and the quartiles, and the median of the ratios in pairs, of one round each. Bytes are
those of elements that collectives or messages bring to a rank, the most of any rank.
"""

import argparse
import os
import platform
import random
import statistics
import sys
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "tests"))

import numpy as np
import torch
import torch.distributed as dist
from numpy.lib.stride_tricks import as_strided

import redist
import redist.torch
from redist.torch import Spec, Weights, redistribute_dtensor
from torch_ranks import on_ranks, part


def slowest(seconds):
    every = torch.tensor([seconds], dtype=torch.float64)
    dist.all_reduce(every, dist.ReduceOp.MAX)
    return every.item()


def in_turns(ways, seconds):
    """Times of each way, in rounds until the time is over on rank 0."""
    times, order = {way: [] for way in ways}, random.Random(7)
    for way in ways.values():
        way()
    end, going = time.time() + seconds, torch.ones(1)
    while going.item():
        for way in order.sample(list(ways), len(ways)):
            dist.barrier()
            began = time.perf_counter()
            ways[way]()
            times[way].append(slowest(time.perf_counter() - began))
        going = torch.tensor([float(time.time() < end or len(times[way]) < 5)])
        dist.broadcast(going, 0)
    return times


def arrived(tensor):
    """A tensor whose collective is over: DTensor returns before that."""
    return tensor.wait() if hasattr(tensor, "wait") else tensor


def told(times, base):
    """Of each way: median and quartiles in ms, and the median ratio of the base to it."""
    lines = {}
    for way, found in times.items():
        low, middle, high = (1e3 * one for one in statistics.quantiles(found, n=4))
        ratio = statistics.median(other / one for other, one in zip(times[base], found))
        lines[way] = f"{middle:9.2f} ms ({low:.2f} to {high:.2f}), {ratio:6.2f} x"
    return lines


def most(number):
    every = torch.tensor([float(number)], dtype=torch.float64)
    dist.all_reduce(every, dist.ReduceOp.MAX)
    return int(every.item())


def counting():
    """A mode that counts bytes that collectives of DTensor bring to this rank."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Bytes(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.bytes = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            out = function(*args, **(kwargs or {}))
            name = str(function)
            if (
                "c10d" in name
                and ("all_gather" in name or "all_to_all" in name)
                and isinstance(out, torch.Tensor)
            ):
                size = dist.distributed_c10d._resolve_process_group(args[-1]).size()
                self.bytes += out.numel() * out.element_size() * (size - 1) // size
            return out

    return Bytes()


def slices(shape, mesh, words, rank):
    """A part as slices, which it is in all cases here; without elements beside the mesh."""
    found = part(np.arange(int(np.prod(shape))).reshape(shape), mesh, words, rank)
    if found.size == 0:
        return tuple(slice(0, 0) for _ in shape)
    first, last = (np.unravel_index(found.flat[at], shape) for at in (0, -1))
    return tuple(slice(int(at), int(to) + 1) for at, to in zip(first, last))


def gathered_and_sliced(local, shape, mesh, words, own):
    """The way by hand: all ranks gather all parts, padded to one length, put them together, and slice."""
    ranks = dist.get_world_size()
    places = [slices(shape, mesh, words, rank) for rank in range(ranks)]
    sizes = [[place.stop - place.start for place in one] for one in places]
    longest = max(int(np.prod(size)) for size in sizes)
    padded, every, whole = torch.zeros(longest), torch.empty(ranks * longest), torch.empty(shape)

    def way():
        padded[: local.numel()] = local.reshape(-1)
        dist.all_gather_into_tensor(every, padded)
        for rank, (place, size) in enumerate(zip(places, sizes)):
            whole[place] = every[rank * longest : rank * longest + int(np.prod(size))].view(size)
        return whole[own].contiguous()

    return way, (ranks - 1) * longest * 4


def cases(ranks):
    half, every = ranks // 2, list(range(ranks))
    square = np.arange(ranks).reshape(2, half).tolist()
    strided = (f"strided(0, {half})", "shard(0)")
    yield (
        "strided shard → plain shard",
        (4096, 1024),
        square,
        strided,
        square,
        ("shard(0)", "shard(0)"),
    )
    yield f"FSDP {ranks} → TP {ranks}", (4096, 1024), every, ("shard(0)",), every, ("shard(1)",)
    yield f"FSDP {ranks} → TP 2", (4096, 1024), every, ("shard(0)",), [0, 1], ("shard(1)",)
    yield f"TP {ranks} → TP 2", (4096, 1024), every, ("shard(1)",), [0, 1], ("shard(1)",)
    yield "uneven: shard(0) → shard(1)", (4093, 1021), every, ("shard(0)",), every, ("shard(1)",)
    yield (
        "unshard: strided → replicate, shard(0)",
        (4096, 1024),
        square,
        strided,
        square,
        ("replicate", "shard(0)"),
    )


def of_dtensor(rank, ranks, seconds):
    from test_torch_dtensor import of_torch
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import DTensor

    lines, meshes = [], {}
    for name, shape, src_mesh, src, dst_mesh, dst in cases(ranks):
        src_device, dst_device = (
            meshes.setdefault(str(mesh), DeviceMesh("cpu", mesh)) for mesh in (src_mesh, dst_mesh)
        )
        whole = np.arange(np.prod(shape), dtype="f4").reshape(shape)
        local = torch.from_numpy(part(whole, src_mesh, src, rank).copy())
        expected = torch.from_numpy(part(whole, dst_mesh, dst, rank).copy())
        given = DTensor.from_local(
            local,
            src_device,
            of_torch(src),
            run_check=False,
            shape=torch.Size(shape),
            stride=(shape[1], 1),
        )
        same_mesh, to = src_mesh == dst_mesh, of_torch(dst)
        weights = Weights(
            {"w": Spec(shape, torch.float32, src_mesh, src)},
            {"w": Spec(shape, torch.float32, dst_mesh, dst)},
        )
        out = weights.empty()
        ways = {
            "redist, bound": lambda: weights.run({"w": local}, out),
            "redistribute_dtensor": lambda: redistribute_dtensor(given, dst_device, to),
        }
        own = slices(shape, dst_mesh, dst, rank)
        if same_mesh:
            ways["DTensor"] = lambda: arrived(given.redistribute(dst_device, to).to_local())
        else:
            ways["DTensor"] = lambda: arrived(given.full_tensor())[own].contiguous()
        ways["all-gather, slice"], by_hand = gathered_and_sliced(local, shape, src_mesh, src, own)
        bytes_of = {"all-gather, slice": most(by_hand)}
        weights.run({"w": local}, out)
        with counting() as counted:
            by_dtensor = ways["DTensor"]()
        results = [
            redistribute_dtensor(given, dst_device, to).to_local(),
            ways["all-gather, slice"](),
            by_dtensor,
            *out.values(),
        ]
        assert not expected.numel() or all(torch.equal(one, expected) for one in results)
        bytes_of["DTensor"] = most(counted.bytes)
        bytes_of["redist, bound"] = bytes_of["redistribute_dtensor"] = most(weights.received)
        lines.append(f"\n{name}, {list(shape)} f4, {ranks} ranks")
        for way, line in told(in_turns(ways, seconds), "DTensor").items():
            lines.append(f"  {way:22s} {line}  {bytes_of[way] / 1e6:6.2f} MB into a rank")
        redist.torch.forget()
    return lines


def of_weights(rank, ranks, seconds):
    half = ranks // 2
    trainers, servers = np.arange(ranks).reshape(2, half).tolist(), [0, 1]
    sizes = [(256, 256), (64, 256), (256,)]
    model = {f"layers.{at}": sizes[at % 3] for at in range(300)}
    src = {
        name: Spec(size, torch.bfloat16, trainers, (f"strided(0, {half})", "shard(0)"))
        for name, size in model.items()
    }
    dst = {name: Spec(size, torch.bfloat16, servers, ("shard(0)",)) for name, size in model.items()}
    together = Weights(src, dst)
    buckets = Weights(src, dst, max_bytes=1 << 20)
    single = {name: Weights({name: src[name]}, {name: dst[name]}) for name in model}
    given, out, out2, out3 = (
        together.empty("src"),
        together.empty(),
        buckets.empty(),
        together.empty(),
    )
    for tensor in given.values():
        tensor.copy_(torch.arange(tensor.numel()).reshape(tensor.shape) % 251 + rank)

    def calls():
        for name, one in single.items():
            one.run(
                {name: given[name]} if name in given else None,
                {name: out3[name]} if name in out3 else None,
            )

    ways = {
        "Weights, 1 exchange": lambda: together.run(given, out),
        f"Weights, {buckets.buckets} buckets": lambda: buckets.run(given, out2),
        "300 calls": calls,
    }
    times = in_turns(ways, seconds)
    assert all(
        torch.equal(out[name], out3[name]) and torch.equal(out[name], out2[name]) for name in out
    )
    lines = [
        f"\n300 tensors of bf16, {most(together.received) / 1e6:.2f} MB into a rank, strided on 2 x {half} → shard on 2, {ranks} ranks"
    ]
    lines += [f"  {way:22s} {line}" for way, line in told(times, "300 calls").items()]
    return [
        *lines,
        f"  messages of a rank, at most: {most(together.messages)}, {most(buckets.messages)}, {most(sum(one.messages for one in single.values()))}",
    ]


TILES = "(cyclic({0}), cyclic({1})) onto (2, 2)"
PAIRS = [
    ("(block, *) onto 4", "(*, block) onto 4"),
    ("(block, *) onto 4", "(block, *) onto 2"),
    ("(block, *) onto 4 ranks [0, 2, 1, 3]", "(block, *) onto 4"),
    ("(block, block) onto (2, 2)", "(block, *) onto 4"),
    ("(cyclic(512), *) onto 4", "(block, *) onto 4"),
    ("(cyclic(64), *) onto 4", "(block, *) onto 4"),
    ("(cyclic(16), *) onto 4", "(cyclic(64), *) onto 4"),
    ("(cyclic, *) onto 4", "(block, *) onto 4"),
    ("(*, cyclic(16)) onto 4", "(*, block) onto 4"),
    ("(*, cyclic(4)) onto 4", "(*, block) onto 4"),
    ("(*, cyclic) onto 4", "(block, *) onto 4"),
    (TILES.format(64, 64), TILES.format(32, 32)),
    (TILES.format(64, 64), "(block, *) onto 4"),
    (TILES.format(64, 64), "(*, block) onto 4"),
    (TILES.format(64, 64), "(cyclic(64), *) onto 4"),
    (TILES.format(64, 64), TILES.format(30, 50)),
    (TILES.format(8, 8), TILES.format(12, 12)),
    (TILES.format(3, 3), TILES.format(2, 2)),
    ("(gen_block([100, 900, 24, 1024]), *) onto 4", "(block balanced, *) onto 4"),
    ("(block, *) onto 4", "(*, block) onto 4 storage fortran"),
]


def of_views(seconds):
    """Packs all messages of rank 1: by views in numpy, by views in torch, and by our kernels."""
    torch.set_num_threads(1)
    print(
        "\npacking all messages of rank 1 of 2048 x 2048 f4, one thread; views of its longest message; ms"
    )
    print(
        "kernels are those of the extension that is installed: a debug build's take several times as long"
    )
    for src, dst in PAIRS:
        plan = redist.Plan((2048, 2048), src, dst, "f4")
        array = np.random.default_rng(1).random(plan.local_shape("src", 1), dtype="f4")
        tensor, messages, packing = torch.from_numpy(array), plan.messages(1), plan.packing(1)
        sent = {peer: list(views) for peer, views in messages.sends.items()}
        buffers = {peer: packing.empty(elements) for peer, elements in packing.sends.items()}
        flat, flat_tensor = array.ravel(), tensor.view(-1)
        boxes, tensors = [], []
        for peer, views in sent.items():
            at = 0
            for view in views:
                target = buffers[peer][at : at + view.size].reshape(view.shape)
                boxes.append(
                    (
                        target,
                        as_strided(
                            flat[view.src.offset :],
                            view.shape,
                            [4 * step for step in view.src.strides],
                        ),
                    )
                )
                tensors.append(
                    (
                        torch.from_numpy(target),
                        flat_tensor.as_strided(view.shape, view.src.strides, view.src.offset),
                    )
                )
                at += view.size

        def by_numpy():
            for target, box in boxes:
                target[...] = box

        def by_torch():
            for target, box in tensors:
                target.copy_(box)

        ways = {
            "numpy": by_numpy,
            "torch": by_torch,
            "kernels": lambda: packing.pack_all(array, buffers),
        }
        times, order, end = {way: [] for way in ways}, random.Random(5), time.time() + seconds
        for way in ways.values():
            way()
        while time.time() < end or len(times["numpy"]) < 5:
            for way in order.sample(list(ways), 3):
                began = time.perf_counter()
                ways[way]()
                times[way].append(time.perf_counter() - began)
        middle = {way: 1e3 * statistics.median(found) for way, found in times.items()}
        spread = {
            way: [1e3 * one for one in statistics.quantiles(found, n=4)[::2]]
            for way, found in times.items()
        }
        figures = "  ".join(
            f"{way} {middle[way]:6.2f} ({spread[way][0]:.2f} to {spread[way][1]:.2f})"
            for way in ways
        )
        print(f"  {src} → {dst}: {max(map(len, sent.values()))} views; {figures}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=["dtensor", "weights", "views"],
        default=["dtensor", "weights", "views"],
    )
    parser.add_argument("--ranks", nargs="+", type=int, default=[4, 8])
    chosen = parser.parse_args()
    names = (
        [line for line in open("/proc/cpuinfo") if line.startswith("model name")]
        if platform.system() == "Linux"
        else []
    )
    processor = names[0].partition(":")[2].strip() if names else platform.processor()
    print(
        f"{date.today()}, {processor}, {os.cpu_count()} cores, torch {torch.__version__}, gloo; ratios are to DTensor, or to 300 calls"
    )
    for ranks in chosen.ranks:
        if "dtensor" in chosen.only:
            print("\n".join(on_ranks(ranks, of_dtensor, ranks, chosen.seconds)[0]), flush=True)
        if "weights" in chosen.only:
            print("\n".join(on_ranks(ranks, of_weights, ranks, chosen.seconds)[0]), flush=True)
    if "views" in chosen.only:
        of_views(chosen.seconds / 10)


if __name__ == "__main__":
    main()
