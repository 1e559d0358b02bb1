#!/usr/bin/env python3
"""Times `redist convert` beside others that move a model's arrays from 8 files to 2, in one process each, in turns.

    python3 -m venv v && v/bin/pip install numpy safetensors
    cargo build --release --features cli && v/bin/python benches/checkpoints.py [--mebibytes 512] [--runs 5] [--folder DIR]

Rows of 8 ranks become columns of 2: 48 arrays of 2-byte numbers in safetensors, and one array in raw files. The peers:
`cp` of the same files, numpy memmaps of raw files, and slices by the library safetensors. Files are in the page cache, and
nothing waits for the disk. Prints the median seconds, the multiple of `cp`, and the peak of resident memory.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS, COLUMNS = "(block, *) onto 8", "(*, block) onto 2"


def shapes(mebibytes):
    side = int((mebibytes * 2**20 / 2 / 48) ** 0.5)
    return {f"layers.{number}.w": (side + number % 29, side + number % 13 * 2) for number in range(48)}


def bounds(extent, ranks, rank):
    block = -(-extent // ranks)
    return min(rank * block, extent), min((rank + 1) * block, extent)


def write(folder, mebibytes):
    import numpy
    from safetensors.numpy import save_file

    random, (old, raw) = numpy.random.default_rng(1), (folder / "old", folder / "raw")
    for made in (old, raw):
        made.mkdir()
    arrays = {name: random.integers(0, 2**15, shape, dtype="u2") for name, shape in shapes(mebibytes).items()}
    for rank in range(8):
        part = {name: whole[slice(*bounds(len(whole), 8, rank))] for name, whole in arrays.items()}
        save_file(part, old / f"{rank}.safetensors")
    side = int((mebibytes * 2**17) ** 0.5) // 8 * 8
    whole = random.random((side, side))
    for rank in range(8):
        whole[slice(*bounds(side, 8, rank))].tofile(raw / f"{rank}.bin")
    named = [{"name": name, "extents": shape} for name, shape in shapes(mebibytes).items()]
    layouts = {"from": ROWS, "to": COLUMNS}
    files = {"in": "old/{rank}.safetensors", "out": "new/{rank}.safetensors"}
    of_many = {"defaults": {"element": "u16", **layouts, **files}, "array": named}
    (folder / "many.json").write_text(json.dumps(of_many))
    files = {"in": "raw/{rank}.bin", "out": "new/{rank}.bin"}
    of_one = {"array": [{"name": "a", "extents": [side, side], "element": "f64", **layouts, **files}]}
    (folder / "one.json").write_text(json.dumps(of_one))


def by_safetensors(folder, mebibytes):
    """Slices of one array at a time, as converters by hand do; a file of safetensors is written from memory."""
    import numpy
    from safetensors import safe_open
    from safetensors.numpy import save_file

    opened = [safe_open(folder / f"old/{rank}.safetensors", "np") for rank in range(8)]
    for rank in range(2):
        part = {}
        for name, (_, columns) in shapes(mebibytes).items():
            own = slice(*bounds(columns, 2, rank))
            part[name] = numpy.concatenate([file.get_slice(name)[:, own] for file in opened])
        save_file(part, folder / f"new/{rank}.safetensors")


def by_memmaps(folder):
    import numpy

    side = json.loads((folder / "one.json").read_text())["array"][0]["extents"][0]
    sources = [numpy.memmap(folder / f"raw/{rank}.bin", "f8", "r").reshape(-1, side) for rank in range(8)]
    for rank in range(2):
        start, end = bounds(side, 2, rank)
        made = numpy.memmap(folder / f"new/{rank}.bin", "f8", "w+", shape=(side, end - start))
        row = 0
        for source in sources:
            made[row : row + len(source)] = source[:, start:end]
            row += len(source)
        made.flush()


def timed(folder, command):
    """Seconds and peak bytes of a command that writes into an empty folder."""
    shutil.rmtree(folder / "new", ignore_errors=True)
    (folder / "new").mkdir()
    began = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{command} has failed")
    return time.perf_counter() - began, used.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=512)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        folder = Path.cwd()
        if options.peer == "memmaps":
            return by_memmaps(folder)
        return {"write": write, "safetensors": by_safetensors}[options.peer](folder, options.mebibytes)
    redist = os.environ.get("REDIST", f"{os.environ.get('CARGO_TARGET_DIR', 'target')}/release/redist")
    redist = str(Path(redist).resolve())
    own = [sys.executable, str(Path(__file__).resolve()), "--mebibytes", str(options.mebibytes), "--peer"]
    copy = lambda name: ["sh", "-c", f"cp {name}/* new/"]
    cases = {
        "many": {
            "cp": copy("old"),
            "redist": [redist, "convert", "many.json", "--no-sync"],
            "redist, 64 MiB": [redist, "convert", "many.json", "--no-sync", "--memory", "64MiB"],
            "safetensors": [*own, "safetensors"],
        },
        "one": {
            "cp": copy("raw"),
            "redist": [redist, "convert", "one.json", "--no-sync"],
            "numpy memmaps": [*own, "memmaps"],
        },
    }
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        folder = Path(made)
        # A process of its own: the peak of a child counts what its parent had when it was forked.
        subprocess.run([*own, "write"], cwd=folder, check=True)
        for case, commands in cases.items():
            runs = {name: [] for name in commands}
            for _ in range(options.runs):
                for name, command in commands.items():
                    runs[name].append(timed(folder, command))
            base = statistics.median(seconds for seconds, _ in runs["cp"])
            for name, found in runs.items():
                seconds = statistics.median(seconds for seconds, _ in found)
                peak = max(peak for _, peak in found) / 2**20
                print(f"{case:5} {name:16} {seconds:7.3f} s  {seconds / base:5.2f} x cp  {peak:7.0f} MiB")


if __name__ == "__main__":
    main()
