"""Messages as views, and ranks that are threads: without MPI."""

import itertools
import threading

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import redist
from layouts import owner, parts, words
from test_plan import SIDES


def box(array, place, shape):
    """The view of a dense local array, as `as_strided` takes it."""
    memory = array.ravel(order="K")
    assert np.shares_memory(memory, array) or array.size == 0
    assert all(isinstance(count, int) and count > 1 for count in shape)
    strides = [step * array.itemsize for step in place.strides]
    return as_strided(memory[place.offset :], shape, strides)


def carried(plan, brought):
    """Moves parts by buffers alone: each sender packs by its views, each receiver unpacks by its own."""
    made = [plan.empty("dst", rank) for rank in range(plan.ranks)]
    buffers = {}
    for rank, array in enumerate(brought):
        for peer, views in plan.messages(rank).sends.items():
            packed = [box(array, view.src, view.shape).ravel() for view in views]
            buffers[rank, peer] = np.concatenate(packed)
            assert len(buffers[rank, peer]) == views.elements == plan.volumes[rank, peer] > 0
    for rank, array in enumerate(made):
        for peer, views in plan.messages(rank).receives.items():
            buffer, at = buffers.pop((peer, rank)), 0
            assert views == plan.messages(peer).sends[rank]
            for view in views:
                box(array, view.dst, view.shape)[...] = buffer[at : at + view.size].reshape(view.shape)
                at += view.size
            assert at == len(buffer)
    assert not buffers
    return made


# feature: messages as strided boxes = `messages`
@pytest.mark.parametrize("fortran", [False, True])
@pytest.mark.parametrize("src, dst", list(itertools.product(SIDES, SIDES)))
def test_views_and_threads_move_what_the_layouts_say(src, dst, fortran):
    whole = np.arange(7 * 11, dtype="i4").reshape(7, 11)
    plan = redist.Plan(whole.shape, words(*src, fortran=fortran), words(*dst, fortran=not fortran), "i4")
    before, after = (parts(whole, *side) for side in (src, dst))
    given = plan.scatter(whole)
    assert len(given) == plan.ranks
    for rank in range(plan.ranks):
        expected = before[rank] if rank < len(before) else np.empty(0)
        assert given[rank].size == expected.size and np.array_equal(given[rank].ravel(), expected.ravel())
    for moved in plan.simulate(given), carried(plan, given):
        assert len(moved) == plan.ranks
        for rank, found in enumerate(moved):
            expected = after[rank] if rank < len(after) else np.empty(0)
            assert found.size == expected.size and np.array_equal(found.ravel(), expected.ravel())
        assert np.array_equal(plan.gather(moved), whole)
    assert np.array_equal(plan.gather(given, "src"), whole)
    assert plan.verify() == whole.size


# feature: volumes = an array, `volumes`
def test_volumes_are_counted_by_the_owners():
    plan = redist.Plan((9, 10), "(cyclic(2), *) onto 3", "(*, block) onto 4")
    counted = np.zeros((4, 4), int)
    for row, column in np.ndindex(9, 10):
        counted[owner(row, 9, "cyclic(2)", 3), owner(column, 10, "block", 4)] += 1
    assert np.array_equal(plan.volumes, counted) and plan.volumes.dtype == np.int64
    assert plan.stays == np.trace(counted)
    assert plan.steps == 4
    assert plan.memory == 8 * max(
        plan.local_size("src", rank) + plan.local_size("dst", rank) + counted[rank].sum() + counted[:, rank].sum() for rank in range(4)
    )


def test_sections_transposed_and_on_other_ranks():
    src = "(cyclic(2), block) onto (2, 2) of [8, 9] at [1, 2]"
    dst = "(block, *) onto 3 ranks [4, 0, 2] transposed of [9, 10] at [2, 3] storage fortran"
    plan = redist.Plan((6, 5), src, dst, "i2")
    whole = np.arange(72, dtype="i2").reshape(8, 9) + 1
    expected = np.zeros((9, 10), "i2")
    expected[2:7, 3:9] = whole[1:7, 2:7].T
    given = plan.scatter(whole)
    assert np.array_equal(plan.gather(plan.simulate(given)), expected)
    # Elements of `empty` beside the section are any.
    assert np.array_equal(plan.gather(carried(plan, given))[2:7, 3:9], expected[2:7, 3:9])
    # A side is dealt and put together, whichever has more ranks.
    assert np.array_equal(plan.gather(plan.scatter(expected, "dst")), expected)
    assert plan.verify() == 30


def test_views_are_few_and_are_values():
    plan = redist.Plan((4096, 4096), "(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(32), cyclic(32)) onto (2, 2)")
    sends = plan.messages(1).sends
    assert sorted(sends) == [0, 1, 2, 3] and plan.messages(1).rank == 1
    (view,) = sends[2]
    assert (len(sends[2]), sends[2].elements, view.size) == (1, 1 << 20, 1 << 20)
    # 32 tiles of rows, 32 rows of 32 tiles in one loop, 32 elements.
    assert view.shape == (32, 1024, 32)
    assert (view.src.offset, view.src.strides) == (32 * 2048, (64 * 2048, 64, 1))
    assert (view.dst.offset, view.dst.strides) == (32, (64 * 2048, 64, 1))
    assert view == sends[2][-1] == plan.messages(2).receives[1][0] and len({view, sends[2][0]}) == 1
    assert view != sends[0][0] and view.src != view.dst and sends[2] != sends[0]
    for wrong in 1, -2, 1 << 40:
        with pytest.raises(IndexError, match=f"view {wrong}: the message has 1"):
            sends[2][wrong]
    assert repr(view).startswith("<redist.View: (32, 1024, 32), src from")
    # As many boxes as before, whatever the extents.
    large = redist.Plan((1 << 30, 1 << 30), plan.src, plan.dst)
    assert len(large.messages(1).sends[2]) == 1
    uneven = redist.Plan((4096, 4096), plan.src, "(cyclic(30), cyclic(50)) onto (2, 2)").messages(0).sends[0]
    assert 300 < len(uneven) < 500 and sum(view.size for view in uneven) == uneven.elements
    assert uneven[0] == next(iter(uneven)) and uneven[-1] == list(uneven)[-1]


def test_all_element_types_are_simulated():
    record = np.dtype([("mass", "f8"), ("kind", "i2")])
    for dtype in "?", "u1", "f2", ">f8", "c16", "M8[ms]", "V3", "S5", record, "longdouble":
        plan = redist.Plan(23, "cyclic(2) onto 3", "block onto 2 ranks [2, 1]", dtype)
        dtype = np.dtype(dtype)
        whole = np.frombuffer(np.random.default_rng(3).bytes(23 * dtype.itemsize), dtype).copy()
        found = plan.gather(plan.simulate(plan.scatter(whole)))
        assert found.dtype == dtype and found.tobytes() == whole.tobytes()
        assert plan.verify() == 23


# feature: all ranks in one process, without MPI = `scatter`, `simulate`, `gather`
def test_views_of_larger_arrays_are_read_where_they_lie():
    plan = redist.Plan((6, 8), "(block, *) onto 2", "(*, block) onto 2", "f4")
    padded = np.arange(8 * 20, dtype="f4").reshape(8, 20)
    whole = padded[1:7, 2:18:2]
    for array in whole, np.asfortranarray(whole), whole.copy():
        assert np.array_equal(plan.gather(plan.simulate(plan.scatter(array))), whole)
    halves = [whole[:3], whole[3:]]
    assert np.array_equal(plan.gather(plan.simulate(halves)), whole)
    assert np.array_equal(plan.gather(tuple(halves), "src"), whole)


def test_empty_arrays_and_single_ranks():
    for shape in (0, 5), (4, 0):
        plan = redist.Plan(shape, "(block, *) onto 3", "(*, cyclic) onto 2")
        assert plan.messages(0).sends == plan.messages(2).receives == {}
        assert plan.gather(plan.simulate(plan.scatter(np.zeros(shape)))).shape == shape
        assert plan.verify() == 0 and not plan.volumes.any()
    plan = redist.Plan(5, "*", "*")
    (view,) = plan.messages(0).sends[0]
    assert (view.shape, view.src.offset, view.src.strides) == ((5,), 0, (1,))
    one = redist.Plan((1, 1), "(*, *)", "(*, *)").messages(0).receives[0][0]
    assert (one.shape, one.size, one.dst.strides) == ((), 1, ())


def test_other_threads_of_python_run_meanwhile():
    plan = redist.Plan(1 << 20, "cyclic onto 4", "block onto 4", "u1")
    whole, turns, is_over = np.zeros(1 << 20, "u1"), [], threading.Event()

    def count():
        while not is_over.is_set():
            turns.append(None)
            is_over.wait(0.0005)

    counting = threading.Thread(target=count)
    counting.start()
    found = [plan.gather(plan.simulate(plan.scatter(whole))) for _ in range(3)]
    is_over.set()
    counting.join()
    assert turns and all(np.array_equal(one, whole) for one in found)


PLAN = redist.Plan((4, 6), "(block, *) onto 2", "(*, block) onto 3")
WHOLE = np.arange(24.0).reshape(4, 6)
PARTS = PLAN.scatter(WHOLE)
LIST = "write a list with an array for each rank, as `scatter` makes it"
WRONG = [
    (lambda: PLAN.messages(3), redist.PlanError, "rank 3: write a rank from 0 to 2"),
    (lambda: PLAN.messages("0"), TypeError, "rank '0': write a rank"),
    (lambda: PLAN.scatter(WHOLE.T), redist.ArrayError, "whole has the shape (6, 4), but the src array, of all ranks together, has (4, 6)"),
    (lambda: PLAN.scatter(WHOLE[:, :3], "dst"), redist.ArrayError, "the dst array, of all ranks together, has (4, 6)"),
    (lambda: PLAN.scatter(WHOLE.astype("f4")), redist.ArrayError, "whole has the dtype float32, but the plan is for float64"),
    (lambda: PLAN.scatter(WHOLE[::-1]), redist.ArrayError, "`numpy.ascontiguousarray` makes a copy that fits"),
    (lambda: PLAN.scatter(WHOLE.tolist()), redist.ArrayError, "whole is a list; bring an array of numpy's"),
    (lambda: PLAN.scatter(np.ma.masked_array(WHOLE)), redist.ArrayError, "whole is a masked array"),
    (lambda: PLAN.scatter(WHOLE, "from"), redist.PlanError, "side 'from': write \"src\" or \"dst\""),
    (lambda: PLAN.simulate(PARTS[:2]), redist.ArrayError, f"parts has 2 arrays for 3 ranks; {LIST}"),
    (lambda: PLAN.simulate(3), TypeError, f"parts 3: {LIST}"),
    (lambda: PLAN.simulate([*PARTS[:2], None]), redist.ArrayError, "parts[2] is a NoneType"),
    (lambda: PLAN.simulate([*PARTS, WHOLE]), redist.ArrayError, "parts[3] has the shape (4, 6), but must have (0, 0)"),
    (lambda: PLAN.simulate([WHOLE, *PARTS[1:]]), redist.ArrayError, "parts[0] has the shape (4, 6), but must have (2, 6); `empty(\"src\", 0)` makes one"),
    (lambda: PLAN.gather(PARTS), redist.ArrayError, "parts[0] has the shape (2, 6), but must have (4, 2)"),
    (lambda: PLAN.gather([]), redist.ArrayError, f"parts has 0 arrays for 3 ranks; {LIST}"),
    (lambda: redist.Plan(1 << 13, "cyclic onto 8192", "*").volumes, redist.PlanError, "the plan has 8192 ranks, and an array is made for 4096 at most"),
    (lambda: redist.Plan(1 << 61, "cyclic onto 2", "block onto 2").verify(), redist.MoveError, "bytes, which cannot be had here; verify a plan of smaller extents"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_calls_say_what_to_write(number):
    call, kind, text = WRONG[number]
    with pytest.raises(kind) as error:
        call()
    assert text in str(error.value) and "::" not in str(error.value)
