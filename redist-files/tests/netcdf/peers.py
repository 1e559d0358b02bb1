"""Writes files by the library `netCDF4`, or checks those that it reads: `peers.py write FOLDER`, `peers.py read FOLDER`."""

import json
import sys
from pathlib import Path

import netCDF4
import numpy


def values(dtype, shape):
    return (numpy.arange(numpy.prod(shape)).reshape(shape) * 7919 % 113).astype(dtype)


def write(folder):
    cases = []
    classic = ["i1", "i2", "i4", "f4", "f8"]
    for form, types in [("NETCDF3_CLASSIC", classic), ("NETCDF3_64BIT_OFFSET", classic),
                        ("NETCDF3_64BIT_DATA", [*classic, "u1", "u2", "u4", "i8", "u8"])]:
        # Records of one variable, and of all.
        for records in [types[:1], types[1:2], types]:
            name = f"{len(cases)}.nc"
            with netCDF4.Dataset(folder / name, "w", format=form) as file:
                file.title = "three words here"
                for dimension, extent in [("t", None), ("y", 5), ("x", 3)]:
                    file.createDimension(dimension, extent)
                for dtype in types:
                    file.createVariable(f"fixed_{dtype}", dtype, ("y", "x")).units = "m"
                for dtype in records:
                    file.createVariable(f"rows_{dtype}", dtype, ("t", "y", "x"))
                for dtype in types:
                    file[f"fixed_{dtype}"][:] = values(dtype, (5, 3))
                for dtype in records:
                    file[f"rows_{dtype}"][:] = values(dtype, (4, 5, 3))
            cases += [{"name": f"fixed_{dtype}", "in": name, "dtype": dtype, "shape": (5, 3)} for dtype in types]
            cases += [{"name": f"rows_{dtype}", "in": name, "dtype": dtype, "shape": (4, 5, 3)} for dtype in records]
    (folder / "cases.json").write_text(json.dumps(cases))


def read(folder):
    for number, case in enumerate(json.loads((folder / "cases.json").read_text())):
        whole = values(case["dtype"], case["shape"])
        assert numpy.array_equal(numpy.load(folder / f"{number}.npy"), whole), case
        with netCDF4.Dataset(folder / f"out-{number}.nc") as file:
            found = file[case["name"]][:]
            assert found.dtype == whole.dtype and numpy.array_equal(found, whole), case


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
