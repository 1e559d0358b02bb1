"""Programs that meet, as parts of the ranks that run these tests: each knows its own layout alone."""

import gc

import numpy as np
import pytest

import redist

LAYOUTS = {
    "src": ["(block, *) onto {n} ranks {first}..", "(cyclic(2), *) onto {n} ranks {first}.. storage fortran"],
    "dst": ["(*, block) onto {n} ranks {first}..", "(block, *) onto {n} ranks {first}.. transposed"],
}
SHAPE = (12, 10)


def met(comm, producers):
    """The coupling of the first ranks with the others."""
    is_source = comm.rank < producers
    programs = redist.Programs(comm, number=0 if is_source else 1)
    assert (programs.program, programs.count) == (int(not is_source), 2)
    assert programs.size == (producers if is_source else comm.size - producers)
    assert programs.rank == comm.rank - (0 if is_source else producers)
    return programs.couple("src" if is_source else "dst", int(is_source))


# feature: programs that are coupled = `redist.Programs`, `Programs.join_parts`, `redist.Coupling`
@pytest.mark.parametrize("number", [0, 1])
def test_two_programs(comm, number):
    if comm.size == 1:
        pytest.skip("of several ranks")
    whole = np.arange(np.prod(SHAPE), dtype="f4").reshape(SHAPE)
    for producers in {1, comm.size - 1}:
        coupling = met(comm, producers)
        side, first = coupling.side, coupling.first_rank
        assert (coupling.size, coupling.rank) == (comm.size, comm.rank)
        assert coupling.counts == (producers, comm.size - producers)
        assert first == (0 if side == "src" else producers) and f"this is the {side}" in repr(coupling)
        mine = LAYOUTS[side][number].format(n=coupling.counts[side == "dst"], first=first)
        # The consumer learns the extents.
        theirs, shape = coupling.handshake(mine, SHAPE if side == "src" else None)
        assert shape == SHAPE
        plan = redist.Plan(shape, *((mine, theirs) if side == "src" else (theirs, mine)), "f4")
        bound = plan.bind(coupling)
        assert bound.comm is coupling
        a, out = bound.empty("src"), bound.empty("dst")
        assert (a.size if side == "dst" else out.size) == 0
        for step in range(3):
            if side == "src":
                a[...] = whole[np.ix_(*bound.global_indices("src"))] + step
            with bound.start(a, out):
                pass
            if out.size:
                transposed = whole.T if number == 1 else whole
                assert (out == transposed[np.ix_(*bound.global_indices("dst"))] + step).all()
            bound.run(a, out, function=np.add if side == "dst" else None)
            assert out.size == 0 or (out % 2 == 0).all()
        # What is bound keeps the coupling.
        del coupling
        gc.collect()
        bound.run(a, out)


def test_couplings_made_again(comm):
    if comm.size == 1:
        pytest.skip("of several ranks")
    for _ in range(30):
        coupling = met(comm, 1)
        theirs, shape = coupling.handshake(f"block onto {1 if comm.rank == 0 else comm.size - 1} ranks {coupling.first_rank}..", 9)
        assert shape == (9,)
    with pytest.raises(redist.MoveError, match="[Ee]xtents"):
        coupling.handshake(f"block onto 1 ranks {coupling.first_rank}..", 9 + min(comm.rank, 1))
    with pytest.raises(redist.MoveError):
        coupling.handshake("block onto 1", 9)


def test_wrong_arguments(comm):
    programs = redist.Programs(comm, number=0)
    assert (programs.count, repr(programs)) == (1, "<redist.Programs: program 0 of 1>")
    with pytest.raises(redist.PlanError, match="program 1: write another program's number"):
        programs.couple("src", 1)
    with pytest.raises(redist.PlanError, match="program 0: write another"):
        programs.couple("src", 0)
    with pytest.raises(redist.PlanError, match="side 'source': write"):
        programs.couple("source", 0)
    with pytest.raises(redist.PlanError, match="number -1"):
        redist.Programs(comm, number=-1)
    with pytest.raises(redist.CommunicatorError, match="a int is no communicator"):
        redist.Programs(3)
    with pytest.raises(redist.PlanError, match="seconds -1"):
        redist.Coupling.rendezvous(comm, "src", "meeting", seconds=-1)
    with pytest.raises(redist.PlanError, match="seconds (nan|NaN)"):
        redist.Coupling.rendezvous(comm, "src", "meeting", seconds=float("nan"))
    if comm.size == 1:
        return
    coupling = met(comm, 1)
    # Each rank finds the mistake by itself, before it waits.
    for layout, shape, error in [
        ("blok onto 1", None, redist.PlanError),
        (3, None, TypeError),
        ("(*, *)", (1, 2, 3), redist.PlanError),
        ("*", (1,) * 9, redist.PlanError),
    ]:
        with pytest.raises(error):
            coupling.handshake(layout, shape)
    with pytest.raises(redist.MoveError):
        # Two programs that are both the source.
        redist.Programs(comm, number=min(comm.rank, 1)).couple("src", int(comm.rank == 0))


# Side, first index, extents and layout of each program's part of an array of `SHAPE`; the last takes no part.
PARTS = {
    2: [("src", None, None, "(block, *) onto {n}"), ("dst", (1, 2), (9, 7), "(*, cyclic(2)) onto {n}")],
    3: [
        ("src", (0, 0), (5, 10), "(*, *)"),
        ("src", (5, 0), None, "(*, *) storage fortran"),
        ("dst", (1, 2), (9, 7), "(cyclic, *) onto {n} storage fortran"),
    ],
    4: [
        ("src", (0, 0), (5, 10), "(*, *)"),
        ("dst", (1, 2), (9, 7), "(*, block) onto {n}"),
        ("src", (5, 0), None, "(*, cyclic) onto {n}"),
        None,
    ],
}


def joined(programs, dtype="f8", **changed):
    """This program's part, or none; with other arguments if there are any."""
    parts = PARTS[programs.count]
    if parts[programs.program] is None:
        return programs.join_parts(None, SHAPE, dtype=dtype)
    side, at, extents, layout = parts[programs.program]
    part = {"side": side, "at": at, "extents": extents, "layout": layout.format(n=programs.size), "dtype": dtype}
    return programs.join_parts(**({"shape": SHAPE} | part | changed))


def of_many(comm):
    if comm.size == 1:
        pytest.skip("of several ranks")
    return redist.Programs(comm, number=min(comm.rank, min(comm.size, 4) - 1))


def test_parts_of_one_array(comm):
    programs = of_many(comm)
    bound = joined(programs)
    assert bound.comm is programs and bound.rank == comm.rank
    whole = np.arange(np.prod(SHAPE), dtype="f8").reshape(SHAPE)
    a, out = bound.empty("src"), bound.empty("dst")
    assert a.size == 0 or out.size == 0
    rows, columns = bound.global_indices("dst")
    expected = whole[np.ix_(rows, columns)]
    del programs
    gc.collect()
    for step in range(3):
        a[...] = whole[np.ix_(*bound.global_indices("src"))] + step
        out[...] = -1
        if step == 1:
            move = bound.start(a, out)
            a[...] = -2
            while not move.test():
                pass
            assert (out == -1).all()
            move.finish()
        else:
            bound.run(a, out)
        assert out.shape == expected.shape and (out == expected + step).all()
    bound.run(a, out, alpha=2.0, beta=-1.0) if out.size else bound.run(a, out)
    assert (out == expected + 2).all()
    bound.run(a, out, function=np.add if out.size else None)
    assert (out == 2 * (expected + 2)).all()
    assert "parts of several programs" in bound.explain()
    with pytest.raises(AttributeError, match="parts of an array"):
        bound.plan
    with pytest.raises(redist.MoveError, match="shared memory"):
        bound.shared("src")


def test_a_rank_with_a_wrong_array(comm):
    programs = of_many(comm)
    bound = joined(programs)
    a, out = bound.empty("src"), bound.empty("dst")
    a[...] = 3
    for at_fault in range(comm.size):
        out[...] = -1
        if comm.rank == at_fault:
            with pytest.raises(redist.ArrayError):
                bound.run(np.zeros((99, 2)), out)
        else:
            with pytest.raises(redist.MoveError, match=f"rank {at_fault}"):
                bound.run(a, out)
        assert (out == -1).all()
        with bound.start(a, out):
            pass
        assert (out == 3).all()


def test_parts_that_do_not_fit(comm):
    programs = of_many(comm)
    number, last = programs.program, comm.size - 1
    # The first program has less than is wanted; then as many elements as another has, too.
    with pytest.raises(redist.MoveError, match=r"wants elements .* which no producer holds"):
        joined(programs, **({"extents": (4, 10), "at": (0, 0)} if number == 0 else {}))
    if programs.count > 2:
        with pytest.raises(redist.MoveError, match="both hold elements 5..6 of dimension 0 and elements 0..10 of dimension 1"):
            joined(programs, **({"extents": (6, 10)} if number == 0 else {}))
    with pytest.raises(redist.MoveError, match="dimension 0 of the whole array has 12 elements in program 0, and 13 in program 1"):
        joined(programs) if number != 1 else programs.join_parts("dst", (13, 10), "(*, *)", extents=(1, 1))
    with pytest.raises(redist.MoveError, match="elements of type"):
        joined(programs, "f4" if number == 1 else "f8")
    # Mistakes of one rank are errors of all.
    for wrong, error, words in [
        ({"layout": "(blok, *)"}, redist.MoveError, "blok"),
        ({"layout": None}, TypeError, "write the text of the part's layout"),
        ({"at": (0, -1)}, redist.PlanError, "write a tuple of numbers from 0 on"),
        ({"at": (0,)}, redist.PlanError, "write a number for each axis"),
        ({"side": "source"}, redist.PlanError, "side 'source'"),
        ({"dtype": "O"}, redist.PlanError, "objects"),
    ]:
        if comm.rank == 0:
            with pytest.raises(error, match=words):
                joined(programs, **wrong)
        else:
            with pytest.raises(redist.MoveError, match="rank 0"):
                joined(programs)
    if comm.rank == last:
        with pytest.raises(redist.MoveError, match="at most 8 dimensions"):
            programs.join_parts(None, (1,) * 9)
    else:
        with pytest.raises(redist.MoveError, match=f"rank {last}"):
            joined(programs)
    # Nothing is left behind.
    bound = joined(programs, "i2")
    bound.run(np.ones_like(bound.empty("src")), bound.empty("dst"))


def test_a_program_that_never_comes(comm, tmp_path):
    with pytest.raises(redist.MoveError, match="meeting"):
        redist.Coupling.rendezvous(comm, "src", comm.bcast(tmp_path) / "meeting", seconds=0.2)
