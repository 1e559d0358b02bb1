"""Pencils by the names of mpi4py-fft, against brute force, and against mpi4py-fft where it is installed."""

import itertools

import numpy as np
import pytest

import redist
from conftest import MPI

from redist.pencil import Pencil, Subcomm, Transfer

# Extents that four ranks divide, that they do not, and that are fewer than four.
SHAPES = {2: [(8, 12), (7, 9), (5, 3)], 3: [(8, 4, 12), (7, 9, 5), (3, 5, 2)], 4: [(4, 6, 5, 4)]}
AXES = [(axes, before, after) for axes in SHAPES for before, after in itertools.permutations(range(axes), 2)]


def values(shape, dtype="f8"):
    """An array in which all elements differ."""
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def grids(axes, whole):
    """Dimensions for `Subcomm`: slabs, and pencils of two distributed axes where there are as many."""
    rest = [axis for axis in range(axes) if axis != whole]
    for distributed in [rest[:1], rest[-1:], rest[:2]]:
        yield [0 if axis in distributed else 1 for axis in range(axes)]


def own(whole, pencil):
    """A pencil's part of an array."""
    return whole[tuple(slice(start, start + extent) for start, extent in zip(pencil.substart, pencil.subshape))]


# feature: names of other libraries = mpi4py-fft's pencils
@pytest.mark.parametrize("axes, before, after", AXES)
def test_moves_and_back(comm, axes, before, after):
    for shape, grid in itertools.product(SHAPES[axes], grids(axes, before)):
        subcomm = Subcomm(comm, grid)
        first = Pencil(subcomm, shape, before)
        second = first.pencil(after - axes)  # an axis may count from the end
        assert first.subshape[before] == shape[before] and second.subshape[after] == shape[after]
        whole = values(shape)
        a, b = own(whole, first).copy(), np.zeros(second.subshape)
        transfer = first.transfer(second, float)
        transfer.forward(a, b)
        assert np.array_equal(b, own(whole, second))
        a[...] = 0
        transfer.backward(b, a)
        assert np.array_equal(a, own(whole, first))
        transfer.destroy()
        subcomm.destroy()


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D", "g", "i", "?", ">f8"])
def test_element_types(comm, dtype):
    first = Pencil(Subcomm(comm), (6, 9), 1)
    second = first.pencil(0)
    whole = values((6, 9), dtype)
    b = np.zeros(second.subshape, dtype)
    first.transfer(second, dtype).forward(own(whole, first).copy(), b)
    assert np.array_equal(b, own(whole, second))


@pytest.mark.parametrize("dims, axis", [(None, -1), (1, 0), (2, 1), ([1, 0, 0], 0), ([0, 0, 1], 2), ([0, 1], 1)])
def test_parts_cover_the_array_once(comm, dims, axis):
    pencil = Pencil(Subcomm(comm, dims), (7, 9, 5), axis) if dims != [0, 1] else Pencil(Subcomm(comm, dims), (7, 9), axis)
    count = np.zeros(pencil.shape, "i4")
    own(count, pencil)[...] = 1
    comm.Allreduce(MPI.IN_PLACE, count)
    assert (count == 1).all()


def test_a_grid_of_the_callers(comm):
    cart = comm.Create_cart(MPI.Compute_dims(comm.size, 2), reorder=False)
    subcomm = Subcomm(cart)
    assert [line.size for line in subcomm] == cart.dims
    assert [line.rank for line in subcomm] == cart.coords
    with pytest.raises(redist.PlanError, match="leave `dims` out"):
        Subcomm(cart, [0, 0])
    cart.Free()


def test_a_transfer_without_pencils(comm):
    rank, ranks = comm.rank, comm.size
    whole = values((2 * ranks, ranks, 3))
    transfer = Transfer(comm, whole.shape, float, (2 * ranks, 1, 3), 0, (2, ranks, 3), 1)
    assert transfer.shape == whole.shape and transfer.dtype == float and transfer.comm is comm
    b = np.zeros((2, ranks, 3))
    transfer.forward(whole[:, rank : rank + 1].copy(), b)
    assert np.array_equal(b, whole[2 * rank : 2 * rank + 2])


def test_transfers_outlive_their_communicators(comm):
    subcomm = Subcomm(comm)
    first = Pencil(subcomm, (8, 8), 1)
    second = first.pencil(0)
    transfer = first.transfer(second, float)
    whole, b = values((8, 8)), np.zeros(second.subshape)
    transfer.forward(own(whole, first).copy(), b)
    subcomm.destroy()
    b[...] = 0
    transfer.forward(own(whole, first).copy(), b)
    assert np.array_equal(b, own(whole, second))
    transfer.destroy()
    with pytest.raises(redist.MoveError, match="destroyed"):
        transfer.forward(own(whole, first).copy(), b)


def test_refusals(comm):
    subcomm = Subcomm(comm)
    first = Pencil(subcomm, (8, 8), 1)
    second = first.pencil(0)
    more = comm.size + 1
    for words, call in {
        "none of an array of 2 axes": lambda: Pencil(subcomm, (8, 8), 2),
        "pencils have two axes or more": lambda: Pencil(subcomm, (8,)),
        "of one element or more": lambda: Pencil(subcomm, (8, 0)),
        "bring 1 to 2": lambda: Pencil([MPI.COMM_SELF] * 3, (8, 8)),
        "both pencils lie along axis 1": lambda: first.transfer(first, float),
        "the second one of": lambda: first.transfer(Pencil(subcomm, (8, 9), 0), float),
        f"no grid of {comm.size} ranks has the extents": lambda: Subcomm(comm, [more, 0]),
        "has one axis or more": lambda: Subcomm(comm, 0),
        "has the shape": lambda: Transfer(comm, (8, 8), float, (9, 8), 1, second.subshape, 0),
        "Python objects": lambda: first.transfer(second, object),
    }.items():
        with pytest.raises(redist.Error) as said:
            call()
        assert words in str(said.value) or words == "Python objects", said.value
    with pytest.raises(redist.CommunicatorError, match="a str is no communicator of mpi4py"):
        Subcomm("world")
    if comm.size > 1:
        with pytest.raises(redist.PlanError, match=f"distributed over {comm.size} ranks"):
            Pencil([comm, MPI.COMM_SELF], (8, 8), 0)
        other = Pencil(Subcomm(comm), (8, 8), 0)
        with pytest.raises(redist.PlanError, match="is distributed over other ranks"):
            first.transfer(other, float)


def test_a_wrong_array_on_one_rank_is_an_error_and_no_hang(comm):
    first = Pencil(Subcomm(comm, reorder=False), (8, 8), 1)
    second = first.pencil(0)
    transfer = first.transfer(second, float)
    whole, b = values((8, 8)), np.zeros(second.subshape)
    a = own(whole, first).copy()
    wrong = a.astype("f4") if comm.rank == 0 else a
    with pytest.raises(redist.ArrayError if comm.rank == 0 else redist.MoveError):
        transfer.forward(wrong, b)
    transfer.forward(a, b)
    assert np.array_equal(b, own(whole, second))


# What follows is beside mpi4py-fft.


@pytest.fixture
def theirs():
    return pytest.importorskip("mpi4py_fft.pencil")


@pytest.mark.parametrize("axes, before, after", AXES)
def test_values_are_those_of_mpi4py_fft(comm, theirs, axes, before, after):
    for shape, grid, dtype in itertools.product(SHAPES[axes], grids(axes, before), "fD"):
        ranks = MPI.Compute_dims(comm.size, grid)
        if any(extent < max(ranks) for extent in shape):
            continue  # it refuses these
        subcomm = theirs.Subcomm(comm, grid)
        expected = theirs.Pencil(subcomm, shape, before)
        first = Pencil(Subcomm(comm, grid), shape, before)
        pairs = [(first, expected), (first.pencil(after), expected.pencil(after))]
        for mine, other in pairs:
            assert (mine.subshape, mine.substart, mine.axis, mine.shape) == (other.subshape, other.substart, other.axis, other.shape)
        a = (np.random.default_rng(comm.rank).random(first.subshape) * 100).astype(dtype)
        found, must = np.zeros(pairs[1][0].subshape, dtype), np.zeros(pairs[1][0].subshape, dtype)
        pairs[0][0].transfer(pairs[1][0], dtype).forward(a, found)
        pairs[0][1].transfer(pairs[1][1], dtype).forward(a, must)
        assert np.array_equal(found, must)
        # Their pencils take our transfers, and ours theirs' communicators.
        mixed = Pencil(subcomm, shape, before)
        back = np.zeros_like(a)
        mixed.transfer(mixed.pencil(after), dtype).backward(found, back)
        assert np.array_equal(back, a)
        subcomm.destroy()


def test_pfft_and_distarray_move_by_redist(comm, theirs, monkeypatch):
    from mpi4py_fft import PFFT, DistArray, newDistArray

    calls = []

    class Counted(Transfer):
        def forward(self, arrayA, arrayB):
            calls.append("forward")
            super().forward(arrayA, arrayB)

        def backward(self, arrayB, arrayA):
            calls.append("backward")
            super().backward(arrayB, arrayA)

    def transforms():
        fft = PFFT(comm, (8, 12, 10), axes=(0, 1, 2), dtype=float)
        u = newDistArray(fft, False)
        u[...] = np.random.default_rng(comm.rank).random(u.shape)
        spectrum = fft.forward(u).copy()
        again = fft.backward(spectrum.copy()).copy()
        turned = DistArray((8, 12), subcomm=Subcomm_of(comm), val=float(comm.rank), dtype=float).redistribute(0)
        fft.destroy()
        return spectrum, again, u, turned

    Subcomm_of = lambda comm: theirs.Subcomm(comm, [0, 1])
    must = transforms()
    monkeypatch.setattr(theirs, "Transfer", Counted)
    found = transforms()
    assert all(np.array_equal(one, other) for one, other in zip(found, must))
    assert np.allclose(found[1], found[2])
    assert comm.size == 1 or {"forward", "backward"} == set(calls)
