"""Writes arrays by the library `zarr`, or checks arrays that it reads: `peers.py write FOLDER`, `peers.py read FOLDER`."""

import json
import sys
from pathlib import Path

import numpy
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec


def values(dtype, shape):
    numbers = numpy.arange(numpy.prod(shape), dtype="u4").reshape(shape) * 7919 % 1009
    if dtype == "complex64":
        return (numbers + 1j * (numbers % 13)).astype(dtype)
    return (numbers % 251).astype(dtype) if numpy.dtype(dtype).itemsize == 1 else numbers.astype(dtype)


def write(folder):
    cases = []

    def add(dtype, shape, chunks, **more):
        name = f"{len(cases)}.zarr"
        array = zarr.create_array(folder / name, shape=shape, chunks=chunks, dtype=dtype, **more)
        whole = values(dtype, shape)
        array[:] = whole
        cases.append({"in": name, "dtype": dtype, "shape": shape})
        whole.tofile(folder / f"{name}.raw")
        return array, whole

    for dtype in ["float64", "float32", "float16", "int8", "uint16", "int32", "uint64", "complex64"]:
        add(dtype, [23, 31], [7, 10])
    for compressors in [None, GzipCodec(level=3), ZstdCodec(level=5, checksum=True), [ZstdCodec(), Crc32cCodec()],
                        *(BloscCodec(cname=name, shuffle=shuffle)
                          for name in ["lz4", "lz4hc", "blosclz", "zstd", "zlib"] for shuffle in ["shuffle", "bitshuffle"])]:
        add("float32", [23, 31], [7, 10], compressors=compressors)
    add("float64", [23, 31], [7, 10], serializer=BytesCodec(endian="big"))
    add("float64", [23, 31, 5], [7, 10, 2], filters=[TransposeCodec(order=(2, 0, 1))])
    add("float64", [40, 60], [5, 6], shards=[20, 30])
    add("float64", [23, 31], [5, 6], shards=[10, 12], compressors=None)
    add("int16", [23, 31], [7, 10], chunk_key_encoding={"name": "v2", "separator": "/"})
    add("int16", [23, 31], [7, 10], chunk_key_encoding={"name": "default", "separator": "."})
    add("float64", [100], [7], fill_value=2.5)
    for order in "CF":
        add("float64", [23, 31], [7, 10], zarr_format=2, order=order)
    for dtype in [">f8", "<i4", "|u1", "<f2"]:
        add(dtype, [23, 31], [7, 10], zarr_format=2)
    import numcodecs

    for codec in [None, numcodecs.Zlib(3), numcodecs.GZip(2), numcodecs.Zstd(4), numcodecs.Blosc(shuffle=2)]:
        add("float32", [23, 31], [7, 10], zarr_format=2, compressors=codec)
    # Chunks that are not there, of zeros and of a fill value.
    for fill in [0.0, -1.5, float("nan"), float("inf")]:
        array, whole = add("float64", [30, 30], [10, 10], fill_value=fill)
        array[10:20] = fill
        whole[10:20] = fill
        whole.tofile(folder / f"{cases[-1]['in']}.raw")
    (folder / "cases.json").write_text(json.dumps(cases))


def read(folder):
    for case in json.loads((folder / "cases.json").read_text()):
        whole = numpy.fromfile(folder / f"{case['in']}.raw", numpy.dtype(case["dtype"])).reshape(case["shape"])
        for out in case["out"]:
            found = zarr.open_array(folder / out, mode="r")[:]
            assert found.dtype.newbyteorder("=") == whole.dtype.newbyteorder("="), (case, out)
            assert numpy.array_equal(found, whole, equal_nan=True), (case, out)
            print("same", case["in"], out)


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
