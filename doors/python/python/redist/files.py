"""Arrays in files as if they were whole: `redist.open_array` opens them, and boxes are read when they are asked for."""

import importlib
import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from ._redist import OpenedFiles, PlanError

__all__ = ["FileArray", "open_array"]

# Types of manifests that numpy lacks, and the names that `ml_dtypes` gives them.
_LACKING = {
    "bf16": ("bfloat16", "V2"),
    "f8_e4m3": ("float8_e4m3fn", "V1"),
    "f8_e5m2": ("float8_e5m2", "V1"),
    "f8_e8m0": ("float8_e8m0fnu", "V1"),
}

# Along an axis: the first index, the step, which may be negative, and the number of indices.
_Range = Tuple[int, int, int]


class FileArray:
    """An array in files of any layout and format, which boxes are read of when they are asked for.

    `array[2:5, ::-1]` reads what it names and nothing else; `numpy.asarray(array)` reads all of it. Threads may read at
    the same time. An object of another process, as `pickle` makes it, opens the files anew.
    """

    def __init__(self, manifest: Dict[str, Any], memory: int) -> None:
        self._manifest, self._memory = manifest, memory
        self._files = OpenedFiles(json.dumps(manifest), memory)
        self.shape: Tuple[int, ...] = self._files.shape
        self.code: str = self._files.code
        self.dtype = _dtype(self.code)
        self.chunks: Optional[Tuple[int, ...]] = self._files.chunks

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        elements = 1
        for extent in self.shape:
            elements *= extent
        return elements

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def closed(self) -> bool:
        """`True` once `close` was called."""
        return self._files.closed

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        state = ", closed" if self.closed else ""
        return f"<redist.FileArray {self._manifest['array'][0]['in']!r}: shape {self.shape}, dtype {self.dtype}{state}>"

    def __getitem__(self, key: Any) -> Any:
        ranges, kept, added = self._ranges(key)
        found = self._read(ranges)
        dots = any(one is Ellipsis for one in (key if isinstance(key, tuple) else (key,)))
        if all(one is None for one in kept) and not added:
            return found.reshape(()) if dots else found.reshape(())[()]
        found = found.reshape([one for one in kept if one is not None])
        for axis in added:
            found = numpy.expand_dims(found, axis)
        return found

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray:
        if copy is False:
            raise ValueError("an array in files becomes one in memory by a copy; leave out copy=False")
        whole = self[...]
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def read(self, box: Sequence[Tuple[int, int]], out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        """Reads the box with indices `(start, stop)` along each dimension, into `out` if it is there.

        Neither counts from the end; `out` has the box's shape, this dtype, and C order.
        """
        if len(box) != self.ndim:
            raise PlanError(f"box: expected {self.ndim} pairs of start and stop, found {len(box)}")
        for axis, (start, stop) in enumerate(box):
            if not 0 <= start <= stop <= self.shape[axis]:
                raise PlanError(f"box: dimension {axis}: {start}..{stop} is not in 0..{self.shape[axis]}")
        return self._read([(start, 1, stop - start) for start, stop in box], out)

    def to_dask(self, chunks: Any = None) -> Any:
        """Returns an array of dask, in `chunks` as `dask.array.from_array` has them; in those of the files, unless told."""
        # dask is optional.
        import dask.array  # type: ignore[import-not-found, import-untyped, unused-ignore]

        if chunks is None:
            chunks = self.chunks or "auto"
        return dask.array.from_array(self, chunks=chunks, asarray=True)

    def close(self) -> None:
        """Closes the files. Reading is an error from here on."""
        self._files.close()

    def __enter__(self) -> "FileArray":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Tuple[Any, ...]:
        return FileArray, (self._manifest, self._memory)

    def _read(self, ranges: Sequence[_Range], out: Optional[numpy.ndarray] = None) -> numpy.ndarray:
        extents = [extent for _, _, extent in ranges]
        # A range that goes down is read upwards, and turned.
        first = [0 if extent == 0 else start + min(step, 0) * (extent - 1) for start, step, extent in ranges]
        steps = [abs(step) for _, step, _ in ranges]
        found = numpy.empty(extents, self.dtype) if out is None else out
        if found.shape != tuple(extents) or found.dtype != self.dtype or not found.flags.c_contiguous:
            raise PlanError(f"out: expected an array of shape {tuple(extents)}, dtype {self.dtype} and C order")
        self._files.read_into((first, steps, extents), found.reshape(-1).view(numpy.uint8))
        if any(step < 0 for _, step, _ in ranges):
            found = found[tuple(slice(None, None, -1 if step < 0 else 1) for _, step, _ in ranges)]
        return found

    def _ranges(self, key: Any) -> Tuple[Sequence[_Range], Sequence[Optional[int]], Sequence[int]]:
        """Returns a range for each axis, the extents of axes that stay, and places of new axes."""
        keys = key if isinstance(key, tuple) else (key,)
        named = [one for one in keys if one is not None and one is not Ellipsis]
        dots = sum(one is Ellipsis for one in keys)
        if dots > 1:
            raise IndexError("an index has one `...` at most")
        if len(named) > self.ndim:
            raise IndexError(f"{len(named)} indices for an array of {self.ndim} dimensions")
        rest = [slice(None)] * (self.ndim - len(named))
        if not dots:
            keys = (*keys, Ellipsis)
        ranges: List[_Range] = []
        kept: List[Optional[int]] = []
        added: List[int] = []
        axes = 0
        for one in keys:
            if one is None:
                added.append(axes)
                axes += 1
                continue
            for own in rest if one is Ellipsis else [one]:
                axis = len(ranges)
                ranges.append(_range(own, self.shape[axis], axis))
                is_kept = isinstance(own, slice)
                kept.append(ranges[-1][2] if is_kept else None)
                axes += is_kept
        return ranges, kept, added


def _range(key: Any, extent: int, axis: int) -> _Range:
    if isinstance(key, slice):
        start, stop, step = key.indices(extent)
        return start, step, len(range(start, stop, step))
    if isinstance(key, (bool, numpy.bool_)) or not hasattr(key, "__index__"):
        words = "indices are integers, slices, `...` and None; lists and masks have to be taken of what was read"
        raise IndexError(f"dimension {axis}: {words}")
    index = key.__index__()
    if not -extent <= index < extent:
        raise IndexError(f"dimension {axis}: index {index} is not in -{extent}..{extent}")
    return index % extent, 1, 1


def _dtype(code: str) -> numpy.dtype:
    if code not in _LACKING:
        return numpy.dtype(code)
    name, plain = _LACKING[code]
    try:
        types = importlib.import_module("ml_dtypes")
    except ImportError:
        return numpy.dtype(plain)
    return numpy.dtype(getattr(types, name))


def open_array(
    files: Union[str, "os.PathLike[str]"],
    layout: Optional[str] = None,
    *,
    name: Optional[str] = None,
    shape: Optional[Sequence[int]] = None,
    element: Optional[str] = None,
    memory: int = 64 << 20,
    **more: Any,
) -> FileArray:
    """Opens an array in files, of which boxes are read when they are asked for.

    `files` is a pattern of names as in a manifest: `"part.{rank}.npy"`, `"model.safetensors"`, `"t2m.zarr"`. `layout` says
    what each file holds, `"(block, *) onto 8"`; without it, one file holds the array whole. `name` is the array's in files
    of several. `shape` in elements and `element`, as `"f64"` or `"bf16"`, may be left out where the files say them.
    Further keys are those of a manifest's source: `in_format`, `skip`, `stride`, `in_byte_order`, `element_bytes`.

    A read takes at most `memory` bytes of elements beside the array that it returns. `PlanError` tells a mistake in the
    words, `FileError` one of the files.
    """
    unknown = sorted(set(more) - {"in_format", "skip", "stride", "in_byte_order", "element_bytes"})
    if unknown:
        raise PlanError(f"open_array: {', '.join(unknown)} is no key of a source")
    own = {"in": os.fspath(files), "from": layout, "name": name, "element": element, **more}
    if shape is not None:
        own["extents"] = [int(extent) for extent in shape]
    array = {key: value for key, value in own.items() if value is not None}
    return FileArray({"array": [array]}, memory)
