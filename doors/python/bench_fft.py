"""Transfers of mpi4py-fft against moves of redist, in one run, in turns, each checked against the other.

    mpiexec -n 4 python bench_fft.py [--seconds 2] [--least RATIO]

An array of three dimensions goes from blocks along one axis to blocks along another, as between two
transforms: `Pencil.transfer` of mpi4py-fft, and the same with `redist.Plan`, between ordinary arrays
of numpy's and between those of `Bound.shared`. A time is that of the slowest rank; what is told is the
least and the median of all rounds. `--least` fails where shared arrays are below a ratio. All ranks
also copy their arrays, each into another one of its own: no move of a whole array that leaves it in
place takes less time than that, but for the caches.
"""

import argparse
import statistics
import sys
import time

import numpy as np
from mpi4py import MPI
from mpi4py_fft.pencil import Pencil, Subcomm

import redist

WORLD = MPI.COMM_WORLD


def layout(pencil, grid):
    """The notation of a pencil whose extents its grid divides."""
    dists = ["*" if ranks == 1 else "block" for ranks in grid]
    extents = [str(ranks) for ranks in grid if ranks > 1]
    return f"({', '.join(dists)})" + (f" onto ({', '.join(extents)})" if extents else "")


def cases(ranks):
    """Name, shape, dtype, and how many ranks each axis has at first; -1 is the axis that is whole."""
    slabs = [ranks, 1, 1]
    yield "slabs 1→0", (192, 192, 192), "f8", slabs, 1, 0
    yield "slabs 1→0", (192, 192, 192), "c16", slabs, 1, 0
    yield "slabs 2→0", (192, 192, 192), "f8", slabs, 2, 0
    yield "slabs 1→0", (48, 48, 48), "c16", slabs, 1, 0
    if ranks == 4:
        yield "pencils 2→1", (192, 192, 192), "f8", [2, 2, 1], 2, 1
        yield "pencils 2→1", (192, 192, 192), "c16", [2, 2, 1], 2, 1


def seconds(call):
    WORLD.Barrier()
    began = time.perf_counter()
    call()
    return WORLD.allreduce(time.perf_counter() - began, MPI.MAX)


def compare(shape, dtype, grid, whole, other, limit):
    """Times of both and of a plain copy, in turns."""
    subcomm = Subcomm(WORLD, [ranks if ranks > 1 else 1 for ranks in grid])
    before = Pencil(subcomm, shape, whole)
    after = before.pencil(other)
    transfer = before.transfer(after, dtype)
    grids = [[comm.Get_size() for comm in pencil.subcomm] for pencil in (before, after)]
    plan = redist.Plan(shape, *(layout(*pair) for pair in zip((before, after), grids)), dtype)
    bound = plan.bind(WORLD)
    a = np.empty(before.subshape, dtype)
    a[...] = np.random.default_rng(WORLD.rank).random(before.subshape)
    theirs, ours = np.empty(after.subshape, dtype), np.empty(after.subshape, dtype)
    assert bound.local_shape("src") == a.shape and bound.local_shape("dst") == ours.shape
    shared_a, shared_ours = bound.shared("src"), bound.shared("dst")
    shared_a[...] = a
    copied = np.empty_like(a)
    ways = (
        lambda: transfer.forward(a, theirs),
        lambda: bound.run(a, ours),
        lambda: bound.run(shared_a, shared_ours),
        lambda: np.copyto(copied, a),
    )
    for call in ways:
        call()
    assert np.array_equal(theirs, ours) and np.array_equal(theirs, shared_ours), "they differ"
    times = [[] for _ in ways]
    began = time.perf_counter()
    while WORLD.bcast(time.perf_counter() - began < limit or len(times[0]) < 5):
        # The first one changes.
        for which in range(4) if len(times[0]) % 2 else range(3, -1, -1):
            times[which].append(seconds(ways[which]))
    transfer.destroy()
    return times, bound.way


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each case")
    parser.add_argument("--least", type=float, default=0.0, help="fail below this ratio of medians")
    options = parser.parse_args()
    say = print if WORLD.rank == 0 else lambda *_, **__: None
    say(f"{WORLD.size} ranks, {MPI.get_vendor()[0]} {'.'.join(map(str, MPI.get_vendor()[1]))}; ms: least, median")
    ratios = []
    for name, shape, dtype, grid, whole, other in cases(WORLD.size):
        times, way = compare(shape, dtype, grid, whole, other, options.seconds)
        (least, ours_least, shared_least, _), (median, ours, shared, copy) = (
            [1e3 * of(one) for one in times] for of in (min, statistics.median)
        )
        ratios.append(median / shared)
        say(
            f"{name:12} {'×'.join(map(str, shape)):12} {dtype:4} mpi4py-fft {least:7.3f} {median:7.3f}  "
            f"redist {ours_least:7.3f} {ours:7.3f}: {median / ours:5.2f} times as fast ({way})  "
            f"shared {shared_least:7.3f} {shared:7.3f}: {median / shared:5.2f} times as fast  "
            f"a copy {copy:7.3f}: {median / copy:.2f}, {ours / copy:.2f} and {shared / copy:.2f} of it"
        )
    say(f"with shared arrays at least {min(ratios):.2f} times as fast")
    sys.exit(min(ratios) < options.least)


if __name__ == "__main__":
    main()
