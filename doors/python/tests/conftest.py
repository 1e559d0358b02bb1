"""Tests of the package, by one process (`pytest`) or by ranks of MPI (`mpiexec -n 3 python -m pytest`).

Where there is a communicator, all ranks run all tests in one order. A rank on which one fails aborts
the job, since the others may wait for it.
"""

import os
import sys

import pytest

import redist

if redist.has_mpi:
    from mpi4py import MPI


def pytest_collection_modifyitems(items):
    if not redist.has_mpi:
        skip = pytest.mark.skip(reason="this build of redist has no MPI")
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
    if report.failed and redist.has_mpi and MPI.COMM_WORLD.size > 1:
        print(f"rank {MPI.COMM_WORLD.rank}: {report.nodeid}\n{report.longrepr}", file=sys.stderr, flush=True)
        os.sync()
        MPI.COMM_WORLD.Abort(1)


def pytest_configure(config):
    # One rank speaks.
    if redist.has_mpi and MPI.COMM_WORLD.rank > 0:
        config.option.verbose = -2
        sys.stdout = open(os.devnull, "w")
