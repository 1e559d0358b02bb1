/* Rows of a matrix become ScaLAPACK's tiles, and rows again: `mpirun -n 4 rows_to_tiles`. */
#include <inttypes.h>
#include <math.h>
#include <redist.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 200, BLOCK = 32 };

/* Ends the job where a call fails. */
static void must(redist_status status) {
  if (status != REDIST_OK) {
    fprintf(stderr, "%s (status %d)\n", redist_last_message(), (int)status);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static double element(int64_t row, int64_t column) { return 1000.0 * row + column; }

/* The global index of local index `local`: blocks are dealt out in turns. */
static int64_t global(int64_t local, int coordinate, int processes) {
  return (local / BLOCK * processes + coordinate) * BLOCK + local % BLOCK;
}

/* How many of `extent` indices a process has: ScaLAPACK's NUMROC. */
static int64_t numroc(int64_t extent, int coordinate, int processes) {
  int64_t held = 0;
  for (int64_t index = 0; index < extent; ++index) held += index / BLOCK % processes == coordinate;
  return held;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int grid_rows = size % 2 == 0 ? 2 : 1, grid_columns = size / grid_rows;

  const int64_t extents[] = {ROWS, COLUMNS};
  char from[64], to[64];
  snprintf(from, sizeof from, "(block, *) onto %d", size);
  snprintf(to, sizeof to, "scalapack(%d, %d, %d, %d)", BLOCK, BLOCK, grid_rows, grid_columns);
  redist_plan *plan, *back;
  must(redist_plan_parse(2, extents, from, to, &plan));
  must(redist_plan_inverse(plan, &back));

  /* All ranks compare plans and allocate what they need, once. */
  redist_bound *to_tiles, *to_rows;
  must(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &to_tiles));
  must(redist_bind(back, "f64", MPI_COMM_WORLD, NULL, &to_rows));
  if (rank == 0) {
    char *planned, *bound;
    must(redist_plan_explain(plan, &planned));
    must(redist_explain(to_tiles, &bound));
    printf("%s\n%s\n", planned, bound);
    redist_text_free(planned);
    redist_text_free(bound);
  }

  int64_t row_len = redist_local_len(to_tiles, REDIST_SOURCE);
  int64_t tile_len = redist_local_len(to_tiles, REDIST_DESTINATION);
  double *rows = malloc(row_len * sizeof *rows + 1), *tiles = malloc(tile_len * sizeof *tiles + 1);
  int64_t first_row = rank * (int64_t)((ROWS + size - 1) / size);
  for (int64_t at = 0; at < row_len; ++at) rows[at] = element(first_row + at / COLUMNS, at % COLUMNS);

  must(redist_run(to_tiles, rows, row_len, tiles, tile_len));
  /* Tiles lie in column-major order, and ranks fill the grid row by row. */
  int row = rank / grid_columns, column = rank % grid_columns;
  int64_t held_rows = numroc(ROWS, row, grid_rows), held_columns = numroc(COLUMNS, column, grid_columns);
  int64_t wrong = tile_len != held_rows * held_columns;
  for (int64_t j = 0; j < held_columns && !wrong; ++j)
    for (int64_t i = 0; i < held_rows; ++i)
      wrong += tiles[i + j * held_rows] != element(global(i, row, grid_rows), global(j, column, grid_columns));

  /* The way back, in two calls: compute here what needs neither array. */
  for (int64_t at = 0; at < row_len; ++at) rows[at] = NAN;
  must(redist_start(to_rows, tiles, tile_len, row_len));
  must(redist_finish(to_rows, rows, row_len));
  for (int64_t at = 0; at < row_len; ++at) wrong += rows[at] != element(first_row + at / COLUMNS, at % COLUMNS);

  int64_t all_wrong;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%" PRId64 " wrong elements on %d ranks\n", all_wrong, size);
  free(rows);
  free(tiles);
  must(redist_bound_free(to_tiles));
  must(redist_bound_free(to_rows));
  redist_plan_free(plan);
  redist_plan_free(back);
  MPI_Finalize();
  return all_wrong != 0;
}
