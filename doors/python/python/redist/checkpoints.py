"""Checkpoints of `torch.distributed.checkpoint` as manifests of `redist.convert`, and back.

    python -m redist.checkpoints manifest FOLDER --out "model-{rank}.safetensors" > model.json
    python -m redist.checkpoints save model.json FOLDER

Python reads `.metadata`, which is a pickle: take only those that you trust. The manifest says where the elements are, and
whoever reads that one unpickles nothing.
"""

import argparse
import importlib
import io
import itertools
import json
import os
import struct
import sys
import warnings
import zipfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._redist import FileError, PlanError
from .files import FileArray
from .torch._lazy import torch

__all__ = ["manifest", "save"]

# Types of torch, and their names in manifests.
_ELEMENTS = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8_e4m3", "float8_e5m2": "f8_e5m2",
    "float8_e8m0fnu": "f8_e8m0", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "u64", "uint32": "u32",
    "uint16": "u16", "uint8": "u8", "bool": "bool", "complex64": "Complex<f32>", "complex128": "Complex<f64>",
}  # fmt: skip

# Codes of numpy, and types of torch.
_CODES = {
    "<f8": "float64", "<f4": "float32", "<f2": "float16", "bf16": "bfloat16", "f8_e4m3": "float8_e4m3fn", "f8_e5m2": "float8_e5m2",
    "f8_e8m0": "float8_e8m0fnu", "<i8": "int64", "<i4": "int32", "<i2": "int16", "|i1": "int8", "<u8": "uint64", "<u4": "uint32",
    "<u2": "uint16", "|u1": "uint8", "|b1": "bool", "<c8": "complex64", "<c16": "complex128",
}  # fmt: skip

_Path = Union[str, "os.PathLike[str]"]


def manifest(folder: _Path, out: Optional[str] = None) -> Dict[str, Any]:
    """Returns a manifest whose sources are the tensors of a checkpoint, for `redist.convert`.

    `out` is the pattern of the files to write, and each array may get its layout `to`: without one it is written whole.
    What is no tensor with dimensions is left out, with a warning. `FileError` tells a tensor whose parts have no layout,
    or whose bytes are not those of its elements.
    """
    folder = os.path.abspath(os.fspath(folder))
    metadata = _dcp().FileSystemReader(folder).read_metadata()
    is_tensor = _dcp("metadata").TensorStorageMetadata
    arrays, left_out = [], []
    for name, stored in metadata.state_dict_metadata.items():
        if not isinstance(stored, is_tensor) or not stored.size:
            left_out.append(name)
            continue
        try:
            arrays.append(_array(folder, (name, stored), metadata.storage_data))
        except (FileError, OSError, zipfile.BadZipFile) as error:
            raise FileError(f"{folder}: tensor `{name}`: {error}") from error
    if left_out:
        warnings.warn(f"no tensors with dimensions, and left out: {', '.join(left_out)}", stacklevel=2)
    found: Dict[str, Any] = {"defaults": {"in_byte_order": "little"}, "array": arrays}
    if out is not None:
        found["defaults"]["out"] = out
    return found


def _dcp(module: str = "") -> Any:
    """Returns a module of torch's checkpoints, which is imported when it is used."""
    return importlib.import_module(f"torch.distributed.checkpoint{module and '.' + module}")


def _array(folder: str, named: Tuple[str, Any], places: Mapping[Any, Any]) -> Dict[str, Any]:
    name, stored = named
    chunks = {tuple(chunk.offsets): tuple(chunk.sizes) for chunk in stored.chunks if all(chunk.sizes)}
    layout, order = _layout(tuple(stored.size), chunks)
    parts = []
    for offset in order:
        place = places[_dcp("metadata").MetadataIndex(name, offset)]
        path = os.path.join(folder, place.relative_path)
        if place.transform_descriptors:
            raise FileError(f"was written through {', '.join(place.transform_descriptors)}")
        wanted = (chunks[offset], stored.properties.dtype)
        parts.append({"file": path, "skip": _skip(path, (place.offset, place.length), wanted)})
    dtype = str(stored.properties.dtype).replace("torch.", "")
    if dtype not in _ELEMENTS:
        raise FileError(f"elements of type {dtype} have no name in manifests")
    element = {"element": _ELEMENTS[dtype], "element_bytes": stored.properties.dtype.itemsize}
    return {"name": name, "extents": list(stored.size), **element, "from": layout, "parts": parts}


def _layout(
    shape: Sequence[int], chunks: Mapping[Tuple[int, ...], Tuple[int, ...]]
) -> Tuple[str, List[Tuple[int, ...]]]:
    """Returns the layout whose ranks hold these chunks, and the offsets of the chunks by rank."""
    starts = [sorted({offset[axis] for offset in chunks}) for axis in range(len(shape))]
    dists, grid = [], []
    for axis, extent in enumerate(shape):
        block = starts[axis][1] if len(starts[axis]) > 1 else extent
        if starts[axis] != list(range(0, extent, max(block, 1))):
            raise FileError(f"dimension {axis}: parts from {starts[axis]} on are no blocks of one length")
        dists.append(f"block({block})" if len(starts[axis]) > 1 else "*")
        grid += [len(starts[axis])] if len(starts[axis]) > 1 else []
    order = list(itertools.product(*starts))
    for offset in order:
        expected = tuple(
            min((starts[axis][1] if len(starts[axis]) > 1 else extent), extent - offset[axis])
            for axis, extent in enumerate(shape)
        )
        if chunks.get(offset) != expected:
            raise FileError(f"at {list(offset)}: expected a part of {list(expected)}, found {chunks.get(offset)}")
    words = dists[0] if len(dists) == 1 else f"({', '.join(dists)})"
    if grid:
        words += f" onto {grid[0]}" if len(grid) == 1 else f" onto ({', '.join(map(str, grid))})"
    return words, order


class _Window(io.RawIOBase):
    """Bytes of a file from one on, as a file."""

    def __init__(self, path: str, start: int, length: int) -> None:
        self.file, self.start, self.length, self.at = open(path, "rb"), start, length, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = offset + (0, self.at, self.length)[whence]
        return self.at

    def tell(self) -> int:
        return self.at

    def readinto(self, buffer: Any) -> int:
        self.file.seek(self.start + self.at)
        most = max(0, min(len(buffer), self.length - self.at))
        count = self.file.readinto(memoryview(buffer)[:most])
        self.at += count
        return count

    def close(self) -> None:
        self.file.close()
        super().close()


def _skip(path: str, place: Tuple[int, int], wanted: Tuple[Tuple[int, ...], Any]) -> int:
    """Returns the first byte of a tensor's elements in a file that `torch.save` has written a part of."""
    sizes, dtype = wanted
    with _Window(path, *place) as window, zipfile.ZipFile(window) as records:
        found = [record for record in records.infolist() if record.filename.endswith("/data/0")]
        orders = [record for record in records.infolist() if record.filename.endswith("/byteorder")]
        if len(found) != 1 or found[0].compress_type != zipfile.ZIP_STORED:
            raise FileError("expected one record of elements, without compression")
        if orders and records.read(orders[0]) != b"little":
            raise FileError("numbers begin with their highest byte")
        fake = importlib.import_module("torch._subclasses.fake_tensor").FakeTensorMode
        window.seek(0)
        # Without the elements, which may be many.
        with fake():
            tensor = torch.load(window, weights_only=True)
        same = tuple(tensor.shape) == sizes and tensor.dtype == dtype
        if not same or not tensor.is_contiguous() or tensor.storage_offset():
            raise FileError(f"expected {list(sizes)} elements of {dtype} in C order, found {tensor}")
        expected = tensor.numel() * tensor.element_size()
        if found[0].file_size != expected:
            raise FileError(f"expected {expected} bytes of elements, found {found[0].file_size}")
        window.seek(found[0].header_offset)
        header = window.read(30)
        name, extra = struct.unpack("<HH", header[26:30])
        return place[0] + found[0].header_offset + 30 + name + extra


def _planner(arrays: Mapping[str, FileArray]) -> Any:
    """Returns a planner that reads a tensor when it is its turn, so that one is in memory at a time."""

    def lookup(index: Any) -> Any:
        array = arrays[index.fqn]
        # Bytes, because numpy has not all types.
        whole = array[...].reshape(-1).view("u1")
        return torch.from_numpy(whole).view(_type(index.fqn, array)).reshape(array.shape)

    planner = _dcp().DefaultSavePlanner(flatten_state_dict=False)
    planner.lookup_object = lookup
    return planner


def _type(name: str, array: FileArray) -> Any:
    code = array.code
    if code not in _CODES or not hasattr(torch, _CODES[code]):
        raise PlanError(f"array `{name}`: torch has no type for {code}")
    return getattr(torch, _CODES[code])


def save(source: Union[_Path, Mapping[str, Any]], folder: _Path, *, memory: int = 64 << 20) -> List[str]:
    """Writes the sources of a manifest as a checkpoint of torch, by torch itself, and returns their names.

    `source` is a manifest in JSON, or a dictionary of its keys, without names with `*`. `folder` is made, or is empty. One
    array is in memory at a time. A folder without `.metadata`, which is written last, is no checkpoint.
    """
    folder = os.fspath(folder)
    if os.path.isdir(folder) and os.listdir(folder):
        raise FileError(f"{folder}: is not empty, and nothing in it is replaced")
    arrays: Dict[str, FileArray] = {}
    try:
        for keys in _sources(source):
            name = keys.get("name")
            if name is None or name in arrays:
                raise PlanError(f"array `{name}`: has no name, or that of another")
            arrays[name] = FileArray({"array": [keys]}, memory)
        state = {name: torch.empty(one.shape, dtype=_type(name, one), device="meta") for name, one in arrays.items()}
        writer = _dcp().FileSystemWriter(folder, thread_count=1)
        _dcp().save(state, storage_writer=writer, planner=_planner(arrays), no_dist=True)
    finally:
        for array in arrays.values():
            array.close()
    return list(arrays)


def _sources(source: Union[_Path, Mapping[str, Any]]) -> Iterable[Dict[str, Any]]:
    folder, keys_of_all = "", source
    if not isinstance(source, Mapping):
        folder = os.path.dirname(os.fspath(source))
        with open(source, encoding="utf-8") as file:
            keys_of_all = json.load(file)
    text: Any = keys_of_all
    of_source = ["name", "extents", "element", "element_bytes", "from", "in", "in_format", "parts", "skip", "stride", "in_byte_order"]
    for array in text["array"]:
        both = {**text.get("defaults", {}), **array}
        keys = {key: both[key] for key in of_source if both.get(key) is not None}
        if "in" in keys:
            keys["in"] = os.path.join(folder, keys["in"])
        if "parts" in keys:
            keys["parts"] = [{**part, "file": os.path.join(folder, part["file"])} for part in keys["parts"]]
        yield keys


def _main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m redist.checkpoints", description=(__doc__ or "").splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    written = tasks.add_parser("manifest", help="prints the manifest of a checkpoint of torch")
    written.add_argument("folder")
    written.add_argument("--out", help="the pattern of the files to write")
    back = tasks.add_parser("save", help="writes the sources of a manifest as a checkpoint of torch")
    back.add_argument("manifest")
    back.add_argument("folder")
    asked = parser.parse_args(arguments)
    try:
        if asked.task == "manifest":
            json.dump(manifest(asked.folder, asked.out), sys.stdout, indent=1)
            print()
        else:
            save(asked.manifest, asked.folder)
    except (FileError, PlanError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main())
