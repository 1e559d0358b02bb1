#!/usr/bin/env python3
"""Times `redist convert` beside others that move a model's arrays from 8 files to 2, in one process each, in turns.

    python3 -m venv v && v/bin/pip install numpy safetensors zarr torch
    cargo build --release --features cli,zarr && v/bin/python benches/checkpoints.py [--mebibytes 256] [--arrays 48] [--runs 11]
        [--folder DIR] [--cold] [--rechunker PYTHON] [--results]

Four cases. Rows of 8 ranks become columns of 2, in runs of at least 4 KiB: `many` arrays of 2-byte numbers in safetensors, and `one`
array of doubles in raw files. Tiles of an array of Zarr become bands: `tiles` without compression, and `packed` by zstd. The
peers: `cp` of the same files, numpy memmaps of raw files, slices by the library safetensors (of torch's tensors where torch is
installed), a copy by the library `zarr`, and rechunker, of a Python that has it. Methods take turns in shuffled order. Files are in
the page cache, and nothing waits for the disk. With `--cold`, files are read from the disk and written to it: the cache is
emptied of them before, and all methods end when their files are on the disk. Prints the median seconds, the least and the most, the
median of the multiples of `cp` in the same round, and the peak of resident memory; `--results` writes them to
`benches/results/checkpoints.md`, too.
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
from datetime import date
from pathlib import Path

# Cases of arrays in chunks, and their codecs.
CODECS = {"tiles": None, "packed": "zstd"}

ROWS, COLUMNS = "(block, *) onto 8", "(*, block) onto 2"


def shapes(options):
    """Extents of the arrays: half a row has at least 4 KiB."""
    rows = max(8, options.mebibytes * 2**20 // 2 // options.arrays // 4096)
    return {f"layers.{number}.w": (rows + number % 29, 4096 + number % 13 * 2) for number in range(options.arrays)}


PAGE = """# Arrays in files

`python benches/checkpoints.py --rechunker PYTHON --results` measures, and writes the first table; with `--cold`, the second. The script says
what it needs. Rows of 8 files become columns of 2: `many` is 48 arrays of 2-byte numbers in safetensors, `one` an array of doubles in raw
files. Tiles of 512 × 512 doubles of Zarr, version 2, become bands of 64 rows: `tiles` without compression, `packed` by zstd. `cp`
copies the same files. All methods take turns, in an order that each round draws; a multiple of `cp` is of the same round.

## In the page cache

<!-- begin warm -->
<!-- end warm -->

## From the disk to the disk

The cache is emptied of the files before each run, and a method ends when what it has written is on the disk.

<!-- begin cold -->
<!-- end cold -->
"""


def bounds(extent, ranks, rank):
    block = -(-extent // ranks)
    return min(rank * block, extent), min((rank + 1) * block, extent)


def write(folder, options):
    import numpy
    from safetensors.numpy import save_file

    draw, (old, raw) = numpy.random.default_rng(1), (folder / "old", folder / "raw")
    for made in (old, raw):
        made.mkdir()
    arrays = {name: draw.integers(0, 2**15, shape, dtype="i2") for name, shape in shapes(options).items()}
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
    of_many = {"defaults": {"element": "i16", **layouts, **files}, "array": named}
    (folder / "many.json").write_text(json.dumps(of_many))
    files = {"in": "raw/{rank}.bin", "out": "new/{rank}.bin"}
    of_one = {"array": [{"name": "a", "extents": [side, side], "element": "f64", **layouts, **files}]}
    (folder / "one.json").write_text(json.dumps(of_one))
    if has("zarr"):
        import zarr

        for case, compressors in CODECS.items():
            (folder / case).mkdir()
            numbers = whole if compressors is None else draw.integers(0, 1000, whole.shape).astype("f8")
            # Version 2, which rechunker reads as well.
            tiles = zarr.create_array(folder / case / "a.zarr", shape=whole.shape, chunks=(512, 512), dtype="f8", zarr_format=2,
                                      compressors=codec(compressors))
            tiles[:] = numbers
            array = {"name": "a", "in": f"{case}/a.zarr", "out": "new/a.zarr", "out_format": "zarr2", "chunks": [64, side],
                     "codec": compressors or "none"}
            (folder / f"{case}.json").write_text(json.dumps({"array": [array]}))


def codec(name):
    import numcodecs

    return name and numcodecs.Zstd(3)


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


def by_zarr(folder, case):
    """Rows of chunks of the source at a time."""
    import zarr

    source = zarr.open_array(folder / case / "a.zarr", mode="r")
    chunks = (64, source.shape[1])
    made = zarr.create_array(folder / "new/a.zarr", shape=source.shape, chunks=chunks, dtype="f8", zarr_format=2,
                             compressors=codec(CODECS[case]))
    for row in range(0, source.shape[0], 512):
        made[row : row + 512] = source[row : row + 512]


def by_rechunker(folder, case):
    """A plan of dask's tasks, by its threads, within the memory that `redist` has."""
    import zarr
    from rechunker import rechunk

    source = zarr.open_array(str(folder / case / "a.zarr"), mode="r")
    stores = {"target_store": str(folder / "new/a.zarr"), "temp_store": str(folder / "new/between.zarr")}
    rechunk(source, (64, source.shape[1]), "128MB", **stores, target_options={"compressor": codec(CODECS[case])}).execute()


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


def measured(folder, commands, options):
    """Seconds and peak bytes of each command in each round, shuffled, so that what the system does meanwhile meets all alike."""
    runs = {name: [] for name in commands}
    for _ in range(options.runs):
        for name in random.sample(list(commands), len(commands)):
            runs[name].append(timed(folder, commands[name], options.cold))
    return runs


def lines(case, runs):
    for name, found in runs.items():
        seconds = [seconds for seconds, _ in found]
        times = [own / base for (own, _), (base, _) in zip(found, runs["cp"])]
        spread = lambda numbers, form: f"{statistics.median(numbers):{form}} ({min(numbers):{form}}–{max(numbers):{form}})"
        peak = max(peak for _, peak in found) / 2**20
        yield f"| {case} | {name} | {spread(seconds, '.3f')} | {spread(times, '.2f')} | {peak:.0f} |"


def processor():
    words = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{words[0] if words else os.uname().machine}, {len(os.sched_getaffinity(0))} cores, linux {os.uname().machine}"


def priority():
    is_real_time = os.sched_getscheduler(0) in (os.SCHED_RR, os.SCHED_FIFO)
    return ", all methods at real-time priority" if is_real_time else ""


def keep(kind, table):
    """Writes a table between the marks of its kind."""
    path = Path(__file__).parent / "results/checkpoints.md"
    text = path.read_text() if path.exists() else PAGE
    marks = [f"<!-- begin {kind} -->\n", f"<!-- end {kind} -->"]
    before, after = text.split(marks[0])[0], text.split(marks[1])[1]
    path.write_text(before + marks[0] + table + marks[1] + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=256)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--arrays", type=int, default=48)
    parser.add_argument("--folder")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--cases", default="many,one,tiles,packed")
    parser.add_argument("--rechunker", help="a Python that has rechunker")
    parser.add_argument("--results", action="store_true")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    peers = {"write": write, "safetensors": by_safetensors, "memmaps": by_memmaps, "zarr": by_zarr, "rechunker": by_rechunker}
    if options.peer:
        return peers[options.peer](Path.cwd(), options.case or options)
    redist = os.environ.get("REDIST", f"{os.environ.get('CARGO_TARGET_DIR', 'target')}/release/redist")
    redist = str(Path(redist).resolve())
    own = [str(Path(__file__).resolve()), "--mebibytes", str(options.mebibytes), "--arrays", str(options.arrays)]
    own_python = [sys.executable, *own]
    copy = lambda name: ["sh", "-c", f"cp -r {name}/* new/"]
    sync = [] if options.cold else ["--no-sync"]
    cases = {
        "many": {
            "cp": copy("old"),
            "redist": [redist, "convert", "many.json", *sync],
            "redist, 64 MiB": [redist, "convert", "many.json", *sync, "--memory", "64MiB"],
            f"safetensors, {'torch' if has('torch') else 'numpy'}": [*own_python, "--peer", "safetensors"],
        },
        "one": {
            "cp": copy("raw"),
            "redist": [redist, "convert", "one.json", *sync],
            "numpy memmaps": [*own_python, "--peer", "memmaps"],
        },
    }
    for case in CODECS if has("zarr") else []:
        cases[case] = {
            "cp": copy(case),
            "redist": [redist, "convert", f"{case}.json", *sync],
            "redist, 64 MiB": [redist, "convert", f"{case}.json", *sync, "--memory", "64MiB"],
            "zarr": [*own_python, "--case", case, "--peer", "zarr"],
        }
        if options.rechunker:
            cases[case]["rechunker"] = [options.rechunker, *own, "--case", case, "--peer", "rechunker"]
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        folder = Path(made)
        # A process of its own: the peak of a child counts what its parent had when it was forked.
        subprocess.run([*own_python, "--peer", "write"], cwd=folder, check=True)
        of = f"{options.mebibytes} MiB, {'on the disk' if options.cold else 'in the page cache'}"
        table = f"{processor()}; {date.today()}; {of}{priority()}; median of {options.runs} rounds (least–most)\n\n"
        table += "| case | method | seconds | of `cp` | peak, MiB |\n|---|---|---|---|---|\n"
        for case in options.cases.split(","):
            for line in lines(case, measured(folder, cases[case], options)):
                table += line + "\n"
                print(line, flush=True)
    if options.results:
        keep("cold" if options.cold else "warm", table)


if __name__ == "__main__":
    main()
