"""What one rank has otherwise than the others: types, arrays, options. The others are told, too, in words of numpy's."""

import re

import numpy as np
import pytest

import redist
from conftest import MPI, unfit

PADDED = np.dtype("i4,i8", align=True)
PADDED_WORDS = "{'names': ['f0', 'f1'], 'formats': ['<i4', '<i8'], 'offsets': [0, 8], 'itemsize': 16}"
# Pairs of types of as many bytes, and their names.
PAIRS = [
    ("M8[s]", "M8[ms]", "datetime64[s]", "datetime64[ms]"),
    ("M8[s]", "m8[s]", "datetime64[s]", "timedelta64[s]"),
    ("M8", "M8[D]", "datetime64", "datetime64[D]"),
    ("M8[25us]", "M8[us]", "datetime64[25us]", "datetime64[us]"),
    (">f8", ">i8", ">f8", ">i8"),
    (">f8", "<f8", ">f8", "float64"),
    (">M8[s]", "<M8[s]", ">M8[s]", "datetime64[s]"),
    ("f8", "i8", "float64", "int64"),
    ("f8", "c8", "float64", "complex64"),
    ("?", "u1", "bool", "uint8"),
    ("?", "V1", "bool", "|V1"),
    ("f2", "i2", "float16", "int16"),
    ("g", "c16", "float128", "complex128"),
    ("S4", "<U1", "|S4", "<U1"),
    ("<U1", ">U1", "<U1", ">U1"),
    ("S8", "V8", "|S8", "|V8"),
    ([("x", "<f4"), ("y", "<i4")], [("y", "<i4"), ("x", "<f4")], "[('x', '<f4'), ('y', '<i4')]", "[('y', '<i4'), ('x', '<f4')]"),
    ([("x", "<f4"), ("y", "<i4")], [("x", "<f4"), ("z", "<i4")], "[('x', '<f4'), ('y', '<i4')]", "[('x', '<f4'), ('z', '<i4')]"),
    ([("x", "<f4"), ("y", "<i4")], "V8", "[('x', '<f4'), ('y', '<i4')]", "|V8"),
    ([("x", "<f8", (2,))], [("x", "<f4", (4,))], "[('x', '<f8', (2,))]", "[('x', '<f4', (4,))]"),
    ([("x", [("a", "M8[s]")])], [("x", [("a", "M8[ms]")])], "[('x', [('a', '<M8[s]')])]", "[('x', [('a', '<M8[ms]')])]"),
    (PADDED, "c16", PADDED_WORDS, "complex128"),
]
# One type, written in several ways.
ALIKE = [
    ("q", "l"),
    ("f8", np.float64),
    (PADDED, np.dtype({"names": ["f0", "f1"], "formats": ["<i4", "<i8"], "offsets": [0, 8], "itemsize": 16})),
    ([("x", "<f4"), ("y", "<i4")], np.dtype("<f4,<i4").newbyteorder("=")),
    (np.dtype("f8", metadata={"unit": "m"}), "f8"),
    ("V8", np.dtype("V8")),
]


def plan_of(comm, dtype="f8", shape=(12, 8)):
    return redist.Plan(shape, f"(block, *) onto {comm.size}", f"(*, block) onto {comm.size}", dtype)


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_types_that_differ_are_told_to_all(comm, number):
    if comm.size == 1:
        pytest.skip("of several ranks")
    one, other, ones, others = PAIRS[number]
    assert np.dtype(one).itemsize == np.dtype(other).itemsize and np.dtype(one) != np.dtype(other)
    last = comm.size - 1
    plan = plan_of(comm, other if comm.rank == last else one)
    words = f"rank {last} has planned for the dtype {others}, rank 0 for {ones}; plan for one dtype on all ranks"
    with pytest.raises(redist.MoveError, match=re.escape(words)):
        plan.bind(comm)
    # The same words are a dtype of numpy's.
    assert np.dtype(ones if ones[0] not in "[{" else eval(ones)) == np.dtype(one)
    plan_of(comm, other).bind(comm)


@pytest.mark.parametrize("number", range(len(ALIKE)))
def test_one_type_in_several_words(comm, number):
    one, other = ALIKE[number]
    if number == 3:
        other = np.dtype({"names": ["x", "y"], "formats": ["<f4", "<i4"]})
    bound = plan_of(comm, other if comm.rank else one).bind(comm)
    bound.run(np.zeros_like(bound.empty("src")), bound.empty("dst"))


def test_types_of_another_package(comm):
    types = pytest.importorskip("ml_dtypes")
    if comm.size == 1:
        pytest.skip("of several ranks")
    for one, other in (types.float8_e4m3fn, types.float8_e5m2), (types.bfloat16, np.float16), (types.int4, np.int8):
        with pytest.raises(redist.MoveError, match=f"{np.dtype(other)}, rank 0 for {np.dtype(one)};"):
            plan_of(comm, one if comm.rank == 0 else other).bind(comm)
        bound = plan_of(comm, one).bind(comm)
        a, out = bound.empty("src"), bound.empty("dst")
        a[...] = 1
        bound.run(a, out)
        assert (out == a.dtype.type(1)).all()


def wrong(bound):
    """Pairs of arrays that are wrong on this rank, and what the others are told."""
    a, out = bound.empty("src"), bound.empty("dst")
    rows, columns = a.shape
    readonly, head, tail = unfit(a, out)
    type_is = "the src array has elements of type {}, but must have those of the plan's dtype float64; bring such an array"
    return [
        ((a.astype("M8[s]"), out), type_is.format("datetime64[s]")),
        ((a.astype(">f8"), out), type_is.format(">f8")),
        ((np.zeros(a.shape, [("x", "<f4"), ("y", "<i4")]), out), type_is.format("[('x', '<f4')...")),
        ((a[:, :-1], out), f"the src array has {columns - 1} elements along dimension 1, but must have {columns}"),
        ((a, out[:-1]), f"the dst array has {out.shape[0] - 1} elements along dimension 0, but must have {out.shape[0]}"),
        ((a.ravel(), out), "the src array has 1 dimension, but must have 2"),
        ((np.zeros((rows, 2 * columns))[:, :columns], out), f"the src array has the stride {2 * columns} along dimension 0, but must have {columns}"),
        ((a[::-1], out), f"the src array has the stride -{columns} along dimension 0, but must have {columns}"),
        ((np.zeros((rows, columns), "f8,i1")["f0"], out), "the src array has strides that are no whole numbers of elements; bring a dense copy"),
        ((a, readonly), "the dst array is read-only; bring one that may be written to"),
        ((head, tail), "the src and the dst array overlap; bring arrays apart"),
        ((a.tolist(), out), "the src array is a list, which is no array; bring an array"),
        ((a, None), "the dst array is a NoneType, which is no array; bring an array"),
        ((np.ma.masked_array(a), out), "the src array is a masked array, whose mask would stay behind; bring its data"),
    ]


@pytest.mark.parametrize("number", range(14))
@pytest.mark.parametrize("starts", [False, True])
def test_others_are_told_which_array_and_what_to_do(comm, number, starts):
    if comm.size == 1:
        pytest.skip("of several ranks")
    bound = plan_of(comm).bind(comm)
    a, out = bound.empty("src"), bound.empty("dst")
    is_wrong = comm.rank == 1
    arrays, words = wrong(bound)[number]
    # The words are about the array of rank 1, which has as many columns and rows.
    words = comm.bcast(words, 1)
    with pytest.raises(redist.ArrayError if is_wrong else redist.MoveError, match="" if is_wrong else f"^rank 1: {re.escape(words)}") as error:
        a, out = arrays if is_wrong else (a, out)
        bound.start(a, out).finish() if starts else bound.run(a, out)
    assert "::" not in str(error.value)
    a, out = bound.empty("src"), bound.empty("dst")
    a[...] = 2.0
    bound.run(a, out)
    assert (out == 2.0).all()


def test_an_array_that_later_ones_are_to_be_like(comm):
    if comm.size == 1:
        pytest.skip("of several ranks")
    plan = plan_of(comm)
    like = plan.empty("src", comm.rank)
    strange = [
        (like.astype("M8[s]"), "the src array has elements of type datetime64[s], but must have those of the plan's dtype float64"),
        (like[:-1], "the src array has shape"),
        ([0.0], "the src array is a list, which is no array; bring an array"),
    ]
    for array, words in strange:
        is_wrong = comm.rank == 1
        with pytest.raises(redist.ArrayError if is_wrong else redist.MoveError, match="" if is_wrong else f"^rank 1: {re.escape(words)}"):
            plan.bind(comm, src_like=array if is_wrong else like)
    plan.bind(comm, src_like=like)


def outcome(comm, bound):
    """Returns what each rank gets where rank 0, from which rank 1 alone receives, brings a wrong array."""
    a, out = bound.empty("src"), bound.empty("dst")
    try:
        bound.run(a[:-1] if comm.rank == 0 else a, out)
    except redist.Error as error:
        return comm.allgather(type(error))
    return comm.allgather(None)


# feature: errors of all ranks (collectively)
@pytest.mark.parametrize("route", ["automatic", "messages"])
def test_all_ranks_fail_together_where_they_ask_for_it(comm, route):
    if comm.size < 3:
        pytest.skip("of three ranks or more")
    shifted = [*range(1, comm.size), 0]
    plan = redist.Plan(4 * comm.size, f"block onto {comm.size}", f"block onto {comm.size} ranks {shifted}")
    alone = outcome(comm, plan.bind(comm, route=route))
    assert alone == [redist.ArrayError, redist.MoveError, *[None] * (comm.size - 2)]
    bound = plan.bind(comm, route=route, collectively=True)
    together = outcome(comm, bound)
    assert together == [redist.ArrayError, *[redist.MoveError] * (comm.size - 1)]
    a, out = bound.empty("src"), bound.empty("dst")
    a[...] = comm.rank
    bound.run(a, out)
    assert (out == (comm.rank - 1) % comm.size).all()
    with pytest.raises(redist.MoveError, match="collectively"):
        plan.bind(comm, route=route, collectively=comm.rank == 0)


def test_options_that_are_wrong_on_one_rank_are_told_to_all(comm):
    if comm.size == 1:
        pytest.skip("of several ranks")
    plan = plan_of(comm)
    for options, kind in ({"route": "quick"}, redist.PlanError), ({"route": 3}, TypeError), ({"collectively": "all"}, TypeError):
        (name, value), = options.items()
        words = re.escape(f"{name} {value!r}: write ")
        with pytest.raises(kind if comm.rank == 1 else redist.MoveError, match=words):
            plan.bind(comm, **options if comm.rank == 1 else {})
    plan.bind(comm)


def test_ranks_that_the_plan_lacks_ask_what_is_bound(comm):
    few = max(comm.size - 1, 1)
    plan = redist.Plan((12, 8), f"(block, *) onto {few}", f"(*, block) onto {few} storage fortran")
    bound = plan.bind(comm)
    whole = np.arange(96.0).reshape(12, 8)
    a, out = (np.array(whole[np.ix_(*bound.global_indices(side))], order=order) for side, order in (("src", "C"), ("dst", "F")))
    expected, out = out, bound.empty("dst")
    assert a.shape == bound.local_shape("src") or a.size == 0
    bound.run(a, out)
    assert (out == expected).all() or expected.size == out.size == 0
    if comm.rank == few:
        with pytest.raises(redist.PlanError, match=f"rank {few}: write a rank from 0 to {few - 1}"):
            plan.global_indices("src", comm.rank)


def test_interleaved_arrays(comm):
    """Real and imaginary parts, even and odd rows, fields of records: no byte is in both."""
    plan = redist.Plan((3 * comm.size, 4), f"(block, *) onto {comm.size}", f"(block, *) onto {comm.size} ranks {[*range(1, comm.size), 0]}")
    shape = plan.local_shape("src", comm.rank)
    z, rows, records = np.zeros(shape, "c16"), np.zeros((2 * shape[0], shape[1])), np.zeros(shape, "f8,f8")
    for a, out in (z.real, z.imag), (z.imag, z.real), (rows[::2], rows[1::2]), (records["f1"], records["f0"]):
        bound = plan.bind(comm, src_like=a, dst_like=out)
        for move in bound.run, lambda a, out: bound.start(a, out).finish():
            a[...], out[...] = 1 + comm.rank, -1
            move(a, out)
            assert (out == 1 + (comm.rank - 1) % comm.size).all() and (a == 1 + comm.rank).all()
    # An element in both is found between such views, too.
    if comm.size == 1:
        bound = redist.Plan((3,), "*", "*").bind(comm, src_like=np.zeros(6)[::2], dst_like=np.zeros(6)[::2])
        line = np.zeros(8)
        with pytest.raises(redist.ArrayError, match="shares memory"):
            bound.run(line[:6:2], line[2::2])
