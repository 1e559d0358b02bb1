"""Loads torch when it is first used, so that the package needs none."""

from __future__ import annotations

import importlib
from typing import Any


class _Module:
    """Stands for a module, which the first look at an attribute imports."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        try:
            module = importlib.import_module(self._name)
        except ImportError as error:
            words = f"redist.torch moves tensors of torch, which cannot be imported: {error}; `pip install torch`"
            raise ImportError(words, name=self._name) from error
        return getattr(module, attribute)


torch: Any = _Module("torch")
dist: Any = _Module("torch.distributed")
