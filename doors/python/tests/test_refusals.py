"""What is wrong on one rank is an error on all, in our words; nothing hangs, nothing moves."""

import os
import subprocess
import sys

import numpy as np
import pytest

import redist
from conftest import MPI, unfit


def plan_of(comm, shape=(12, 8), dtype="f8"):
    return redist.Plan(shape, f"(block, *) onto {comm.size}", f"(*, block) onto {comm.size}", dtype)


def wrong(bound):
    """Pairs of arrays that are refused, with words that are to be read."""
    a, out = bound.empty("src"), bound.empty("dst")
    rows, columns = a.shape
    readonly, head, tail = unfit(a, out)
    return [
        (a[:, :-1], out, r"src array has the shape .* `empty\(\"src\"\)` makes one"),
        (a, out[:-1], "dst array has the shape"),
        (np.asfortranarray(a), out, "strides .* in bytes, but must have .* `src_like`"),
        (np.zeros((rows, 2 * columns))[:, ::2], out, "strides"),
        (a[::-1], out, "strides"),
        (a.astype("f4"), out, "has the dtype float32, but the plan is for float64"),
        (a.astype(">f8"), out, "dtype"),
        (a, readonly, "dst array is read-only"),
        (head, tail, "shares memory with the src array"),
        (a.tolist(), out, "is a list; bring an array of numpy's"),
        (None, out, "is a NoneType; bring an array of numpy's"),
        (np.ma.masked_array(a, a < 0), out, "masked array, whose mask would stay behind"),
        (a, np.ma.masked_array(out), "masked array"),
    ]


# feature: shapes compared = always
@pytest.mark.parametrize("number", range(13))
@pytest.mark.parametrize("starts", [False, True])
def test_arrays_that_do_not_fit(comm, number, starts):
    if comm.size == 1:
        pytest.skip("of several ranks")
    bound = plan_of(comm).bind(comm)
    for culprit in 0, comm.size - 1:
        a, out = bound.empty("src"), bound.empty("dst")
        a[...], out[...] = 1.0, -1.0
        is_wrong = comm.rank == culprit
        words = f"rank {culprit}: "
        if is_wrong:
            a, out, words = wrong(bound)[number]
        with pytest.raises(redist.ArrayError if is_wrong else redist.MoveError, match=words):
            if starts:
                bound.start(a, out).finish()
            else:
                bound.run(a, out)
        assert is_wrong or np.all(out == -1.0)
        # The next one moves.
        a, out = bound.empty("src"), bound.empty("dst")
        a[...] = 3.0
        bound.run(a, out)
        assert np.all(out == 3.0)


def test_binding_on_one_rank_alone_goes_wrong(comm):
    if comm.size == 1:
        pytest.skip("of several ranks")
    plan = plan_of(comm)
    is_wrong = comm.rank == 1
    strange = np.zeros((3, 3)) if is_wrong else None
    with pytest.raises(redist.ArrayError if is_wrong else redist.MoveError, match="rank 1: ") as error:
        plan.bind(comm, src_like=strange)
    # The others are told in names of Python, too.
    assert "::" not in str(error.value) and ("empty" in str(error.value))
    masked = np.ma.masked_array(plan.empty("src", comm.rank)) if is_wrong else None
    with pytest.raises(redist.ArrayError if is_wrong else redist.MoveError, match="masked|rank 1: ") as error:
        plan.bind(comm, src_like=masked)
    assert "::" not in str(error.value)
    backwards = plan.empty("dst", comm.rank)[::-1] if is_wrong else None
    with pytest.raises(redist.ArrayError if is_wrong else redist.MoveError, match="rank 1: "):
        plan.bind(comm, dst_like=backwards)
    words = "write one of \"automatic\"" if is_wrong else "rank 1: .*write one of \"automatic\""
    with pytest.raises(redist.PlanError if is_wrong else redist.MoveError, match=words):
        plan.bind(comm, route="by hand" if is_wrong else "automatic")
    with pytest.raises(redist.MoveError, match="another plan"):
        plan_of(comm, (12, 8 + is_wrong)).bind(comm)
    with pytest.raises(redist.MoveError, match="rank 1 has planned for the dtype float32, rank 0 for float64"):
        plan_of(comm, dtype="f4" if is_wrong else "f8").bind(comm)
    plan.bind(comm)


def test_more_ranks_than_there_are(comm):
    plan = redist.Plan(100, f"block onto {comm.size + 1}", "*")
    with pytest.raises(redist.MoveError, match=f"needs {comm.size + 1} ranks"):
        plan.bind(comm)


def test_overlapping_strides(comm):
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(100), (12 // comm.size, 8), (8, 8))
    if 12 % comm.size:
        pytest.skip("rows that are dealt evenly")
    with pytest.raises(redist.MoveError, match="stride"):
        plan_of(comm).bind(comm, src_like=overlapping)


def test_what_is_no_communicator(comm):
    plan = plan_of(comm)
    for other in None, 3, "MPI.COMM_WORLD", MPI, MPI.DOUBLE:
        with pytest.raises(redist.CommunicatorError, match="bring one of mpi4py's"):
            plan.bind(other)
    with pytest.raises(redist.CommunicatorError, match="COMM_NULL"):
        plan.bind(MPI.COMM_NULL)
    if comm.size > 1:
        half = comm.Split(comm.rank % 2, comm.rank)
        between = half.Create_intercomm(0, comm, 1 - comm.rank % 2, 7)
        with pytest.raises(redist.CommunicatorError, match="`Merge`"):
            plan.bind(between)
        between.Free()
        half.Free()


def test_another_library_is_noticed(comm, monkeypatch):
    plan = plan_of(comm)
    with monkeypatch.context() as other:
        other.setattr(MPI, "Get_library_version", lambda: "Another MPI 1.0")
        with pytest.raises(redist.CommunicatorError, match="Another MPI 1.0"):
            plan.bind(comm)
    with monkeypatch.context() as other:
        other.setattr(MPI, "_sizeof", lambda _: 16)
        with pytest.raises(redist.CommunicatorError, match="another MPI library"):
            plan.bind(comm)
    with monkeypatch.context() as other:
        # Another copy of the library has another world.
        other.setattr(MPI, "COMM_WORLD", MPI.COMM_SELF)
        with pytest.raises(redist.CommunicatorError, match="another copy"):
            plan.bind(comm)
    plan.bind(comm)


TWO_LIBRARIES = """
import ctypes
from mpi4py import MPI
import redist
ctypes.CDLL("libmpich.so.12" if "Open MPI" in MPI.Get_library_version() else "libmpi.so.40")
try:
    redist.Plan(8, "block onto 1", "cyclic onto 1").bind(MPI.COMM_WORLD)
except redist.Error as error:
    print(type(error).__name__, error)
"""


def test_two_libraries_are_told(comm):
    if comm.size > 1:
        pytest.skip("of one process")
    launched = ("OMPI_", "PMIX_", "PMI_", "ORTE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(launched)}
    said = subprocess.run([sys.executable, "-c", TWO_LIBRARIES], env=clean, capture_output=True, text=True)
    if "cannot open shared object file" in said.stderr:
        pytest.skip("there is no second library")
    assert said.stdout.startswith("CommunicatorError two MPI libraries are in this process, "), said


def test_communicators_of_all_sorts(comm):
    for other in comm.Dup(), comm.Split(0, -comm.rank), comm.Create_cart([comm.size]):
        plan = plan_of(other)
        bound = plan.bind(other)
        a, out = bound.empty("src"), bound.empty("dst")
        a[...] = 5.0
        bound.run(a, out)
        assert np.all(out == 5.0) and bound.rank == other.rank
        del bound
        other.Free()
    alone = redist.Plan(8, "block onto 1", "cyclic onto 1").bind(MPI.COMM_SELF)
    out = alone.empty("dst")
    alone.run(np.arange(8.0), out)
    assert np.array_equal(out, np.arange(8.0))
