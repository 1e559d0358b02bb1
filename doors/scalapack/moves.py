"""Random moves of GPAW's Redistributor, as rectangles and triangles; prints a hash of each rank's destinations."""

import hashlib
import sys

import numpy as np
from gpaw.blacs import BlacsGrid, Redistributor
from gpaw.mpi import world

drawn = np.random.default_rng(int(sys.argv[1]))
shapes = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (1, 4), (1, 3), (3, 1)]
grids = [BlacsGrid(world, *shape) for shape in shapes]
hashed = hashlib.sha256()
for trial in range(150):
    from_grid, to_grid = drawn.integers(0, len(grids), 2)
    from_rows, from_columns, to_rows, to_columns = drawn.integers(1, 120, 4).tolist()
    blocks = drawn.integers(1, 20, 4).tolist()
    first = [int(drawn.integers(0, extent)) for extent in shapes[from_grid]]
    rows = int(drawn.integers(1, min(from_rows, to_rows) + 1))
    columns = int(drawn.integers(1, min(from_columns, to_columns) + 1))
    spare = (from_rows - rows, from_columns - columns, to_rows - rows, to_columns - columns)
    corners = [int(drawn.integers(0, extent + 1)) for extent in spare]
    part = "GUL"[drawn.integers(0, 3)]
    kind = (float, complex)[drawn.integers(0, 2)]
    source = grids[from_grid].new_descriptor(from_rows, from_columns, *blocks[:2], *first)
    destination = grids[to_grid].new_descriptor(to_rows, to_columns, *blocks[2:])
    before, after = source.zeros(dtype=kind), destination.zeros(dtype=kind)
    own = np.random.default_rng((trial, world.rank))
    before.flat[:] = own.random(before.size) + (1j * own.random(before.size) if kind is complex else 0)
    after.flat[:] = -1
    # A context of all ranks is made for each.
    Redistributor(world, source, destination).redistribute(before, after, rows, columns, *corners, part)
    hashed.update(after.tobytes())
words = np.zeros((world.size, 32))
words[world.rank] = np.frombuffer(hashed.digest(), dtype=np.uint8)
world.sum(words)
if world.rank == 0:
    for row in words:
        print(bytes(row.astype(np.uint8)).hex())
