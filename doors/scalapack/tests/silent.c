/* A program that initialises MPI and calls none of the routines; with -DREDIST_WITHOUT_MPI one that does neither. */
#ifndef REDIST_WITHOUT_MPI
#include <mpi.h>
#endif

int main(int count, char **arguments) {
#ifdef REDIST_WITHOUT_MPI
  return (void)arguments, count != 1;
#else
  MPI_Init(&count, &arguments);
  return MPI_Finalize();
#endif
}
