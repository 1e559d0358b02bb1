"""A stand-in for mpi4py over the interface of MPI 5.0, which its wheels do not have yet: what redist asks of it, by ctypes."""
