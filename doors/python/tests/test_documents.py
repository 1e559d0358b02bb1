"""What the documentation shows: its blocks run, its pictures are those of the example."""

import re
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import redist
from conftest import MPI

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "python.md"
EXAMPLES = HERE.parent / "examples"


def blocks(without_mpi):
    """The programs of the section for one process, or of the rest of the page."""
    before, own, *after = re.split(r"\n(?=## Without MPI\n|## Arrays\n)", PAGE.read_text())
    text = own if without_mpi else "".join([before, *after])
    return [block.split("```")[0] for block in text.split("```python\n")[1:]]


def test_the_page(comm):
    names = {}
    assert len(blocks(False)) > 3
    for block in blocks(False):
        exec(compile(block, str(PAGE), "exec"), names)
    assert (names["columns"] == names["columns"].astype(int)).all()


def test_the_part_without_mpi():
    assert len(blocks(True)) == 6 and not any("mpi4py" in block for block in blocks(True))
    for block in blocks(True):
        exec(compile(block, str(PAGE), "exec"), {})


class Tensor:
    """Keeps torch's rules for numpy's arrays of its memory, where torch is absent."""

    def __init__(self, memory, dtype=None, requires_grad=False, device="cpu"):
        self.memory, self.dtype, self.requires_grad, self.device = memory, dtype, requires_grad, device

    def numpy(self):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.device != "cpu":
            raise TypeError("can't convert a device's tensor to numpy. Use Tensor.cpu() first")
        if self.dtype == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.memory

    def detach(self):
        return Tensor(self.memory, self.dtype, device=self.device)

    def view(self, dtype):
        return Tensor(self.memory.view(dtype), device=self.device)

    def cpu(self):
        return Tensor(self.memory.copy(), self.dtype, self.requires_grad)

    def copy_(self, other):
        self.memory[...] = other.memory

    def __dlpack__(self, **options):
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()


TORCH = SimpleNamespace(uint16="u2", from_numpy=Tensor)
ROWS = [["a tensor that requires gradients, a `Parameter`", "f4"], ["of `bfloat16`, with a plan for `\"u2\"`", "u2"],
        ["on a device", "f4"], ["of another library with DLPack", "f4"]]


def row(tensor):
    """The code in the page's row of such a tensor."""
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {tensor} |"))
    return re.findall("`([^`]*)`", line.split("|")[2])


def test_the_page_has_no_other_row_about_tensors():
    table = PAGE.read_text().split("| tensor | array |\n|---|---|\n")[1].split("\n\n")[0]
    assert [line.split("|")[1].strip() for line in table.splitlines()] == [tensor for tensor, _ in ROWS]


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_a_tensor_moves_as_the_page_says(comm, number):
    tensor_is, dtype = ROWS[number]
    bound = redist.Plan((4, 6), "(*, *)", "(*, *) transposed", dtype).bind(MPI.COMM_SELF)
    memory, arrived = np.arange(24).astype(dtype).reshape(4, 6), np.zeros((6, 4), dtype)
    kind = {0: {"requires_grad": True}, 1: {"dtype": "bfloat16"}, 2: {"device": "cuda"}, 3: {}}[number]
    tensor, out_tensor = Tensor(memory, **kind), Tensor(arrived, **kind)
    if number < 3:
        with pytest.raises((RuntimeError, TypeError)):
            tensor.numpy()
    code, *back = row(tensor_is)
    # A method of the tensor, or an expression of it.
    expression = f"tensor{code}" if code.startswith(".") else code
    array, out = (eval(expression, {"tensor": which, "torch": TORCH, "numpy": np}) for which in (tensor, out_tensor))
    assert np.shares_memory(array, memory) == (number != 2)
    bound.run(array, np.asarray(out) if out.flags.writeable else arrived)
    for line in back:
        eval(line, {"tensor": out_tensor, "torch": TORCH, "out": out})
    assert (arrived == memory.T).all()


def test_a_plain_tensor_moves_without_a_copy(comm):
    assert "bound.run(tensor.numpy(), out.numpy())" in PAGE.read_text()
    bound = redist.Plan((4, 6), "(*, *)", "(*, *) transposed").bind(MPI.COMM_SELF)
    tensor, out = Tensor(np.arange(24.0).reshape(4, 6)), Tensor(np.zeros((6, 4)))
    exec("bound.run(tensor.numpy(), out.numpy())", {"bound": bound, "tensor": tensor, "out": out})
    assert (out.memory == tensor.memory.T).all()


def test_torch_itself_moves_so(comm):
    torch = pytest.importorskip("torch")
    bound = redist.Plan((4, 6), "(*, *)", "(*, *) transposed", "u2").bind(MPI.COMM_SELF)
    tensor, out = torch.arange(24, dtype=torch.bfloat16).reshape(4, 6), torch.zeros((6, 4), dtype=torch.bfloat16)
    bound.run(tensor.view(torch.uint16).numpy(), out.view(torch.uint16).numpy())
    assert torch.equal(out, tensor.T)
    bound = redist.Plan((4, 6), "(*, *)", "(*, *) transposed", "float32").bind(MPI.COMM_SELF)
    tensor, out = torch.nn.Parameter(torch.arange(24.0).reshape(4, 6)), torch.zeros((6, 4))
    bound.run(tensor.detach().numpy(), np.from_dlpack(out))
    assert torch.equal(out, tensor.detach().T)


def test_a_group_of_torch_is_no_communicator():
    class ProcessGroup:
        pass

    with pytest.raises(redist.CommunicatorError, match="a ProcessGroup is no communicator; bring one of mpi4py's"):
        redist.Plan(4, "*", "*").bind(ProcessGroup())


def test_the_pictures_of_the_example(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tiles.py", str(tmp_path)])
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")
    runpy.run_path(str(EXAMPLES / "tiles.py"))
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == ["tiles-ownership.svg", "tiles-volumes.svg"]
    for name in drawn:
        # To renew them: `python examples/tiles.py examples`.
        assert (EXAMPLES / name).read_text() == (tmp_path / name).read_text(), name
