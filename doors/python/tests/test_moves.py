"""Moves between ranks, against brute force."""

import gc
import itertools
import threading
import time
import tracemalloc

import numpy as np
import pytest

import redist
from layouts import part, words

DTYPES = ["f8", "f4", "c16", "c8", "i8", "u4", "i2", "u1", "?", "f2", "g", ">f8", "V3", "M8[s]", "S5"]
STRUCT = np.dtype([("mass", "f8"), ("kind", "i2"), ("name", "S3")])
SIDES = {
    1: [["block"], ["cyclic"], ["cyclic(3)"], ["*"]],
    2: [["block", "*"], ["*", "block"], ["cyclic(2)", "*"], ["*", "cyclic"]],
    3: [["block", "*", "*"], ["*", "cyclic(2)", "*"], ["*", "*", "block"]],
}
EXTENTS = {1: (29,), 2: (9, 14), 3: (6, 7, 5)}


def values(shape, dtype):
    """An array in which all elements differ, where the type has room for that."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape))
    if dtype.kind in "VSM":
        width = dtype.itemsize
        numbers = np.arange(1, size * width + 1, dtype=np.uint64) % 251 + 1
        return numbers.astype(np.uint8).view(dtype).reshape(shape)
    return np.arange(size).reshape(shape).astype(dtype)


def filled(array, own):
    array[...] = own
    return array


def check(comm, whole, src, dst, orders=(False, False), **options):
    """Binds, moves and compares; returns what was bound."""
    sides = [(dists, [comm.size] * whole.ndim) for dists in (src, dst)]
    texts = [words(*side, fortran=order) for side, order in zip(sides, orders)]
    plan = redist.Plan(whole.shape, *texts, whole.dtype)
    bound = plan.bind(comm, **options)
    own, expected = (part(whole, side, comm.rank) for side in sides)
    a, out = bound.empty("src"), bound.empty("dst")
    if own.size:
        a[...] = own
    bound.run(a, out)
    assert np.array_equal(out, expected) if expected.size else out.size == 0
    out[...] = np.zeros_like(out)
    bound.start(a, out).finish()
    assert np.array_equal(out, expected) if expected.size else out.size == 0
    return bound


@pytest.mark.parametrize("dimensions", SIDES)
def test_layouts_and_orders(comm, dimensions):
    whole = values(EXTENTS[dimensions], "f8")
    for src, dst in itertools.product(SIDES[dimensions], repeat=2):
        for orders in itertools.product([False, True], repeat=2):
            check(comm, whole, src, dst, orders)


@pytest.mark.parametrize("dtype", [*DTYPES, STRUCT], ids=str)
def test_element_types(comm, dtype):
    check(comm, values((9, 14), dtype), ["block", "*"], ["*", "cyclic"])


@pytest.mark.parametrize("route", ["automatic", "messages", "chunks"])
def test_routes(comm, route):
    bound = check(comm, values((9, 14), "f4"), ["block", "*"], ["*", "cyclic"], route=route)
    # Each way is a word that `bind` takes.
    again = bound.plan.bind(comm, route=bound.way)
    assert again.way == bound.way and bound.way != "automatic"
    assert route in ("automatic", "chunks") or bound.way == route
    assert bound.rank == comm.rank and bound.comm is comm
    assert "rank" in bound.explain() and f"rank {comm.rank}" in repr(bound)


def test_two_dimensional_grids(comm):
    if comm.size != 4:
        pytest.skip("of four ranks")
    whole = values((13, 17), "c16")
    plan = redist.Plan(
        whole.shape, words(["cyclic(2)", "cyclic(3)"], [2, 2]), words(["block", "cyclic"], [2, 2], True), "c16"
    )
    bound = plan.bind(comm)
    a = filled(bound.empty("src"), part(whole, (["cyclic(2)", "cyclic(3)"], [2, 2]), comm.rank))
    out = bound.empty("dst")
    bound.run(a, out)
    assert np.array_equal(out, part(whole, (["block", "cyclic"], [2, 2]), comm.rank))


def rows_to_columns(comm, shape=(12, 8), dtype="f8"):
    plan = redist.Plan(shape, f"(block, *) onto {comm.size}", f"(*, block) onto {comm.size}", dtype)
    whole = values(shape, dtype)
    sides = [(dists, [comm.size] * 2) for dists in (["block", "*"], ["*", "block"])]
    return plan, *(part(whole, side, comm.rank) for side in sides)


def test_views_of_larger_arrays(comm):
    plan, own, expected = rows_to_columns(comm)
    # Halos around the rows; columns of a Fortran array with a leading dimension of its own.
    around = np.full((own.shape[0] + 2, own.shape[1] + 3), -1.0)
    beneath = np.full((expected.shape[0] + 5, expected.shape[1]), -1.0, order="F")
    a, out = around[1:-1, 2:-1], beneath[:-5]
    bound = plan.bind(comm, src_like=a, dst_like=out)
    a[...] = own
    for move in (lambda: bound.run(a, out), lambda: bound.start(a, out).finish()):
        beneath[...] = -1.0
        move()
        assert np.array_equal(out, expected)
        assert np.all(beneath[-5:] == -1.0)
    # Another array of these strides will do, a dense one will not.
    other = np.zeros_like(around)[1:-1, 2:-1]
    other[...] = own
    bound.run(other, out)
    with pytest.raises(redist.Error):
        bound.run(np.ascontiguousarray(a), out)
    dense = plan.bind(comm, src_like=plan.empty("src", comm.rank))
    dense.run(own.copy(), dense.empty("dst"))


def test_moves_in_two_calls(comm):
    plan, own, expected = rows_to_columns(comm)
    bound = plan.bind(comm)
    a, out = filled(bound.empty("src"), own), bound.empty("dst")
    out[...] = -1.0
    move = bound.start(a, out)
    a[...] = 0.0
    assert not move.is_finished and "under way" in repr(move)
    while not move.test():
        pass
    move.finish()
    assert move.is_finished and move.test() and np.array_equal(out, expected)
    with pytest.raises(redist.MoveError, match="has been finished"):
        move.finish()
    a[...] = own
    out[...] = -1.0
    with bound.start(a, out) as move:
        with pytest.raises(redist.MoveError, match="a move is under way"):
            bound.run(a, out)
    assert move.is_finished and np.array_equal(out, expected)
    # Both arrays are kept by what is under way.
    kept = filled(bound.empty("src"), own)
    move = bound.start(kept, out)
    del kept
    move.finish()
    assert np.array_equal(out, expected)


def lose(bound, a, out):
    """Starts a move and loses it to an exception."""
    move = bound.start(a, out)
    raise RuntimeError(str(move))


def test_moves_that_are_lost_are_finished_by_the_next_call(comm):
    plan, own, expected = rows_to_columns(comm)
    bound = plan.bind(comm)
    a, out = filled(bound.empty("src"), own), bound.empty("dst")

    def dropped():
        bound.start(a, out)

    def raised():
        with pytest.raises(RuntimeError, match="under way"):
            lose(bound, a, out)

    def on_another_thread():
        moves = [bound.start(a, out)]
        thread = threading.Thread(target=moves.clear)
        thread.start()
        thread.join()

    for how in dropped, raised, on_another_thread:
        out[...] = -1.0
        how()
        gc.collect()
        # No destructor waits: the next call finishes the move.
        bound.explain()
        assert np.array_equal(out, expected), how
        bound.run(a, out)


def test_other_threads_run_meanwhile(comm):
    if comm.size == 1:
        pytest.skip("of several ranks")
    plan, own, expected = rows_to_columns(comm)
    ticks, is_over = [], threading.Event()

    def tick():
        while not is_over.wait(0.005):
            ticks.append(time.perf_counter())

    def waiting(call):
        """Calls, once another rank has kept this one waiting; returns how often others ran."""
        comm.Barrier()
        if comm.rank == 0:
            time.sleep(0.4)
        begun = time.perf_counter()
        made = call()
        ended = time.perf_counter()
        return made, sum(begun < at < ended for at in ticks)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        bound, while_binding = waiting(lambda: plan.bind(comm))
        a, out = filled(bound.empty("src"), own), bound.empty("dst")
        _, while_running = waiting(lambda: bound.run(a, out))
        assert np.array_equal(out, expected)
        comm.Barrier()
        if comm.rank == 0:
            time.sleep(0.4)
        move = bound.start(a, out)
        begun = time.perf_counter()
        move.finish()
        ended = time.perf_counter()
        while_finishing = sum(begun < at < ended for at in ticks)
    finally:
        is_over.set()
        thread.join()
    # Which ranks wait for the first is the library's affair; one that takes long has let others run.
    assert comm.rank == 0 or min(while_binding, while_running) > 10
    assert ended - begun < 0.2 or while_finishing > 5


def test_other_threads_are_refused(comm):
    plan, own, expected = rows_to_columns(comm)
    bound = plan.bind(comm)
    a, out = filled(bound.empty("src"), own), bound.empty("dst")
    move = bound.start(a, out)
    found = []

    def use(call):
        try:
            call()
        except redist.MoveError as error:
            found.append(str(error))

    calls = [
        lambda: bound.run(a, out), lambda: bound.start(a, out), lambda: bound.shared("src"), bound.explain,
        move.test, move.finish, lambda: move.is_finished,
    ]
    for call in calls:
        thread = threading.Thread(target=use, args=[call])
        thread.start()
        thread.join()
    assert len(found) == len(calls) and all("thread that bound it alone" in words for words in found)
    # Facts that do not change are known everywhere.
    thread = threading.Thread(target=lambda: found.append((bound.rank, bound.way, bound.plan, repr(bound))))
    thread.start()
    thread.join()
    assert found[-1] == (comm.rank, bound.way, plan, repr(bound))
    move.finish()
    assert np.array_equal(out, expected)


def test_bounds_may_end_on_another_thread(comm):
    plan, _, _ = rows_to_columns(comm)

    def some(times):
        for _ in range(times):
            kept = [plan.bind(comm)]
            thread = threading.Thread(target=kept.clear)
            thread.start()
            thread.join()

    some(20)
    before = resident()
    some(200)
    assert resident() - before < 4 << 20


def test_an_array_that_is_resized_under_way(comm):
    plan, own, _ = rows_to_columns(comm)
    bound = plan.bind(comm)
    out = bound.empty("dst")
    move = bound.start(filled(bound.empty("src"), own), out)
    out.resize((1, 1), refcheck=False)
    with pytest.raises(redist.ArrayError, match="has the shape"):
        move.finish()
    bound.run(filled(bound.empty("src"), own), bound.empty("dst"))


def test_several_plans_of_one_communicator_at_once(comm):
    plan, own, expected = rows_to_columns(comm)
    there, back = plan.bind(comm), plan.inverse().bind(comm)
    a, out, again = filled(there.empty("src"), own), there.empty("dst"), back.empty("dst")
    there.run(a, out)
    first = there.start(a, out)
    second = back.start(filled(back.empty("src"), expected), again)
    second.finish()
    first.finish()
    assert np.array_equal(again, own) and np.array_equal(out, expected)


def test_nothing_is_copied(comm):
    shape = (1024, 1024)
    plan, own, expected = rows_to_columns(comm, shape)
    bound = plan.bind(comm)
    a, out = filled(bound.empty("src"), own), bound.empty("dst")
    places = a.__array_interface__["data"], out.__array_interface__["data"]
    bound.run(a, out)
    tracemalloc.start()
    bound.run(a, out)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Numpy tells tracemalloc of its arrays, each of which has megabytes here.
    assert most < 10_000
    assert places == (a.__array_interface__["data"], out.__array_interface__["data"])
    assert np.array_equal(out, expected)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_nothing_leaks(comm):
    plan, own, _ = rows_to_columns(comm)
    bound = plan.bind(comm)
    a, out = filled(bound.empty("src"), own), bound.empty("dst")

    def some(times):
        for _ in range(times):
            bound.run(a, out)
        for _ in range(times):
            bound.start(a, out).finish()
        for _ in range(times // 100):
            plan.bind(comm)

    some(1000)
    before = resident()
    # More ranks than cores take turns, which takes long.
    some(10_000 if comm.size <= 2 else 1000)
    assert resident() - before < 4 << 20
