/* Small moves from C, for `benches/doors/run`: see small.rs. */
#include <redist.h>
#include <stdio.h>
#include <stdlib.h>

static void must(redist_status status) {
  if (status == REDIST_OK) return;
  fprintf(stderr, "%s\n", redist_last_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) return 2;
  const int64_t extent = atoll(argv[1]), extents[] = {extent, extent};
  const int batches = atoi(argv[2]), moves = atoi(argv[3]);
  char from[48], to[48];
  snprintf(from, sizeof from, "(block, *) onto %d", ranks);
  snprintf(to, sizeof to, "(*, block) onto %d", ranks);
  redist_plan *plan = NULL;
  redist_bound *bound = NULL;
  must(redist_plan_parse(2, extents, from, to, &plan));
  must(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound));
  const int64_t len = redist_local_len(bound, REDIST_SOURCE), got = redist_local_len(bound, REDIST_DESTINATION);
  double *source = malloc((size_t)len * sizeof *source), *destination = calloc((size_t)got, sizeof *destination);
  for (int64_t at = 0; at < len; ++at) source[at] = 1;
  for (int batch = 0; batch <= batches; ++batch) {
    const double began = MPI_Wtime();
    for (int move = 0; move < moves; ++move) must(redist_run(bound, source, len, destination, got));
    /* The first batch is not counted. */
    if (rank == 0 && batch > 0) printf("%f\n", (MPI_Wtime() - began) * 1e9 / moves);
  }
  for (int64_t at = 0; at < got; ++at)
    if (destination[at] != 1) return 3;
  free(source);
  free(destination);
  must(redist_bound_free(bound));
  redist_plan_free(plan);
  MPI_Finalize();
  return 0;
}
