"""The blocks of docs/torch.md run, on two processes over gloo."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not there")
if not torch.distributed.is_available():
    pytest.skip("this torch has no torch.distributed", allow_module_level=True)

from conftest import MPI
from torch_ranks import on_ranks

if MPI and MPI.COMM_WORLD.size > 1:
    pytest.skip("of one process", allow_module_level=True)
PAGE = Path(__file__).resolve().parents[3] / "docs" / "torch.md"


def test_the_page():
    blocks = [block.split("```")[0] for block in PAGE.read_text().split("```python\n")[1:]]
    assert len(blocks) == 5

    def run(rank):
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), {})

    on_ranks(2, run)
