"""The package on its own: a process plans, moves and draws with neither MPI nor torch."""

import os
import subprocess
import sys

import pytest

from conftest import MPI

ALONE = '''
import importlib.abc
import sys

asked = set()


class Refused(importlib.abc.MetaPathFinder):
    """Refuses packages that this one may not need."""

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top in ("mpi4py", "torch"):
            asked.add(top)
        if top in REFUSED:
            raise ModuleNotFoundError(f"{name} is refused", name=name)
        return None


REFUSED = {"mpi4py", "torch", "scipy", "pandas", "matplotlib", "IPython", "ml_dtypes", "ray"}
sys.meta_path.insert(0, Refused())
for name in REFUSED:
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert str(error) == f"{name} is refused"
    else:
        raise AssertionError(f"{name} is there")
asked.clear()

import numpy as np

import redist

plan = redist.Plan((12, 16), "(cyclic(2), cyclic(4)) onto (2, 2)", "(block, *) onto 4")
whole = np.arange(12 * 16.0).reshape(12, 16)
parts = plan.scatter(whole)
assert np.array_equal(plan.gather(plan.simulate(parts)), whole)
assert plan.verify() == 12 * 16
assert plan.messages(0).sends[0].elements == plan.packing(0).sends[0] == plan.volumes[0, 0]
assert plan.draw().svg.startswith("<svg") and "<svg" in plan.page().html
assert not asked, asked

try:
    plan.bind(Refused())
except redist.CommunicatorError as error:
    print(error)
loaded = [line.split()[-1] for line in open("/proc/self/maps")] if sys.platform == "linux" else []
assert not [path for path in loaded if "libmpi" in path or "torch" in path], loaded
assert not {"mpi4py", "torch"} & set(sys.modules)
'''


def test_a_process_with_neither_mpi_nor_torch_plans_moves_and_draws():
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")
    launched = ("OMPI_", "PMIX_", "PMI_", "ORTE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(launched)}
    ended = subprocess.run(
        [sys.executable, "-c", ALONE], env=clean, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    refused = (
        "a Refused is no communicator; bring one of mpi4py's, as `MPI.COMM_WORLD`, or the rank that "
        "`redist.threads.run` gives\n"
    )
    assert ended.stdout == refused
