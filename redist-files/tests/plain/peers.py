"""Writes files by `numpy` and `safetensors`, or checks those that they read: `peers.py write FOLDER`, `peers.py read FOLDER`."""

import json
import sys
from pathlib import Path

import numpy
from safetensors.numpy import load_file, save_file

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "bool"]
SHAPES = [(23, 31), (7,), (3, 1, 5)]


def values(dtype, shape):
    numbers = numpy.arange(numpy.prod(shape)).reshape(shape) * 7919 % 113
    return (numbers % 2 == 0) if dtype == "bool" else numbers.astype(dtype)


def write(folder):
    cases = []

    def add(file, name, dtype, shape, without=""):
        cases.append({"in": file, "name": name, "dtype": dtype, "shape": shape, "not": without})

    for dtype in [*NUMBERS, "c8", "c16", ">f8", ">i2"]:
        # Types that the library safetensors of numpy does not have.
        without = "safetensors" if dtype in ["c8", "c16"] else ""
        for order in "CF":
            file = f"{len(cases)}.npy"
            numpy.save(folder / file, numpy.asarray(values(dtype, (23, 31)), order=order))
            add(file, "a", dtype, (23, 31), without)
    arrays = {f"{dtype}-{len(shape)}": values(dtype, shape) for dtype in NUMBERS for shape in SHAPES}
    numpy.savez(folder / "all.npz", **arrays)
    save_file(arrays, folder / "all.safetensors", metadata={"format": "np"})
    for file in ["all.npz", "all.safetensors"]:
        for name, whole in arrays.items():
            add(file, name, name.split("-")[0], whole.shape)
    (folder / "cases.json").write_text(json.dumps(cases))


def found_of(path, name):
    if path.suffix == ".npy":
        return numpy.load(path)
    return numpy.load(path)[name] if path.suffix == ".npz" else load_file(path)[name]


def read(folder):
    for case in json.loads((folder / "cases.json").read_text()):
        dtype, name = case["dtype"], case["name"]
        for out in map(folder.joinpath, case["out"]):
            whole, found = values(dtype, case["shape"]), found_of(out, name)
            assert found.dtype.newbyteorder("=") == whole.dtype.newbyteorder("="), (case, out, found.dtype)
            assert numpy.array_equal(found, whole), (case, out)


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
