"""What the documentation shows: its blocks run, its pictures are those of the example."""

import runpy
import sys
from pathlib import Path

import pytest

from conftest import MPI

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "python.md"
EXAMPLES = HERE.parent / "examples"


def blocks():
    found = PAGE.read_text().split("```python\n")[1:]
    return [block.split("```")[0] for block in found]


def test_the_page(comm):
    names = {}
    assert len(blocks()) > 3
    for block in blocks():
        exec(compile(block, str(PAGE), "exec"), names)
    assert (names["columns"] == names["columns"].astype(int)).all()


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
