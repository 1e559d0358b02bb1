"""Layouts in numbers and in the words of other libraries, plans as JSON, and ranks in other cells."""

import itertools
import json
import os
import random
import subprocess

import numpy as np
import pytest

import redist
from conftest import MPI


# feature: layouts = texts; numbers
def test_blocks_of_different_sizes_axes_and_sections():
    text = redist.layout([[3, 4], 2, np.array([1, 2, 3])], (2, 2, 3))
    assert text == "(gen_block([3, 4]), cyclic(2), gen_block([1, 2, 3])) onto (2, 2, 3)"
    text = redist.layout([[3, 4], -1], (2, 1), axes=(1, 0), of=[7, 9], at=[0, 2], ranks=[5, 2], fortran=True)
    plan = redist.Plan((5, 7), "(*, *)", text)
    assert plan.owner("dst", (3, 2)) == 2 and plan.owner("dst", (2, 2)) == 5
    assert plan.gather([plan.empty("dst", rank) for rank in range(plan.ranks)]).shape == (7, 9)
    whole = np.arange(35.0).reshape(5, 7)
    found = plan.gather(plan.simulate(plan.scatter(whole)))
    assert (found[:, 2:7] == whole.T).all() and (found[:, :2] == 0).all() and (found[:, 7:] == 0).all()


@pytest.mark.parametrize(
    "arguments, options, error, words",
    [
        (([[3, 4], 2], (3, 2)), {}, redist.PlanError, "sizes has 2, but the grid has 3 coordinates"),
        (([2, -2], (2, 2)), {}, redist.PlanError, r"blocks\[1\] -2: write"),
        (([2, "x"], (2, 2)), {}, TypeError, r"blocks\[1\] 'x': write"),
        (([2, 2], (2, 2)), {"at": [1, 1]}, redist.PlanError, "write `of`, too"),
        (([2, 2], (2, 2)), {"of": [9]}, redist.PlanError, "of has 1 entry for 2 dimensions"),
        (([2, 2], (2, 2)), {"of": [9, 9], "at": [0, -1]}, redist.PlanError, "at has -1 for dimension 1"),
        (([2, 2], (2, 2)), {"axes": (1, 0, 2)}, redist.PlanError, "axes has 3 entries for 2 dimensions"),
    ],
)
def test_wrong_numbers(arguments, options, error, words):
    with pytest.raises(error, match=words):
        redist.layout(*arguments, **options)


def numroc(n, nb, coordinate, source, ranks):
    """ScaLAPACK's NUMROC, with its own names and steps."""
    distance = (ranks + coordinate - source) % ranks
    blocks = n // nb
    own = blocks // ranks * nb
    extra = blocks % ranks
    return own + (nb if distance < extra else n % nb if distance == extra else 0)


# feature: descriptors of ScaLAPACK, MPI_Type_create_darray, meshes = `redist.scalapack` and `Plan.scalapack`, `redist.darray`, `redist.placements`
@pytest.mark.parametrize("seed", range(20))
def test_descriptors_of_scalapack(seed):
    draw = random.Random(seed)
    grid = draw.randint(1, 3), draw.randint(1, 3)
    m, n, mb, nb = draw.randint(1, 40), draw.randint(1, 40), draw.randint(1, 9), draw.randint(1, 9)
    rsrc, csrc = draw.randrange(grid[0]), draw.randrange(grid[1])
    desc = [1, 7, m, n, mb, nb, rsrc, csrc, max(1, m)]
    plan = redist.Plan((m, n), redist.scalapack(np.array(desc, "i4"), grid), "(*, *)")
    for rank, (row, column) in enumerate(itertools.product(range(grid[0]), range(grid[1]))):
        shape = numroc(m, mb, row, rsrc, grid[0]), numroc(n, nb, column, csrc, grid[1])
        assert plan.local_size("src", rank) == shape[0] * shape[1]
        assert plan.scalapack("src", rank, 7) == [1, 7, m, n, mb, nb, rsrc, csrc, max(1, shape[0])]
        # Local arrays are Fortran's.
        assert plan.empty("src", rank).flags.f_contiguous
    # sub(A) in a matrix with what is around it.
    ia, ja = draw.randint(1, m), draw.randint(1, n)
    shape = draw.randint(0, m - ia + 1), draw.randint(0, n - ja + 1)
    whole = np.arange(1.0, 1 + m * n).reshape(m, n)
    part = redist.Plan(shape, redist.scalapack(desc, grid, shape=shape, ia=ia, ja=ja), "(*, *)")
    found = part.simulate(part.scatter(whole))[0] if min(shape) else np.zeros(shape)
    assert (found == whole[ia - 1 : ia - 1 + shape[0], ja - 1 : ja - 1 + shape[1]]).all()
    rest = redist.scalapack(desc, grid, ia=ia, ja=ja)
    assert redist.Plan((m - ia + 1, n - ja + 1), rest, "(*, *)").shape == (m - ia + 1, n - ja + 1)


@pytest.mark.parametrize(
    "desc, grid, options, error, words",
    [
        ([1, 0, 9, 9, 2, 2, 0, 0], (2, 2), {}, redist.PlanError, "the nine integers"),
        ([7, 0, 9, 9, 2, 2, 0, 0, 9], (2, 2), {}, redist.PlanError, "DTYPE"),
        ([1, 0, 9, 9, 0, 2, 0, 0, 9], (2, 2), {}, redist.PlanError, None),
        ([1, 0, 9, 9, 2, 2, 2, 0, 9], (2, 2), {}, redist.PlanError, None),
        ([1, 0, 9, 9, 2, 2, 0, 0, 9], (0, 2), {}, redist.PlanError, "rows is 0"),
        ([1, 0, 9, 9, 2, 2, 0, 0, 9], (2, 2), {"ia": 0}, redist.PlanError, "ia is 0"),
        ([1, 0, 9, 9, 2, 2, 0, 0, 9], (2, 2), {"ja": 11}, redist.PlanError, "n is"),
        ([1, 0, 9, 9, 2, 2, 0, 0, 9], (2, 2), {"shape": (9, 9), "ja": 2}, redist.PlanError, "n is 9, and the submatrix ends"),
        ("desc", (2, 2), {}, redist.PlanError, "desc .desc."),
        ([1, 0, 9, 9, 2, 2, 0, 0, 9], 2, {}, TypeError, "grid 2"),
    ],
)
def test_wrong_descriptors(desc, grid, options, error, words):
    with pytest.raises(error, match=words):
        redist.scalapack(desc, grid, **options)


def test_layouts_that_scalapack_lacks():
    plan = redist.Plan((9, 9), "(block, *) onto 2", "(cyclic(2), *) onto 2 storage fortran")
    assert plan.scalapack("dst", 1) == [1, 0, 9, 9, 2, 9, 0, 0, 4]
    with pytest.raises(redist.PlanError, match="column by column"):
        plan.scalapack("src", 0)
    with pytest.raises(redist.PlanError, match="must be 2: a descriptor is of a matrix"):
        redist.Plan(9, "*", "*").scalapack("src", 0)


DARRAYS = [
    ([10, 9, 8], ["cyclic", "none", "block"], [2, None, None], [2, 1, 3], "F"),
    ([10, 9], ["block", "cyclic"], [4, None], [3, 2], "C"),
    ([7], ["block"], [None], [3], "C"),
]


@pytest.mark.parametrize("gsizes, distribs, dargs, psizes, order", DARRAYS)
def test_darrays(gsizes, distribs, dargs, psizes, order):
    text = redist.darray(gsizes, distribs, dargs, psizes, order)
    plan = redist.Plan(gsizes, text, f"({', '.join('*' * len(gsizes))})")
    assert plan.ranks == np.prod(psizes) and ("fortran" in text) == (order == "F")

    def owner(axis, index):
        if distribs[axis] == "none":
            return 0
        default = -(-gsizes[axis] // psizes[axis]) if distribs[axis] == "block" else 1
        return index // (dargs[axis] or default) % psizes[axis]

    for index in np.ndindex(*gsizes):
        cell = [owner(axis, at) for axis, at in enumerate(index)]
        assert plan.owner("src", index) == np.ravel_multi_index(cell, psizes)


@pytest.mark.parametrize("gsizes, distribs, dargs, psizes, order", DARRAYS)
def test_darrays_in_the_constants_of_mpi4py(comm, gsizes, distribs, dargs, psizes, order):
    """The library's own datatype of each rank has the elements of its part, in their order."""
    kinds = {"none": MPI.DISTRIBUTE_NONE, "block": MPI.DISTRIBUTE_BLOCK, "cyclic": MPI.DISTRIBUTE_CYCLIC}
    orders = {"C": MPI.ORDER_C, "F": MPI.ORDER_FORTRAN}
    constants = [kinds[word] for word in distribs]
    given = [MPI.DISTRIBUTE_DFLT_DARG if darg is None else darg for darg in dargs]
    text = redist.darray(gsizes, constants, given, psizes, orders[order])
    assert text == redist.darray(gsizes, distribs, dargs, psizes, order)
    if comm.rank > 0:
        return
    plan = redist.Plan(gsizes, text, f"({', '.join('*' * len(gsizes))})", "i4")
    whole = np.arange(np.prod(gsizes), dtype="i4").reshape(gsizes, order=order)
    for rank in range(plan.ranks):
        kind = MPI.INT32_T.Create_darray(plan.ranks, rank, gsizes, constants, given, psizes, orders[order]).Commit()
        own = plan.scatter(whole)[rank]
        packed = np.empty(own.size, "i4")
        if own.size:
            MPI.COMM_SELF.Sendrecv([whole, 1, kind], 0, recvbuf=[packed, MPI.INT32_T], source=0)
        assert (packed == own.ravel(order)).all()
        kind.Free()


@pytest.mark.parametrize(
    "change, error, words",
    [
        ({"distribs": ["cyclic"]}, redist.PlanError, "distribs has 1 entries, but gsizes has 2"),
        ({"dargs": [None]}, redist.PlanError, "dargs has 1 entries, but gsizes has 2"),
        ({"psizes": [2]}, redist.PlanError, "psizes has 1 entries"),
        ({"distribs": ["cyclic", "blok"]}, redist.PlanError, "distribs 'blok': write one of"),
        ({"dargs": [2, 0]}, redist.PlanError, "darg is 0"),
        ({"distribs": ["cyclic", "none"], "dargs": [1, 2]}, redist.PlanError, "dargs has 2 for a dimension that is not"),
        ({"distribs": ["cyclic", "none"], "dargs": [1, None]}, redist.PlanError, "psize is 3, and must be 1"),
        ({"dargs": [2, 2]}, redist.PlanError, None),
        ({"order": "X"}, redist.PlanError, "order 'X': write"),
        ({"gsizes": [9, "a"]}, TypeError, "gsizes"),
    ],
)
def test_wrong_darrays(change, error, words):
    arguments = {"gsizes": [9, 8], "distribs": ["cyclic", "block"], "dargs": [2, None], "psizes": [2, 3], "order": "C"}
    redist.Plan((9, 8), redist.darray(**arguments), "(*, *)")
    with pytest.raises(error, match=words):
        arguments.update(change)
        redist.Plan((9, 8), redist.darray(**arguments), "(*, *)")


DTYPES = ["f8", "i2", "c16", ">f8", "M8[ms]", "V5", "?", [("mass", "f8"), ("name", "S3")]]


# feature: plans in files = `pickle`; JSON, by `to_json` and `from_json`
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_plans_as_json(dtype):
    plan = redist.Plan((24, 30), "scalapack(4, 5, 2, 3, 1, 0)", "(*, gen_block([1, 29])) onto 2", dtype)
    text = plan.to_json()
    again = redist.Plan.from_json(text)
    assert again == plan and again.dtype == plan.dtype and again.digest == plan.digest
    assert redist.Plan.from_json(text, dtype) == plan
    written = json.loads(text)
    assert written["extents"] == [24, 30] and set(written) == {"extents", "from", "to", "digest", "element"}
    # Rust's names of numbers, which `TypedPlan` reads.
    assert np.dtype(dtype) != np.dtype("f8") or written["element"] == "f64"
    with pytest.raises(redist.PlanError, match="leave the dtype out"):
        redist.Plan.from_json(text, "u8")


def test_plans_that_are_written_by_hand():
    text = '{"extents": [9], "from": "block onto 3", "to": "cyclic onto 2"}'
    assert redist.Plan.from_json(text) == redist.Plan(9, "block onto 3", "cyclic onto 2")
    assert redist.Plan.from_json(text, "i4").dtype == np.dtype("i4")


@pytest.mark.parametrize(
    "text, error, words",
    [
        ("{", redist.PlanError, "the text is no JSON"),
        ("[]", redist.PlanError, "no list `extents`"),
        ('{"extents": [9], "from": "blok onto 3", "to": "*"}', redist.PlanError, "did you mean"),
        ('{"extents": [9], "from": "*", "to": "*", "digest": "7"}', redist.PlanError, "digest"),
        ('{"extents": [9], "from": "*", "to": "*", "element": "f128x"}', redist.PlanError, "dtype 'f128x'"),
        ('{"extents": [9], "from": "*", "to": "*", "element": "[__import__(1)]"}', redist.PlanError, "write a type of numpy's"),
        ('{"extents": [9], "from": "*", "to": "*", "elements": 8}', redist.PlanError, "elements"),
        (3, TypeError, "text 3: write"),
    ],
)
def test_texts_that_are_no_plans(text, error, words):
    with pytest.raises(error, match=words):
        redist.Plan.from_json(text)


# feature: ranks in other cells, with their table = `Plan(relabel=True)`, `Plan.relabelled`
@pytest.mark.parametrize("seed", range(10))
def test_ranks_in_other_cells(seed):
    draw = random.Random(seed)
    ranks = draw.randint(2, 5)
    sizes = [draw.randint(0, 9) for _ in range(ranks)]
    listed = draw.sample(range(ranks + 1), ranks)
    plan = redist.Plan(sum(sizes) or 1, f"block onto {ranks}", f"gen_block({sizes if sum(sizes) else [1] + [0] * (ranks - 1)}) onto {ranks} ranks {listed}")
    found = plan.relabelled()
    assert found.plan == redist.Plan(plan.shape, plan.src, plan.dst, relabel=True)
    assert (found.stayed, found.stays) == (plan.stays, found.plan.stays) and found.stays >= found.stayed
    # By brute force over all orders of the ranks.
    def stays(order):
        return redist.Plan(plan.shape, plan.src, plan.dst.split(" ranks")[0] + f" ranks {list(order)}").stays

    assert found.stays == max(map(stays, itertools.permutations(listed)))
    for index in range(plan.shape[0]):
        assert found.plan.owner("dst", (index,)) == found.table[plan.owner("dst", (index,))]
    assert sorted(found.table) == list(range(plan.ranks))
    assert "elements stay" in repr(found)


DEALT = [
    "(block, *) onto 3",
    "(cyclic(2), block) onto (2, 3)",
    "(*, block(5)) onto 2",
    "(cyclic, cyclic(4)) onto (2, 2)",
]


@pytest.mark.parametrize("order", ["", " storage fortran"])
@pytest.mark.parametrize("text", DEALT)
def test_layouts_become_darrays_again(text, order):
    plan = redist.Plan((12, 10), text + order, "(*, *)")
    assert redist.darray(*plan.darray("src")) == plan.src
    assert plan.darray("dst")[1] == ["none", "none"]


PLACED = ["(block, *) onto 3", "(block, block) onto (2, 3) ranks [5, 4, 3, 2, 1, 0]", "(*, cyclic(2)) onto 2", "(*, *)"]


@pytest.mark.parametrize("text", PLACED)
def test_layouts_become_placements_again(text):
    plan = redist.Plan((12, 8), text, "(*, *) storage fortran")
    mesh, placements = plan.placements("src")
    again = redist.Plan((12, 8), redist.placements((12, 8), mesh, placements), "(*, *) storage fortran")
    for rank in range(plan.ranks):
        own, found = plan.global_indices("src", rank), again.global_indices("src", rank)
        assert all(map(np.array_equal, own, found))
    with pytest.raises(redist.PlanError, match="row by row"):
        plan.placements("dst")


def test_layouts_that_others_lack():
    plan = redist.Plan((10, 8), "(gen_block([3, 7]), *) onto 2", "(*, block) onto 2 ranks [1, 0]")
    with pytest.raises(redist.PlanError, match="dimension 0.*different sizes"):
        plan.darray("src")
    with pytest.raises(redist.PlanError, match="ranks"):
        plan.darray("dst")
    with pytest.raises(redist.PlanError, match="dimension 0"):
        plan.placements("src")


# feature: plans explained, as text and JSON = `Plan.explain`, `explain_json`, `facts`
# feature: steps, elements that stay, memory = `Plan.steps`, `stays`, `memory`
def test_reports_are_those_of_the_command_line():
    plan = redist.Plan((1000, 1200), "(cyclic(6), block) onto (2, 2)", "(cyclic(2), cyclic(7)) onto (2, 2)", "f4")
    facts = plan.facts()
    assert json.loads(json.dumps(facts)) == facts == json.loads(plan.explain_json())
    assert plan.src in plan.explain()
    assert (facts["from"], facts["to"], facts["digest"]) == (plan.src, plan.dst, plan.digest)
    assert (facts["extents"], facts["elements"], facts["bytes"]) == ([1000, 1200], 1_200_000, 4_800_000)
    assert facts["ranks"]["needed"] == 4 and (facts["element"], facts["element_bytes"]) == ("f32", 4)
    assert facts["class"] == ["kr_to_r", "general"] and facts["class_parameters"] == [{"k": 3, "r": 2}, None]
    assert (facts["elements_that_stay"], facts["min_steps"]) == (plan.stays, plan.steps)
    assert facts["memory"]["peak_bytes"] == plan.memory and not facts["memory"]["peak_is_bound"]
    assert facts["counts"] == plan.volumes.tolist()
    one = json.loads(plan.explain_json(rank=3, counts=15))
    assert one["counts"] is None and "16 pairs" in one["counts_omitted"]
    received = {each["rank"]: each["elements"] for each in one["rank"]["destination"]["messages"]}
    assert received == {rank: views.elements for rank, views in plan.messages(3).receives.items()} | {3: received[3]}
    with pytest.raises(redist.PlanError, match="rank"):
        plan.explain_json(rank=4)
    with pytest.raises(redist.PlanError, match="counts"):
        plan.explain_json(counts=-1)
    command = os.environ.get("REDIST")
    if command:
        item = f"[f32; 1000, 1200] {{ from: {plan.src}, to: {plan.dst} }}"
        ask = [command, "explain", "--json", item]
        for options, own in [([], plan.explain_json()), (["--rank", "2"], plan.explain_json(rank=2))]:
            done = subprocess.run([*ask, *options], capture_output=True, text=True, check=True)
            assert done.stdout == own + "\n"
