"""One move between the ranks of whichever MPI library mpi4py has loaded: `.ci/one-mpi` runs it under each.

Its argument is the number of ranks that were launched.
"""

import sys

import numpy as np
from mpi4py import MPI

import redist

comm = MPI.COMM_WORLD
assert comm.size == int(sys.argv[1]), f"this rank sees {comm.size}"
plan = redist.Plan((60, 40), f"(block, *) onto {comm.size}", f"(*, cyclic(3)) onto {comm.size}", "f8")
whole = np.arange(60 * 40, dtype="f8").reshape(60, 40)
bound = plan.bind(comm.Dup())
for moves in range(3):
    rows = np.ascontiguousarray(whole[np.ix_(*plan.global_indices("src", comm.rank))])
    columns = bound.empty("dst")
    bound.run(rows, columns)
    assert np.array_equal(columns, whole[np.ix_(*plan.global_indices("dst", comm.rank))])
    with bound.start(rows, columns):
        rows[...] = -1.0
    assert np.array_equal(columns, whole[np.ix_(*plan.global_indices("dst", comm.rank))])
comm.Barrier()
if comm.rank == 0:
    print(f"numpy's arrays have moved between {comm.size} ranks, by {bound.way}")
