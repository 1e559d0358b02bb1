"""Moves of GPAW's Redistributor between grids that ranks free at different times, before and after barriers."""

import numpy as np
from gpaw.blacs import BlacsGrid, Redistributor
from gpaw.mpi import world

drawn = np.random.default_rng(7 + world.rank)
moves = 0
kept = []
for turn in range(60):
    one = BlacsGrid(world, 2, 2).new_descriptor(60, 44, 8 - turn % 3, 4)
    other = BlacsGrid(world, 4, 1).new_descriptor(60, 44, 15, 44)
    before, after, again = one.zeros(), other.zeros(), one.zeros()
    before[:] = np.arange(before.size).reshape(before.shape) + 1000 * world.rank + turn
    Redistributor(world, one, other).redistribute(before, after)
    Redistributor(world, other, one).redistribute(after, again)
    assert (again == before).all()
    assert abs(world.sum(float(after.sum())) - world.sum(float(before.sum()))) < 1e-6
    moves += 2
    # A grid is freed by its finaliser: here before a barrier, behind it, or some turns later.
    if drawn.integers(2):
        kept.append(one)
    del one
    world.barrier()
    del other
    if len(kept) > drawn.integers(8):
        kept.clear()
if world.rank == 0:
    print("moves", moves)
