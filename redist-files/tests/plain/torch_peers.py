"""Writes a file of safetensors by `torch`, or checks those that it reads: `torch_peers.py write FOLDER`, `torch_peers.py read FOLDER`."""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

# By the names of arrays. Torch has types of eight bits since version 2.1.
TYPES = {"bf16": "bfloat16", "f16": "float16", "f64": "float64", "i16": "int16", "f8_e4m3": "float8_e4m3fn", "f8_e5m2": "float8_e5m2"}
SHAPE = (9, 5)


def values():
    numbers = torch.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE) * 7919 % 113
    return {name: numbers.float().to(getattr(torch, of)) for name, of in TYPES.items() if hasattr(torch, of)}


def write(folder):
    save_file(values(), folder / "torch.safetensors", metadata={"format": "pt"})
    cases = [{"in": "torch.safetensors", "name": name, "shape": SHAPE, "not": "", "more": {}} for name in values()]
    (folder / "cases.json").write_text(json.dumps(cases))


def read(folder):
    for case in json.loads((folder / "cases.json").read_text()):
        out = next(out for out in case["out"] if out.endswith(".safetensors"))
        found, whole = load_file(folder / out)[case["name"]], values()[case["name"]]
        assert found.dtype == whole.dtype and found.float().equal(whole.float()), (case, found.dtype)


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
