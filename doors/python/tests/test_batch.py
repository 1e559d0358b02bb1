"""Batches and copies: between threads of this process, and between ranks of MPI."""

import numpy as np
import pytest

import redist

ROWS = redist.Plan((8, 6), "(cyclic(2), *) onto 2", "(*, block) onto 3")
LINE = redist.Plan(11, "block onto 3", "cyclic onto 2", "i2")
TURNED = redist.Plan((5, 4), "(block, *) onto 3 storage fortran", "(block, *) onto 2 transposed", "c8")
ALL_GATHER = redist.Copies((7, 3), "(block, *) onto 3", "(*, *) copies 3", "f4")
PLANS = [ROWS, LINE, ALL_GATHER, TURNED]


def numbered(plan):
    """The whole stored arrays of both sides, as the plan moves them."""
    whole = np.arange(np.prod(plan.shape)).reshape(plan.shape).astype(plan.dtype)
    return {"src": whole, "dst": whole.T.copy() if plan is TURNED else whole}


def own(plan, side, rank):
    """A rank's part, cut by its indices; `empty` where the rank is none of the plan."""
    if rank >= plan.ranks:
        return np.empty((0,) * len(plan.shape), plan.dtype)
    part = plan.empty(side, rank)
    if part.size:
        part[...] = numbered(plan)[side][np.ix_(*plan.global_indices(side, rank))]
    return part


def same(found, expected):
    return found.size == expected.size and np.array_equal(found.ravel("K"), expected.ravel("K"))


def moved(bound, plans, way):
    a, out = ([own(plan, side, bound.rank) for plan in plans] for side in ("src", "dst"))
    found = bound.empty("dst")
    for array in found:
        array[...] = -1
    if way == "run":
        bound.run(a, found)
    elif way == "with":
        with bound.start(a, tuple(found)) as move:
            assert not move.is_finished
            for array in a:
                array[...] = 0
        assert move.is_finished
    else:
        move = bound.start(a, found)
        move.finish()
    return all(map(same, found, out))


# feature: several arrays at once (Batch) = `redist.Batch`
@pytest.mark.parametrize("way", ["run", "with", "finish"])
def test_arrays_of_several_types_move_in_one_exchange(way):
    batch = redist.Batch(PLANS)
    assert (len(batch), batch.ranks, batch.plans) == (4, 3, PLANS)

    def program(comm):
        bound = batch.bind(comm)
        assert (bound.rank, bound.comm.rank) == (comm.rank, comm.rank)
        assert bound.local_shape("src") == [plan.local_shape("src", comm.rank) for plan in PLANS]
        indices = zip(bound.global_indices("dst"), PLANS)
        assert all(
            np.array_equal(found, expected)
            for lists, plan in indices
            for found, expected in zip(lists, plan.global_indices("dst", comm.rank))
        )
        text = bound.explain()
        assert f"rank {comm.rank}: 4 arrays packed into 2 messages out" in text, text
        return moved(bound, PLANS, way) and moved(bound, PLANS, way)

    assert redist.threads.run(3, program) == [True] * 3


def test_a_communicator_may_have_more_ranks():
    def program(comm):
        bound = redist.Batch(PLANS).bind(comm)
        return moved(bound, PLANS, "run")

    assert redist.threads.run(5, program) == [True] * 5


def test_batches_and_copies_are_simulated():
    batch = redist.Batch(PLANS)
    parts = [[own(plan, "src", rank) for plan in PLANS] for rank in range(3)]
    for rank, found in enumerate(batch.simulate(parts)):
        assert all(map(same, found, [own(plan, "dst", rank) for plan in PLANS]))
    whole = numbered(ALL_GATHER)["src"]
    copies = ALL_GATHER.simulate([own(ALL_GATHER, "src", rank) for rank in range(3)])
    assert len(copies) == 3 and all(np.array_equal(copy, whole) for copy in copies)


def test_copies_are_described():
    assert (ALL_GATHER.counts, ALL_GATHER.ranks, ALL_GATHER.shape) == ((1, 3), 3, (7, 3))
    assert (ALL_GATHER.src, ALL_GATHER.dst) == ("(block, *) onto 3", "(*, *) copies 3")
    assert ALL_GATHER.dtype == np.dtype("f4")
    assert [ALL_GATHER.local_shape(side, 2) for side in ("src", "dst")] == [(1, 3), (7, 3)]
    assert "to copy 2 from copy 0" in ALL_GATHER.explain()
    assert repr(ALL_GATHER) == "<redist.Copies: (block, *) onto 3 to (*, *) copies 3>"


@pytest.mark.parametrize(
    "src, dst",
    [
        ("(*, *) ranks 2..3", "(cyclic(2), *) onto 2 copies 2"),
        ("(block, block) onto (2, 2)", "(block, *) onto 2 copies 2 along 1"),
        ("(*, block) onto 2 copies 2", "(*, *) copies 4"),
        # The second copy is not read.
        ("(*, block) onto 2 copies 2", "(cyclic, *) onto 3"),
        ("(block, *) onto 2 of [9, 8] at [2, 1]", "(*, cyclic) onto 2 copies 2 of [7, 9] at [0, 2]"),
    ],
)
# feature: copies: broadcasts, all-gathers, replicas = `redist.Copies`
@pytest.mark.parametrize("starts", [False, True])
def test_copies_move_what_the_layouts_say(src, dst, starts):
    copies = redist.Copies((6, 5), src, dst, "u2")
    whole = np.arange(100, dtype="u2").reshape(10, 10)
    sections = {"src": (2, 1) if "of" in src else (0, 0), "dst": (0, 2) if "of" in dst else (0, 0)}

    def part(side, rank):
        """The rank's part: numbers of the moved elements, zeros beside them."""
        array, first = copies.empty(side, rank), sections[side]
        array[...] = 0
        lists = copies.global_indices(side, rank)
        for place in np.ndindex(array.shape if array.size else (0,)):
            row, column = (lists[axis][place[axis]] - first[axis] for axis in (0, 1))
            if 0 <= row < 6 and 0 <= column < 5:
                array[place] = whole[row, column] + 1
        return array

    def program(comm):
        bound = copies.bind(comm)
        assert bound.local_shape("dst") == copies.local_shape("dst", comm.rank)
        found = bound.empty("dst")
        found[...] = 0
        if starts:
            bound.start(part("src", comm.rank), found).finish()
        else:
            bound.run(part("src", comm.rank), found)
        return found

    found = redist.threads.run(copies.ranks, program)
    expected = [part("dst", rank) for rank in range(copies.ranks)]
    assert any(array.any() for array in expected)
    assert all(map(same, found, expected))
    parts = [part("src", rank) for rank in range(copies.ranks)]
    assert all(map(same, copies.simulate(parts), expected))


@pytest.mark.parametrize("combine", ["sum", "min", "max"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize(
    "src, dst",
    [
        ("(*, *) copies 3", "(block, *) onto 3"),
        ("(block, *) onto 2 copies 2", "(*, block) onto 2 copies 2"),
        ("(block, *) onto 2 copies 2 along 1", "(*, *) ranks 1..2"),
    ],
)
def test_addends_are_combined(src, dst, dtype, combine):
    sums = redist.Copies((6, 5), src, dst, dtype, combine=combine)
    addends = [(np.arange(30).reshape(6, 5) * factor % 13).astype(dtype) for factor in (1, 5, 8)]
    addends = addends[: sums.counts[0]]
    # The number of a rank's addend: neighbours along the axis, or one behind the other.
    numbers = [0, 1, 2] if "3" in src else [0, 1, 0, 1] if "along" in src else [0, 0, 1, 1]
    function = {"sum": np.add, "min": np.minimum, "max": np.maximum}[combine]
    total = function.reduce(addends)

    def cut(whole, side, rank):
        return np.ascontiguousarray(whole[np.ix_(*sums.global_indices(side, rank))])

    def given(rank):
        return cut(addends[numbers[rank]], "src", rank)

    def program(comm):
        bound = sums.bind(comm)
        out = bound.empty("dst")
        for starts in [False, True, False]:
            out[...] = 99
            if starts:
                bound.start(given(comm.rank), out).finish()
            else:
                bound.run(given(comm.rank), out)
        return out

    found = redist.threads.run(sums.ranks, program)
    again = sums.simulate([given(rank) for rank in range(sums.ranks)])
    for rank, (out, simulated) in enumerate(zip(found, again)):
        assert np.array_equal(out, simulated)
        assert out.size == 0 or np.array_equal(out, cut(total, "dst", rank)), (rank, out)
    assert any(out.size for out in found)


@pytest.mark.parametrize("dst", ["*", "block onto 3", "cyclic onto 2 copies 2"])
def test_addends_are_added_in_the_order_of_their_copies(dst):
    sums = redist.Copies(6, "* copies 3", dst, "f8", combine="sum")
    # Of each three, one order has a sum of 1, and others lose the 1.
    addends = np.array([[1, 2e16, 1e16, 1, 1e16, 0.1], [1e16, 1, -1e16, -1e16, 1, 0.2], [-1e16, -2e16, 1, 1e16, -1e16, 0.3]])
    total = (addends[0] + addends[1]) + addends[2]
    assert not np.array_equal(total, addends[0] + (addends[1] + addends[2]))
    assert not np.array_equal(total, (addends[2] + addends[1]) + addends[0])
    assert not np.array_equal(total, (addends[0] + addends[2]) + addends[1])

    def given(rank):
        return addends[rank].copy() if rank < 3 else np.empty(0)

    def program(comm):
        bound, out = sums.bind(comm), sums.empty("dst", comm.rank)
        bound.run(given(comm.rank), out)
        return out, sums.global_indices("dst", comm.rank)[0]

    simulated = sums.simulate([given(rank) for rank in range(sums.ranks)])
    for (out, indices), again in zip(redist.threads.run(sums.ranks, program), simulated):
        assert np.array_equal(out, total[indices]) and np.array_equal(again, total[indices])


def test_sums_of_complex_numbers_and_what_is_refused():
    sums = redist.Copies(4, "* copies 2", "*", "c16", combine="sum")
    addends = [np.arange(4) * (1 + 2j), np.array([np.inf, 1j, 0, -1])]
    assert np.array_equal(sums.simulate(addends)[0], addends[0] + addends[1])
    assert "2 addends" in sums.explain()
    with pytest.raises(redist.PlanError, match="elements of complex128 are not combined so"):
        redist.Copies(4, "* copies 2", "*", "c16", combine="max")
    with pytest.raises(redist.PlanError, match="elements of uint8 are not combined so"):
        redist.Copies(4, "* copies 2", "*", "u1", combine="sum")
    with pytest.raises(redist.PlanError, match='combine \'mean\': write one of "sum", "min", "max"'):
        redist.Copies(4, "* copies 2", "*", combine="mean")
    with pytest.raises(redist.PlanError, match=r"plans\[0\] combines addends"):
        redist.Batch([sums])


def wrong_arrays():
    """Rows: a name, how rank 1 spoils its lists of arrays, and words of its error."""

    def shape(a, out):
        a[1] = a[1][:-1]

    def dtype(a, out):
        out[0] = out[0].astype("f4")

    def short(a, out):
        del out[-1]

    return [
        (shape, "rank 1: a[1] has the shape (3,), but must have (4,)"),
        (dtype, "rank 1: out[0] has the dtype float32"),
        (short, "out has 1 arrays: write a list of 2 arrays, one for each plan in order"),
    ]


@pytest.mark.parametrize("spoil, words", wrong_arrays())
def test_a_wrong_array_is_an_error_of_those_that_receive(spoil, words):
    plans = [ROWS, LINE]

    def program(comm):
        bound = redist.Batch(plans).bind(comm)
        a, out = ([own(plan, side, comm.rank) for plan in plans] for side in ("src", "dst"))
        raised = None
        if comm.rank == 1:
            given = list(a), list(out)
            spoil(*given)
        else:
            given = a, out
        try:
            bound.run(*given)
        except redist.Error as error:
            raised = type(error), str(error)
        # The next move works.
        return raised, moved(bound, plans, "run")

    ranks = redist.threads.run(3, program)
    assert all(works for _, works in ranks)
    raised = [raised for raised, _ in ranks]
    assert raised[1][0] is redist.ArrayError and words in raised[1][1], raised[1]
    # Rank 1 sends to all three.
    assert [kind for kind, _ in (raised[0], raised[2])] == [redist.MoveError] * 2


def test_arrays_that_share_memory_are_refused():
    plan = redist.Plan(6, "block onto 2", "cyclic onto 2")
    batch = redist.Batch([plan, plan])

    def program(comm):
        bound = batch.bind(comm)
        memory, other = np.zeros(9), np.zeros(3)
        # Sources may share memory.
        bound.run([memory[:3], memory[1:4]], [memory[4:7], other])
        told = []
        for a, out in [
            ([memory[:3], memory[3:6]], [memory[5:8], other]),
            ([memory[:3], memory[3:6]], [other, other]),
        ]:
            with pytest.raises(redist.ArrayError) as error:
                bound.run(a, out)
            told.append(str(error.value))
        return told

    for first, second in redist.threads.run(2, program):
        assert first == "out[0] shares memory with a[1]; bring arrays that are apart"
        assert "shares memory with out[" in second


def test_moves_under_way_are_kept_apart():
    batch = redist.Batch([ROWS])

    def program(comm):
        bound = batch.bind(comm)
        a, out = [own(ROWS, "src", comm.rank)], bound.empty("dst")
        move = bound.start(a, out)
        with pytest.raises(redist.MoveError, match="a move is under way"):
            bound.run(a, out)
        while not move.test():
            pass
        move.finish()
        with pytest.raises(redist.MoveError, match="has been finished"):
            move.finish()
        # A forgotten move is finished by the next call.
        out[0][...] = -1
        bound.start(a, out)
        return moved(bound, [ROWS], "run") and same(out[0], own(ROWS, "dst", comm.rank))

    assert redist.threads.run(3, program) == [True] * 3


def test_wrong_batches_and_copies_are_refused():
    with pytest.raises(TypeError, match=r"plans\[1\] 3: write a list of `Plan`s and `Copies`"):
        redist.Batch([ROWS, 3])
    with pytest.raises(TypeError, match="plans 3: write a list"):
        redist.Batch(3)
    with pytest.raises(redist.PlanError, match=r"plans \[\]: write a list"):
        redist.Batch([])
    with pytest.raises(redist.PlanError, match="copies"):
        redist.Copies(8, "block onto 2 copies 0", "*")
    with pytest.raises(redist.PlanError, match="did you mean `copies`"):
        redist.Copies(8, "* copys 2", "*")
    with pytest.raises(redist.PlanError, match="rank 9: write a rank from 0 to 2"):
        ALL_GATHER.local_shape("src", 9)
    with pytest.raises(redist.ArrayError, match="parts has 1 entries"):
        ALL_GATHER.simulate([np.zeros(3)])
    with pytest.raises(redist.ArrayError, match=r"parts\[0\] has the dtype float64"):
        ALL_GATHER.simulate([np.zeros((3, 3)), np.zeros((3, 3), "f4"), np.zeros((1, 3), "f4")])
    with pytest.raises(redist.CommunicatorError):
        ALL_GATHER.bind(None)

    def program(comm):
        ALL_GATHER.bind(comm)

    with pytest.raises(redist.RankError, match="3 ranks"):
        redist.threads.run(2, program)


def test_ranks_with_other_batches_learn_of_it():
    def program(comm):
        plans = [ROWS, LINE] if comm.rank else [ROWS]
        with pytest.raises(redist.MoveError):
            redist.Batch(plans).bind(comm)
        return True

    assert redist.threads.run(3, program) == [True] * 3


@pytest.mark.parametrize("way", ["run", "with", "finish"])
def test_batches_move_between_ranks_of_mpi(comm, way):
    plans = [
        redist.Plan((9, 8), f"(block, *) onto {comm.size}", f"(*, cyclic(2)) onto {comm.size}"),
        redist.Copies((5, 2), f"(cyclic, *) onto {comm.size}", f"(*, *) copies {comm.size}", "i2"),
    ]
    bound = redist.Batch(plans).bind(comm)
    assert moved(bound, plans, way) and moved(bound, plans, way)
    found = plans[1].bind(comm)
    out = found.empty("dst")
    found.run(own(plans[1], "src", comm.rank), out)
    assert np.array_equal(out, numbered(plans[1])["src"])


def viewed(array, kind):
    """An array of the same shape that is no dense one: its copy in a larger one."""
    if array.size == 0 or kind == "dense":
        return array
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    wide = np.full([extent + 1 for extent in array.shape], -7, array.dtype, order)
    if kind == "every second":
        wide = np.full([2 * extent for extent in array.shape], -7, array.dtype, order)
        view = wide[tuple(slice(0, None, 2) for _ in array.shape)]
    else:
        view = wide[tuple(slice(0, extent) for extent in array.shape)]
    view[...] = array
    return view


@pytest.mark.parametrize("kind", ["halo", "every second"])
def test_strided_arrays_move_in_one_exchange(kind):
    def program(comm):
        batch = redist.Batch(PLANS)
        a = [viewed(own(plan, "src", comm.rank), kind) for plan in PLANS]
        out = [own(plan, "dst", comm.rank) for plan in PLANS]
        found = [viewed(np.full_like(array, -1), kind) for array in out]
        # The second array's destination is dense, and so are those that `None` stands for.
        found[1] = batch.empty("dst", comm.rank)[1]
        like = [None if number == 1 else array for number, array in enumerate(found)]
        bound = batch.bind(comm, src_like=a, dst_like=like)
        bases = [array.base.copy() for array in found if array.base is not None and array.size]
        for _ in range(2):
            bound.run(a, found)
            assert all(np.array_equal(one, other) for one, other in zip(found, out) if other.size)
        with bound.start(a, found):
            pass
        assert all(np.array_equal(one, other) for one, other in zip(found, out) if other.size)
        # What lies beside the views has not changed.
        after = [array.base for array in found if array.base is not None and array.size]
        assert all((base == -7).sum() == (base_after == -7).sum() for base, base_after in zip(bases, after))
        # Dense ones are refused, and ranks that receive from this one learn of it.
        dense = [own(plan, "src", comm.rank) for plan in PLANS]
        with pytest.raises(redist.Error, match=r"has the strides .*, but must have|rank \d"):
            bound.run(dense, found)
        return True

    assert redist.threads.run(3, program) == [True] * 3


@pytest.mark.parametrize("combine", [None, "sum"])
def test_strided_arrays_of_copies(combine):
    source = "(block, *) onto 3" if combine is None else "(block, *) onto 2 copies 2"
    copies = redist.Copies((7, 3), source, "(*, *) copies 3", "i8", combine=combine)
    whole = np.arange(21).reshape(7, 3)
    factor = 1 if combine is None else 2

    def program(comm):
        part = copies.empty("src", comm.rank)
        if part.size:
            part[...] = whole[np.ix_(*copies.global_indices("src", comm.rank))]
        a = viewed(part, "every second")
        found = viewed(np.zeros(copies.local_shape("dst", comm.rank), "i8"), "halo")
        bound = copies.bind(comm, src_like=a, dst_like=found)
        for _ in range(2):
            bound.run(a, found)
        beside = found.size and (found.base == -7).sum() == found.base.size - found.size
        return found.size == 0 or (np.array_equal(found, factor * whole) and beside)

    assert redist.threads.run(copies.ranks, program) == [True] * copies.ranks
    parts = [copies.empty("src", rank) for rank in range(copies.ranks)]
    for rank, part in enumerate(parts):
        if part.size:
            part[...] = whole[np.ix_(*copies.global_indices("src", rank))]
    simulated = copies.simulate([viewed(part, "halo") for part in parts])
    assert all(np.array_equal(array, factor * whole) for array in simulated if array.size)


def test_strided_parts_are_simulated():
    batch = redist.Batch(PLANS)
    parts = [[viewed(own(plan, "src", rank), "every second") for plan in PLANS] for rank in range(batch.ranks)]
    found = batch.simulate(parts)
    assert all(same(array, own(plan, "dst", rank)) for rank, all_ in enumerate(found) for array, plan in zip(all_, PLANS))


def test_arrays_like_which_none_can_be():
    batch = redist.Batch([LINE])

    def program(comm):
        backwards = own(LINE, "src", comm.rank)[::-1]
        with pytest.raises(redist.Error) as error:
            batch.bind(comm, src_like=[backwards] if comm.rank == 0 else None)
        return str(error.value)

    texts = redist.threads.run(3, program)
    assert "which must be positive multiples" in texts[0]
    assert all("rank 0" in text for text in texts[1:]), texts

    def of_another_length(comm):
        with pytest.raises(redist.ArrayError, match="dst_like has 0 arrays: write a list of 1 arrays"):
            batch.bind(comm, dst_like=[])

    redist.threads.run(3, of_another_length)
