"""Writes files by `h5py` and `netCDF4`, or checks those that they read: `peers.py write FOLDER`, `peers.py read FOLDER`."""

import json
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy


def values(dtype, shape):
    numbers = numpy.arange(numpy.prod(shape)).reshape(shape) * 7919 % 113
    return (numbers % 2 == 0) if dtype == "bool" else numbers.astype(dtype)


def write(folder):
    cases = []
    with h5py.File(folder / "h.h5", "w", userblock_size=512) as file:

        def add(dtype, shape=(23, 31), **more):
            name = f"group/{len(cases)}"
            whole = values(dtype, shape)
            file.create_dataset(name, data=whole, **more)
            netcdf = dtype not in ["bool", "f2", "<f2", "c8", "c16"]
            cases.append({"name": name, "in": "h.h5", "dtype": whole.dtype.str, "shape": shape, "netcdf": netcdf})

        for dtype in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "bool", "c8", "c16", ">i2", ">u8", ">f4", ">f8"]:
            add(dtype)
            add(dtype, chunks=(7, 10))
        for more in [{"compression": "gzip"}, {"compression": "gzip", "shuffle": True, "fletcher32": True},
                     {"chunks": (7, 10), "maxshape": (None, None)}, {"chunks": (50, 50), "maxshape": (None, None)},
                     {"scaleoffset": 0}]:
            add("i4", **more)
        add("f8", (5, 6, 7, 8), chunks=(2, 3, 4, 5))
        file["again"] = file["group/0"]
    with h5py.File(folder / "l.h5", "w", libver="latest") as file:
        for number in range(40):
            file.create_dataset(f"a/b/{number}", data=values("f4", (4, 5)))
        cases.append({"name": "a/b/17", "in": "l.h5", "dtype": "f4", "shape": (4, 5), "netcdf": True})
    with netCDF4.Dataset(folder / "n.nc", "w") as file:
        for name, extent in [("t", None), ("y", 5), ("x", 3)]:
            file.createDimension(name, extent)
        file.createVariable("x", "f8", ("x",))[:] = values("f8", (3,))
        # A variable of a dimension's name that is not its own.
        file.createVariable("y", "f4", ("y", "x"))[:] = values("f4", (5, 3))
        file.createVariable("w", "i2", ("t", "y", "x"), zlib=True)[:] = values("i2", (4, 5, 3))
        for name, dtype, shape in [("x", "f8", (3,)), ("y", "f4", (5, 3)), ("w", "i2", (4, 5, 3))]:
            cases.append({"name": name, "in": "n.nc", "dtype": dtype, "shape": shape, "netcdf": True})
    (folder / "cases.json").write_text(json.dumps(cases))


def read(folder):
    for number, case in enumerate(json.loads((folder / "cases.json").read_text())):
        dtype = "bool" if case["dtype"] == "|b1" else case["dtype"]
        whole = values(dtype, case["shape"])
        assert numpy.array_equal(numpy.load(folder / f"{number}.npy"), whole), case
        with h5py.File(folder / f"{number}.h5") as file:
            found = file[case["name"]][:]
            assert found.dtype == whole.dtype.newbyteorder("="), (case, found.dtype)
            assert numpy.array_equal(found, whole), case
        if case["netcdf"]:
            with netCDF4.Dataset(folder / f"{number}.nc4") as file:
                found = file[case["name"]][:]
                assert found.dtype == whole.dtype.newbyteorder("=") and numpy.array_equal(found, whole), case


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
