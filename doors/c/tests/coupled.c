/* Programs of one launch, of which each knows its own layout alone: two that are coupled, of which the first rank is the source and all others
 * the destination, and several with parts of one array. On 2 to 6 ranks. Prints failures; its exit code counts them. */
#include "checks.h"

enum { ROWS = 10, COLUMNS = 12, MOST = ROWS * COLUMNS };

static int size;

/* feature: programs that are coupled = `redist_programs_couple`, `redist_programs_join`, `redist_rendezvous`; `redist::Programs` */
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

/* A program's part of an array, and its layout. */
typedef struct part {
  int32_t side;
  int64_t whole[2], at[2], extents[2];
  char layout[48];
} part;

/* The first rank has rows, the second rank the other rows, all others want a box of both. Of two ranks the second wants all; of four or more
 * ranks the last takes no part. */
static int program_of(void) {
  if (size == 2) return rank;
  return rank < 2 ? rank : size > 3 && rank == size - 1 ? 3 : 2;
}

static part part_of(int program) {
  const part upper = {REDIST_SOURCE, {ROWS, COLUMNS}, {0, 0}, {size == 2 ? ROWS : 4, COLUMNS}, "(*, *)"};
  const part lower = {REDIST_SOURCE, {ROWS, COLUMNS}, {4, 0}, {ROWS - 4, COLUMNS}, "(*, *) storage fortran"};
  part wanted = {REDIST_DESTINATION, {ROWS, COLUMNS}, {1, 2}, {8, 9}, ""};
  snprintf(wanted.layout, sizeof wanted.layout, "(*, cyclic(2)) onto %d", size == 2 ? 1 : size == 3 ? 1 : size - 3);
  return program == 0 ? upper : program == 1 && size > 2 ? lower : wanted;
}

static redist_status join(const redist_programs *programs, const char *element, const part *own, redist_bound **bound) {
  if (own == NULL) return redist_programs_join(programs, element, -1, 2, NULL, NULL, NULL, NULL, bound);
  return redist_programs_join(programs, element, own->side, 2, own->whole, own->at, own->extents, own->layout, bound);
}

/* Stores this rank's elements of its part: their places in the whole array, and `more`. Returns their number. */
static int64_t fill(const part *own, int64_t number, double more, double *values) {
  redist_plan *plan = NULL;
  int64_t len = 0, index[2];
  CHECK(redist_plan_parse(2, own->extents, own->layout, own->layout, &plan) == REDIST_OK);
  CHECK(redist_plan_local(plan, REDIST_SOURCE, number, NULL, NULL, &len) == REDIST_OK);
  for (int64_t at = 0; at < len; ++at) {
    CHECK(redist_plan_global_index(plan, REDIST_SOURCE, number, at, index) == REDIST_OK);
    values[at] = more + (double)((own->at[0] + index[0]) * COLUMNS + own->at[1] + index[1]);
  }
  redist_plan_free(plan);
  return len;
}

/* Adds what arrives. */
static void added(void *state, const void *arrived, void *kept, int64_t elements) {
  for (int64_t at = 0; at < elements; ++at) {
    double from, to;
    memcpy(&from, (const char *)arrived + at * (int64_t)sizeof from, sizeof from);
    memcpy(&to, (char *)kept + at * (int64_t)sizeof to, sizeof to);
    to += from;
    memcpy((char *)kept + at * (int64_t)sizeof to, &to, sizeof to);
  }
  ++*(int64_t *)state;
}

/* Every rank fails, the one at fault with a status of its own. */
#define FAILS(call, at_fault, status, words)                          \
  do {                                                                \
    CHECK((call) == (rank == (at_fault) ? (status) : REDIST_PEER));   \
    SAYS(words);                                                      \
  } while (0)

/* Parts of one array, moved in one call and in two, by a function, and after a rank with a wrong array. */
static void joined(void) {
  redist_programs *programs = NULL;
  redist_bound *bound = NULL;
  int64_t number = -1, calls = 0;
  double source[MOST + 1], expected[MOST], found[MOST + 1];
  const int program = program_of(), takes_part = program < 3;
  const part own = part_of(program);
  const int wants = takes_part && own.side == REDIST_DESTINATION;
  CHECK(redist_programs_new(MPI_COMM_WORLD, program, &programs) == REDIST_OK);
  CHECK(redist_programs_size(programs, NULL, NULL, &number, NULL) == REDIST_OK);
  CHECK(join(programs, "f64", takes_part ? &own : NULL, &bound) == REDIST_OK);
  CHECK(redist_programs_free(programs) == REDIST_OK);
  const int64_t from = takes_part && !wants ? fill(&own, number, 0, source) : 0;
  const int64_t to = wants ? fill(&own, number, 0, expected) : 0;
  CHECK(redist_local_len(bound, REDIST_SOURCE) == from && redist_local_len(bound, REDIST_DESTINATION) == to);
  const char *element = NULL;
  CHECK(redist_element(bound, &element, NULL) == REDIST_OK && strcmp(element, "f64") == 0);
  for (int step = 0; step < 4; ++step) {
    if (from > 0) fill(&own, number, 1000 * step, source);
    for (int64_t at = 0; at <= to; ++at) found[at] = -1;
    if (step % 2 == 0) CHECK(redist_run_as(bound, "f64", source, from, found, to) == REDIST_OK);
    if (step % 2 == 1) {
      int32_t is_done = 0;
      CHECK(redist_start(bound, source, from, to) == REDIST_OK);
      for (int64_t at = 0; at < from; ++at) source[at] = -2;
      while (!is_done && redist_test(bound, &is_done) == REDIST_OK) {
      }
      CHECK(is_done && redist_finish(bound, found, to) == REDIST_OK);
    }
    for (int64_t at = 0; at < to; ++at) CHECK(found[at] == 1000 * step + expected[at]);
    CHECK(found[to] == -1);
  }
  if (from > 0) fill(&own, number, 0, source);
  for (int at_fault = 0; at_fault < size; ++at_fault) {
    const int64_t more = rank == at_fault;
    for (int64_t at = 0; at <= to; ++at) found[at] = -1;
    FAILS(redist_run(bound, source, from + more, found, to), at_fault, REDIST_ARRAY, "must hold");
    FAILS(redist_start(bound, source, from, to + more) == REDIST_OK ? redist_finish(bound, found, to) : REDIST_ARRAY, at_fault, REDIST_ARRAY,
          "must hold");
    FAILS(redist_run_as(bound, more ? "f32" : NULL, source, from, found, to), at_fault, REDIST_ARGUMENT, "f32");
    for (int64_t at = 0; at < to; ++at) CHECK(found[at] == -1);
    CHECK(redist_run_with(bound, source, from, found, to, sizeof *found, added, &calls) == REDIST_OK);
    for (int64_t at = 0; at < to; ++at) CHECK(found[at] == expected[at] - 1);
  }
  CHECK((calls > 0) == (to > 0));
  void *shared = NULL;
  CHECK(redist_shared_alloc(bound, REDIST_SOURCE, &shared) == REDIST_UNAVAILABLE);
  CHECK(redist_bound_free(bound) == REDIST_OK);
}

/* Parts that make no array, and ranks that cannot take part; then all fit. */
static void misjoined(void) {
  redist_programs *programs = NULL;
  redist_bound *bound = NULL;
  const int program = program_of(), last = size - 1;
  CHECK(redist_programs_new(MPI_COMM_WORLD, program, &programs) == REDIST_OK);
  const part own = part_of(program);
  part wrong = own;
  const part *mine = program < 3 ? &wrong : NULL;
  if (program == 0) wrong.extents[0] = size == 2 ? 3 : 5;
  CHECK(join(programs, "f64", mine, &bound) == REDIST_DIFFERS && bound == NULL);
  SAYS(size == 2 ? "program 1 wants elements 3..9 of dimension 0 and elements 2..11 of dimension 1, which no producer holds"
                 : "programs 0 and 1 both hold elements 4..5 of dimension 0");
  if (program == 0) wrong.extents[0] = 3;
  CHECK(join(programs, "f64", mine, &bound) == REDIST_DIFFERS);
  SAYS("which no producer holds");
  wrong = own;
  CHECK(join(programs, program == 1 ? "f32" : "f64", mine, &bound) == REDIST_DIFFERS);
  SAYS("elements of type f64");
  if (program == 1) wrong.whole[1] = COLUMNS + 1;
  CHECK(join(programs, "f64", mine, &bound) == REDIST_DIFFERS);
  SAYS("dimension 1 of the whole array");
  wrong = own;
  /* Mistakes of one rank. */
  if (rank == 0) snprintf(wrong.layout, sizeof wrong.layout, "(blok, *)");
  FAILS(join(programs, "f64", mine, &bound), 0, REDIST_LAYOUT, "blok");
  wrong = own;
  FAILS(join(programs, rank == last ? "f65" : "f64", mine, &bound), last, REDIST_ARGUMENT, "`f65` is no element type");
  FAILS(join(programs, "f64", mine, rank == last ? NULL : &bound), last, REDIST_NULL, "`bound` is NULL");
  FAILS(redist_programs_join(programs, "f64", rank == 0 ? 7 : own.side, 2, own.whole, own.at, own.extents, program < 3 ? own.layout : NULL, &bound), 0,
        REDIST_ARGUMENT, "`side` is 7");
  FAILS(redist_programs_join(programs, "f64", own.side, rank == 0 ? 9 : 2, own.whole, own.at, own.extents, program < 3 ? own.layout : NULL, &bound), 0,
        REDIST_ARGUMENT, "`dimensions` is 9");
  FAILS(redist_programs_join(programs, "f64", own.side, 2, own.whole, rank == 0 ? NULL : own.at, own.extents, program < 3 ? own.layout : NULL, &bound), 0,
        REDIST_NULL, "`at` is NULL");
  if (rank == 0) wrong.at[0] = -1;
  FAILS(join(programs, "f64", mine, &bound), 0, REDIST_ARGUMENT, "`at` is -1");
  CHECK(bound == NULL && redist_programs_join(NULL, "f64", 0, 0, NULL, NULL, NULL, NULL, &bound) == REDIST_NULL);
  CHECK(join(programs, "f64", program < 3 ? &own : NULL, &bound) == REDIST_OK);
  CHECK(redist_bound_free(bound) == REDIST_OK && redist_programs_free(programs) == REDIST_OK);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  coupled();
  mistaken();
  joined();
  misjoined();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("coupled programs in C on %d ranks: %d failures\n", size, all);
  MPI_Finalize();
  return all > 0;
}
