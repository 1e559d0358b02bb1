"""Layouts of tensors on meshes, by brute force; without torch."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import redist
from redist.torch import Placed

WORDS = ["shard(0)", "shard(1)", "strided(0, 2)", "strided(0, 3)", "replicate"]


def chunks(indices, ways):
    size = max(1, -(-len(indices) // ways))
    return [indices[at * size : (at + 1) * size] for at in range(ways)]


def held(extent, dim, mesh, words, place):
    """Indices along a dimension: each placement cuts what those before it have left."""
    indices = np.arange(extent)
    for word, ways, at in zip(words, mesh, place):
        kind, _, numbers = word.rstrip(")").partition("(")
        if kind == "replicate" or int(numbers.split(",")[0]) != dim:
            continue
        parts = chunks(indices, int(numbers.split(",")[1])) if kind == "strided" else [indices]
        indices = np.concatenate([chunks(one, ways)[at] for one in parts])
    return indices


@pytest.mark.parametrize("words", list(itertools.product(WORDS, WORDS)))
def test_each_rank_has_what_the_placements_say(words):
    for extents, mesh in itertools.product(
        [(12, 8), (5, 3), (7, 1), (1, 9), (13, 11)], [(2, 2), (2, 3), (4, 2)]
    ):
        ranks = np.arange(np.prod(mesh)).reshape(mesh)[::-1] + 1
        placed = Placed(extents, ranks, words)
        plans = [redist.Plan(extents, copy, copy) for copy in placed.copies]
        for rank in ranks.ravel().tolist():
            place = np.argwhere(ranks == rank)[0]
            own = [held(extent, dim, mesh, words, place) for dim, extent in enumerate(extents)]
            assert placed.local_shape(rank) == tuple(map(len, own))
            plan = plans[placed.copy_of[rank]]
            found = plan.global_indices("src", rank)
            if all(map(len, own)):
                assert all(np.array_equal(*pair) for pair in zip(found, own)), (extents, mesh, rank)


def test_words_are_as_short_as_they_can_be():
    four = [[0, 1], [2, 3]]
    said = [
        ((16, 8), four, ["shard(0)", "shard(1)"], "(block, block) onto (2, 2) ranks 0..4"),
        ((16, 8), [4, 5], ["shard(-1)"], "(*, block) onto 2 ranks 4..6"),
        ((12,), [0, 1], ["strided(0, 3)"], "cyclic(2) onto 2 ranks 0..2"),
        (
            (10,),
            four,
            ["strided(0, 2)", "shard(0)"],
            "blocks([3, 5, 8], [0, 2, 1, 3]) onto 4 ranks 0..4",
        ),
        ((5, 3), four, ["shard(0)", "shard(0)"], "(gen_block([2, 1, 1, 1]), *) onto 4 ranks 0..4"),
        (
            (9, 8),
            [[0, 1, 2], [3, 4, 5]],
            ["shard(1)", "shard(0)"],
            "(block, block) onto (3, 2) ranks [0, 3, 1, 4, 2, 5]",
        ),
        ((5,), four, ["replicate", "shard(0)"], "block onto 2 ranks 0..2 copies 2"),
        ((5,), four, ["shard(0)", "replicate"], "block onto 2 copies 2 along 1"),
        (
            (5,),
            np.arange(4, 8).reshape(2, 2),
            ["shard(0)", "replicate"],
            "block onto 2 ranks 4.. copies 2 along 1",
        ),
        ((5, 4), [3], ["replicate"], "(*, *) ranks 3..4"),
    ]
    for shape, mesh, words, text in said:
        assert redist.placements(shape, mesh, words) == text


WRONG = [
    (
        (4,),
        [0, 1],
        ["shard(1)"],
        "placement 0 of the mesh shards dimension 1, but the tensor has 1",
    ),
    ((4,), [0, 1], ["chard(0)"], "placement 0 of the mesh is 'chard(0)'; write `shard(0)`"),
    ((4,), [0, 1], [3], "placement 0 of the mesh is a int, which no layout says"),
    (
        (4,),
        [0, 1],
        ["strided(0, 0)"],
        "has the split factor 0; a tensor is cut into 1 chunk at least",
    ),
    (
        (4,),
        [0, 1],
        ["shard(0)", "shard(0)"],
        "the mesh has 1 dimensions, but there are 2 placements",
    ),
    (
        (4,),
        [[0, 1], [2]],
        ["shard(0)", "shard(0)"],
        "write the ranks as nested lists of equal lengths",
    ),
    ((4,), [0, 0], ["shard(0)"], "names a rank twice"),
    ((4,), [-1], ["shard(0)"], "ranks are numbers from 0 on"),
    ((4,), [], ["shard(0)"], "ranks are numbers from 0 on, one at least"),
    ((4,), [0, 1], ["partial"], "no layout says partial sums"),
    ((4,), [0, 1], ["partial(norm)"], "is partial(norm); addends are combined by sum, avg"),
    ((4,), [0, 2, 5], ["replicate"], "copies on these ranks are no axis of a grid"),
    ((4,), [[0, 1], [2, 3]], ["partial", "partial(max)"], "the tensor is partial by max and sum"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_words_say_what_to_write(number):
    shape, mesh, words, text = WRONG[number]
    with pytest.raises(redist.PlanError) as error:
        redist.placements(shape, mesh, words)
    assert text in str(error.value)


def test_torch_is_imported_when_it_is_used(tmp_path):
    (tmp_path / "torch.py").write_text('raise ImportError("this one is not there")')
    program = f"""if True:
        import sys; sys.path.insert(0, {str(tmp_path)!r})
        import redist, redist.torch
        print(redist.torch.Placed((4,), [0, 1], ["shard(0)"]).copies[0])
        try: redist.torch.bind(redist.Plan(4, "*", "*"))
        except ImportError as error: print(error)"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said.stdout.startswith(
        "block onto 2 ranks 0..2\nredist.torch moves tensors of torch, which cannot be imported: this one"
    ), said
