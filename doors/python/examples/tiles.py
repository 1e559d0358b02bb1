# %% [markdown]
# # Tiles become columns
#
# A matrix in ScaLAPACK's tiles on a 2 × 2 grid, as an LU leaves it, becomes whole columns on the
# same ranks. Run it as it is, `python tiles.py`: without MPI it plans, explains and draws. With
# ranks, `mpiexec -n 4 python tiles.py`, it moves, too. Editors that know `# %%` show each cell with
# its picture.

# %%
import sys
from pathlib import Path

import numpy as np

import redist

plan = redist.Plan(
    (1000, 600),
    "scalapack(64, 64, 2, 2)",
    "(*, block) onto 4 storage fortran",
    np.float64,
)
plan

# %% [markdown]
# Each rank's elements, before and after; one element has the same place on both sides.

# %%
pictures = {"ownership": plan.draw("ownership", title="Tiles become columns")}
pictures["ownership"]

# %% [markdown]
# How much each rank sends to each other.

# %%
pictures["volumes"] = plan.draw("volumes", title="Tiles become columns")
pictures["volumes"]

# %% [markdown]
# All that a program may ask before there are any ranks.

# %%
print(plan.explain())
for rank in range(plan.ranks):
    print(rank, plan.local_shape("src", rank), "→", plan.local_shape("dst", rank))
print("element (70, 130) goes from rank", plan.owner("src", (70, 130)), "to", plan.owner("dst", (70, 130)))

# %% [markdown]
# The move, if there are ranks: each fills its tiles with global numbers, and finds its columns.

# %%
try:
    from mpi4py import MPI
except (ImportError, RuntimeError):
    print("there is no mpi4py, or no MPI library that it can load: nothing moves")
else:
    comm = MPI.COMM_WORLD
    if comm.size >= plan.ranks:
        bound = plan.bind(comm)
        tiles, columns = bound.empty("src"), bound.empty("dst")

        def numbers(side):
            rows, cols = plan.global_indices(side, comm.rank)
            return np.add.outer(1000.0 * np.array(rows), np.array(cols))

        if tiles.size:
            tiles[...] = numbers("src")
        bound.run(tiles, columns)
        if columns.size:
            assert np.array_equal(columns, numbers("dst"))
        print(f"rank {comm.rank}: {columns.shape[1]} columns have arrived, by {bound.way}")

# %% [markdown]
# Pictures can be kept, too: `python tiles.py FOLDER`.

# %%
if len(sys.argv) == 2 and Path(sys.argv[1]).is_dir():
    for name, picture in pictures.items():
        picture.save(Path(sys.argv[1]) / f"tiles-{name}.svg")
