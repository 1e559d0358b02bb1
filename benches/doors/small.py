"""Small moves from Python, for `benches/doors/run`: see small.rs."""

import sys
import time

import numpy as np
from mpi4py import MPI

import redist

extent, batches, moves = (int(word) for word in sys.argv[1:])
comm = MPI.COMM_WORLD
plan = redist.Plan((extent, extent), f"(block, *) onto {comm.size}", f"(*, block) onto {comm.size}", "f8")
bound = plan.bind(comm)
source, destination = bound.empty("src"), bound.empty("dst")
source[...] = 1
run = bound.run
for batch in range(batches + 1):
    began = time.perf_counter_ns()
    for _ in range(moves):
        run(source, destination)
    # The first batch is not counted.
    if comm.rank == 0 and batch:
        print((time.perf_counter_ns() - began) / moves)
assert (destination == 1).all()
