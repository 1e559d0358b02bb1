"""Threads of a rank that bind plans: with a communicator each, in turn on one, and at once on one. None hangs."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import redist
from conftest import MPI

# A thread that waits longer than this for its neighbour hangs.
SECONDS = 60


def two_threads(comm, how):
    """Has two threads of this rank bind and move, and returns the words by which each was refused, or None."""
    communicators = [comm.Dup(), comm.Dup()]
    if how != "apart":
        communicators[1].Free()
        communicators[1] = communicators[0]
    ready, turned_away, has_bound = threading.Barrier(2), threading.Event(), threading.Event()
    words, faults = [None, None], []
    plan = redist.Plan((90, 50), f"(cyclic(3), *) onto {comm.size}", f"(*, cyclic(5)) onto {comm.size}")

    def moves(number):
        if how == "in turn" and number == 1:
            assert has_bound.wait(SECONDS)
        if how == "at once":
            ready.wait(SECONDS)
        try:
            bound = plan.bind(communicators[number])
        except redist.Error as error:
            words[number] = str(error)
            turned_away.set()
            return
        has_bound.set()
        # The plan lives until the second thread has been refused.
        assert how == "apart" or turned_away.wait(SECONDS)
        a, out = bound.empty("src"), bound.empty("dst")
        a[...] = number
        bound.run(a, out)
        # At once, another rank may have bound on its second thread.
        assert how == "at once" or (out == number).all()
        assert np.isin(out, [0, 1]).all()

    def noted(number):
        try:
            moves(number)
        except BaseException as error:
            faults.append(repr(error))

    threads = [threading.Thread(target=noted, args=[number]) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * SECONDS)
        assert not thread.is_alive(), f"a thread hangs, {how}"
    assert not faults, faults
    comm.Barrier()
    for communicator in communicators[: 2 if how == "apart" else 1]:
        communicator.Free()
    return words


@pytest.mark.parametrize("how", ["apart", "in turn", "at once"])
def test_two_threads_of_each_rank(comm, how):
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        pytest.skip("the library has no MPI_THREAD_MULTIPLE")
    words = two_threads(comm, how)
    refused = [said for said in words if said]
    assert len(refused) == (how != "apart"), words
    assert all("another thread" in said for said in refused), words
    assert how != "in turn" or words[0] is None


FREE_THREADED = """
import sysconfig

told = sysconfig.get_config_var
sysconfig.get_config_var = lambda name: 1 if name == "Py_GIL_DISABLED" else told(name)
import redist
"""


def test_a_free_threaded_python_is_refused_with_words():
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")
    ended = subprocess.run([sys.executable, "-c", FREE_THREADED], capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0
    assert "ImportError: redist is not tested on the free-threaded build of Python" in ended.stderr
