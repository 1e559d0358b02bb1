/* Two calls one after the other (MPI_THREAD_SERIALIZED), each from a thread of its own: with a grid each (apart), or with one. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desca, double *b, int ib, int jb, int *descb, int context);

enum { N = 12 };

static int size;

static int call(void *place) {
  int context = *(int *)place, from[] = {1, context, N, N, 4, 4, 0, 0, N}, to[] = {1, context, N, N, 3, 3, 0, 0, N};
  static double a[N * N], b[N * N];
  Cpdgemr2d(N, N, a, 1, 1, from, b, 1, 1, to, context);
  return 0;
}

int main(int count, char **arguments) {
  int level, grids[2];
  MPI_Init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int is_apart = count > 1 && strcmp(arguments[1], "apart") == 0;
  for (int grid = 0; grid < 2; ++grid) {
    Cblacs_get(-1, 0, &grids[grid]);
    Cblacs_gridinit(&grids[grid], "R", size, 1);
  }
  for (int turn = 0; turn < 4; ++turn) {
    thrd_t thread;
    if (turn > 1 && is_apart) break;
    if (thrd_create(&thread, call, &grids[is_apart ? turn : 0]) != thrd_success || thrd_join(thread, NULL) != thrd_success) return 2;
  }
  for (int grid = 0; grid < 2; ++grid) Cblacs_gridexit(grids[grid]);
  puts("calls from two threads were served");
  return MPI_Finalize();
}
