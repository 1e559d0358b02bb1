/* Ranks that are threads of one process, which has no MPI library: plans, copies, lists, batches, and ranks that fail. Prints
 * failures; its exit code counts them. */
#define REDIST_WITHOUT_MPI
#include "checks.h"

#include <stdatomic.h>

enum { RANKS = 4, ROWS = 12, COLUMNS = 8 };

/* Failures of all threads, and the ranks that have been called. */
static atomic_int wrong, called;

#define MUST(condition)                                                                                         \
  do {                                                                                                          \
    if (!(condition)) {                                                                                         \
      atomic_fetch_add(&wrong, 1);                                                                              \
      fprintf(stderr, "line %d: %s; last message: %s\n", __LINE__, #condition, redist_last_message());           \
    }                                                                                                           \
  } while (0)

static const int64_t extents[] = {ROWS, COLUMNS};

/* Rows to columns, in one call and in two. Each element is its global index. */
static int32_t moves(const redist_ranks *ranks, void *state) {
  redist_plan *plan = state;
  redist_bound *bound = NULL;
  int64_t own = -1, size = -1;
  double source[ROWS * COLUMNS / RANKS], found[ROWS * COLUMNS / RANKS];
  MUST(redist_ranks_size(ranks, &own, &size) == REDIST_OK && size == RANKS && own >= 0 && own < RANKS);
  atomic_fetch_add(&called, 1 << (4 * own));
  MUST(redist_bind_ranks(plan, "f64", ranks, NULL, &bound) == REDIST_OK);
  for (int at = 0; at < ROWS * COLUMNS / RANKS; ++at) source[at] = (double)(own * (ROWS * COLUMNS / RANKS) + at);
  for (int turn = 0; turn < 3; ++turn) {
    const int64_t len = ROWS * COLUMNS / RANKS;
    memset(found, 0, sizeof found);
    if (turn < 2) MUST(redist_run(bound, source, len, found, len) == REDIST_OK);
    if (turn == 2) MUST(redist_start(bound, source, len, len) == REDIST_OK && redist_finish(bound, found, len) == REDIST_OK);
    for (int at = 0; at < len; ++at) {
      const int64_t row = at / (COLUMNS / RANKS), column = own * (COLUMNS / RANKS) + at % (COLUMNS / RANKS);
      MUST(found[at] == (double)(row * COLUMNS + column));
    }
    MUST(redist_ranks_barrier(ranks) == REDIST_OK);
  }
  MUST(redist_bound_free(bound) == REDIST_OK);
  /* Nothing but the ranks of two programs is freed, or has a side. */
  MUST(redist_ranks_free((redist_ranks *)ranks) == REDIST_STATE);
  MUST(redist_ranks_programs(ranks, NULL, NULL, NULL, NULL) == REDIST_ARGUMENT);
  return 0;
}

/* A copy for each rank, a batch of it and of a sum, and lists of indices. */
static int32_t together(const redist_ranks *ranks, void *state) {
  (void)state;
  int64_t own = 0;
  const int64_t extent = RANKS;
  redist_copies *copies = NULL, *sum = NULL;
  redist_batch *batch = NULL;
  redist_bound *bound = NULL;
  redist_bound_batch *both = NULL;
  redist_ranks_size(ranks, &own, NULL);
  MUST(redist_copies_parse(1, &extent, "block onto 4", "(*) copies 4", REDIST_COMBINE_NONE, &copies) == REDIST_OK);
  MUST(redist_copies_parse(1, &extent, "(*) copies 4", "block onto 4", REDIST_COMBINE_SUM, &sum) == REDIST_OK);
  MUST(redist_bind_copies_ranks(sum, "f64", ranks, &bound) == REDIST_OK);
  const double addends[RANKS] = {1, 2, 3, (double)own};
  double total = 0, all[RANKS] = {0}, value = (double)(10 * own);
  MUST(redist_run(bound, addends, RANKS, &total, 1) == REDIST_OK && total == (own == 3 ? 6 : 4 * (double)(own + 1)));
  MUST(redist_bound_free(bound) == REDIST_OK);
  MUST(redist_batch_new(&batch) == REDIST_OK && redist_batch_add_copies(batch, copies, "f64") == REDIST_OK);
  MUST(redist_batch_bind_ranks(batch, ranks, &both) == REDIST_OK);
  redist_array from = REDIST_ARRAY_INIT, to = REDIST_ARRAY_INIT;
  from.data = &value, from.len = 1, to.data = all, to.len = RANKS;
  MUST(redist_batch_run(both, 1, &from, &to) == REDIST_OK && all[0] == 0 && all[RANKS - 1] == 10 * (RANKS - 1));
  MUST(redist_bound_batch_free(both) == REDIST_OK);
  redist_batch_free(batch);
  redist_copies_free(copies);
  redist_copies_free(sum);
  redist_lists lists = REDIST_LISTS_INIT;
  const int64_t has = own, wants = (own + 1) % RANKS;
  lists.extent = RANKS, lists.source = &has, lists.source_len = 1, lists.destination = &wants, lists.destination_len = 1;
  MUST(redist_bind_lists_ranks(&lists, "f64", ranks, &bound) == REDIST_OK);
  MUST(redist_run(bound, &value, 1, &total, 1) == REDIST_OK && total == (double)(10 * wants));
  MUST(redist_bound_free(bound) == REDIST_OK);
  return 0;
}

/* Rank 2 ends early; ranks that wait for it learn of it. */
static int32_t fails(const redist_ranks *ranks, void *state) {
  int64_t own = 0;
  redist_ranks_size(ranks, &own, NULL);
  if (own == 2) {
    redist_plan *none = NULL;
    redist_plan_parse(1, extents, "blok onto 4", "(*)", &none);
    return *(const int *)state;
  }
  MUST(redist_ranks_barrier(ranks) == REDIST_PEER && strstr(redist_last_message(), "rank 2") != NULL);
  return 0;
}

/* A rank with a wrong argument fails on all. */
static int32_t declines(const redist_ranks *ranks, void *state) {
  int64_t own = 0;
  redist_bound *bound = NULL;
  redist_ranks_size(ranks, &own, NULL);
  const redist_status status = redist_bind_ranks(state, own == 1 ? "f65" : "f64", ranks, NULL, &bound);
  MUST(status == (own == 1 ? REDIST_ARGUMENT : REDIST_PEER) && bound == NULL);
  return 0;
}

/* feature: ranks that are threads = `redist_threads_run`, `redist::run_threads` */
int main(void) {
  redist_plan *plan = NULL;
  CHECK(redist_plan_parse(2, extents, "(block, *) onto 4", "(*, block) onto 4", &plan) == REDIST_OK);
  CHECK(redist_threads_run(RANKS, moves, plan) == REDIST_OK && atomic_load(&called) == 0x1111);
  CHECK(redist_threads_run(RANKS, together, NULL) == REDIST_OK);
  int code = 7;
  CHECK(redist_threads_run(RANKS, fails, &code) == REDIST_PEER);
  SAYS("rank 2 failed: its function has returned 7; its last message is: ");
  SAYS("did you mean `block`");
  CHECK(redist_threads_run(RANKS, declines, plan) == REDIST_OK);
  CHECK(redist_threads_run(0, moves, plan) == REDIST_ARGUMENT);
  SAYS("`ranks` is 0, and must be at least 1");
  CHECK(redist_threads_run(1, NULL, plan) == REDIST_NULL);
  CHECK(redist_ranks_size(NULL, NULL, NULL) == REDIST_NULL && redist_ranks_free(NULL) == REDIST_OK);
  redist_plan_free(plan);
  failures += atomic_load(&wrong);
  printf("threads as ranks in C: %d failures\n", failures);
  return failures > 0;
}
