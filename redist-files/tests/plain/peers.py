"""Writes files by `numpy`, `safetensors`, `scipy` and programs of Fortran, or checks those that they read: `peers.py write FOLDER`,
`peers.py read FOLDER`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
from safetensors import TensorSpec, deserialize, serialize_file
from safetensors.numpy import load_file, save_file
from scipy.io import FortranFile

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "bool"]
SHAPES = [(23, 31), (7,), (3, 1, 5)]

# Types that NumPy does not have: the words of the library, and of its files.
OTHERS = {"bf16": ("bfloat16", "BF16"), "f8_e4m3": ("float8_e4m3fn", "F8_E4M3"), "f8_e5m2": ("float8_e5m2", "F8_E5M2")}


def values(dtype, shape):
    numbers = numpy.arange(numpy.prod(shape)).reshape(shape) * 7919 % 113
    return (numbers % 2 == 0) if dtype == "bool" else numbers.astype(dtype)


def write(folder):
    cases = []

    def add(file, name, dtype, shape, without="", more={}):
        cases.append({"in": file, "name": name, "dtype": dtype, "shape": shape, "not": without, "more": more})

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
    specs, all_bytes = {}, {name: other(name) for name in OTHERS}
    for name, own in all_bytes.items():
        specs[name] = TensorSpec(dtype=OTHERS[name][0], shape=[9, 5], data_ptr=own.ctypes.data, data_len=own.nbytes)
    serialize_file(specs, folder / "others.safetensors")
    for name in OTHERS:
        add("others.safetensors", name, name, (9, 5))
    for file, dtype, shape, order in records(folder):
        more = {"element": element(dtype), "extents": shape, "in_format": "records", "in_byte_order": order}
        add(file, "a", dtype, shape, more=more | {"from": f"({', '.join('*' * len(shape))}) storage fortran"})
    (folder / "cases.json").write_text(json.dumps(cases))


def element(dtype):
    return dtype if dtype == "bool" else f"{dtype[-2]}{8 * int(dtype[-1])}"


def other(name):
    width = 2 if name == "bf16" else 1
    return (numpy.arange(45 * width) * 37 % 251).astype("u1")


def records(folder):
    """Yields files of records, with their types, extents, and order of bytes."""
    for number, dtype in enumerate([*NUMBERS, ">f8"]):
        order = "big" if dtype.startswith(">") else "little"
        for columns, shape in enumerate([(23, 31), (3, 1, 5), (7,)]):
            whole, file = values(dtype, shape), f"r-{number}-{columns}.rec"
            with FortranFile(folder / file, "w", ">u4" if order == "big" else "<u4") as out:
                # One record, or one for each column.
                for record in whole.T.reshape(shape[-1] if columns == 0 else 1, -1):
                    out.write_record(record)
            yield file, dtype, shape, order
    if not shutil.which("gfortran"):
        return
    source = Path(__file__).with_name("peers.f90")
    # Records of at most 1000 bytes are cut into parts, as all records are that are longer than 2 GiB.
    for name, more in [("peers", []), ("parts", ["-fmax-subrecord-length=1000"])]:
        subprocess.run(["gfortran", *more, source, "-o", folder / name], check=True, cwd=folder)
        for dtype in ["f8", "i4"]:
            for task in ["whole", "columns", "big"]:
                file, order = f"{name}-{dtype}-{task}.rec", "big" if task == "big" else "little"
                subprocess.run([folder / name, task, dtype, folder / file], check=True)
                # Parts of columns are of two lengths.
                if (name, task) != ("parts", "columns"):
                    yield file, dtype, (23, 31), order


def found_of(path, name, case):
    if path.suffix == ".rec":
        dtype = case["dtype"].lstrip(">")
        if case["in"].startswith(("peers-", "parts-")):
            subprocess.run([path.parent / "peers", "read", dtype, path], check=True)
        with FortranFile(path) as file:
            return file.read_record(dtype).reshape(case["shape"], order="F")
    if path.suffix == ".npy":
        return numpy.load(path)
    return numpy.load(path)[name] if path.suffix == ".npz" else load_file(path)[name]


def read(folder):
    for case in json.loads((folder / "cases.json").read_text()):
        dtype, name = case["dtype"], case["name"]
        if name in OTHERS:
            out = next(out for out in case["out"] if out.endswith(".safetensors"))
            [(_, found)] = deserialize((folder / out).read_bytes())
            assert (found["dtype"], bytes(found["data"])) == (OTHERS[name][1], other(name).tobytes()), (case, found["dtype"])
            continue
        for out in map(folder.joinpath, case["out"]):
            whole, found = values(dtype, case["shape"]), found_of(out, name, case)
            assert found.dtype.newbyteorder("=") == whole.dtype.newbyteorder("="), (case, out, found.dtype)
            assert numpy.array_equal(found, whole), (case, out)


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
