"""Wrong calls by the dozen: each is told which argument it is, what was found, and what to write."""

import array
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import redist
from conftest import MPI

ROWS, COLUMNS = "(block, *) onto 2", "(*, block) onto 2"
PLAN = redist.Plan((12, 8), ROWS, COLUMNS)
RANKS = "a rank from 0 to 1, for the plan has 2 ranks; on ranks of a communicator that has more, ask the `Bound`"
TEXT = 'write a layout\'s text, as "(block, *) onto 4", or what `redist.layout` returns; the arguments are Plan(shape, src, dst, dtype)'
SIDE = 'write "src" or "dst"'
OF_SHAPE = "write a number for each axis, within the shape (12, 8) of the src array"
OF_PART = "write a number for each axis, within the shape (6, 8) of the src array of rank 0"


class Named:
    """Shows itself as a given text, as types of other packages do."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


def plan(shape=(8, 8), src=ROWS, dst=COLUMNS, *dtype, **options):
    return lambda: redist.Plan(shape, src, dst, *dtype, **options)


# Rows: the call, the exception, and words of its text.
PLANS = [
    (plan(1000, "blok onto 4", "cyclic onto 4"), redist.PlanError, "unknown distribution `blok`; did you mean `block`?"),
    (plan(src="block onto 2"), redist.PlanError, "the array has 2 dimensions, but the layout has 1 distribution; give one of"),
    (plan(src="(block, *)"), redist.PlanError, "expected `onto` and the process grid, 1 number"),
    (plan(src="(block, *) onto (2, 2)"), redist.PlanError, "`onto` takes 1 number, found 2"),
    (plan(src="(*, *) copies 2"), redist.PlanError, "a plan has one copy on each side; `Copies` moves between copies"),
    (plan(src="(*, *) copys 2"), redist.PlanError, "unknown modifier `copys`; a plan has one copy on each side; `Copies` moves between copies"),
    (plan(src="(*, *) onto 2"), redist.PlanError, "one rank stores the whole array; leave `onto` out, and name the rank"),
    (plan(src="(block, *) onto 2 halo 1"), redist.PlanError, "unknown modifier `halo`; halos, padding and strides are of each rank's local array"),
    (plan(src="(block, *) onto 2 onto 2"), redist.PlanError, "`onto` is given twice; remove one of them"),
    (plan(src="(block, *) onto ranks"), redist.PlanError, "expected an integer, found `ranks`; a text knows no names, so write the number"),
    (plan(src="(block(-1), *) onto 2"), redist.PlanError, "unexpected character `-`; write a number of 0 or more"),
    (plan(src="(blocs([1], [0, 1]), *) onto 2"), redist.PlanError, "unknown distribution `blocs`; did you mean `blocks`?"),
    (plan(src="(block([4, 4]), *) onto 2"), redist.PlanError, "found a list; a size for each rank is written `gen_block([10, 20, 30])`"),
    (plan(src="(block, *) onto 2 ranks [0 1]"), redist.PlanError, "expected `,` or `]`, found `1`"),
    (plan(src="(block, *) onto 2 ranks 0..=1"), redist.PlanError, "the end of `ranks` is left out: ranks 0 to 5 are `0..6`"),
    (plan(ROWS, (8, 8)), TypeError, f"src (8, 8): {TEXT}"),
    (plan(src=["block", "*"]), TypeError, f"src ['block', '*']: {TEXT}"),
    (plan(dst=None), TypeError, f"dst None: {TEXT}"),
    (plan((3, -1)), redist.PlanError, "shape (3, -1): write a tuple of numbers from 0 on"),
    (plan("8"), redist.PlanError, "shape '8': write a tuple of numbers from 0 on; the arguments are Plan(shape, src, dst, dtype)"),
    (plan(2.5), redist.PlanError, "shape 2.5: write a tuple"),
    (plan((1,) * 9), redist.PlanError, "an array has at most 8 dimensions, this one has 9; join neighbours that both layouts keep whole"),
    (plan((8, 8), ROWS, COLUMNS, "no such type"), redist.PlanError, "dtype 'no such type': "),
    (plan((8, 8), ROWS, COLUMNS, Named("torch.float32")), redist.PlanError, "dtype torch.float32: "),
    (plan((8, 8), ROWS, COLUMNS, Named("torch.float32")), redist.PlanError, 'write one of numpy\'s, as "float32"'),
    (plan((8, 8), ROWS, COLUMNS, Named("torch.bfloat16")), redist.PlanError, 'write one of numpy\'s, as "u2"'),
    (plan((8, 8), ROWS, COLUMNS, ("f8", "f4")), redist.PlanError, "dtype ('f8', 'f4'): "),
    (plan((8, 8), ROWS, COLUMNS, object), redist.PlanError, 'dtype object: Python objects have no bytes that could be moved; write a type of numbers, as "float64"'),
    (plan((8, 8), ROWS, COLUMNS, "V0"), redist.PlanError, 'dtype |V0: its elements have no bytes; write one with some, as "V1"'),
    (plan((8, 8), ROWS, COLUMNS, ("f4", (2, 3))), redist.PlanError, "plan for float32, and write the axes of length [2, 3] behind"),
    (plan(relabel="yes"), TypeError, "relabel 'yes': write True or False"),
    (lambda: PLAN.owner("src", [12, 0]), redist.PlanError, f"index [12, 0]: {OF_SHAPE}"),
    (lambda: PLAN.owner("src", [-1, 0]), redist.PlanError, f"index [-1, 0]: {OF_SHAPE}"),
    (lambda: PLAN.owner("src", [1]), redist.PlanError, f"index [1]: {OF_SHAPE}"),
    (lambda: PLAN.owner("src", ["one", 0]), TypeError, f"index ['one', 0]: {OF_SHAPE}"),
    (lambda: PLAN.owner("src", 5), TypeError, f"index 5: {OF_SHAPE}"),
    (lambda: PLAN.owner([0, 0], "src"), TypeError, f"side [0, 0]: {SIDE}"),
    (lambda: PLAN.global_index("src", 0, [6, 0]), redist.PlanError, f"index [6, 0]: {OF_PART}"),
    (lambda: PLAN.global_index("src", 0, [0]), redist.PlanError, f"index [0]: {OF_PART}"),
    (lambda: PLAN.draw("ownershp"), redist.PlanError, "what 'ownershp': write one of \"ownership\", "),
    (lambda: PLAN.draw(3), TypeError, "what 3: write one of"),
    (lambda: PLAN.draw(title=3), TypeError, "title 3: write a text"),
    (lambda: PLAN.draw(pair=(0, -1)), redist.PlanError, "pair (0, -1): write a rank of the source and one of the destination"),
    (lambda: PLAN.draw(pair=3), TypeError, "pair 3: write a rank of the source and one of the destination"),
    (lambda: PLAN.draw(axes=(0, 1, 2)), redist.PlanError, "axes (0, 1, 2): write two axes"),
    (lambda: PLAN.draw(slices=[0]), TypeError, "slices [0]: write a dict of axes"),
    (lambda: PLAN.draw(slices={-1: 0}), redist.PlanError, "slices -1: write a dict of axes"),
    (lambda: PLAN.draw(method="magic"), redist.PlanError, "method 'magic': write one of \"circulant\", "),
    (lambda: redist.layout([64, -1], [2]), redist.PlanError, "grid has 1 entry for 2 dimensions; give it one for each"),
    (lambda: redist.layout([64, -2], [2, 1]), redist.PlanError, "blocks[1] -2: write a list"),
    (lambda: redist.layout("64", [2]), TypeError, "blocks '64': write a list with a number for each dimension"),
    (lambda: redist.layout([1 << 70], [2]), redist.PlanError, f"blocks[0] {1 << 70}: write a list"),
    (lambda: redist.layout([4], [2], ranks=[0, -1]), redist.PlanError, "ranks has -1 for cell 1 of the grid, which must be at least 0"),
    (lambda: redist.layout([4], [2], ranks=0), TypeError, "ranks 0: write a list of ranks"),
    (lambda: redist.layout([4], [2], fortran="F"), TypeError, "fortran 'F': write True or False"),
    (lambda: PLAN.run(None, None), AttributeError, "a Plan has no \"run\"; bind it to a communicator, as in `plan.bind(comm).run(a, out)`"),
    (lambda: PLAN.local_extents, AttributeError, "a Plan has no \"local_extents\"; `help(redist.Plan)` lists"),
    (lambda: PLAN.bind(None), redist.CommunicatorError, "a NoneType is no communicator; bring one of mpi4py's"),
    (lambda: PLAN.bind(2), redist.CommunicatorError, "a int is no communicator; bring one of mpi4py's"),
]
# All calls that take a rank.
OF_A_RANK = [
    PLAN.local_shape, PLAN.local_size, PLAN.empty, PLAN.global_indices, lambda side, rank: PLAN.global_index(side, rank, [0, 0]),
]
for call in OF_A_RANK:
    PLANS += [
        (lambda call=call: call("src", 7), redist.PlanError, f"rank 7: write {RANKS}"),
        (lambda call=call: call("dst", 2), redist.PlanError, f"rank 2: write {RANKS}"),
        (lambda call=call: call("src", -1), redist.PlanError, f"rank -1: write {RANKS}"),
        (lambda call=call: call("src", 1 << 70), redist.PlanError, f"rank {1 << 70}: write {RANKS}"),
        (lambda call=call: call("src", "0"), TypeError, f"rank '0': write {RANKS}"),
        (lambda call=call: call("src", 1.0), TypeError, f"rank 1.0: write {RANKS}"),
        (lambda call=call: call("source", 0), redist.PlanError, f"side 'source': {SIDE}"),
        (lambda call=call: call(0, "src"), TypeError, f"side 0: {SIDE}"),
    ]


@pytest.mark.parametrize("number", range(len(PLANS)))
def test_wrong_plans(number):
    call, kind, words = PLANS[number]
    with pytest.raises(kind, match=re.escape(words)) as error:
        call()
    is_in_our_words(str(error.value))


def is_in_our_words(text):
    for word in "::", "is not an instance of", "unsigned", "cannot be interpreted as", "u8;", "`copies":
        assert word not in text, text


def test_ranks_that_hold_nothing_are_ranks():
    few = redist.Plan((12, 8), ROWS, "(*, *)")
    assert few.local_shape("dst", 1) == (0, 0) and few.local_size("dst", 1) == 0
    assert few.empty("dst", 1).shape == (0, 0)
    with pytest.raises(redist.PlanError, match="a rank from 0 to 0, for the plan has 1 rank;"):
        redist.Plan(8, "*", "*").local_shape("src", 1)


class Tensor:
    """Has the methods by which a tensor of torch is known."""

    def detach(self):
        return self

    def numpy(self):
        return np.zeros((4, 6))


class OnDlpack:
    def __dlpack__(self):
        raise NotImplementedError


class Frame:
    def __array__(self, dtype=None, copy=None):
        return np.zeros((4, 6))


def memory():
    """Two arrays, each with a byte that is in the other."""
    both = np.zeros(47)
    return both[:24].reshape(4, 6), both[23:].reshape(6, 4)


def readonly():
    array = np.zeros((6, 4))
    array.flags.writeable = False
    return array


# Arrays for a plan from (4, 6) in C's order to the transposed axes, and the words about them.
ARRAYS = [
    (lambda a, out: ([[0.0]], out), "src array is a list; bring an array of numpy's, as `numpy.asarray` makes of it"),
    (lambda a, out: (None, out), "src array is a NoneType; bring an array of numpy's, as `empty(\"src\")` makes"),
    (lambda a, out: (a, None), "dst array is a NoneType; bring an array of numpy's, as `empty(\"dst\")` makes"),
    (lambda a, out: (a, [[0.0]]), "dst array is a list; bring an array of numpy's, as `empty(\"dst\")` makes"),
    (lambda a, out: (Tensor(), out), "src array is a Tensor; bring an array of numpy's, as its `.numpy()`, which shares its memory: with `.detach()`"),
    (lambda a, out: (a, OnDlpack()), "dst array is a OnDlpack; bring an array of numpy's, as `numpy.from_dlpack` makes of it, which shares its memory"),
    (lambda a, out: (array.array("d", [0.0] * 24), out), "src array is a array; bring an array of numpy's, as `numpy.asarray` makes of it, which shares"),
    (lambda a, out: (Frame(), out), "src array is a Frame; bring an array of numpy's, as `numpy.asarray` makes of it"),
    (lambda a, out: (np.float64(1), out), "src array is a float64; bring an array of numpy's"),
    (lambda a, out: (np.ma.masked_array(a), out), "src array is a masked array, whose mask would stay behind; bring its `data`"),
    (lambda a, out: (a.astype("f4"), out), "src array has the dtype float32, but the plan is for float64; `astype` makes a copy of that, or make a plan for float32"),
    (lambda a, out: (a, out.astype("f4")), "dst array has the dtype float32, but the plan is for float64; bring one of that, and convert it when it has arrived"),
    (lambda a, out: (a.astype(">f8"), out), "src array has the dtype >f8, but the plan is for float64"),
    (lambda a, out: (a.astype("M8[s]"), out), "src array has the dtype datetime64[s], but the plan is for float64"),
    (lambda a, out: (a[:-1], out), 'src array has the shape (3, 6), but must have (4, 6); `empty("src")` makes one'),
    (lambda a, out: (a.ravel(), out), "src array has the shape (24,), but must have (4, 6)"),
    (lambda a, out: (np.array(1.0), out), "src array has the shape (), but must have (4, 6)"),
    (lambda a, out: (out, a), "src array is the dst array, and the other one the src array: they are exchanged; write the src array first"),
    (lambda a, out: (a.copy("F"), out), "src array has the strides (8, 32) in bytes, but must have (48, 8)"),
    (lambda a, out: (a[::-1], out), "src array has the strides (-48, 8) in bytes, but must have (48, 8)"),
    (lambda a, out: (a, readonly()), "dst array is read-only; bring an array that may be written to"),
    (lambda a, out: memory(), "dst array shares memory with the src array; bring arrays that are apart"),
]


@pytest.mark.parametrize("number", range(len(ARRAYS)))
@pytest.mark.parametrize("starts", [False, True])
def test_wrong_arrays(comm, number, starts):
    bound = redist.Plan((4, 6), "(*, *)", "(*, *) transposed").bind(MPI.COMM_SELF)
    arrays, words = ARRAYS[number]
    a, out = arrays(np.zeros((4, 6)), np.zeros((6, 4)))
    with pytest.raises(redist.ArrayError, match=re.escape(f"rank 0: the {words}")) as error:
        bound.start(a, out) if starts else bound.run(a, out)
    is_in_our_words(str(error.value))
    bound.run(bound.empty("src"), bound.empty("dst"))


def test_wrong_calls_of_what_is_bound(comm):
    plan = redist.Plan((4, 6), "(*, *)", "(*, *) transposed")
    bound = plan.bind(MPI.COMM_SELF)
    a, out = bound.empty("src"), bound.empty("dst")
    move = bound.start(a, out)
    calls = [
        (lambda: bound.run(a, out), redist.MoveError, "a move is under way: `finish` what `start` returned"),
        (lambda: bound.start(a, out), redist.MoveError, "a move is under way"),
        (lambda: bound.shared("src"), redist.MoveError, "a move is under way: `finish` it before"),
    ]
    told(calls)
    move.finish()
    calls = [
        (move.finish, redist.MoveError, "this move has been finished; `start` another"),
        (lambda: bound.finish(), AttributeError, 'a Bound has no "finish"; the move that `start` returns has it, as in `bound.start(a, out).finish()`'),
        (lambda: bound.move(a, out), AttributeError, 'a Bound has no "move"; `help(redist.Bound)` lists what it has'),
        (lambda: bound.empty("source"), redist.PlanError, f"side 'source': {SIDE}"),
        (lambda: bound.local_shape(3), TypeError, f"side 3: {SIDE}"),
        (lambda: bound.global_indices("dest"), redist.PlanError, f"side 'dest': {SIDE}"),
        (lambda: bound.shared("left"), redist.PlanError, f"side 'left': {SIDE}"),
        (lambda: plan.bind(MPI.COMM_SELF, route="quick"), redist.PlanError, "route 'quick': write one of \"automatic\", \"chunks\", \"messages\""),
        (lambda: plan.bind(MPI.COMM_SELF, route=3), TypeError, "route 3: write one of \"automatic\""),
        (lambda: plan.bind(MPI.COMM_SELF, collectively="all"), TypeError, "collectively 'all': write True or False"),
        (lambda: plan.bind(MPI.COMM_SELF, src_like=[1.0]), redist.ArrayError, "src array is a list; bring an array of numpy's"),
        (lambda: plan.bind(MPI.COMM_SELF, src_like=a.astype("f4")), redist.ArrayError, "has the dtype float32"),
        (lambda: plan.bind(MPI.COMM_SELF, dst_like=out[:, ::-1]), redist.ArrayError, "which must be positive multiples of the 8 bytes"),
        (lambda: PLAN.bind(MPI.COMM_SELF), redist.MoveError, "the plan needs 2 ranks, but the communicator has 1; use more ranks or smaller grids"),
        (lambda: plan.bind(MPI.COMM_NULL), redist.CommunicatorError, "this communicator is `MPI.COMM_NULL`"),
        (lambda: plan.bind(MPI), redist.CommunicatorError, "a module is no communicator; bring one of mpi4py's"),
    ]
    told(calls)


def told(calls):
    for call, kind, words in calls:
        with pytest.raises(kind, match=re.escape(words)) as error:
            call()
        is_in_our_words(str(error.value))


def test_a_mask_is_known_by_its_type(comm):
    class ndarray(np.ma.MaskedArray):
        pass

    bound = redist.Plan(4, "*", "*").bind(MPI.COMM_SELF)
    masked = np.ma.MaskedArray(np.arange(4.0), mask=[0, 1, 0, 0]).view(ndarray)
    with pytest.raises(redist.ArrayError, match="masked array"):
        bound.run(masked, bound.empty("dst"))


def test_a_python_without_numpy_is_told_so(tmp_path):
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")
    (tmp_path / "numpy.py").write_text('raise ImportError("No module named \'numpy\'", name="numpy")\n')
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    said = subprocess.run([sys.executable, "-c", "import redist"], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    last = said.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: redist moves arrays of numpy, which cannot be imported: No module named 'numpy'; `pip install numpy`"), said
