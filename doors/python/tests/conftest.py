"""Tests of the package, by one process (`pytest`) or by ranks of MPI (`mpiexec -n 3 python -m pytest`).

Where there is a communicator, all ranks run all tests in one order. A rank on which one fails aborts
the job, since the others may wait for it.
"""

import os
import sys

import numpy as np
import pytest

# Without mpi4py, or without an MPI library that it can load, plans are not bound.
try:
    from mpi4py import MPI
except (ImportError, RuntimeError):
    MPI = None


def pytest_collection_modifyitems(items):
    if MPI is None:
        skip = pytest.mark.skip(reason="mpi4py is not there")
        for item in items:
            if "comm" in item.fixturenames:
                item.add_marker(skip)


@pytest.fixture
def comm():
    """The communicator of all ranks, free of what other tests have left."""
    comm = MPI.COMM_WORLD
    comm.Barrier()
    return comm


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    if report.failed and MPI and MPI.COMM_WORLD.size > 1:
        print(f"rank {MPI.COMM_WORLD.rank}: {report.nodeid}\n{report.longrepr}", file=sys.stderr, flush=True)
        os.sync()
        MPI.COMM_WORLD.Abort(1)


def pytest_configure(config):
    # A launcher of another library starts ranks that do not see each other.
    expected = os.environ.get("REDIST_TEST_RANKS")
    if expected and (MPI is None or MPI.COMM_WORLD.size != int(expected)):
        raise pytest.UsageError(f"{expected} ranks were launched, and this one does not see them")
    # One rank speaks.
    if MPI and MPI.COMM_WORLD.rank > 0:
        config.option.verbose = -2
        sys.stdout = open(os.devnull, "w")


def unfit(a, out):
    """A read-only array like `out`, and parts of one array like both that share an element."""
    readonly = out.copy()
    readonly.flags.writeable = False
    both = np.zeros(a.size + out.size - 1)
    return readonly, both[: a.size].reshape(a.shape), both[a.size - 1 :].reshape(out.shape)
