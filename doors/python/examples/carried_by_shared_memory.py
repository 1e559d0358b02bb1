"""Ranks are processes, and arrays lie in shared memory: receivers copy their boxes from there."""

from multiprocessing import Pool
from multiprocessing.managers import SharedMemoryManager

import numpy as np
from numpy.lib.stride_tricks import as_strided

import redist

PLAN = redist.Plan((300, 200), "(cyclic(16), *) onto 3", "(*, cyclic(10)) onto 4", "f8")


def local(memory, side, rank):
    return np.ndarray(PLAN.local_shape(side, rank), PLAN.dtype, memory[side, rank].buf)


def box(array, place, shape):
    return as_strided(array.ravel()[place.offset :], shape, [8 * step for step in place.strides])


def receive(memory, rank):
    """Copies each element once, from the sender's array to this rank's."""
    for sender, views in PLAN.messages(rank).receives.items():
        a, out = local(memory, "src", sender), local(memory, "dst", rank)
        for view in views:
            box(out, view.dst, view.shape)[...] = box(a, view.src, view.shape)


if __name__ == "__main__":
    whole, ranks = np.arange(300 * 200.0).reshape(300, 200), range(PLAN.ranks)
    with SharedMemoryManager() as manager, Pool(PLAN.ranks) as pool:
        keys = [(side, rank) for side in ("src", "dst") for rank in ranks]
        memory = {key: manager.SharedMemory(8 * PLAN.local_size(*key) or 8) for key in keys}
        for rank, part in enumerate(PLAN.scatter(whole)):
            local(memory, "src", rank)[...] = part
        pool.starmap(receive, [(memory, rank) for rank in ranks])
        moved = PLAN.gather([local(memory, "dst", rank) for rank in ranks])
    assert np.array_equal(moved, whole)
    print(f"shared memory carried {moved.size} elements between {PLAN.ranks} ranks")
