/* Two programs of one launch, of which each knows its own layout alone: the first rank is the source, all others the destination. On 2 to
 * 6 ranks. Prints failures; its exit code counts them. */
#include "checks.h"

enum { ROWS = 10, COLUMNS = 12, MOST = ROWS * COLUMNS };

static int size;

/* feature: programs that are coupled = `redist_programs_couple`, `redist_rendezvous`; `redist::Programs`; not `join_parts` */
static void coupled(void) {
  const int is_source = rank == 0;
  redist_programs *programs = NULL;
  redist_ranks *ranks = NULL;
  int64_t program = -1, count = -1, own = -1, all = -1;
  CHECK(redist_programs_new(MPI_COMM_WORLD, is_source ? 0 : 1, &programs) == REDIST_OK);
  CHECK(redist_programs_size(programs, &program, &count, &own, &all) == REDIST_OK);
  CHECK(program == !is_source && count == 2 && own == (is_source ? 0 : rank - 1) && all == (is_source ? 1 : size - 1));
  CHECK(redist_programs_couple(programs, REDIST_SOURCE, program, &ranks) == REDIST_ARGUMENT);
  SAYS("this one");
  CHECK(redist_programs_couple(programs, is_source ? REDIST_SOURCE : REDIST_DESTINATION, !program, &ranks) == REDIST_OK);
  CHECK(redist_programs_free(programs) == REDIST_OK);

  int32_t side = -1;
  int64_t first = -1, sources = -1, destinations = -1, number = -1, both = -1, extents[2] = {ROWS, COLUMNS}, found[2] = {0, 0};
  CHECK(redist_ranks_programs(ranks, &side, &first, &sources, &destinations) == REDIST_OK);
  CHECK(side == (is_source ? REDIST_SOURCE : REDIST_DESTINATION) && first == !is_source && sources == 1 && destinations == size - 1);
  CHECK(redist_ranks_size(ranks, &number, &both) == REDIST_OK && number == rank && both == size);
  CHECK(redist_ranks_barrier(ranks) == REDIST_OK);

  char layout[48];
  char *other = NULL;
  if (is_source) snprintf(layout, sizeof layout, "(*, *)");
  if (!is_source) snprintf(layout, sizeof layout, "(*, block) onto %d ranks 1..", size - 1);
  CHECK(redist_ranks_handshake(ranks, layout, 2, is_source ? extents : NULL, &other, found) == REDIST_OK);
  CHECK(found[0] == ROWS && found[1] == COLUMNS);
  redist_plan *plan = NULL;
  redist_bound *bound = NULL;
  CHECK(redist_plan_parse(2, found, is_source ? layout : other, is_source ? other : layout, &plan) == REDIST_OK);
  CHECK(redist_bind_ranks(plan, "f64", ranks, NULL, &bound) == REDIST_OK);
  redist_text_free(other);
  CHECK(redist_ranks_free(ranks) == REDIST_OK);

  const int64_t len = redist_local_len(bound, REDIST_DESTINATION);
  double source[MOST], arrived[MOST] = {0};
  for (int step = 0; step < 3; ++step) {
    for (int at = 0; at < MOST; ++at) source[at] = 1000 * step + at;
    CHECK(redist_run(bound, source, is_source ? MOST : 0, arrived, len) == REDIST_OK);
    for (int64_t at = 0; at < len; ++at) {
      int64_t index[2];
      CHECK(redist_plan_global_index(plan, REDIST_DESTINATION, rank, at, index) == REDIST_OK);
      CHECK(arrived[at] == (double)(1000 * step + index[0] * COLUMNS + index[1]));
    }
  }
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(plan);
}

/* Programs that disagree, and one that never comes. */
static void mistaken(void) {
  redist_programs *programs = NULL;
  redist_ranks *ranks = NULL;
  char *other = NULL;
  int64_t extents[2] = {rank == 0 ? ROWS : ROWS + 1, COLUMNS}, found[2];
  CHECK(redist_programs_new(MPI_COMM_WORLD, rank == 0 ? 0 : 1, &programs) == REDIST_OK);
  CHECK(redist_programs_couple(programs, 2, rank == 0, &ranks) == REDIST_ARGUMENT);
  CHECK(redist_programs_couple(programs, rank == 0 ? REDIST_SOURCE : REDIST_DESTINATION, rank == 0, &ranks) == REDIST_OK);
  const char *layout = rank == 0 ? "(*, *)" : "(*, *) ranks 1..2";
  CHECK(redist_ranks_handshake(ranks, layout, 2, extents, &other, found) != REDIST_OK && other == NULL);
  CHECK(redist_ranks_handshake(ranks, layout, 9, NULL, &other, found) == REDIST_ARGUMENT);
  CHECK(redist_ranks_free(ranks) == REDIST_OK && redist_programs_free(programs) == REDIST_OK);
  CHECK(redist_rendezvous(MPI_COMM_WORLD, REDIST_SOURCE, "nowhere/to/meet", 0.1, &ranks) == REDIST_UNAVAILABLE);
  SAYS("nowhere/to/meet");
  CHECK(redist_rendezvous(MPI_COMM_WORLD, REDIST_SOURCE, "here", -1, &ranks) == REDIST_ARGUMENT);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  coupled();
  mistaken();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("coupled programs in C on %d ranks: %d failures\n", size, all);
  MPI_Finalize();
  return all > 0;
}
