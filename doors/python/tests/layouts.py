"""What layouts mean, by brute force: the owner of each index, and the order within a rank."""

import numpy as np


def owner(index, extent, dist, ranks):
    """The coordinate that holds an index along one dimension."""
    if dist == "*":
        return 0
    if dist == "block":
        return index // -(-extent // ranks)
    block = 1 if dist == "cyclic" else int(dist[len("cyclic(") : -1])
    return index // block % ranks


def words(dists, grid, fortran=False):
    """The notation."""
    extents = [str(ranks) for dist, ranks in zip(dists, grid) if dist != "*"]
    text = f"({', '.join(dists)})"
    if extents:
        text += f" onto ({', '.join(extents)})"
    return text + (" storage fortran" if fortran else "")


def parts(whole, dists, grid):
    """The local arrays of the ranks that fill the grid row by row."""
    grid = [1 if dist == "*" else ranks for dist, ranks in zip(dists, grid)]
    found = []
    for cell in np.ndindex(*grid):
        indices = [
            [at for at in range(extent) if owner(at, extent, dist, ranks) == coordinate]
            for extent, dist, ranks, coordinate in zip(whole.shape, dists, grid, cell)
        ]
        found.append(whole[np.ix_(*[np.array(own, dtype=int) for own in indices])])
    return found


def part(whole, side, rank):
    """A rank's part; one without elements where it has none."""
    all_parts = parts(whole, *side)
    return all_parts[rank] if rank < len(all_parts) else np.empty((0,) * whole.ndim, whole.dtype)
