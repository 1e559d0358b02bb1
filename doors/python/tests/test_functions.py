"""Functions of elements: what arrives, and what is there, against numpy."""

import threading

import numpy as np
import pytest

import redist

PAIRS = [
    ((12, 10), "(cyclic(2), *) onto 2", "(*, block) onto 3"),
    ((40, 30), "(cyclic(7), cyclic) onto (2, 2)", "(block, cyclic(3)) onto (2, 2) storage fortran"),
    ((60,), "cyclic onto 4", "block onto 3"),
    ((9, 8), "(block, *) onto 3 of [12, 9] at [2, 1]", "(*, block) onto 2 transposed"),
    ((3, 50_000), "(block, *) onto 3", "(*, block) onto 2"),
]


def weighted(arrived, kept):
    kept[...] = 3 * kept - arrived


def dealt(plan, seed):
    """The parts of a drawn array, a drawn array of the other side in parts, what arrives, and that array."""
    draw = np.random.default_rng(seed)
    empties = ([plan.empty(side, rank) for rank in range(plan.ranks)] for side in ("src", "dst"))
    shapes = [plan.gather(parts, side).shape for parts, side in zip(empties, ("src", "dst"))]
    a, b = (draw.integers(-99, 99, shape).astype(plan.dtype) for shape in shapes)
    parts = plan.scatter(a)
    return parts, plan.scatter(b, "dst"), a, b


def moved(plan, a):
    """What arrives in the stored array of the other side, zero elsewhere, and where it does."""
    ones = plan.scatter(np.ones(a.shape, plan.dtype))
    return plan.gather(plan.simulate(plan.scatter(a))), plan.gather(plan.simulate(ones)) == 1


@pytest.mark.parametrize("shape, src, dst", PAIRS)
def test_a_function_has_all_elements(shape, src, dst):
    plan = redist.Plan(shape, src, dst, "i8")
    parts, into, a, b = dealt(plan, 1)
    arrives, is_moved = moved(plan, a)

    def check(function, expected):
        into = plan.scatter(b, "dst")
        plan.simulate(parts, into=into, function=function)
        assert (plan.gather(into) == np.where(is_moved, expected, b)).all()

    check(weighted, 3 * b - arrives)
    # A ufunc of two arrays begins with what is there.
    check(np.subtract, b - arrives)
    check(np.negative, -arrives)


# feature: conversion, functions of elements = `Bound.run` and `Plan.simulate` with `function`, of runs: your own, or a ufunc
@pytest.mark.parametrize("kept", ["f4", "c16", "i2", ">f8", "M8[s]", "g", "S20"])
def test_elements_are_converted(kept):
    plan = redist.Plan((12, 10), "(cyclic(2), *) onto 2", "(*, block) onto 3", "f8")
    whole = np.arange(120.0).reshape(12, 10) / 3
    into = [np.zeros(plan.local_shape("dst", rank), kept) for rank in range(plan.ranks)]

    def convert(arrived, kept):
        kept[...] = arrived.astype("i8") if kept.dtype.kind == "M" else arrived

    plan.simulate(plan.scatter(whole), into=into, function=convert)
    expected = (whole.astype("i8") if into[0].dtype.kind == "M" else whole).astype(kept)
    assert np.array_equal(np.concatenate(into, axis=1), expected)


def test_ranks_may_keep_other_types():
    plan = redist.Plan(8, "block onto 2", "cyclic onto 2", "f8")
    into = [np.zeros(4, "f4"), np.zeros(4, "i8")]
    plan.simulate(plan.scatter(np.arange(8.0)), into=into, function=lambda arrived, kept: np.copyto(kept, arrived, casting="unsafe"))
    assert into[0].tolist() == [0, 2, 4, 6] and into[1].tolist() == [1, 3, 5, 7]


def test_functions_have_arrays_of_their_own():
    plan = redist.Plan((4, 6), "(*, *)", "(*, *) transposed")
    seen = []

    def look(arrived, kept):
        assert arrived.ndim == kept.ndim == 1 and arrived.shape == kept.shape
        assert arrived.flags.c_contiguous and kept.flags.c_contiguous and not arrived.flags.writeable
        with pytest.raises(ValueError):
            arrived[0] = 1
        seen.append((arrived, kept))
        kept[...] = arrived

    out = plan.simulate([np.arange(24.0).reshape(4, 6)], function=look)
    # Short runs are joined.
    assert len(seen) == 1 and seen[0][0].size == 24
    # What the function has kept is not the array that the move has written.
    seen[0][1][...] = -1
    assert (out[0] == np.arange(24.0).reshape(4, 6).T).all()
    assert sorted(seen[0][0]) == list(range(24))


def test_long_runs_come_in_pieces():
    plan = redist.Plan(200_000, "block onto 2", "* onto 1")
    sizes = []
    whole = np.arange(200_000.0)
    [out, _] = plan.simulate(plan.scatter(whole), function=lambda arrived, kept: sizes.append(arrived.size) or kept.__setitem__(..., arrived))
    assert (out == whole).all() and sum(sizes) == 200_000
    assert max(sizes) <= 16384 and len(sizes) <= 200_000 // 4096


def test_functions_of_ranks_that_are_threads():
    whole = np.arange(60.0).reshape(6, 10)
    plan = redist.Plan(whole.shape, "(block, *) onto 3", "(*, block) onto 3")
    parts = plan.scatter(whole)

    def program(comm):
        bound = plan.bind(comm)
        out = np.ones(bound.local_shape("dst"), "f4")
        # Each rank chooses its own.
        function = [np.add, weighted, None][comm.rank]
        if function is None:
            out = out.astype("f8")
        for _ in range(2):
            bound.run(parts[comm.rank], out, function=function)
        return out

    found = redist.threads.run(3, program)
    cut = np.split(whole, [4, 8], axis=1)
    assert (found[0] == 1 + 2 * cut[0]).all()
    assert (found[1] == 3 * (3 - cut[1]) - cut[1]).all()
    assert (found[2] == cut[2]).all()


class Mine(Exception):
    pass


def test_an_exception_reaches_its_caller_and_no_other_rank():
    plan = redist.Plan((6, 10), "(block, *) onto 3", "(*, block) onto 3")
    calls = []

    def fail(arrived, kept):
        calls.append(arrived.size)
        raise Mine(f"no {arrived.size} elements")

    def program(comm):
        bound = plan.bind(comm)
        a, out = bound.empty("src"), np.zeros(bound.local_shape("dst"))
        a[...] = comm.rank
        if comm.rank == 1:
            with pytest.raises(Mine, match="no 24 elements"):
                bound.run(a, out, function=fail)
            assert (out == 0).all()
        else:
            bound.run(a, out)
            assert (out == np.repeat([0, 1, 2], 2)[:, None]).all()
        # The next move works.
        bound.run(a, out, function=np.add if comm.rank == 1 else None)
        assert (out == np.repeat([0, 1, 2], 2)[:, None]).all()

    redist.threads.run(3, program)
    assert calls == [24]
    with pytest.raises(Mine):
        plan.simulate([np.zeros((2, 10))] * 3, function=fail)
    # It is not called again by the rank, nor by others once it has raised.
    assert len(calls) <= 1 + 3


def test_functions_that_return_something_else_are_mistakes():
    plan = redist.Plan((4, 6), "(*, *)", "(*, *) transposed")
    whole = [np.ones((4, 6))]
    with pytest.raises(TypeError, match=r"returned a ndarray, which goes nowhere: .*`kept\[...\] = arrived`"):
        plan.simulate(whole, function=lambda arrived, kept: arrived + kept)
    out = plan.simulate(whole, function=lambda arrived, kept: np.add(arrived, 1, out=kept))
    assert (out[0] == 2).all()


@pytest.mark.parametrize(
    "function, words",
    [
        (3, "function 3 is a int, which cannot be called"),
        ("sum", "function 'sum' is a str, which cannot be called"),
        (np.divmod, "has 2 inputs and 2 outputs"),
        (np.add.reduce, None),
    ],
)
def test_wrong_functions(function, words):
    plan = redist.Plan(8, "block onto 2", "cyclic onto 2")

    def program(comm):
        bound = plan.bind(comm)
        a, out = bound.empty("src"), bound.empty("dst")
        a[...], out[...] = comm.rank, -1
        if comm.rank == 1:
            with pytest.raises(TypeError, match=words):
                bound.run(a, out, function=function)
        elif words is not None:
            with pytest.raises(redist.MoveError, match="rank 1: this move"):
                bound.run(a, out)
            assert (out == -1).all()
        else:
            bound.run(a, out)
        bound.run(a, out)
        assert (out == [0, 0, 1, 1]).all()

    redist.threads.run(2, program)
    with pytest.raises(TypeError, match=words):
        plan.simulate(plan.scatter(np.zeros(8)), function=function)


def test_factors_are_written_into_a_function():
    plan = redist.Plan(8, "*", "*")
    with pytest.raises(redist.PlanError, match="function goes without alpha, beta and conjugate"):
        plan.simulate([np.zeros(8)], function=np.add, alpha=2)

    def program(comm):
        bound = plan.bind(comm)
        with pytest.raises(redist.PlanError, match="function goes without alpha"):
            bound.run(np.zeros(8), np.zeros(8), function=np.add, beta=2)

    redist.threads.run(1, program)


def test_destinations_that_do_not_fit():
    plan = redist.Plan(8, "block onto 2", "cyclic onto 2")

    def program(comm):
        bound = plan.bind(comm)
        a, good = np.arange(4.0), np.zeros(4)
        for out, words in [
            (np.zeros(3, "f4"), "has the shape"),
            (np.zeros(8, "f4")[::2], "strides"),
            (np.zeros(4, "O"), "has the dtype object"),
            (np.ma.zeros(4), "masked"),
            ([0.0] * 4, "is a list"),
            (a, "shares memory"),
            (a.view("i8"), "shares memory"),
        ]:
            if comm.rank == 0:
                with pytest.raises(redist.ArrayError, match=words):
                    bound.run(a, out, function=np.add)
            else:
                with pytest.raises(redist.MoveError):
                    bound.run(a, good)
                assert (good == 0).all()
        readonly = np.zeros(4)
        readonly.flags.writeable = False
        if comm.rank == 0:
            with pytest.raises(redist.ArrayError, match="read-only"):
                bound.run(a, readonly, function=np.add)
        else:
            with pytest.raises(redist.MoveError):
                bound.run(a, good)
        bound.run(a, good)

    redist.threads.run(2, program)


def test_a_function_may_not_move_by_the_same_bound():
    plan = redist.Plan(8, "*", "*")

    def program(comm):
        bound = plan.bind(comm)
        with pytest.raises(redist.MoveError, match="in another call of this thread"):
            bound.run(np.zeros(8), np.zeros(8), function=lambda arrived, kept: bound.run(np.zeros(8), np.zeros(8)))
        bound.run(np.zeros(8), np.zeros(8))

    redist.threads.run(1, program)


def test_elements_between_others():
    """A destination between the elements of the source."""
    plan = redist.Plan(6, "*", "*")

    def program(comm):
        both = np.arange(12.0).reshape(6, 2)
        bound = plan.bind(comm, src_like=both[:, 0], dst_like=both[:, 1])
        bound.run(both[:, 0], both[:, 1], function=np.add)
        return both

    [both] = redist.threads.run(1, program)
    assert (both[:, 0] == np.arange(0, 12, 2)).all() and (both[:, 1] == np.arange(0, 12, 2) + np.arange(1, 12, 2)).all()


def test_views_with_gaps_are_kept(comm):
    """Between ranks of MPI: halos stay, and each rank has its own function."""
    whole = np.arange(12.0 * 10).reshape(12, 10)
    ranks = comm.size
    plan = redist.Plan(whole.shape, f"(block, *) onto {ranks}", f"(*, block) onto {ranks}")
    indices = plan.global_indices("dst", comm.rank)
    around = np.full((14, len(indices[1]) + 3), -1, "f4")
    out = around[1:-1, 2:-1]
    bound = plan.bind(comm, dst_like=np.zeros(around.shape)[1:-1, 2:-1])
    a = whole[np.ix_(*plan.global_indices("src", comm.rank))].copy()
    bound.run(a, out, function=np.add if comm.rank % 2 else weighted)
    expected = whole[np.ix_(*indices)]
    assert (out == (expected - 1 if comm.rank % 2 else -3 - expected)).all()
    out[...] = -1
    assert (around == -1).all()


def test_shared_arrays_and_routes(comm):
    whole = np.arange(12.0 * 10).reshape(12, 10)
    ranks = comm.size
    plan = redist.Plan(whole.shape, f"(block, *) onto {ranks}", f"(*, block) onto {ranks}")
    own, expected = (whole[np.ix_(*plan.global_indices(side, comm.rank))] for side in ("src", "dst"))
    for route in "automatic", "messages", "chunks":
        bound = plan.bind(comm, route=route)
        for make in bound.empty, bound.shared:
            a, out = make("src"), make("dst")
            a[...], out[...] = own, 1
            bound.run(a, out, function=np.multiply)
            bound.run(a, out, function=np.subtract)
            assert (out == 0).all()
            bound.run(a, out, function=np.add)
            assert (out == expected).all()


def test_an_exception_between_ranks(comm):
    ranks = comm.size
    plan = redist.Plan((12, 10), f"(block, *) onto {ranks}", f"(*, block) onto {ranks}")
    bound = plan.bind(comm)
    a, out = bound.empty("src"), bound.empty("dst")
    a[...], out[...] = comm.rank, -1

    def fail(arrived, kept):
        raise Mine("on the last rank")

    for _ in range(3):
        if comm.rank == ranks - 1:
            with pytest.raises(Mine, match="on the last rank"):
                bound.run(a, out, function=fail)
        else:
            bound.run(a, out)
    bound.run(a, out)
    rows = -(-12 // ranks)
    assert out.size == 0 or (out == (np.arange(12) // rows)[:, None]).all()


def test_lists_and_functions():
    def program(comm):
        places = np.array_split(np.arange(8), comm.size)[comm.rank]
        bound = redist.IndexMove(8, places, 7 - places, "f8").bind(comm)
        out = np.full(places.size, 100, "i4")
        bound.run(places.astype("f8"), out, function=lambda arrived, kept: kept.__setitem__(..., kept + arrived))
        return out

    assert np.concatenate(redist.threads.run(3, program)).tolist() == [107 - at for at in range(8)]


ADDENDS = redist.Copies((6, 5), "(*, *) copies 3", "(block, *) onto 3", "i8", combine=lambda arrived, kept: kept.__setitem__(..., 10 * kept + arrived))


def test_addends_are_combined_by_a_function():
    parts = [np.full((6, 5), rank + 1) for rank in range(3)]
    assert all((found == 123).all() for found in ADDENDS.simulate(parts))
    product = redist.Copies((6, 5), "(*, *) copies 3", "(*, *) copies 3", "c8", combine=np.multiply)
    found = product.simulate([part.astype("c8") * 1j for part in parts])
    assert all((one == -6j).all() for one in found)
    # Any type but objects, as the bytes of a struct.
    pair = np.dtype([("sum", "i4"), ("most", "i4")])

    def both(arrived, kept):
        kept["sum"] += arrived["sum"]
        kept["most"] = np.maximum(kept["most"], arrived["most"])

    pairs = redist.Copies(4, "* copies 3", "*", pair, combine=both)
    found = pairs.simulate([np.array([(rank, -rank)] * 4, pair) for rank in range(3)])
    assert found[0].tolist() == [(3, 0)] * 4


# feature: sums of addends, in one call or two = `redist.Copies` with `combine`: a word or your function
@pytest.mark.parametrize("combine", ["sum", "max", np.add, ADDENDS])
@pytest.mark.parametrize("starts", [False, True])
def test_sums_in_one_call_and_in_two(combine, starts):
    digits = combine is ADDENDS
    sums = ADDENDS if digits else redist.Copies((6, 5), "(*, *) copies 3", "(block, *) onto 3", "i8", combine=combine)

    def program(comm):
        bound = sums.bind(comm)
        a, out = bound.empty("src"), bound.empty("dst")
        for _ in range(2):
            a[...], out[...] = comm.rank + 1, -9
            if starts:
                with bound.start(a, out) as move:
                    a[...] = 77
                assert move.is_finished
            else:
                bound.run(a, out)
        return out

    expected = 123 if digits else 3 if combine == "max" else 6
    assert all((found == expected).all() for found in redist.threads.run(3, program))


def test_an_exception_that_combines():
    def fail(arrived, kept):
        raise Mine("never")

    sums = redist.Copies(6, "* copies 3", "block onto 2", combine=fail)
    with pytest.raises(Mine):
        sums.simulate([np.zeros(6)] * 3)

    def program(comm):
        bound = sums.bind(comm)
        a, out = bound.empty("src"), bound.empty("dst")
        for starts in False, True:
            raised = None
            try:
                bound.start(a, out).finish() if starts else bound.run(a, out)
            except Mine as error:
                raised = error
            # Rank 2 receives nothing.
            assert (raised is None) == (comm.rank == 2)

    redist.threads.run(3, program)
    with pytest.raises(redist.PlanError, match="or bring a function"):
        redist.Copies(6, "* copies 3", "*", "u1", combine="sum")
    with pytest.raises(TypeError, match="combine 3: write one of"):
        redist.Copies(6, "* copies 3", "*", combine=3)


def test_sums_between_ranks(comm):
    sums = redist.Copies((6, 5), f"(*, *) copies {comm.size}", f"(block, *) onto {comm.size}", "i8", combine=np.add)
    bound = sums.bind(comm)
    a, out = bound.empty("src"), bound.empty("dst")
    a[...] = comm.rank + 1
    bound.run(a, out)
    assert (out == comm.size * (comm.size + 1) // 2).all()
    out[...] = 0
    bound.start(a, out).finish()
    assert (out == comm.size * (comm.size + 1) // 2).all()


def test_other_threads_run_while_a_function_does():
    plan = redist.Plan(1 << 20, "*", "*")
    done = threading.Event()
    threading.Timer(0.01, done.set).start()

    def wait(arrived, kept):
        assert done.wait(10)
        kept[...] = arrived

    whole = np.arange(1 << 20, dtype="f8")
    assert (plan.simulate([whole], function=wait)[0] == whole).all()
