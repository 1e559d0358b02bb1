"""Arrays without dimensions, extents of 0 and 1, and meshes of one rank, by every call."""

import pickle

import numpy as np
import pytest

import redist

# Shape, layouts; ranks that have an element.
SMALL = [
    ((), "()", "()"),
    ((), "()", "() ranks 2..3"),
    ((), "() ranks 1..2", "()"),
    ((0,), "block onto 3", "cyclic onto 2"),
    ((1,), "block onto 3", "cyclic onto 2 first (1)"),
    ((0, 5), "(block, *) onto 2", "(*, block) onto 3"),
    ((1, 1), "(block, *) onto 2", "(*, cyclic) onto 3 ranks 1..4"),
    ((1, 6), "(*, block) onto 3", "(block, *) onto 1"),
    ((7,), "block onto 1", "block onto 1"),
]
SHOWN = [str(case) for case in SMALL]


def numbered(shape):
    return np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)


# feature: dimensions of an array = 0 to 8
# feature: every element of a plan compared = `Plan.verify`
@pytest.mark.parametrize("case", SMALL, ids=SHOWN)
def test_simulated(case):
    plan = redist.Plan(*case)
    whole = numbered(plan.shape)
    assert plan.shape == case[0] and plan.verify() == whole.size
    parts = plan.scatter(whole)
    found = plan.simulate(parts)
    joined = plan.gather(found)
    assert joined.shape == whole.shape and np.array_equal(joined, whole)
    assert plan.volumes.sum() == whole.size
    assert plan.inverse().shape == plan.shape and plan.explain()
    assert pickle.loads(pickle.dumps(plan)) == plan == eval(repr(plan))
    if whole.size:
        assert plan.draw().svg.startswith("<svg") and str(plan.page()).startswith("<!doctype html>")
    else:
        with pytest.raises(redist.PlanError, match="there is nothing to draw"):
            plan.draw()
    for side in ("src", "dst"):
        shapes = [plan.local_shape(side, rank) for rank in range(plan.ranks)]
        assert sum(np.prod(shape, dtype=int) for shape in shapes) == whole.size
        for rank, shape in enumerate(shapes):
            assert plan.empty(side, rank).shape == shape
            assert len(plan.global_indices(side, rank)) == len(plan.shape)
    scaled = plan.simulate(parts, into=[part.copy() for part in found], alpha=2.0, beta=-1.0)
    assert np.array_equal(plan.gather(scaled), whole)


@pytest.mark.parametrize("case", SMALL, ids=SHOWN)
def test_bound(case):
    plan = redist.Plan(*case)
    whole = numbered(plan.shape)
    ranks = max(4, plan.ranks)

    def program(comm):
        bound = plan.bind(comm)
        a, out = bound.empty("src"), bound.empty("dst")
        assert (a.shape, out.shape) == (bound.local_shape("src"), bound.local_shape("dst"))
        if a.size:
            a[...] = whole[np.ix_(*bound.global_indices("src"))] if whole.shape else whole
        for _ in range(2):
            out[...] = -1
            bound.run(a, out)
            expected = whole[np.ix_(*bound.global_indices("dst"))] if whole.shape else whole
            assert out.size == 0 or np.array_equal(out, expected), (out, expected)
        out[...] = -1
        with bound.start(a, out):
            a[...] = 0
        assert out.size == 0 or np.array_equal(out, expected)
        assert bound.explain()
        return out.size

    assert sum(redist.threads.run(ranks, program)) == whole.size


@pytest.mark.parametrize("case", SMALL, ids=SHOWN)
def test_messages_and_packing(case):
    plan = redist.Plan(*case)
    whole = numbered(plan.shape)
    parts, found = plan.scatter(whole), [plan.empty("dst", rank) for rank in range(plan.ranks)]
    packings = [plan.packing(rank) for rank in range(plan.ranks)]
    for rank, packing in enumerate(packings):
        sends = plan.messages(rank).sends
        assert {peer: sum(view.size for view in views) for peer, views in sends.items()} == packing.sends
        for peer, elements in packing.sends.items():
            buffer = packing.empty(elements)
            packing.pack(parts[rank], peer, buffer)
            packings[peer].unpack(buffer, rank, found[peer])
    assert np.array_equal(plan.gather(found), whole)


def test_batches_and_copies():
    plans = [redist.Plan(*case) for case in SMALL]
    batch = redist.Batch(plans)
    parts = [
        [(plan.scatter(numbered(plan.shape)) + [None] * 4)[rank] for plan in plans] for rank in range(batch.ranks)
    ]
    for own in parts:
        for number, plan in enumerate(plans):
            if own[number] is None:
                own[number] = np.empty((0,) * max(1, len(plan.shape)))
    found = batch.simulate(parts)
    for number, plan in enumerate(plans):
        of_plan = [own[number] for own in found][: plan.ranks]
        assert np.array_equal(plan.gather(of_plan), numbered(plan.shape)), plan

    copies = redist.Copies((), "()", "() copies 3", "i4")
    assert (copies.shape, copies.counts, copies.ranks) == ((), (1, 3), 3)
    sources = [np.array(7, "i4"), np.empty(0, "i4"), np.empty(0, "i4")]
    assert [array.tolist() for array in copies.simulate(sources)] == [7, 7, 7]
    total = redist.Copies((), "() copies 3", "() copies 2", "f8", combine="sum")
    found = total.simulate([np.array(2.0**rank) for rank in range(3)])
    assert [array.tolist() for array in found] == [7.0, 7.0, []]

    def program(comm):
        bound = total.bind(comm)
        out = bound.empty("dst")
        bound.run(np.array(2.0**comm.rank), out)
        return out.tolist()

    assert redist.threads.run(3, program) == [7.0, 7.0, []]


def test_an_array_without_dimensions_is_none_of_one():
    plan = redist.Plan((), "()", "() ranks 1..2")

    def program(comm):
        bound = plan.bind(comm)
        with pytest.raises(redist.Error, match=r"shape|rank"):
            bound.run(np.zeros(1), bound.empty("dst"))

    redist.threads.run(2, program)
    with pytest.raises(redist.PlanError, match="dimension"):
        redist.Plan((), "block onto 2", "()")
