"""Checkpoints of torch become files, and files become checkpoints that torch reads."""

import json
import os
import subprocess
import sys

import numpy
import pytest
import redist

torch = pytest.importorskip("torch")
dcp = pytest.importorskip("torch.distributed.checkpoint")
pytest.importorskip("torch.distributed.tensor")

from redist import checkpoints  # noqa: E402

TYPES = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int8", "uint8", "bool", "complex64"]

# Four ranks save tensors in rows, columns and tiles, uneven ones among them.
RANKS = """
import sys, torch, torch.distributed as dist, torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import distribute_tensor, Shard, Replicate
rank, folder = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=4)
mesh, grid = init_device_mesh("cpu", (4,)), init_device_mesh("cpu", (2, 2))
whole = torch.arange(13 * 7, dtype=torch.float32).reshape(13, 7)
state = {
    "rows": distribute_tensor(whole, mesh, [Shard(0)]),
    "columns": distribute_tensor(whole.to(torch.bfloat16), mesh, [Shard(1)]),
    "tiles": distribute_tensor(whole.double(), grid, [Shard(0), Shard(1)]),
    "copies": distribute_tensor(whole + 1, mesh, [Replicate()]),
    "few": distribute_tensor(torch.arange(5.0), mesh, [Shard(0)]),
    "step": 3,
}
dcp.save(state, checkpoint_id=f"{folder}/checkpoint")
"""


@pytest.fixture(scope="module")
def sharded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sharded")
    ranks = [subprocess.Popen([sys.executable, "-c", RANKS, str(rank), str(folder)]) for rank in range(4)]
    assert [rank.wait(300) for rank in ranks] == [0] * 4
    return folder


def test_tensors_of_four_ranks_become_files(sharded, tmp_path):
    with pytest.warns(UserWarning, match="left out: step"):
        manifest = checkpoints.manifest(sharded / "checkpoint", f"{tmp_path}/all.safetensors")
    layouts = {array["name"]: array["from"] for array in manifest["array"]}
    assert layouts == {
        "rows": "(block(4), *) onto 4", "columns": "(*, block(2)) onto 4", "tiles": "(block(7), block(4)) onto (2, 2)",
        "copies": "(*, *)", "few": "block(2) onto 3",
    }
    redist.convert(manifest, check=True)
    whole = numpy.arange(13 * 7, dtype="f4").reshape(13, 7)
    for name, expected in [("rows", whole), ("tiles", whole.astype("f8")), ("copies", whole + 1), ("few", numpy.arange(5, dtype="f4"))]:
        with redist.open_array(tmp_path / "all.safetensors", name=name) as array:
            assert array.dtype == expected.dtype and numpy.array_equal(array, expected), name
    with redist.open_array(tmp_path / "all.safetensors", name="columns") as array:
        bits = torch.from_numpy(whole).to(torch.bfloat16).view(torch.uint16).numpy()
        assert numpy.array_equal(array[...].view("u2"), bits)


def test_files_become_a_checkpoint_that_torch_reads(tmp_path):
    state = {f"a.{name}": (torch.arange(60) % 2).reshape(12, 5).to(getattr(torch, name)) for name in TYPES}
    dcp.save(state, checkpoint_id=tmp_path / "one", no_dist=True)
    parts = checkpoints.manifest(tmp_path / "one", f"{tmp_path}/part.{{name}}.{{rank}}")
    for array in parts["array"]:
        array["to"] = "(cyclic(2), block) onto (2, 3)"
    redist.convert(parts, check=True)
    there = [
        {**{key: array[key] for key in ["name", "extents", "element", "element_bytes"]}, "from": array["to"], "in": parts["defaults"]["out"]}
        for array in parts["array"]
    ]
    (tmp_path / "m.json").write_text(json.dumps({"array": there}))
    run = [sys.executable, "-m", "redist.checkpoints", "save", str(tmp_path / "m.json"), str(tmp_path / "two")]
    assert subprocess.run(run, check=False).returncode == 0
    found = {name: torch.zeros_like(tensor) for name, tensor in state.items()}
    dcp.load(found, checkpoint_id=tmp_path / "two", no_dist=True)
    for name, tensor in state.items():
        assert torch.equal(found[name].view(torch.uint8), tensor.view(torch.uint8)), name
    run[-3:] = ["manifest", str(tmp_path / "two")]
    told = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert [array["name"] for array in json.loads(told)["array"]] == list(state)


def test_mistakes_are_told(tmp_path):
    dcp.save({"a": torch.arange(6.0), "t": torch.arange(6.0).reshape(2, 3).t()}, checkpoint_id=tmp_path / "one", no_dist=True)
    with pytest.raises(redist.FileError, match="tensor `t`: expected .* in C order"):
        checkpoints.manifest(tmp_path / "one")
    dcp.save({"a": torch.arange(6.0)}, checkpoint_id=tmp_path / "two", no_dist=True)
    with pytest.raises(redist.FileError, match="is not empty"):
        checkpoints.save({"array": []}, tmp_path / "two")
    manifest = checkpoints.manifest(tmp_path / "two", f"{tmp_path}/x")
    [file] = {part["file"] for array in manifest["array"] for part in array["parts"]}
    os.truncate(file, 100)
    with pytest.raises(redist.FileError, match="bytes"):
        redist.convert(manifest)
    with pytest.raises(redist.FileError, match="tensor `a`"):
        checkpoints.manifest(tmp_path / "two")
    manifest["array"][0]["parts"] *= 2
    with pytest.raises(redist.PlanError, match="has 1 ranks, and `parts` has 2 files"):
        redist.convert(manifest)
    with pytest.raises(redist.PlanError, match="leave out `in`"):
        redist.convert({"array": [{**manifest["array"][0], "in": "y"}]})
