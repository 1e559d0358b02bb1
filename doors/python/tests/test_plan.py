"""Plans alone: without MPI."""

import copy
import itertools
import pickle
import time

import numpy as np
import pytest

import redist
from layouts import part, parts, words

SIDES = [
    (["block", "*"], [3, 1]),
    (["*", "cyclic(2)"], [1, 2]),
    (["cyclic", "cyclic(3)"], [2, 2]),
    (["*", "*"], [1, 1]),
]


# feature: a rank's extents, global indices, owner of an element
@pytest.mark.parametrize("src, dst", list(itertools.product(SIDES, SIDES)))
def test_local_arrays_are_those_of_the_layouts(src, dst):
    whole = np.arange(7 * 11).reshape(7, 11)
    plan = redist.Plan(whole.shape, words(*src), words(*dst, fortran=True), "i8")
    assert plan.shape == (7, 11)
    for name, side in ("src", src), ("dst", dst):
        for rank in range(plan.ranks):
            expected = part(whole, side, rank)
            if expected.size == 0:
                assert plan.local_size(name, rank) == 0
                continue
            assert plan.local_shape(name, rank) == expected.shape
            assert plan.local_size(name, rank) == expected.size
            indices = plan.global_indices(name, rank)
            assert all(isinstance(own, np.ndarray) and own.dtype == np.int64 for own in indices)
            assert np.array_equal(whole[np.ix_(*indices)], expected)
            for at in np.ndindex(*expected.shape):
                found = plan.global_index(name, rank, at)
                assert whole[found] == expected[at]
                assert plan.owner(name, found) == rank


def test_indices_of_a_rank_without_elements():
    plan = redist.Plan((6, 2), "(block, block) onto (2, 3)", "(*, *)")
    whole = np.arange(12).reshape(plan.shape)
    for rank in range(6):
        indices = plan.global_indices("src", rank)
        own = whole[np.ix_(*indices)]
        assert own.shape == plan.local_shape("src", rank)
    assert [list(own) for own in plan.global_indices("src", 5)] == [[3, 4, 5], []]


def test_many_indices_are_found_soon():
    def found(extent):
        plan = redist.Plan(extent, "cyclic(3) onto 2", "(*)")
        begun = time.thread_time()
        own, = plan.global_indices("src", 1)
        seconds = time.thread_time() - begun
        assert own.dtype == np.int64 and len(own) == plan.local_size("src", 1)
        return own, seconds

    def grows_with_the_numbers():
        few = min(found(1_000_000)[1] for _ in range(3))
        return min(found(20_000_000)[1] for _ in range(3)) < 100 * few

    # Twenty times the numbers take 400 times as long if the time grows with their square: the time of this thread, because other
    # processes share the cores.
    assert any(grows_with_the_numbers() for _ in range(5))
    own, _ = found(20_000_000)
    assert np.array_equal(own[:5], [3, 4, 5, 9, 10])


def test_plans_are_values():
    plan = redist.Plan((12, 8), "(block, *) onto 3", "(*, cyclic(2)) onto 2 storage fortran", [("mass", "f8"), ("kind", "i2")])
    kept = redist.Plan(12, "block onto 3", "block onto 3 ranks [2, 0, 1]", relabel=True)
    for one in plan, kept:
        for other in pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one), one.inverse().inverse():
            assert other == one and hash(other) == hash(one) and other is not None
            assert (other.src, other.dst, other.shape, other.dtype) == (one.src, one.dst, one.shape, one.dtype)
    different = [
        redist.Plan((12, 8), plan.src, plan.dst),
        redist.Plan((12, 9), plan.src, plan.dst, plan.dtype),
        redist.Plan((12, 8), plan.src, plan.src, plan.dtype),
        plan.inverse(),
    ]
    assert all(other != plan for other in different) and plan != 3 and plan != repr(plan)
    assert len({plan, pickle.loads(pickle.dumps(plan)), *different}) == 5


def test_new_arrays_are_in_the_order_of_the_layout():
    plan = redist.Plan((6, 4), "(block, *) onto 2", "(*, block) onto 2 storage fortran", np.float32)
    src, dst = plan.empty("src", 0), plan.empty("dst", 1)
    assert (src.shape, src.flags.c_contiguous, src.dtype) == ((3, 4), True, np.float32)
    assert (dst.shape, dst.flags.f_contiguous, dst.dtype) == ((6, 2), True, np.float32)


def test_the_way_back_and_labels():
    plan = redist.Plan(12, "block onto 3", "cyclic(2) onto 3 ranks [2, 0, 1]")
    back = plan.inverse()
    assert (back.src, back.dst, back.dtype) == (plan.dst, plan.src, np.dtype("f8"))
    assert plan.digest == redist.Plan((12,), plan.src, plan.dst).digest != back.digest
    kept = redist.Plan(12, "block onto 3", "block onto 3 ranks [2, 0, 1]", relabel=True)
    assert [kept.owner("dst", [at]) for at in (0, 4, 8)] == [0, 1, 2]


def test_layouts_from_numbers():
    text = redist.layout([64, -1], [2, 1], fortran=True)
    assert text == "(cyclic(64), *) onto (2) storage fortran"
    assert redist.Plan((100, 5), text, "(*, *)").local_shape("src", 1) == (36, 5)
    with pytest.raises(redist.PlanError, match="grid has 1 entry for 2 dimensions"):
        redist.layout([64, -1], [2])


def test_it_explains_and_draws(tmp_path):
    plan = redist.Plan((8, 8), "(block, *) onto 4", "(*, block) onto 4")
    assert "(*, block)" in plan.explain() and "Plan" in repr(plan)
    picture = plan.draw("ownership", title="Rows to columns")
    assert picture.svg == picture._repr_svg_() == str(picture)
    assert picture.svg.startswith("<svg") and "Rows to columns" in picture.svg
    picture.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text() == picture.svg
    for name in "picture.png", "picture.tar.gz":
        with pytest.raises(redist.PlanError, match=rf"{name}: a picture is SVG; save it as .*\.svg"):
            picture.save(tmp_path / name)
    with pytest.raises(redist.PlanError, match="nowhere.*picture.svg: No such file"):
        picture.save(tmp_path / "nowhere" / "picture.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.svg"]
    cube = redist.Plan((4, 4, 4), "(block, *, *) onto 2", "(*, block, *) onto 2")
    assert "dimension 2 = 1" in cube.draw("ownership", axes=(0, 1), slices={2: 1}).svg
    for wrong in (
        lambda: plan.draw("ownershp"),
        lambda: plan.draw(pair=(0, 4)),
        lambda: plan.draw(axes=(0, 2)),
        lambda: plan.draw(method="magic"),
        lambda: cube.draw(slices={2: 4}, axes=(0, 1)),
    ):
        with pytest.raises(redist.PlanError):
            wrong()


def test_mistakes_are_told_in_our_words():
    def said(*arguments, **options):
        with pytest.raises(redist.PlanError) as error:
            redist.Plan(*arguments, **options)
        assert isinstance(error.value, redist.Error)
        return str(error.value)

    assert "did you mean `block`" in said(8, "blok onto 2", "block onto 2")
    assert "an array has at most 8 dimensions, this one has 9" in said((1,) * 9, "*", "*")
    assert "write a tuple of numbers" in said((3, -1), "(*, *)", "(*, *)")
    assert "Python objects have no bytes" in said(8, "block onto 2", "cyclic onto 2", object)
    assert "have no bytes" in said(8, "block onto 2", "cyclic onto 2", "V0")
    plan = redist.Plan(8, "block onto 2", "cyclic onto 2")
    for wrong in (
        lambda: plan.local_shape("from", 0),
        lambda: plan.owner("src", [8]),
        lambda: plan.owner("src", [1, 1]),
        lambda: plan.global_index("dst", 0, [4]),
        lambda: plan.global_index("dst", 2, [0]),
        lambda: plan.local_shape("src", -1),
        lambda: plan.local_size("src", -1),
        lambda: plan.empty("src", -1),
        lambda: plan.global_indices("src", -1),
        lambda: plan.owner("src", [-1]),
        lambda: plan.owner("src", [1 << 70]),
        lambda: plan.global_index("src", 0, [-1]),
        lambda: plan.draw("intersection", pair=(0, -1)),
        lambda: plan.draw("ownership", axes=(0, 1, 2)),
        lambda: plan.draw("ownership", slices={-1: 0}),
        lambda: redist.layout([1 << 70], [2]),
        lambda: redist.layout([4], [2], ranks=[1 << 70]),
        lambda: redist.Plan(8, "block onto 2", "cyclic onto 2", "no such type"),
    ):
        with pytest.raises(redist.PlanError):
            wrong()
    copies = said((10, 6), "(block, *) onto 2", "(*, *) copies 2")
    assert "`Copies` moves between copies" in copies and "::" not in copies
    with pytest.raises(TypeError):
        plan.owner("src", ["one"])


def test_plans_are_not_bound_to_nothing():
    plan = redist.Plan(8, "block onto 2", "cyclic onto 2")
    with pytest.raises(redist.CommunicatorError, match="a NoneType is no communicator; bring one of mpi4py's"):
        plan.bind(None, route="chunks")


def test_the_sides_of_the_tests_cover_the_array():
    whole = np.arange(7 * 11).reshape(7, 11)
    for side in SIDES:
        values = np.concatenate([own.ravel() for own in parts(whole, *side)])
        assert sorted(values) == list(range(77))
