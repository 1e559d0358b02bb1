"""Arrays in memory that the ranks of a node share."""

import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import redist

SIDES = "src", "dst"


def rows_to_columns(comm, shape=(24, 36), dtype="f8"):
    ranks = comm.size
    return redist.Plan(shape, f"(block, *) onto {ranks}", f"(*, cyclic(2)) onto {ranks} storage fortran", dtype)


def numbered(plan, side, rank):
    """Each element is its place in the whole array."""
    whole = np.arange(np.prod(plan.shape)).reshape(plan.shape)
    own = whole[np.ix_(*plan.global_indices(side, rank))].astype(plan.dtype)
    return own if own.size else plan.empty(side, rank)


@pytest.mark.parametrize("dtype", ["f8", "c16", "u1", ">f8", np.dtype([("mass", "f8"), ("kind", "i2")])], ids=str)
@pytest.mark.parametrize("shape", [(24, 36), (1, 2), (0, 3)])
def test_moves(comm, shape, dtype):
    plan = rows_to_columns(comm, shape, dtype)
    bound, back = plan.bind(comm), plan.inverse().bind(comm)
    a, out = (bound.shared(side) for side in SIDES)
    for array, side in zip((a, out), SIDES):
        like = bound.empty(side)
        assert array.shape == like.shape and array.dtype == like.dtype and array.flags.writeable
        assert array.flags.c_contiguous == like.flags.c_contiguous
        assert array.flags.f_contiguous == like.flags.f_contiguous
        assert array.tobytes() == bytes(array.nbytes)
    own, expected = numbered(plan, "src", comm.rank), numbered(plan, "dst", comm.rank)
    ordinary = bound.empty("dst")
    for _ in range(3):
        a[...] = own
        out[...] = np.zeros_like(out)
        bound.run(a, out)
        assert np.array_equal(out, expected)
        # Only one side is shared, on all ranks or some, and in two calls.
        ordinary[...] = np.zeros_like(ordinary)
        bound.run(a if comm.rank else own, ordinary)
        assert np.array_equal(ordinary, expected)
        out[...] = np.zeros_like(out)
        bound.start(a, out).finish()
        assert np.array_equal(out, expected)
        # The destination of one is the source of the next.
        a[...] = np.zeros_like(a)
        back.run(out, a)
        assert np.array_equal(a, own)


def test_ranks_pass_parts_of_two(comm):
    plan = rows_to_columns(comm)
    bound = plan.bind(comm)
    one, other, out = bound.shared("src"), bound.shared("src"), bound.empty("dst")
    (one if comm.rank == 0 else other)[...] = numbered(plan, "src", comm.rank)
    bound.run(one if comm.rank == 0 else other, out)
    assert np.array_equal(out, numbered(plan, "dst", comm.rank))


def test_halves_of_one_are_ordinary_arrays(comm):
    plan = redist.Plan((8 * comm.size, 6), f"(block, *) onto {comm.size}", f"(cyclic, *) onto {comm.size}")
    larger = redist.Plan((16 * comm.size, 6), f"(block, *) onto {comm.size}", f"(cyclic, *) onto {comm.size}")
    bound, memory = plan.bind(comm), larger.bind(comm).shared("src")
    for a in memory[:8], memory[8:]:
        a[...] = numbered(plan, "src", comm.rank)
        out = bound.empty("dst")
        bound.run(a, out)
        assert np.array_equal(out, numbered(plan, "dst", comm.rank))
    with pytest.raises(redist.Error):
        bound.run(memory, bound.empty("dst"))


def test_a_view_keeps_the_memory(comm):
    bound = rows_to_columns(comm).bind(comm)
    view = bound.shared("src")[1:]
    view[...] = comm.rank
    del bound
    gc.collect()
    # The next array might get the memory, if it were free.
    other = rows_to_columns(comm).bind(comm).shared("src")
    other[...] = -1.0
    assert np.all(view == comm.rank)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_is_given_back(comm):
    bound = rows_to_columns(comm, (1 << 10, 1 << 9)).bind(comm)

    def some(times):
        for _ in range(times):
            a, out = (bound.shared(side) for side in SIDES)
            a[...] = 1.0
            bound.run(a, out)

    some(10)
    before = resident()
    some(40)
    # Forty times a megabyte and more on each side, of each of four ranks.
    assert resident() - before < 16 << 20


def test_what_is_wrong_on_one_rank(comm):
    bound = rows_to_columns(comm).bind(comm)
    last = comm.rank == comm.size - 1
    with pytest.raises(redist.PlanError if last else redist.MoveError, match="left|rank"):
        bound.shared("left" if last else "src")
    a, out = bound.empty("src"), bound.empty("dst")
    with bound.start(a, out):
        with pytest.raises(redist.MoveError, match="under way"):
            bound.shared("src")
    assert bound.shared("src").shape == a.shape


def test_arrays_may_end_on_another_thread(comm):
    bound = rows_to_columns(comm, (1 << 10, 1 << 9)).bind(comm)

    def some(times):
        for _ in range(times):
            kept = [bound.shared("src")]
            kept[0][...] = 1.0
            thread = threading.Thread(target=kept.clear)
            thread.start()
            thread.join()

    some(10)
    before = resident()
    some(40)
    assert resident() - before < 16 << 20
    # An array that ended elsewhere is freed when the next one begins or ends here.
    bound.shared("src")


LIVES_TO_THE_END = """
from mpi4py import MPI
import redist
bound = redist.Plan((8, 8), "(block, *) onto 1", "(*, block) onto 1", "f8").bind(MPI.COMM_WORLD)
a, out = bound.shared("src"), bound.shared("dst")
a[...] = 3
bound.run(a, out)
assert (out == 3).all()
"""


def test_a_program_may_end_with_one(comm):
    if comm.size > 1:
        pytest.skip("of one process")
    launched = ("OMPI_", "PMIX_", "PMI_", "ORTE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(launched) or "ROOT" in name}
    ended = subprocess.run([sys.executable, "-c", LIVES_TO_THE_END], env=clean, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0 and not ended.stderr, ended.stderr


ENDS_ON_ANOTHER_THREAD = """
import threading
from mpi4py import MPI
import redist
bound = redist.Plan((8, 8), "(block, *) onto 1", "(*, block) onto 1", "f8").bind(MPI.COMM_WORLD)
kept = [bound.shared("src")]
thread = threading.Thread(target=kept.clear)
thread.start()
thread.join()
del bound
"""


def test_a_program_may_end_after_its_last_one_on_another_thread(comm):
    if comm.size > 1:
        pytest.skip("of one process")
    launched = ("OMPI_", "PMIX_", "PMI_", "ORTE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(launched) or "ROOT" in name}
    ended = subprocess.run(
        [sys.executable, "-c", ENDS_ON_ANOTHER_THREAD], env=clean, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0 and not ended.stderr, ended.stderr
