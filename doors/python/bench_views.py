"""Messages packed by numpy's views and by the library, for 20 pairs of layouts.

    python bench_views.py [--rounds 31] [--only WORDS] [--no-library] [--write ../../docs/python.md]

The table counts views: the most of one message, those of all messages, and the bytes of the middle
one. Then the rank that sends most views packs all its messages, those to itself among them:

- `views`: `as_strided` makes each box from its numbers, and the box is copied to the buffer;
- `made`: boxes that were made before are copied;
- `pack`: `Packing.pack`, message by message;
- `pack_all`: `Packing.pack_all`, by the kernels of `Bound.run`.

A round plays them, and a copy of the rank's whole array, in an order that is shuffled anew. A
figure is the median of processor times, as a multiple of that copy's median, with both quartiles.
At first, the sorted elements of each message are compared, because kernels have another order. The
extension must be one that pip has built, because a build for tests is not optimised. `--no-library`
leaves out `pack` and `pack_all`, for such a build.
"""

import argparse
import datetime
import math
import platform
import random
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import as_strided

import redist

SQUARE, LINE, CUBE = (2048, 2048), 1 << 22, (160, 160, 160)
# Views take time in proportion to the blocks of a period, here the whole array.
SHORT = 1 << 18
TILES = "(cyclic(64), cyclic(64)) onto (2, 2)"
PAIRS = [
    ("rows to columns", SQUARE, "(block, *) onto 4", "(*, block) onto 4"),
    ("rows to columns of 6 ranks", SQUARE, "(block, *) onto 4", "(*, block) onto 6"),
    ("rows to rows of 3 ranks", SQUARE, "(block, *) onto 4", "(block, *) onto 3"),
    ("rows to rows, transposed", SQUARE, "(block, *) onto 4", "(block, *) onto 4 transposed"),
    ("tiles 64² to 32²", SQUARE, TILES, "(cyclic(32), cyclic(32)) onto (2, 2)"),
    ("tiles 64² to 256² on 2 × 4", SQUARE, TILES, "(cyclic(256), cyclic(256)) onto (2, 4)"),
    ("tiles 64² to 30 × 50", SQUARE, TILES, "(cyclic(30), cyclic(50)) onto (2, 2)"),
    (
        "tiles 1024² to 654 × 321",
        SQUARE,
        "(cyclic(1024), cyclic(1024)) onto (2, 2)",
        "(cyclic(654), cyclic(321)) onto (2, 2)",
    ),
    ("tiles 64² from 2 × 2 to 4 × 1", SQUARE, TILES, "(cyclic(64), cyclic(64)) onto (4, 1)"),
    ("tiles 64² to rows", SQUARE, TILES, "(block, *) onto 4"),
    ("tiles 64² to columns of Fortran", SQUARE, TILES, "(*, block) onto 4 storage fortran"),
    ("ScaLAPACK, 2 × 3 to 3 × 2", SQUARE, "scalapack(64, 64, 2, 3)", "scalapack(64, 64, 3, 2)"),
    (
        "elements in turn to blocks",
        SQUARE,
        "(cyclic, cyclic) onto (2, 2)",
        "(block, block) onto (2, 2)",
    ),
    ("a short line, block to cyclic", SHORT, "block onto 4", "cyclic onto 4"),
    ("a line, cyclic(10) of 3 to (2) of 5", LINE, "cyclic(10) onto 3", "cyclic(2) onto 5"),
    ("a line, cyclic(7) to (5)", LINE, "cyclic(7) onto 4", "cyclic(5) onto 4"),
    (
        "a line, parts of any size to block",
        LINE,
        f"gen_block([1000000, 300000, {LINE - 1300000}]) onto 3",
        "block onto 4",
    ),
    ("slabs, axis 1 to axis 0", CUBE, "(block, *, *) onto 4", "(*, block, *) onto 4"),
    ("slabs, axis 2 to axis 0", CUBE, "(block, *, *) onto 4", "(*, *, block) onto 4"),
    (
        "pencils, axis 2 to axis 1",
        CUBE,
        "(block, block, *) onto (2, 2)",
        "(block, *, block) onto (2, 2)",
    ),
]


# The calls that pack, and their titles.
WAYS = {
    "views": "`as_strided` and copy",
    "made": "copy alone",
    "pack": "`pack`",
    "pack_all": "`pack_all`",
}


def places(views):
    """For each view: where it begins in the buffer and in the array, its shape, its strides."""
    at = 0
    for view in views:
        yield at, view.src.offset, view.shape, [8 * step for step in view.src.strides]
        at += view.size


def both(memory, buffers, peer, at, offset, shape, strides):
    """The place of a view in its buffer, and the box in the memory of the array."""
    return buffers[peer][at : at + math.prod(shape)].reshape(shape), as_strided(
        memory[offset:], shape, strides
    )


def counts(plan):
    """The rank with most views; the most of a message, those of all, bytes of the middle one."""
    sends = [plan.messages(rank).sends for rank in range(plan.ranks)]
    of_ranks = [sum(map(len, views.values())) for views in sends]
    sizes = [view.size for of_rank in sends for views in of_rank.values() for view in views]
    most = max(len(views) for of_rank in sends for views in of_rank.values())
    return (
        of_ranks.index(max(of_ranks)),
        most,
        len(sizes),
        plan.dtype.itemsize * statistics.median_low(sizes),
    )


def ways(plan, rank):
    """The calls to be timed, of a rank that has packed by each of them the same elements."""
    packing, sends = plan.packing(rank), plan.messages(rank).sends
    array = plan.empty("src", rank)
    memory = array.ravel(order="K")
    memory[...] = np.random.default_rng(rank).random(memory.size)
    assert np.shares_memory(array, memory)
    buffers = {peer: packing.empty(elements) for peer, elements in packing.sends.items()}
    numbers = [(peer, *of_view) for peer, views in sends.items() for of_view in places(views)]
    ready = [both(memory, buffers, *of_view) for of_view in numbers]
    copied = np.empty_like(memory)

    def by_views():
        for of_view in numbers:
            place, of_place = both(memory, buffers, *of_view)
            place[...] = of_place

    def by_made_views():
        for place, of_place in ready:
            place[...] = of_place

    def by_pack():
        for peer, buffer in buffers.items():
            packing.pack(array, peer, buffer)

    calls = {
        "copy": lambda: np.copyto(copied, memory),
        "views": by_views,
        "made": by_made_views,
        "pack": by_pack,
        "pack_all": lambda: packing.pack_all(array, buffers),
    }
    expected = None
    for name in WAYS:
        for buffer in buffers.values():
            buffer.fill(-1)
        calls[name]()
        found = {peer: np.sort(buffer) for peer, buffer in buffers.items()}
        expected = expected or found
        assert all(np.array_equal(found[peer], expected[peer]) for peer in expected), (
            f"{name} packs other elements"
        )
    return calls


def seconds(call):
    """Processor time: no call waits, and time that other programs take does not count."""
    began = time.process_time()
    call()
    return time.process_time() - began


def measured(calls, rounds, order):
    """The times of each call, a round after the other."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name in order.sample(sorted(calls), len(calls)):
            times[name].append(seconds(calls[name]))
    return times


def figure(times, copy):
    """The median and both quartiles, as multiples of the copy's median."""
    low, middle, high = (one / copy for one in statistics.quantiles(times, n=4))
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--only", default="", help="pairs with these words in their names")
    parser.add_argument("--seed", type=int, default=1, help="of the order of calls")
    parser.add_argument(
        "--no-library", action="store_true", help="beside a build that is not optimised"
    )
    parser.add_argument("--write", type=Path, help="a page whose table is to be renewed")
    options = parser.parse_args()
    order = random.Random(options.seed)
    timed = [way for way in WAYS if not (options.no_library and way.startswith("pack"))]
    heading = f"{processor()}, {sys.platform} {platform.machine()}, "
    heading += f"Python {platform.python_version()}, numpy {np.__version__}; "
    heading += f"{datetime.date.today()}; median of {options.rounds} rounds (quartiles); "
    heading += f"seed {options.seed}"
    titles = ["layouts", "views a message", "views in all", "bytes of a view"]
    titles += [*(WAYS[way] for way in timed), "copy of the array, ms"]
    lines = [heading, "", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    print("\n".join(lines))
    for name, shape, src, dst in PAIRS:
        if options.only not in name:
            continue
        plan = redist.Plan(shape, src, dst, "f8")
        rank, *found = counts(plan)
        calls = ways(plan, rank)
        times = measured({way: calls[way] for way in ["copy", *timed]}, options.rounds, order)
        copy = statistics.median(times["copy"])
        figures = [figure(times[way], copy) for way in timed]
        lines.append(
            f"| {' | '.join([name, *map('{:,}'.format, found), *figures, f'{copy * 1e3:.2f}'])} |"
        )
        print(lines[-1], flush=True)
    if options.write:
        before, rest = options.write.read_text().split("<!-- begin views -->\n")
        after = rest.split("<!-- end views -->")[1]
        table = "\n".join(lines)
        options.write.write_text(
            f"{before}<!-- begin views -->\n{table}\n<!-- end views -->{after}"
        )


if __name__ == "__main__":
    main()
