"""Arrays, threads and processes that no program should have: each is an error, and moves nothing."""

import gc
import os
import sys
import threading
import weakref

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import redist
from conftest import MPI


def alone(program):
    """Runs a program on one rank that is a thread."""
    return redist.threads.run(1, program)[0]


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (3, 0, 2), (0, 0)])
def test_arrays_without_elements(shape):
    stars = ", ".join("*" * (len(shape) - 1))
    dealt = f"(block, {stars}) onto 2" if stars else "block onto 2"
    plan = redist.Plan(shape, dealt, dealt.replace("block", "cyclic"), "i4")
    assert plan.verify() == 0 and plan.facts()["elements"] == 0
    for function in None, np.add:
        found = plan.simulate(plan.scatter(np.zeros(shape, "i4")), function=function)
        assert plan.gather(found).shape == shape

    def program(comm):
        bound = plan.bind(comm)
        a, out = bound.empty("src"), bound.empty("dst")
        bound.run(a, out)
        bound.run(a, out, function=np.add)
        bound.run(a, out, alpha=2, beta=1)
        bound.start(a, out).finish()
        bound.run_in_place(*bound.in_place())

    redist.threads.run(2, program)


@pytest.mark.parametrize(
    "like, words",
    [
        (lambda: as_strided(np.zeros(99), (4, 3), (8, 8)), "give it a stride of at least 4"),
        (lambda: as_strided(np.zeros(99), (4, 3), (0, 8)), "strides"),
        (lambda: as_strided(np.zeros(99), (4, 3), (-24, 8)), "strides"),
        (lambda: as_strided(np.zeros(99), (4, 3), (25, 8)), "strides"),
    ],
)
def test_strides_that_no_destination_has(like, words):
    plan = redist.Plan((4, 3), "(*, *)", "(*, *)")

    def program(comm):
        with pytest.raises(redist.Error, match=words):
            plan.bind(comm, dst_like=like())

    alone(program)


def test_sources_may_be_read_only_and_destinations_not():
    plan = redist.Plan(6, "*", "*")
    source, out = np.arange(6.0), np.zeros(6)
    source.flags.writeable = False
    locked = np.frombuffer(bytes(48))

    def program(comm):
        bound = plan.bind(comm)
        bound.run(source, out)
        assert (out == source).all()
        for call in bound.run, bound.start, bound.run_in_place:
            with pytest.raises(redist.ArrayError, match="read-only"):
                call(source, locked)
        with pytest.raises(redist.ArrayError, match="read-only"):
            bound.run(source, locked, function=np.add)

    alone(program)
    assert locked.tolist() == [0] * 6


def test_what_is_bound_ends_with_its_last_name():
    plan = redist.Plan(6, "block onto 2", "cyclic onto 2")
    kept = []

    class Kept(np.ndarray):
        pass

    def program(comm):
        out = np.zeros(3).view(Kept)
        bound = plan.bind(comm)
        bound.run(np.full(3, comm.rank, "f8"), out, function=lambda arrived, kept: kept.__setitem__(..., arrived))
        kept.append(weakref.ref(out))
        # A circle of names, which the collector of this or of another thread ends.
        circle = [bound]
        circle.append(circle)

    redist.threads.run(2, program)
    gc.collect()
    assert [one() for one in kept] == [None, None]


def test_a_function_is_not_kept():
    class Function:
        def __call__(self, arrived, kept):
            kept[...] = arrived

    function = Function()
    is_kept = weakref.ref(function)
    plan = redist.Plan(6, "block onto 2", "cyclic onto 2")
    plan.simulate(plan.scatter(np.zeros(6)), function=function)

    def program(comm):
        plan.bind(comm).run(np.zeros(3), np.zeros(3), function=function)

    redist.threads.run(2, program)
    sums = redist.Copies(4, "* copies 2", "*", combine=function)
    sums.simulate([np.zeros(4)] * 2)
    del sums, function, program
    gc.collect()
    assert is_kept() is None


def test_the_collector_runs_within_a_function():
    """It ends what is bound on other threads, and circles, while a move is under way."""
    plan = redist.Plan(6, "block onto 2", "cyclic onto 2")

    def collect(arrived, kept):
        circle = [arrived]
        circle.append(circle)
        gc.collect()
        kept[...] = arrived

    def program(comm):
        bound = plan.bind(comm)
        for _ in range(5):
            other = [plan.bind(comm)]
            other.append(other)
            del other
            out = np.zeros(3)
            bound.run(np.full(3, comm.rank, "f8"), out, function=collect)
        return out

    assert np.concatenate(redist.threads.run(2, program)).tolist() == [0, 0, 1, 0, 1, 1]


def test_a_bound_of_another_thread_in_a_function():
    plan = redist.Plan(6, "*", "*")

    def program(comm):
        bound, said = plan.bind(comm), []

        def function(arrived, kept):
            def use():
                try:
                    bound.explain()
                except redist.MoveError as error:
                    said.append(str(error))

            thread = threading.Thread(target=use)
            thread.start()
            thread.join()

        bound.run(np.zeros(6), np.zeros(6), function=function)
        return said

    assert "on the thread that bound it alone" in alone(program)[0]


def test_recursion_and_the_end_of_python_in_a_function():
    plan = redist.Plan(6, "*", "*")

    def deep(arrived, kept):
        return deep(arrived, kept)

    with pytest.raises(RecursionError):
        plan.simulate([np.zeros(6)], function=deep)

    def leave(arrived, kept):
        sys.exit(3)

    with pytest.raises(SystemExit):
        plan.simulate([np.zeros(6)], function=leave)


def test_a_function_that_changes_its_arrays():
    plan = redist.Plan(6, "*", "*", "i4")

    def resize(arrived, kept):
        kept.resize(3, refcheck=False)

    for function in resize, lambda arrived, kept: setattr(kept, "shape", (2, 3)), lambda arrived, kept: setattr(kept, "dtype", "f4"):
        try:
            plan.simulate([np.zeros(6, "i4")], function=function)
        except ValueError:
            pass


@pytest.mark.skipif(not hasattr(os, "fork") or MPI is not None, reason="processes are not copied beside MPI")
def test_copies_of_a_process_move_nothing():
    plan = redist.Plan(6, "block onto 2", "cyclic onto 2")

    def program(comm):
        bound = plan.bind(comm)
        a, out = np.full(3, comm.rank, "f8"), np.zeros(3)
        if comm.rank == 0:
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    with pytest.raises(redist.MoveError, match="this process is a copy"):
                        bound.run(a, out)
                    with pytest.raises(redist.CommunicatorError, match="another thread or process"):
                        plan.bind(comm)
                    # Its end waits for nobody.
                    del bound
                    code = 0
                finally:
                    os._exit(code)
            assert os.waitpid(child, 0)[1] == 0
        bound.run(a, out)
        return out

    found = redist.threads.run(2, program)
    assert np.concatenate(found).tolist() == [0, 0, 1, 0, 1, 1]


@pytest.mark.parametrize("bad", [np.float64(2), "8", None, [1, "x"], {"a": 1}, (2, -1), 1 << 80])
def test_shapes_that_are_none(bad):
    with pytest.raises((redist.PlanError, TypeError)):
        redist.Plan(bad, "*", "*")


def test_dtypes_of_arrays_are_compared_whole():
    """Types with the same bytes, but another meaning."""
    one = np.dtype([("x", "f4"), ("y", "f4")])
    others = [np.dtype([("y", "f4"), ("x", "f4")]), np.dtype([("x", "f4"), ("y", "i4")]), np.dtype("f8"), np.dtype("c8"), np.dtype("V8")]
    plan = redist.Plan(6, "*", "*", one)

    def program(comm):
        bound = plan.bind(comm)
        for other in others:
            with pytest.raises(redist.ArrayError, match="has the dtype"):
                bound.run(np.zeros(6, other), np.zeros(6, one))
            with pytest.raises(redist.ArrayError, match="has the dtype"):
                bound.run(np.zeros(6, one), np.zeros(6, other))
        # The same fields, aligned or with a title.
        bound.run(np.zeros(6, np.dtype([("x", "f4"), ("y", "f4")], align=True)), np.zeros(6, one))

    alone(program)
    for unit in "s", "ms":
        moved = redist.Plan(4, "*", "*", f"M8[{unit}]")
        with pytest.raises(redist.ArrayError, match="has the dtype"):
            moved.simulate([np.zeros(4, "M8[us]")])
