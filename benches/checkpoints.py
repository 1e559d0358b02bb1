#!/usr/bin/env python3
"""Times `redist convert` beside others that move a model's arrays from 8 files to 2, in one process each, in turns.

    python3 -m venv v && v/bin/pip install numpy safetensors
    cargo build --release --features cli,zarr && v/bin/python benches/checkpoints.py [--mebibytes 512] [--arrays 48] [--runs 5]
        [--folder DIR] [--cold]

Rows of 8 ranks become columns of 2: many arrays of 2-byte numbers in safetensors, and one array in raw files. With `zarr`
installed, tiles of an array of Zarr become bands. The peers: `cp` of the same files, numpy memmaps of raw files, slices by the
library safetensors (of torch's tensors where torch is installed), and a copy by the library `zarr`. Methods take turns in
shuffled order. Files are in the page cache, and nothing waits for the disk. With `--cold`, files are read from the disk and
written to it: the cache is emptied of them before, and all methods end with `sync`. Prints the median seconds, the median of
the multiples of `cp` in the same round, and the peak of resident memory.
"""

import argparse
import importlib.util
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS, COLUMNS = "(block, *) onto 8", "(*, block) onto 2"


def shapes(options):
    side = int((options.mebibytes * 2**20 / 2 / options.arrays) ** 0.5)
    return {f"layers.{number}.w": (side + number % 29, side + number % 13 * 2) for number in range(options.arrays)}


def bounds(extent, ranks, rank):
    block = -(-extent // ranks)
    return min(rank * block, extent), min((rank + 1) * block, extent)


def write(folder, options):
    import numpy
    from safetensors.numpy import save_file

    draw, (old, raw) = numpy.random.default_rng(1), (folder / "old", folder / "raw")
    for made in (old, raw):
        made.mkdir()
    arrays = {name: draw.integers(0, 2**15, shape, dtype="u2") for name, shape in shapes(options).items()}
    for rank in range(8):
        part = {name: whole[slice(*bounds(len(whole), 8, rank))] for name, whole in arrays.items()}
        save_file(part, old / f"{rank}.safetensors")
    side = int((options.mebibytes * 2**17) ** 0.5) // 8 * 8
    whole = draw.random((side, side))
    for rank in range(8):
        whole[slice(*bounds(side, 8, rank))].tofile(raw / f"{rank}.bin")
    named = [{"name": name, "extents": shape} for name, shape in shapes(options).items()]
    layouts = {"from": ROWS, "to": COLUMNS}
    files = {"in": "old/{rank}.safetensors", "out": "new/{rank}.safetensors"}
    of_many = {"defaults": {"element": "u16", **layouts, **files}, "array": named}
    (folder / "many.json").write_text(json.dumps(of_many))
    files = {"in": "raw/{rank}.bin", "out": "new/{rank}.bin"}
    of_one = {"array": [{"name": "a", "extents": [side, side], "element": "f64", **layouts, **files}]}
    (folder / "one.json").write_text(json.dumps(of_one))
    if has("zarr"):
        import zarr

        (folder / "tiles").mkdir()
        tiles = zarr.create_array(folder / "tiles/a.zarr", shape=whole.shape, chunks=(512, 512), dtype="f8", compressors=None)
        tiles[:] = whole
        array = {"name": "a", "in": "tiles/a.zarr", "out": "new/a.zarr", "chunks": [64, side], "codec": "none"}
        (folder / "bands.json").write_text(json.dumps({"array": [array]}))


def has(module):
    return importlib.util.find_spec(module) is not None


def by_safetensors(folder, options):
    """Slices of one array at a time, as converters by hand do; a file of safetensors is written from memory."""
    from safetensors import safe_open

    if has("torch"):
        from safetensors.torch import save_file
        from torch import cat
    else:
        from numpy import concatenate as cat
        from safetensors.numpy import save_file

    opened = [safe_open(folder / f"old/{rank}.safetensors", "pt" if has("torch") else "np") for rank in range(8)]
    for rank in range(2):
        part = {}
        for name, (_, columns) in shapes(options).items():
            own = slice(*bounds(columns, 2, rank))
            part[name] = cat([file.get_slice(name)[:, own] for file in opened])
        save_file(part, folder / f"new/{rank}.safetensors")


def by_zarr(folder, options):
    """Rows of chunks of the source at a time."""
    import zarr

    source = zarr.open_array(folder / "tiles/a.zarr", mode="r")
    chunks = (64, source.shape[1])
    made = zarr.create_array(folder / "new/a.zarr", shape=source.shape, chunks=chunks, dtype="f8", compressors=None)
    for row in range(0, source.shape[0], 512):
        made[row : row + 512] = source[row : row + 512]


def by_memmaps(folder, options):
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


def forget(folder):
    """Empties the page cache of all files in a folder, which are on the disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def timed(folder, command, cold):
    """Seconds and peak bytes of a command that writes into an empty folder."""
    shutil.rmtree(folder / "new", ignore_errors=True)
    (folder / "new").mkdir()
    if cold:
        os.sync()
        forget(folder)
        # `redist` itself waits for the disk.
        if "convert" not in command:
            command = ["sh", "-c", '"$@" && find new -type f -exec sync {} +', "sh", *command]
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
    parser.add_argument("--arrays", type=int, default=48)
    parser.add_argument("--folder")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        peers = {"write": write, "safetensors": by_safetensors, "memmaps": by_memmaps, "zarr": by_zarr}
        return peers[options.peer](Path.cwd(), options)
    redist = os.environ.get("REDIST", f"{os.environ.get('CARGO_TARGET_DIR', 'target')}/release/redist")
    redist = str(Path(redist).resolve())
    own = [sys.executable, str(Path(__file__).resolve()), "--mebibytes", str(options.mebibytes)]
    own += ["--arrays", str(options.arrays), "--peer"]
    copy = lambda name: ["sh", "-c", f"cp -r {name}/* new/"]
    sync = [] if options.cold else ["--no-sync"]
    cases = {
        "many": {
            "cp": copy("old"),
            "redist": [redist, "convert", "many.json", *sync],
            "redist, 64 MiB": [redist, "convert", "many.json", *sync, "--memory", "64MiB"],
            "safetensors": [*own, "safetensors"],
        },
        "one": {
            "cp": copy("raw"),
            "redist": [redist, "convert", "one.json", *sync],
            "numpy memmaps": [*own, "memmaps"],
        },
    }
    if has("zarr"):
        cases["zarr"] = {
            "cp": copy("tiles"),
            "redist": [redist, "convert", "bands.json", *sync],
            "zarr": [*own, "zarr"],
        }
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        folder = Path(made)
        # A process of its own: the peak of a child counts what its parent had when it was forked.
        subprocess.run([*own, "write"], cwd=folder, check=True)
        for case, commands in cases.items():
            runs = {name: [] for name in commands}
            for _ in range(options.runs):
                # Shuffled, so that what the system does meanwhile meets all alike.
                for name in random.sample(list(commands), len(commands)):
                    runs[name].append(timed(folder, commands[name], options.cold))
            for name, found in runs.items():
                seconds = statistics.median(seconds for seconds, _ in found)
                times = statistics.median(own / base for (own, _), (base, _) in zip(found, runs["cp"]))
                peak = max(peak for _, peak in found) / 2**20
                print(f"{case:5} {name:16} {seconds:7.3f} s  {times:5.2f} x cp  {peak:7.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
