"""Reads the files of `data` by the libraries whose files they are, and writes `expected.json`: extents, type and the CRC-32 of the
little-endian elements in C order of each array. `expected.py FOLDER`, with numpy, scipy, h5py, netCDF4, zarr and safetensors."""

import json
import re
import sys
import zlib
from pathlib import Path

import h5py
import netCDF4
import numpy
import zarr
from safetensors.numpy import load_file
from scipy.io import FortranFile, netcdf_file


def arrays(path):
    """Names and arrays of a file."""
    if path.suffix == ".npy":
        yield "a", numpy.load(path)
    elif path.suffix == ".safetensors":
        yield from load_file(path).items()
    elif path.suffix == ".zarr":
        yield "a", zarr.open_array(path, mode="r")[...]
    elif path.suffix == ".dat":
        word, extents = re.fullmatch(r"fortran-s(..)-(.*)\.dat", path.name).groups()
        whole = FortranFile(path, "r").read_record("<" + word)
        yield "a", whole.reshape([int(extent) for extent in extents.split("x")], order="F")
    elif path.suffix == ".h5":
        with h5py.File(path) as file:
            yield from datasets(file)
    elif path.read_bytes()[:3] == b"CDF":
        with netcdf_file(path, mmap=False) as file:
            yield from ((name, variable.data) for name, variable in file.variables.items())
    else:
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            yield from ((name, variable[...]) for name, variable in file.variables.items())


def datasets(file):
    found = []
    file.visititems(lambda name, item: found.append((name, item[...])) if isinstance(item, h5py.Dataset) else None)
    return found


def main(folder):
    rows = []
    for path in sorted(folder.glob("*/*")):
        for name, whole in sorted(arrays(path)):
            plain = whole.astype(whole.dtype.newbyteorder("<"))
            kind = "bool" if plain.dtype == bool else f"{plain.dtype.kind}{8 * plain.dtype.itemsize}"
            file, crc = path.relative_to(folder).as_posix(), zlib.crc32(plain.tobytes("C"))
            rows.append({"in": file, "name": name, "element": kind, "extents": list(whole.shape), "crc": crc})
    lines = ",\n".join(json.dumps(row) for row in rows)
    (folder / "expected.json").write_text(f"[\n{lines}\n]\n")


main(Path(sys.argv[1]))
