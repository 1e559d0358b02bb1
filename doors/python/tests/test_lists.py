"""Moves by lists of indices: on ranks that are threads, and over MPI where there is a communicator."""

import numpy as np
import pytest

import redist


def lists_of(rank, ranks, extent, seed=7):
    """Returns what a rank has and wants: parts of two permutations, and some indices twice."""
    drawn = np.random.default_rng(seed)
    before, after = drawn.permutation(extent), drawn.permutation(extent)
    more = drawn.integers(0, extent, extent // 3)
    own = np.array_split(before, ranks)[rank]
    wanted = np.concatenate([np.array_split(after, ranks)[rank], np.array_split(more, ranks)[rank]])
    return own, wanted


def moved(comm, extent, dtype="f8", elements=1, kind=np.int64):
    own, wanted = lists_of(comm.Get_rank(), comm.Get_size(), extent)
    moves = redist.IndexMove(extent, own.astype(kind), wanted.astype(kind), dtype, elements=elements)
    bound = moves.bind(comm)
    whole = np.arange(extent * elements).astype(dtype).reshape((extent, elements) if elements > 1 else extent)
    a, out = whole[own], bound.empty("dst")
    assert bound.local_shape("dst") == out.shape == whole[wanted].shape
    assert bound.lists is moves and bound.way == "messages" and bound.rank == comm.Get_rank()
    assert np.array_equal(bound.global_indices("src")[0], own)
    bound.run(a, out)
    assert np.array_equal(out, whole[wanted])
    out[...] = 0
    with bound.start(a, out) as move:
        a[...] = 0
        while not move.test():
            pass
    assert np.array_equal(out, whole[wanted])
    return bound


# feature: moves by lists of indices = `IndexMove`
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_elements_come_where_their_index_is_wanted(ranks):
    def program(comm):
        moved(comm, 100)
        moved(comm, 61, "i2", kind=np.uint16)
        moved(comm, 40, "c16", elements=3)
        moved(comm, 1)

    redist.threads.run(ranks, program)


def test_lists_move_over_mpi(comm):
    moved(comm, 5000)
    moved(comm, 300, "f4", elements=7)


def test_equal_elements_and_none():
    def program(comm):
        every = redist.IndexMove(4, range(4), [comm.rank], "i8", equal=True).bind(comm)
        out = every.empty("dst")
        every.run(np.arange(4), out)
        assert out[0] == comm.rank
        nothing = redist.IndexMove(0, [], [], "i8").bind(comm)
        nothing.run(np.empty(0, "i8"), nothing.empty("dst"))
        return "0 elements to its own array" in nothing.explain()

    assert redist.threads.run(3, program) == [True] * 3


def test_lists_are_kept_as_they_were():
    own = np.array([2, 0, 1])
    moves = redist.IndexMove(3, own, [1, 1], "f4")
    own[0] = 7
    assert moves.src.tolist() == [2, 0, 1] and moves.dst.tolist() == [1, 1]
    assert (moves.extent, moves.elements, moves.equal, moves.dtype) == (3, 1, False, np.dtype("f4"))
    assert not moves.src.flags.writeable
    assert repr(moves) == "<redist.IndexMove: 3 to 2 of 3 indices, float32>"
    plan = redist.Plan(3, "*", "*")

    def program(comm):
        with pytest.raises(AttributeError, match="of an IndexMove, and has no plan"):
            moves.bind(comm).plan
        with pytest.raises(AttributeError, match="of a Plan, and has no lists"):
            plan.bind(comm).lists

    redist.threads.run(1, program)


@pytest.mark.parametrize(
    "src, words",
    [
        ([0.5], "src [0.5]: write an array of integers, an index for each element of the local array"),
        ([[1]], "src [[1]]: write an array of integers"),
        ([True], "src [True]: write an array of integers"),
        ("ab", "src 'ab': write an array of integers"),
    ],
)
def test_lists_of_other_things_are_refused(src, words):
    with pytest.raises(TypeError) as raised:
        redist.IndexMove(4, src, [0])
    assert words in str(raised.value)


def test_a_mistake_of_a_rank_is_an_error_of_all():
    def refused(src, dst, **more):
        def program(comm):
            with pytest.raises(redist.Error) as raised:
                redist.IndexMove(4, src(comm.rank), dst(comm.rank), **more).bind(comm)
            return f"{type(raised.value).__name__}: {raised.value}"

        return redist.threads.run(2, program)

    own, other = refused(lambda rank: [9 - rank, 1], lambda rank: [])
    assert own.startswith("PlanError: `src[0]` is 9, but there are 4 indices, from 0 on")
    own, other = refused(lambda rank: [2 * rank, 9 if rank else 1], lambda rank: [])
    assert "`src[1]` is 9" in own and own.startswith("MoveError") and other.startswith("PlanError")
    for told in refused(lambda rank: [0, 1 + rank], lambda rank: [0]):
        assert "index 0 is in the source lists of ranks [0, 1]" in told
    for told in refused(lambda rank: [rank], lambda rank: [3]):
        assert "wants index 3, which no source list has" in told


def test_what_goes_to_each_rank_is_told():
    def program(comm):
        # Blocks become every second index, and a few indices in no order.
        own = np.arange(100) + 100 * comm.rank
        wanted = np.concatenate([np.arange(comm.rank, 200, 2), [7, 5, 190]])
        bound = redist.IndexMove(200, own, wanted, "f4").bind(comm)
        out = bound.empty("dst")
        bound.run(own.astype("f4"), out)
        assert out.tolist() == wanted.tolist()
        numbers = {
            side: [(each.rank, each.elements, each.runs, each.strides, each.singles) for each in bound.volumes(side)]
            for side in ("src", "dst")
        }
        with pytest.raises(redist.PlanError, match="src"):
            bound.volumes("both")
        return numbers, bound.explain(), repr(bound.volumes("src")[0])

    (zero, text, shown), (one, _, _) = redist.threads.run(2, program)
    # Two of the indices in no order are of rank 0, one is of rank 1.
    assert [volume[:2] for volume in zero["src"]] == [(0, 52), (1, 52)]
    assert [volume[:2] for volume in zero["dst"]] == [(0, 52), (1, 51)]
    assert [volume[:2] for volume in one["src"]] == [(0, 51), (1, 51)]
    assert zero["src"][1] == (1, 52, 52, 1, 2)
    assert text.splitlines()[1] == "  to rank 1: 52 elements in 52 runs, 1 group at equal distances, 2 elements by a list"
    assert text.splitlines()[-1].startswith("  to its own array: 52 elements in ")
    assert shown.startswith("<redist.ListVolume: rank 0, 52 elements in ")

    def of_a_plan(comm):
        with pytest.raises(redist.PlanError, match="write `bound.plan.volumes`"):
            redist.Plan(4, "block onto 2", "cyclic onto 2").bind(comm).volumes("src")

    redist.threads.run(2, of_a_plan)
