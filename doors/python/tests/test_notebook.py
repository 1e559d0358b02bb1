"""The notebook of the examples has no outputs, and its cells run and draw.

`REDIST_NOTEBOOK` names the notebook that nbconvert has made of it. Without it, its test is skipped.
"""

import ast
import json
import os
from pathlib import Path

import pytest

from conftest import MPI

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "plan.ipynb"
PLAYED = os.environ.get("REDIST_NOTEBOOK")
PICTURES = "plan", "volumes-drawn", "intersection", "schedule"


@pytest.fixture(scope="module")
def cells():
    notebook = json.loads(NOTEBOOK.read_text())
    return {cell["id"]: cell for cell in notebook["cells"] if cell["cell_type"] == "code"}


def run(source, names):
    """Runs a cell, and returns the value of its last line, as a notebook does."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names) if last else None


def test_no_output_is_kept(cells):
    assert len(cells) > 8
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells.values())


def test_the_cells_plan_simulate_and_draw(cells, capsys):
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")
    names = {}
    shown = {name: run("".join(cell["source"]), names) for name, cell in cells.items()}
    for name in PICTURES:
        assert shown[name]._repr_svg_().startswith("<svg"), name
    assert "<iframe" in shown["page"]._repr_html_()
    assert shown["volumes"].sum() == shown["verify"] == 12 * 16
    assert (shown["simulate"] == names["whole"][3:6]).all()
    said = capsys.readouterr().out
    plan = names["plan"]
    assert plan.explain() in said and said.count(" elements, boxes of ") == (plan.volumes > 0).sum()


def test_nbconvert_draws(cells):
    if not PLAYED:
        pytest.skip("REDIST_NOTEBOOK names none")
    outputs = {
        cell["id"]: cell.get("outputs", [])
        for cell in json.loads(Path(PLAYED).read_text())["cells"]
    }
    assert not any(
        output["output_type"] == "error" for of_cell in outputs.values() for output in of_cell
    )
    kinds = {
        name: {kind for output in of_cell for kind in output.get("data", ())}
        for name, of_cell in outputs.items()
    }
    assert set(cells) < set(kinds)
    assert all("image/svg+xml" in kinds[name] for name in PICTURES)
    assert "text/html" in kinds["page"] and "text/plain" in kinds["volumes"]
