"""The types and the documentation that editors show: those of the extension, and of use to a checker."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import redist
from conftest import MPI

pytest.importorskip("mypy")
HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def on_one_process():
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")


def call(module, *arguments):
    launched = ("OMPI_", "PMIX_", "PMI_", "ORTE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(launched)}
    return subprocess.run([sys.executable, "-m", module, *arguments], env=clean, capture_output=True, text=True)


def test_types_are_those_of_the_extension():
    checked = call("mypy.stubtest", "redist")
    assert checked.returncode == 0, checked.stdout


def test_a_program_is_checked(tmp_path):
    program = HERE / "typed.py"
    checked = call("mypy", "--strict", "--cache-dir", str(tmp_path), str(program))
    found = {line.split(":")[1]: line.rsplit("[", 1)[1].rstrip("]") for line in checked.stdout.splitlines() if ": error: " in line}
    expected = {
        str(number): line.rsplit("# error: ", 1)[1]
        for number, line in enumerate(program.read_text().splitlines(), 1)
        if "# error: " in line
    }
    assert len(expected) == 8 and found == expected, checked.stdout


def test_everything_is_documented():
    """In the stub, which editors show, and in the extension, which `help` shows."""
    stub = ast.parse((Path(redist.__file__).parent / "_redist.pyi").read_text())
    for item in stub.body:
        if not isinstance(item, (ast.ClassDef, ast.FunctionDef)):
            continue
        assert ast.get_docstring(item), item.name
        runtime = getattr(redist._redist, item.name, None)
        assert runtime is None or runtime.__doc__, item.name
        for member in item.body if isinstance(item, ast.ClassDef) else ():
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                assert ast.get_docstring(member), f"{item.name}.{member.name}"
                assert runtime is None or getattr(runtime, member.name).__doc__, f"{item.name}.{member.name}"
