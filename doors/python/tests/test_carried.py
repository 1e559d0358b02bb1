"""The examples of other carriers: each moves an array, and notices what does not arrive."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import MPI

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# By processes: the last step of a message, which a planted mistake leaves out.
ARRIVES = {
    "shared_memory": "box(out, view.dst, view.shape)[...] = box(a, view.src, view.shape)",
    "sockets": "packing.unpack(stream.read(8 * packing.receives[sender]), sender, out)",
    "queues": "self.packing.unpack(buffer, sender, self.out)",
}


def example(carrier):
    return EXAMPLES / f"carried_by_{carrier}.py"


def run(path):
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")
    launched = ("OMPI_", "PMIX_", "PMI_", "ORTE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(launched)}
    return subprocess.run(
        [sys.executable, str(path)], env=clean, capture_output=True, text=True, timeout=120
    )


def test_an_example_has_forty_lines_at_most():
    found = sorted(EXAMPLES.glob("carried_by_*.py"))
    assert found == sorted(example(carrier) for carrier in [*ARRIVES, "mpi4py"])
    for path in found:
        lines = path.read_text().splitlines()
        assert len(lines) <= 40 and max(map(len, lines)) <= 100, path


@pytest.mark.parametrize("carrier", ARRIVES)
def test_processes_carry_a_plan(carrier):
    ended = run(example(carrier))
    assert ended.returncode == 0 and not ended.stderr, ended.stderr
    assert ended.stdout == f"{carrier.replace('_', ' ')} carried 60000 elements between 4 ranks\n"


@pytest.mark.parametrize("carrier", ARRIVES)
def test_an_example_notices_what_does_not_arrive(carrier, tmp_path):
    text = example(carrier).read_text()
    assert text.count(ARRIVES[carrier]) == 1
    planted = tmp_path / "planted.py"
    planted.write_text(text.replace(ARRIVES[carrier], "pass"))
    ended = run(planted)
    assert ended.returncode == 1 and "AssertionError" in ended.stderr and not ended.stdout, (
        ended.stderr
    )


def test_ranks_of_mpi4py_carry_a_plan(comm, capsys):
    runpy.run_path(str(example("mpi4py")))
    said = f"mpi4py carried 60000 elements between {comm.size} ranks, three times\n"
    assert capsys.readouterr().out == (said if comm.rank == 0 else "")


def test_the_example_of_mpi4py_notices_what_does_not_arrive(comm, tmp_path):
    text, arrives = example("mpi4py").read_text(), "packing.unpack_all(arriving, out)"
    assert text.count(arrives) == 1
    planted = tmp_path / "planted.py"
    planted.write_text(text.replace(arrives, "pass"))
    with pytest.raises(AssertionError, match=f"rank {comm.rank}: False"):
        runpy.run_path(str(planted))
