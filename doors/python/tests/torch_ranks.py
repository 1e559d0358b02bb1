"""Ranks of torch.distributed for tests: forked processes over gloo, which meet by a file."""

import multiprocessing
import os
import tempfile
import traceback
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist


def _rank(function, arguments, rank, count, store, pipe):
    try:
        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=count, timeout=timedelta(seconds=60))
        found = function(rank, *arguments)
        dist.barrier()
        dist.destroy_process_group()
        pipe.send((True, found))
    except BaseException:
        pipe.send((False, f"rank {rank}: {traceback.format_exc()}"))
    pipe.close()
    os._exit(0)


def on_ranks(count, function, *arguments):
    """Calls a function with its rank on each of some ranks. Returns what they return, plain data."""
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        ends = []
        for rank in range(count):
            end, other = fork.Pipe(duplex=False)
            process = fork.Process(target=_rank, args=(function, arguments, rank, count, f"{folder}/store", other))
            process.start()
            other.close()
            ends.append((process, end))
        found = [end.recv() if end.poll(120) else (False, f"rank {rank} is silent") for rank, (_, end) in enumerate(ends)]
        for process, _ in ends:
            process.join(10)
            process.kill()
    wrong = [words for right, words in found if not right]
    assert not wrong, "\n".join(wrong)
    return [one for _, one in found]


def _chunks(indices, ways):
    size = max(1, -(-len(indices) // ways))
    return [indices[at * size : (at + 1) * size] for at in range(ways)]


def held(extent, mesh, placements, place):
    """Indices along one dimension, by brute force: placements are (ways of cutting, factor or None)."""
    indices = np.arange(extent)
    for ways, factor, at in zip(mesh, placements, place):
        if factor is None:
            indices = _chunks(indices, ways)[at]
        else:
            indices = np.concatenate([_chunks(chunk, ways)[at] for chunk in _chunks(indices, factor)])
    return indices


def part(whole, mesh, words, rank):
    """A rank's part of an array of numpy's or a tensor, by brute force from words; `None` beside the mesh."""
    mesh = np.array(mesh)
    if rank not in mesh:
        return None
    place = np.argwhere(mesh == rank)[0]
    index = []
    for dim, extent in enumerate(whole.shape):
        ways, factors, at = [], [], []
        for axis, word in enumerate(words):
            numbers = [int(one) for one in word.partition("(")[2].rstrip(")").split(",") if one.strip().isdigit()]
            if word.startswith(("shard", "strided")) and numbers[0] == dim:
                ways.append(mesh.shape[axis])
                factors.append(numbers[1] if word.startswith("strided") else None)
                at.append(place[axis])
        index.append(held(extent, ways, factors, at))
    found = np.asarray(whole)[np.ix_(*index)] if index else np.asarray(whole)
    return found
