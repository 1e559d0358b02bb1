"""`xarray.open_dataset(files, engine="redist", layout=…)`: xarray finds this by the package's entry point."""

import importlib
import types
from typing import Any, Iterable, Optional, Sequence

import numpy
from .files import FileArray, open_array

try:
    _backends: Any = importlib.import_module("xarray.backends")
except ImportError:
    # Only xarray asks for this module.
    _backends = types.SimpleNamespace(BackendArray=object, BackendEntrypoint=object)


def _xarray(module: str = "") -> Any:
    return importlib.import_module(f"xarray{module}")


class _Lazy(_backends.BackendArray):  # type: ignore[misc]
    def __init__(self, array: FileArray) -> None:
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __getitem__(self, key: Any) -> Any:
        indexing = _xarray(".core.indexing")
        support = indexing.IndexingSupport.BASIC
        return indexing.explicit_indexing_adapter(key, self.shape, support, lambda key: numpy.asarray(self.array[key]))


class RedistBackend(_backends.BackendEntrypoint):  # type: ignore[misc]
    """Arrays in files of any layout, as variables that are read when they are asked for."""

    description = "arrays in files of block-cyclic layouts, by redist"
    open_dataset_parameters = ("filename_or_obj", "drop_variables", "layout", "names", "dims", "options")

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: Optional[Iterable[str]] = None,
        layout: Optional[str] = None,
        names: Sequence[Optional[str]] = (None,),
        dims: Optional[Sequence[str]] = None,
        options: Optional[dict] = None,
    ) -> Any:
        """Opens arrays `names` of the files, with the layout and the options of `redist.open_array`."""
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        arrays = [open_array(filename_or_obj, layout, name=name, **(options or {})) for name in names if name not in dropped]
        variables = {}
        for name, array in zip([name for name in names if name not in dropped], arrays):
            own = dims if dims is not None else [f"dim_{axis}" for axis in range(array.ndim)]
            lazy = _xarray(".core.indexing").LazilyIndexedArray(_Lazy(array))
            variables[name or "array"] = _xarray().Variable(own, lazy, encoding={"preferred_chunks": _preferred(own, array)})
        dataset = _xarray().Dataset(variables)

        def close() -> None:
            for array in arrays:
                array.close()

        dataset.set_close(close)
        return dataset

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Opens nothing unasked: the files do not say their layout."""
        return False


def _preferred(dims: Sequence[str], array: FileArray) -> dict:
    return dict(zip(dims, array.chunks)) if array.chunks else {}
