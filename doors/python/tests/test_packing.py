"""Messages packed and unpacked by the library, and carried by anything: without MPI."""

import itertools
import queue
import threading

import numpy as np
import pytest

import redist
from layouts import parts, words
from test_plan import SIDES


def carried(plan, brought, singly):
    """Moves parts by buffers, packed and unpacked one at a time or all at once."""
    packings = [plan.packing(rank) for rank in range(plan.ranks)]
    made = [plan.empty("dst", rank) for rank in range(plan.ranks)]
    on_the_way = {}
    for rank, (packing, array) in enumerate(zip(packings, brought)):
        buffers = {peer: packing.empty(elements) for peer, elements in packing.sends.items()}
        if singly:
            for peer, buffer in buffers.items():
                packing.pack(array, peer, buffer)
        else:
            packing.pack_all(array, buffers)
        on_the_way.update({(rank, peer): buffer for peer, buffer in buffers.items()})
    for rank, (packing, out) in enumerate(zip(packings, made)):
        buffers = {peer: on_the_way.pop((peer, rank)) for peer in packing.receives}
        assert {peer: len(buffer) for peer, buffer in buffers.items()} == packing.receives
        if singly:
            for peer, buffer in reversed(buffers.items()):
                packing.unpack(buffer, peer, out)
        else:
            packing.unpack_all(buffers, out)
    assert not on_the_way
    return made


# feature: packing for a transport of your own = `packing`
@pytest.mark.parametrize("src, dst", list(itertools.product(SIDES, SIDES)))
def test_packed_messages_bring_what_the_layouts_say(src, dst):
    whole = np.arange(7 * 11, dtype="i4").reshape(7, 11)
    plan = redist.Plan(whole.shape, words(*src), words(*dst, fortran=True), "i4")
    given, expected = plan.scatter(whole), parts(whole, *dst)
    for singly in True, False:
        found = carried(plan, given, singly)
        assert all(np.array_equal(one, other) for one, other in zip(found, expected) if other.size)
        assert np.array_equal(plan.gather(found), whole)


@pytest.mark.parametrize("dtype", ["?", "f2", ">f8", "c16", "S5", "longdouble", [("mass", "f8"), ("kind", "i2")]])
def test_all_element_types_are_packed(dtype):
    src = "(cyclic(2), block) onto (2, 2) of [8, 9] at [1, 2]"
    dst = "(block, *) onto 3 ranks [4, 0, 2] transposed storage fortran"
    plan, dtype = redist.Plan((6, 5), src, dst, dtype), np.dtype(dtype)
    whole = np.frombuffer(np.random.default_rng(3).bytes(72 * dtype.itemsize), dtype).reshape(8, 9)
    for singly in True, False:
        found = plan.gather(carried(plan, plan.scatter(whole), singly))
        assert found.tobytes() == whole[1:7, 2:7].T.copy().tobytes()


def test_buffers_have_any_memory_and_arrays_any_strides():
    plan = redist.Plan((6, 8), "(block, *) onto 2", "(*, block) onto 2", "f4")
    whole = np.arange(48, dtype="f4").reshape(6, 8)
    padded = np.full((5, 20), -1, "f4")
    inside = padded[1:4, 2:18:2]
    inside[...] = whole[3:]
    packing = plan.packing(1, src_like=inside)
    assert (packing.rank, packing.sends, packing.receives) == (1, {0: 12, 1: 12}, {0: 12, 1: 12})
    expected = whole[3:, :4].copy()
    for buffer in bytearray(48), np.zeros(48, "u1"), np.zeros((3, 4), "f4"), memoryview(bytearray(48)):
        packing.pack(inside, 0, buffer)
        assert bytes(buffer) == expected.tobytes()
    # A receiver with a halo, from bytes that are read-only.
    halo = np.zeros((8, 6), "f4")
    unpacking = plan.packing(0, dst_like=halo[1:-1, 1:-1])
    unpacking.unpack(bytes(buffer), 1, halo[1:-1, 1:-1])
    assert np.array_equal(halo[4:7, 1:-1], expected) and np.count_nonzero(halo) == np.count_nonzero(expected)
    assert repr(packing) == "<redist.Packing: rank 1 sends 2 and receives 2, elements of 4 bytes>"


def test_ranks_that_are_threads_carry_a_plan_by_queues():
    plan = redist.Plan(1 << 16, "cyclic(3) onto 4", "block onto 3", "i8")
    whole = np.arange(1 << 16)
    given, found = plan.scatter(whole), [plan.empty("dst", rank) for rank in range(4)]
    mail = [queue.Queue() for _ in range(4)]

    def run(rank):
        packing = plan.packing(rank)
        for peer, elements in packing.sends.items():
            buffer = packing.empty(elements)
            packing.pack(given[rank], peer, buffer)
            mail[peer].put((rank, buffer))
        for _ in packing.receives:
            sender, buffer = mail[rank].get(timeout=60)
            packing.unpack(buffer, sender, found[rank])

    ranks = [threading.Thread(target=run, args=(rank,)) for rank in range(4)]
    for thread in ranks:
        thread.start()
    for thread in ranks:
        thread.join()
    assert np.array_equal(np.concatenate(found), whole)


PLAN = redist.Plan((4, 6), "(block, *) onto 2", "(*, block) onto 3")
PACKING = PLAN.packing(1)
ROWS, COLUMNS = np.zeros((2, 6)), np.zeros((4, 2))
BOTH = np.zeros(16)
SENDS = "write a rank that there is a message to, one of `sends`"
READ_ONLY = np.frombuffer(bytes(32))
WRONG = [
    (lambda: PLAN.packing(3), redist.PlanError, "rank 3: write a rank from 0 to 2"),
    (lambda: PLAN.packing(1, src_like=COLUMNS), redist.ArrayError, "array has the shape (4, 2), but must have (2, 6)"),
    (lambda: PACKING.pack(ROWS, 3, BOTH[:4]), redist.PlanError, f"peer 3: rank 1 has no message to it; {SENDS}"),
    (lambda: PACKING.pack(ROWS, "0", BOTH[:4]), TypeError, f"peer '0': {SENDS}"),
    (lambda: PACKING.unpack(BOTH[:4], 2, COLUMNS), redist.PlanError, "peer 2: rank 1 has no message from it; write a rank"),
    (lambda: PACKING.pack(ROWS, 0, BOTH[:3]), redist.ArrayError, "buffer has 24 bytes, but the message to rank 0 has 32, of 4 elements; `empty(4)` makes one"),
    (lambda: PACKING.pack(ROWS, 0, BOTH[:8:2]), redist.ArrayError, "buffer has gaps between its elements; `empty(4)` makes one"),
    (lambda: PACKING.pack(ROWS, 0, np.zeros(8, "f4")), redist.ArrayError, "buffer has the dtype float32, and elements are of float64"),
    (lambda: PACKING.pack(ROWS, 0, READ_ONLY), redist.ArrayError, "buffer is read-only; `empty(4)` makes one"),
    (lambda: PACKING.pack(ROWS, 0, bytes(32)), redist.ArrayError, "buffer is read-only"),
    (lambda: PACKING.pack(ROWS, 0, [0.0] * 4), redist.ArrayError, "buffer is a list, which has no memory to use; `empty(4)`"),
    (lambda: PACKING.pack(ROWS, 0, None), redist.ArrayError, "buffer is a NoneType"),
    (lambda: PACKING.pack(ROWS, 0, np.ma.zeros(4)), redist.ArrayError, "buffer is a masked array"),
    (lambda: PACKING.pack(COLUMNS, 0, BOTH[:4]), redist.ArrayError, 'array has the shape (4, 2), but must have (2, 6); `empty("src", 1)` makes one'),
    (lambda: PACKING.pack(ROWS.T.copy().T, 0, BOTH[:4]), redist.ArrayError, "array has the strides"),
    (lambda: PACKING.pack(BOTH[:12].reshape(2, 6), 0, BOTH[8:12]), redist.ArrayError, "buffer shares memory with array; bring a buffer apart"),
    (lambda: PACKING.unpack(BOTH[:4], 0, BOTH[3:11].reshape(4, 2)), redist.ArrayError, "buffer shares memory with array"),
    (lambda: PACKING.unpack(BOTH[:4], 0, np.zeros((4, 2), "f4")), redist.ArrayError, "array has the dtype float32"),
    (lambda: PACKING.pack_all(ROWS, [BOTH[:4]] * 3), TypeError, "write a dict with a buffer for each rank of `sends`"),
    (lambda: PACKING.pack_all(ROWS, {0: BOTH[:4]}), redist.PlanError, "buffers: found 1, but `sends` has 3 ranks"),
    (lambda: PACKING.pack_all(ROWS, {0: BOTH[:4], 1: BOTH[4:8], 3: BOTH[8:12]}), redist.PlanError, "buffers: there is none for rank 2"),
    (lambda: PACKING.pack_all(ROWS, {0: BOTH[:4], 1: BOTH[3:7], 2: BOTH[8:12]}), redist.ArrayError, "two buffers share memory"),
    (lambda: PACKING.unpack_all({0: BOTH[:4], 1: BOTH[:3]}, COLUMNS), redist.ArrayError, "the message from rank 1 has 32, of 4 elements"),
    (lambda: PACKING.empty(-1), redist.PlanError, "elements -1: write a number of elements"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_calls_say_what_to_write(number):
    call, kind, text = WRONG[number]
    with pytest.raises(kind) as error:
        call()
    assert text in str(error.value) and "::" not in str(error.value)


def test_what_is_read_may_be_shared():
    same = np.ones(4)
    out = np.zeros((4, 2))
    PACKING.unpack_all({0: same, 1: same}, out)
    assert (out == 1).all()
