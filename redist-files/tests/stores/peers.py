"""Reads arrays of a bucket by `zarr`, and writes one: `peers.py play FOLDER`."""

import json
import sys
from pathlib import Path

import numpy
import zarr


def play(folder):
    cases = json.loads((folder / "cases.json").read_text())
    whole = numpy.fromfile(folder / "raw").reshape(cases["shape"])
    options = {"key": "key", "secret": "secret", "client_kwargs": {"endpoint_url": cases["endpoint"], "region_name": "us-east-1"}}
    for name in cases["arrays"]:
        found = zarr.open_array(f"s3://bucket/{name}", mode="r", storage_options=options)
        assert found.dtype == "f8" and numpy.array_equal(found[:], whole, equal_nan=True), name
    theirs = zarr.create_array("s3://bucket/theirs.zarr", shape=whole.shape, chunks=(50, 70), dtype="f8", storage_options=options)
    theirs[:] = whole


{"play": play}[sys.argv[1]](Path(sys.argv[2]))
