"""One of two programs of a launch, which `.ci/doors-python` starts: `mpiexec -n 1 python coupled.py src : -n 2 python coupled.py dst`."""

import sys

import numpy as np
from mpi4py import MPI

import redist

SHAPE = (30, 20)


def main(side):
    programs = redist.Programs(MPI.COMM_WORLD)
    coupling = programs.couple(side, 1 - programs.program)
    ranks, first = programs.size, coupling.first_rank
    own = {"src": "(block, *)", "dst": "(*, block)"}[side] + f" onto {ranks} ranks {first}.."
    theirs, shape = coupling.handshake(own, SHAPE if side == "src" else None)
    plan = redist.Plan(shape, *((own, theirs) if side == "src" else (theirs, own)))
    bound = plan.bind(coupling)
    whole = np.arange(np.prod(SHAPE), dtype=float).reshape(SHAPE)
    a, out = bound.empty("src"), bound.empty("dst")
    if side == "src":
        a[...] = whole[np.ix_(*bound.global_indices("src"))]
    bound.run(a, out)
    if side == "dst":
        assert (out == whole[np.ix_(*bound.global_indices("dst"))]).all()
        print(f"rank {programs.rank} has its part", flush=True)


main(sys.argv[1])
