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


# feature: programs that are coupled = `redist.Programs` and `redist.Coupling`; not `join_parts`
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


def test_a_program_that_never_comes(comm, tmp_path):
    with pytest.raises(redist.MoveError, match="meeting"):
        redist.Coupling.rendezvous(comm, "src", comm.bcast(tmp_path) / "meeting", seconds=0.2)
