"""Plans that are bound to threads of this process: without MPI."""

import gc
import itertools
import threading

import numpy as np
import pytest

import redist
from layouts import parts, words
from test_plan import SIDES

PLAN = redist.Plan((8, 6), "(cyclic(2), *) onto 2", "(*, block) onto 3")
WHOLE = np.arange(48.0).reshape(8, 6)


def own(plan, side, rank, whole=WHOLE):
    return whole[np.ix_(*plan.global_indices(side, rank))].copy()


def expected(rank, whole=WHOLE):
    return own(PLAN, "dst", rank, whole)


# feature: ranks that are threads = `redist.threads.run`
@pytest.mark.parametrize("src, dst", list(itertools.product(SIDES, SIDES)))
def test_bound_plans_move_what_the_layouts_say(src, dst):
    whole = np.arange(7 * 11, dtype="i4").reshape(7, 11)
    plan = redist.Plan(whole.shape, words(*src), words(*dst, fortran=True), "i4")
    given = plan.scatter(whole)

    def program(comm):
        bound = plan.bind(comm)
        assert (bound.rank, bound.comm.rank, bound.plan) == (comm.rank, comm.rank, plan)
        moved = []
        for way in "run", "with", "finish":
            out = bound.empty("dst")
            out[...] = -1
            if way == "run":
                bound.run(given[comm.rank], out)
            elif way == "with":
                with bound.start(given[comm.rank], out) as move:
                    assert not move.is_finished
            else:
                move = bound.start(given[comm.rank], out)
                move.finish()
                assert move.is_finished
            moved.append(out)
        return moved

    after = parts(whole, *dst)
    for rank, moved in enumerate(redist.threads.run(plan.ranks, program)):
        for found in moved:
            wanted = after[rank] if rank < len(after) else np.empty(0)
            assert found.size == wanted.size and np.array_equal(found.ravel(), wanted.ravel())


def test_results_are_in_the_order_of_ranks():
    names = set()

    def program(comm):
        names.add(threading.current_thread())
        assert (comm.Get_rank(), comm.Get_size()) == (comm.rank, comm.size)
        return comm.rank, comm.size

    assert redist.threads.run(5, program) == [(rank, 5) for rank in range(5)]
    assert len(names) == 5 and threading.current_thread() not in names
    assert redist.threads.run(np.int64(1), lambda comm: None) == [None]


def test_more_ranks_than_the_plan_has():
    def program(comm):
        bound = PLAN.bind(comm)
        out = bound.empty("dst")
        bound.run(own(PLAN, "src", comm.rank) if comm.rank < 3 else bound.empty("src"), out)
        return bound.local_shape("dst"), out

    *moved, (shape, _) = redist.threads.run(4, program)
    assert shape == (0, 0)
    assert all(np.array_equal(out, expected(rank)) for rank, (_, out) in enumerate(moved))


# feature: halos, leading dimensions, strides = `src_like`, `dst_like`, in batches and copies, too
@pytest.mark.parametrize("route", ["automatic", "messages"])
def test_halos_shared_arrays_and_options(route):
    def program(comm):
        shape = PLAN.local_shape("src", comm.rank)
        around = np.zeros((shape[0] + 2, shape[1] + 4))
        inside = around[1 : 1 + shape[0], 2 : 2 + shape[1]]
        bound = PLAN.bind(comm, src_like=inside, route=route, collectively=True)
        before, out = bound.shared("src"), bound.shared("dst")
        assert not before.any() and not out.any()
        assert before.strides == inside.strides or not before.size
        inside[...] = before[...] = own(PLAN, "src", comm.rank)
        bound.run(inside, out)
        again = bound.empty("dst")
        bound.run(before, again)
        assert np.array_equal(out, again)
        return bound.way, "threads" in bound.explain(), out

    for rank, (way, has_words, out) in enumerate(redist.threads.run(3, program)):
        assert (way, has_words) == (route, route == "automatic") and np.array_equal(out, expected(rank))


def test_the_interpreter_runs_while_a_rank_waits():
    told = threading.Event()

    def program(comm):
        bound = PLAN.bind(comm)
        if comm.rank == 1:
            # The others wait in `run` meanwhile; a timer of Python's wakes this one.
            threading.Timer(0.05, told.set).start()
            assert told.wait(60)
        out = bound.empty("dst")
        bound.run(own(PLAN, "src", comm.rank), out)
        return out

    moved = redist.threads.run(3, program)
    assert all(np.array_equal(out, expected(rank)) for rank, out in enumerate(moved))


@pytest.mark.parametrize("fails", ["before bind", "before run", "after start"])
def test_an_exception_reaches_the_caller_and_no_rank_waits(fails):
    told = []

    def program(comm):
        if comm.rank == 1 and fails == "before bind":
            raise KeyError("nothing\nhere")
        try:
            bound = PLAN.bind(comm)
            if comm.rank == 1 and fails == "before run":
                raise KeyError("nothing\nhere")
            a, out = own(PLAN, "src", comm.rank), bound.empty("dst")
            if comm.rank == 1:
                bound.start(a, out)
                raise KeyError("nothing\nhere")
            bound.run(a, out)
            bound.run(a, out)
        except redist.MoveError as error:
            told.append(str(error))
            raise

    with pytest.raises(redist.RankError, match="^rank 1 failed: KeyError: .*here") as raised:
        redist.threads.run(3, program)
    assert isinstance(raised.value.__cause__, KeyError) and isinstance(raised.value, redist.Error)
    assert len(told) == 2 and all("rank 1" in words and "KeyError" in words for words in told), told


def test_other_exceptions_are_causes_too():
    with pytest.raises(redist.RankError, match="^rank 0 failed: SystemExit: 3") as raised:
        redist.threads.run(1, lambda comm: exit(3))
    assert isinstance(raised.value.__cause__, SystemExit)


def test_a_wrong_array_is_an_error_of_those_that_receive_from_it():
    def program(comm):
        bound = PLAN.bind(comm)
        a, out = own(PLAN, "src", comm.rank), bound.empty("dst")
        kind = redist.ArrayError if comm.rank == 1 else redist.MoveError
        with pytest.raises(kind, match="rank 1: the src array has the dtype float32|rank 1.*the src array"):
            bound.run(a.astype("f4") if comm.rank == 1 else a, out)
        bound.run(a, out)
        move = bound.start(a, out)
        with pytest.raises(redist.MoveError, match="a move is under way"):
            bound.run(a, out)
        move.finish()
        return out

    moved = redist.threads.run(3, program)
    assert all(np.array_equal(out, expected(rank)) for rank, out in enumerate(moved))


def test_a_wrong_bind_is_an_error_of_all():
    for wrong in {"route": "quick"}, {"src_like": np.zeros(3)}, {"collectively": 3}:

        def program(comm):
            with pytest.raises((redist.Error, TypeError)) as raised:
                PLAN.bind(comm, **(wrong if comm.rank == 1 else {}))
            return str(raised.value)

        told = redist.threads.run(3, program)
        assert "rank 1" in told[0] and "rank 1" in told[2], told

    def differs(comm):
        with pytest.raises(redist.MoveError, match="rank 1"):
            redist.Plan((8, 6), PLAN.src, "(*, block) onto 2" if comm.rank == 1 else PLAN.dst).bind(comm)
        with pytest.raises(redist.MoveError, match="the route `chunks`.*automatic"):
            PLAN.bind(comm, route="chunks")
        return True

    assert redist.threads.run(3, differs) == [True] * 3
    with pytest.raises(redist.RankError, match="rank . failed: MoveError: .*3 ranks"):
        redist.threads.run(2, PLAN.bind)


def test_ranks_meet_at_a_barrier():
    seen = []

    def program(comm):
        seen.append(comm.rank)
        comm.barrier()
        assert len(seen) == 4
        comm.Barrier()

    redist.threads.run(4, program)

    def fails(comm):
        if comm.rank == 2:
            raise ValueError("early")
        comm.barrier()

    with pytest.raises(redist.RankError, match="^rank 2 failed: ValueError: early$"):
        redist.threads.run(4, fails)


def test_runs_within_runs_and_at_once():
    def inner(comm):
        out = PLAN.bind(comm).empty("dst")
        PLAN.bind(comm).run(own(PLAN, "src", comm.rank), out)
        return out

    for moved in redist.threads.run(3, lambda comm: redist.threads.run(3, inner)):
        assert all(np.array_equal(out, expected(rank)) for rank, out in enumerate(moved))


def test_ranks_and_bound_plans_stay_with_their_threads():
    kept = []

    def program(comm):
        bound = PLAN.bind(comm)
        kept.append((comm, bound, bound.start(own(PLAN, "src", comm.rank), bound.empty("dst"))))
        comm.barrier()
        other, others, _ = kept[comm.rank - 1]
        if other.rank != comm.rank:
            with pytest.raises(redist.CommunicatorError, match="another thread"):
                PLAN.bind(other)
            with pytest.raises(redist.MoveError, match="on the thread that bound it alone"):
                others.explain()
        comm.barrier()
        return bound

    returned = redist.threads.run(3, program)
    for comm, bound, move in kept:
        assert repr(comm) == f"<redist.threads.Rank: {comm.rank} of 3>"
        with pytest.raises(redist.CommunicatorError, match=f"rank {comm.rank} of threads has ended"):
            PLAN.bind(comm)
        with pytest.raises(redist.CommunicatorError, match=f"rank {comm.rank} of threads has ended"):
            comm.barrier()
        with pytest.raises(redist.MoveError, match="on the thread that bound it alone"):
            move.finish()
        assert bound in returned
    kept.clear()
    del returned, comm, bound, move
    gc.collect()


def test_the_communicators_of_others_are_not_threads():
    with pytest.raises(redist.CommunicatorError, match="`redist.threads.run` gives"):
        PLAN.bind(threading)

    def program(comm):
        with pytest.raises(AttributeError, match="a Rank of threads has no .bcast., only"):
            comm.bcast(3)

    redist.threads.run(2, program)


def test_what_is_wrong_is_said_at_once():
    def program(comm):
        raise AssertionError("no rank runs")

    with pytest.raises(redist.PlanError, match="ranks 0: write a number of ranks from 1 on"):
        redist.threads.run(0, program)
    with pytest.raises(redist.PlanError, match="ranks -1: write"):
        redist.threads.run(-1, program)
    with pytest.raises(TypeError, match="ranks 'four': write"):
        redist.threads.run("four", program)
    with pytest.raises(TypeError, match="function 3 is a int, which cannot be called"):
        redist.threads.run(2, 3)
    with pytest.raises(redist.RankError, match="could not be started: no system has more"):
        redist.threads.run(1 << 40, program)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "i8"])
def test_simulated_moves_are_scaled(dtype):
    plan = redist.Plan((8, 6), PLAN.src, PLAN.dst, dtype)
    whole, kept = WHOLE.astype(dtype), (WHOLE[::-1] + 1).astype(dtype)
    if np.iscomplexobj(whole):
        whole, kept = whole * (1 + 2j), kept * 1j
    given, into = plan.scatter(whole), plan.scatter(kept, "dst")
    found = plan.simulate(given, into=into, alpha=3, beta=np.asarray(2, dtype), conjugate=True)
    assert all(one is other for one, other in zip(found, into))
    assert np.array_equal(plan.gather(found), 3 * whole.conj() + 2 * kept)
    assert np.array_equal(plan.gather(plan.simulate(given, alpha=-2)), -2 * whole)
    assert np.array_equal(plan.gather(plan.simulate(given, conjugate=True)), whole.conj())
    assert np.array_equal(plan.gather(plan.simulate(given, into=into)), whole)
    assert np.array_equal(plan.gather(into), whole)


def test_into_keeps_what_nothing_arrives_for():
    plan = redist.Plan((2, 3), "(block, *) onto 2", "(*, block) onto 3 of [4, 5] at [1, 1]", "i2")
    wide = [np.full((shape[0], shape[1] + 2), 9, "i2") for shape in (plan.local_shape("dst", rank) for rank in range(3))]
    into = [array[:, 1:-1] for array in wide]
    whole = np.arange(6, dtype="i2").reshape(2, 3)
    plan.simulate(plan.scatter(whole), into=into)
    found = plan.gather(into)
    assert np.array_equal(found[1:3, 1:4], whole) and (found == 9).sum() == 20 - 6
    assert all((array[:, [0, -1]] == 9).all() for array in wide)


def test_wrong_factors_and_targets_are_refused():
    given, into = PLAN.scatter(WHOLE), PLAN.scatter(WHOLE, "dst")
    for wrong, kind, said in [
        ({"beta": 1}, redist.PlanError, "beta is a factor of `into`, which is missing"),
        ({"alpha": 1j}, redist.PlanError, "alpha 1j: write a number that float64 has"),
        ({"alpha": [1, 2]}, redist.PlanError, r"alpha \[1, 2\]: write"),
        ({"alpha": "two"}, redist.PlanError, "alpha 'two': write"),
        ({"conjugate": 3}, TypeError, "conjugate 3: write True or False"),
        ({"into": into[:2]}, redist.ArrayError, "into has 2 arrays for 3 ranks"),
        ({"into": given}, redist.ArrayError, r"into\[0\] has the shape"),
        ({"into": 3}, TypeError, "into 3: write a list"),
        ({"into": [into[0], into[0], into[2]]}, redist.ArrayError, r"into\[1\] shares memory with into\[0\]"),
    ]:
        with pytest.raises(kind, match=said):
            PLAN.simulate(given, **wrong)
    same = redist.Plan((4, 4), "(block, *) onto 2", "(block, *) onto 2")
    both = same.scatter(np.zeros((4, 4)))
    with pytest.raises(redist.ArrayError, match=r"into\[0\] shares memory with parts\[0\]"):
        same.simulate(both, into=both)
    whole_numbers = redist.Plan(4, "block onto 2", "cyclic onto 2", "i4")
    with pytest.raises(redist.PlanError, match="alpha 1099511627776: write a number that int32 has"):
        whole_numbers.simulate(whole_numbers.scatter(np.arange(4, dtype="i4")), alpha=1 << 40)
    texts = redist.Plan(4, "block onto 2", "cyclic onto 2", "S3")
    with pytest.raises(redist.PlanError, match="elements of .S3 are not scaled"):
        texts.simulate(texts.scatter(np.zeros(4, "S3")), alpha=2)
    halves = redist.Plan(4, "block onto 2", "cyclic onto 2", "f2")
    with pytest.raises(redist.PlanError, match="elements of float16 are not scaled; plan for float32"):
        halves.simulate(halves.scatter(np.zeros(4, "f2")), alpha=2)


# feature: α A + β B, conjugates = `Bound.run` and `Plan.simulate`, with `alpha`, `beta`, `conjugate`
def test_moves_scale_and_add():
    plan = redist.Plan((8, 6), "(cyclic(2), *) onto 2", "(*, block) onto 3", "c16")
    whole = (np.arange(48) + 2j * np.arange(48)[::-1]).reshape(8, 6)

    def program(comm):
        bound = plan.bind(comm)
        a, expected = own(plan, "src", comm.rank, whole), own(plan, "dst", comm.rank, whole)
        out = np.full_like(expected, 1 - 1j)
        bound.run(a, out, alpha=2, beta=3j, conjugate=True)
        assert np.array_equal(out, 2 * expected.conj() + 3j * (1 - 1j))
        # Each rank chooses; an array that is multiplied by zero is not read.
        out[...] = np.nan
        bound.run(a, out, **({"alpha": -1} if comm.rank else {}))
        assert np.array_equal(out, -expected if comm.rank else expected)
        bound.run(a, out, beta=1)
        assert np.array_equal(out, 0 * expected if comm.rank else 2 * expected)
        # Into a view with gaps, between the elements of which others stay.
        wide = np.full((*expected.shape, 2), 7, "c16")
        apart = plan.bind(comm, dst_like=wide[..., 0])
        apart.run(a, wide[..., 0], alpha=0.5, beta=1)
        assert np.array_equal(wide[..., 0], 0.5 * expected + 7) and (wide[..., 1] == 7).all()
        return True

    assert redist.threads.run(3, program) == [True] * 3


@pytest.mark.parametrize(
    "factors, words",
    [
        ({"alpha": "two"}, "alpha 'two': write a number that complex128 has"),
        ({"beta": [1, 2]}, "beta \\[1, 2\\]: write a number"),
        ({"conjugate": 1}, "conjugate 1: write True or False"),
    ],
)
def test_wrong_factors_are_told_to_those_that_receive(factors, words):
    plan = redist.Plan((8, 6), "(cyclic(2), *) onto 2", "(*, block) onto 3", "c16")

    def program(comm):
        bound = plan.bind(comm)
        a, out = bound.empty("src"), bound.empty("dst")
        a[...] = comm.rank
        out[...] = -1
        kinds = (redist.PlanError, TypeError) if comm.rank == 0 else redist.MoveError
        with pytest.raises(kinds, match=words):
            bound.run(a, out, **(factors if comm.rank == 0 else {}))
        assert (out == -1).all()
        bound.run(a, out, alpha=1)
        return out[0, 0] == 0 and out[2, 0] == 1

    assert redist.threads.run(3, program) == [True] * 3


def test_elements_that_are_no_numbers_are_not_scaled():
    plan = redist.Plan(4, "block onto 2", "cyclic onto 2", "u1")

    def program(comm):
        bound = plan.bind(comm)
        with pytest.raises(redist.PlanError, match="elements of uint8 are not scaled"):
            bound.run(bound.empty("src"), bound.empty("dst"), alpha=2)
        return True

    assert redist.threads.run(2, program) == [True] * 2
