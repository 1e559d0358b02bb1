"""Options of `bind`: parts of matrices, bounds of memory, schedules; and one memory for both sides."""

import itertools

import numpy as np
import pytest

import redist

TILES, COLUMNS = "(cyclic(3), cyclic(2)) onto (2, 2)", "(*, block) onto 4 storage fortran"


def outside(shape, part, unit_diagonal):
    """The elements that stay behind, by what UPLO and DIAG mean in ScaLAPACK's `p?trmr2d`."""
    rows, columns = shape
    kept = np.zeros(shape, bool)
    for row, column in np.ndindex(*shape):
        if part == "upper":
            # The trapezoid of a tall matrix begins at the upper left corner, of a wide one at the lower right.
            below = row - column - max(rows - columns, 0)
        else:
            below = column - row - max(columns - rows, 0)
        kept[row, column] = below > 0 or (unit_diagonal and below == 0)
    return kept


# feature: trapezoids of matrices = `bind(part=…)`, `simulate(part=…)`
@pytest.mark.parametrize("shape", [(12, 12), (9, 14), (13, 8), (1, 5), (5, 1)])
@pytest.mark.parametrize("part", ["upper", "lower"])
@pytest.mark.parametrize("unit_diagonal", [False, True])
def test_trapezoids(shape, part, unit_diagonal):
    plan = redist.Plan(shape, TILES, COLUMNS)
    whole = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    stays = outside(shape, part, unit_diagonal)
    found = plan.gather(plan.simulate(plan.scatter(whole), part=part, unit_diagonal=unit_diagonal))
    assert (found == np.where(stays, 0, whole)).all()
    into = plan.scatter(-whole, "dst")
    plan.simulate(plan.scatter(whole), into=into, function=np.add, part=part, unit_diagonal=unit_diagonal)
    assert (plan.gather(into) == np.where(stays, -whole, 0)).all()

    def program(comm):
        bound = plan.bind(comm, part=part, unit_diagonal=unit_diagonal)
        out = bound.empty("dst")
        out[...] = 0
        bound.run(plan.scatter(whole)[comm.rank], out)
        return out

    assert (plan.gather(redist.threads.run(4, program)) == np.where(stays, 0, whole)).all()


# feature: method of the schedule, longest segment of a message
@pytest.mark.parametrize("method", ["all-at-once", "circulant", "closed-form", "koenig", "caterpillar", None])
@pytest.mark.parametrize("most", [None, 1, 100, 1 << 40])
def test_schedules_and_segments(comm, method, most):
    ranks = comm.size
    plan = redist.Plan(240, f"cyclic(4) onto {ranks}", f"cyclic(2) onto {ranks}", "i4")
    bound = plan.bind(comm, route="messages", method=method, max_message_bytes=most)
    a, out = bound.empty("src"), bound.empty("dst")
    a[...] = bound.global_indices("src")[0]
    for _ in range(2):
        out[...] = -1
        bound.run(a, out)
        assert (out == bound.global_indices("dst")[0]).all()
    out[...] = -1
    bound.start(a, out).finish()
    assert (out == bound.global_indices("dst")[0]).all()
    if method == "koenig" and ranks > 1:
        assert "nig" in bound.explain(), bound.explain()


# feature: memory within a bound (max_bytes)
@pytest.mark.parametrize("max_bytes", [900, 1500, 1 << 30])
def test_memory_within_a_bound(comm, max_bytes):
    ranks = comm.size
    plan = redist.Plan(6000, f"cyclic(10) onto {ranks}", f"cyclic(2) onto {ranks}", "u1")
    bound = plan.bind(comm, route="messages", max_bytes=max_bytes)
    assert ("rounds" in bound.explain()) == (max_bytes < 2000), bound.explain()
    a, out = bound.empty("src"), bound.empty("dst")
    a[...], out[...] = bound.global_indices("src")[0] % 251, 0
    bound.run(a, out)
    assert (out == bound.global_indices("dst")[0] % 251).all()
    kept = np.full(out.shape, 3, "i8")
    bound.run(a, kept, function=np.multiply)
    assert (kept == 3 * (bound.global_indices("dst")[0] % 251)).all()
    if max_bytes < 2000:
        with pytest.raises(redist.MoveError, match="max_bytes"):
            bound.start(a, out)
        with pytest.raises(redist.MoveError, match="max_bytes"):
            bound.run_in_place(*bound.in_place())
    else:
        bound.start(a, out).finish()


def test_a_bound_below_one_element(comm):
    if comm.size == 1:
        pytest.skip("of several ranks")
    plan = redist.Plan(6000, f"cyclic(10) onto {comm.size}", f"cyclic(2) onto {comm.size}", "u1")
    with pytest.raises(redist.MoveError, match="messages may take 4 bytes of a rank .* allow at least that"):
        plan.bind(comm, route="messages", max_bytes=4)


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"part": "both"}, redist.PlanError, "part 'both': write one of \"upper\", \"lower\""),
        ({"unit_diagonal": True}, redist.PlanError, "unit_diagonal is of a part of a matrix"),
        ({"max_bytes": 0}, redist.PlanError, "max_bytes 0: write a number of bytes from 1 on"),
        ({"max_bytes": -4}, redist.PlanError, "max_bytes -4: write a number of bytes from 1 on"),
        ({"max_bytes": "1"}, TypeError, "max_bytes '1': write a number of bytes"),
        ({"max_message_bytes": 0}, redist.PlanError, "max_message_bytes 0: write"),
        ({"method": "fast"}, redist.PlanError, "method 'fast': write one of \"all-at-once\""),
    ],
)
def test_wrong_options(options, error, words):
    plan = redist.Plan((8, 8), "(block, *) onto 2", "(*, block) onto 2")

    def program(comm):
        if comm.rank == 1:
            with pytest.raises(error, match=words):
                plan.bind(comm, **options)
        else:
            with pytest.raises(redist.MoveError, match="rank 1: a plan"):
                plan.bind(comm)
        plan.bind(comm)

    redist.threads.run(2, program)


def test_parts_are_of_matrices():
    with pytest.raises(redist.PlanError, match="part is of a matrix, and this array has 1 dimension;"):
        redist.Plan(8, "*", "*").simulate([np.zeros(8)], part="upper")
    with pytest.raises(redist.MoveError):

        def program(comm):
            redist.Plan((8, 8), "(block, *) onto 2", "(*, block) onto 2").bind(comm, part=["upper", None][comm.rank])

        try:
            redist.threads.run(2, program)
        except redist.RankError as error:
            raise error.__cause__


LAYOUTS = ["(block, *) onto 4", "(*, block) onto 3 storage fortran", "(cyclic(2), cyclic(3)) onto (2, 2)", "(*, *) ranks 2..3"]


# feature: one array for both sides = `Bound.in_place`, `Bound.run_in_place`
@pytest.mark.parametrize("src, dst", list(itertools.product(LAYOUTS, repeat=2)))
def test_one_memory_for_both_sides(src, dst):
    whole = np.arange(11.0 * 7).reshape(11, 7)
    plan = redist.Plan(whole.shape, src, dst)

    def program(comm):
        bound = plan.bind(comm)
        a, out = bound.in_place()
        assert a.size == 0 or out.size == 0 or np.shares_memory(a, out)
        assert (a.shape, out.shape) == (bound.local_shape("src"), bound.local_shape("dst"))
        for _ in range(2):
            a[...] = whole[np.ix_(*bound.global_indices("src"))] if a.size else 0
            bound.run_in_place(a, out)
            assert out.size == 0 or (out == whole[np.ix_(*bound.global_indices("dst"))]).all()
        # Arrays that are apart move, too.
        apart = bound.empty("dst")
        a[...] = whole[np.ix_(*bound.global_indices("src"))] if a.size else 0
        bound.run_in_place(a, apart)
        assert apart.size == 0 or (apart == whole[np.ix_(*bound.global_indices("dst"))]).all()
        if a.size and out.size:
            with pytest.raises(redist.ArrayError, match="shares memory"):
                bound.run(a, out)
        else:
            try:
                bound.run(a, out)
            except redist.MoveError:
                pass

    redist.threads.run(4, program)


def test_one_memory_between_ranks(comm):
    ranks = comm.size
    whole = np.arange(24.0 * 20).reshape(24, 20)
    for route in "automatic", "messages":
        plan = redist.Plan(whole.shape, f"(block, *) onto {ranks}", f"(*, cyclic) onto {ranks}")
        bound = plan.bind(comm, route=route)
        a, out = bound.in_place()
        for _ in range(3):
            a[...] = whole[np.ix_(*bound.global_indices("src"))]
            bound.run_in_place(a, out)
            assert (out == whole[np.ix_(*bound.global_indices("dst"))]).all()


def test_a_fault_leaves_the_memory_as_it_was():
    plan = redist.Plan((6, 6), "(block, *) onto 2", "(*, block) onto 2")

    def program(comm):
        bound = plan.bind(comm)
        a, out = bound.in_place()
        a[...] = comm.rank
        if comm.rank == 1:
            with pytest.raises(redist.ArrayError, match="has the dtype float32"):
                bound.run_in_place(a.astype("f4"), out)
        else:
            with pytest.raises(redist.MoveError):
                bound.run_in_place(a, out)
        assert (a == comm.rank).all()
        bound.run_in_place(a, out)
        assert (out == np.repeat([0, 1], 3)[:, None]).all()

    redist.threads.run(2, program)


def test_a_padded_array_and_one_memory():
    plan = redist.Plan((6, 6), "(block, *) onto 2", "(*, block) onto 2")

    def program(comm):
        bound = plan.bind(comm, src_like=np.zeros((3, 9))[:, :6])
        a, out = bound.in_place()
        assert a.strides == (72, 8) and out.strides == (24, 8)
        a[...] = comm.rank
        bound.run_in_place(a, out)
        assert (out == np.repeat([0, 1], 3)[:, None]).all()

    redist.threads.run(2, program)
