"""Ranks of torch.distributed for tests: forked processes over gloo, which meet by a file."""

import multiprocessing
import os
import tempfile
import traceback
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist

from test_torch_words import held


def _rank(function, arguments, rank, count, store, pipe):
    try:
        torch.set_num_threads(1)
        dist.init_process_group(
            "gloo",
            init_method=f"file://{store}",
            rank=rank,
            world_size=count,
            timeout=timedelta(seconds=60),
        )
        found = function(rank, *arguments)
        dist.barrier()
        dist.destroy_process_group()
        pipe.send((True, found))
    except BaseException:
        pipe.send((False, f"rank {rank}: {traceback.format_exc()}"))
    pipe.close()
    os._exit(0)


def _heard(end, rank):
    try:
        return end.recv() if end.poll(120) else (False, f"rank {rank} is silent")
    except EOFError:
        return False, f"rank {rank} has ended"


def on_ranks(count, function, *arguments):
    """Calls a function with its rank on each of some ranks. Returns what they return, plain data."""
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        ends = []
        for rank in range(count):
            end, other = fork.Pipe(duplex=False)
            process = fork.Process(
                target=_rank, args=(function, arguments, rank, count, f"{folder}/store", other)
            )
            process.start()
            other.close()
            ends.append((process, end))
        found = [_heard(end, rank) for rank, (_, end) in enumerate(ends)]
        for process, _ in ends:
            process.join(10)
            process.kill()
    wrong = [words for right, words in found if not right]
    assert not wrong, "\n".join(wrong)
    return [one for _, one in found]


def part(whole, mesh, words, rank):
    """A rank's part of an array, cut by brute force; one without elements beside the mesh."""
    mesh = np.array(mesh)
    if rank not in mesh:
        return np.empty(0, whole.dtype)
    place = np.argwhere(mesh == rank)[0]
    own = [held(extent, dim, mesh.shape, words, place) for dim, extent in enumerate(whole.shape)]
    return whole[np.ix_(*own)] if own else whole
