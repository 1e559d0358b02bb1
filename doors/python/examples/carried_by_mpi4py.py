"""Messages travel by mpi4py's own calls: `mpiexec -n 4 python carried_by_mpi4py.py`."""

import numpy as np
from mpi4py import MPI

import redist

comm = MPI.COMM_WORLD
src, dst = f"(cyclic(16), *) onto {comm.size}", f"(*, cyclic(10)) onto {comm.size}"
plan = redist.Plan((300, 200), src, dst, "f8")
packing = plan.packing(comm.rank)  # prepared once, for any number of moves
leaving = {peer: packing.empty(elements) for peer, elements in packing.sends.items()}
arriving = {peer: packing.empty(elements) for peer, elements in packing.receives.items()}


def move(a, out):
    """Moves this rank's part; all ranks call it."""
    requests = [comm.Irecv(buffer, sender) for sender, buffer in arriving.items()]
    packing.pack_all(a, leaving)
    requests += [comm.Isend(buffer, receiver) for receiver, buffer in leaving.items()]
    MPI.Request.Waitall(requests)
    packing.unpack_all(arriving, out)


whole = np.arange(300 * 200.0).reshape(300, 200)
rows, columns = plan.scatter(whole)[comm.rank], plan.empty("dst", comm.rank)
for turn in range(3):
    move(rows + turn, columns)
    is_right = np.array_equal(columns, plan.scatter(whole + turn, "dst")[comm.rank])
    assert comm.allreduce(is_right, MPI.LAND), f"rank {comm.rank}: {is_right}"
if comm.rank == 0:
    print(f"mpi4py carried {whole.size} elements between {comm.size} ranks, three times")
