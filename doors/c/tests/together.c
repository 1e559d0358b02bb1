/* Copies of an array, sums of addends, batches, and arrays without dimensions, against what loops over all elements find. On 1 to 6
 * ranks. Prints failures; its exit code counts them. */
#include "checks.h"

#include <stdlib.h>

static int size;

enum { ROWS = 7, COLUMNS = 10, MOST = ROWS * COLUMNS };

static int64_t length(const redist_copies *copies, int32_t side, int64_t of) {
  int64_t len = -1;
  CHECK(redist_copies_local(copies, side, of, NULL, NULL, &len) == REDIST_OK);
  return len;
}

/* The number of an element of a rank's part, by its global index. */
static int64_t number(const redist_copies *copies, int32_t side, int64_t of, int64_t offset) {
  int64_t index[2] = {-1, -1};
  CHECK(redist_copies_global_index(copies, side, of, offset, index) == REDIST_OK);
  return index[0] * COLUMNS + index[1];
}

static redist_copies *planned(const char *from, const char *to, int32_t combine) {
  const int64_t extents[] = {ROWS, COLUMNS};
  redist_copies *copies = NULL;
  CHECK(redist_copies_parse(2, extents, from, to, combine, &copies) == REDIST_OK);
  return copies;
}

/* Rows on the first half of the ranks; columns of each copy on as many ranks, or all of it on each. */
static redist_copies *rows_to_copies(int whole) {
  char from[64], to[64];
  const int half = (size + 1) / 2;
  snprintf(from, sizeof from, "(block, *) onto %d", half);
  if (whole) snprintf(to, sizeof to, "(*, *) copies %d", size);
  else snprintf(to, sizeof to, "(*, cyclic(2)) onto %d copies %d", half, size / half);
  return planned(from, to, REDIST_COMBINE_NONE);
}

/* By the layouts only: the element that rank `of` has at `offset` of rows in blocks, and of columns dealt in pairs. */
static int64_t in_rows(int of, int64_t offset) {
  const int half = (size + 1) / 2, block = (ROWS + half - 1) / half;
  return of < half && of * block + offset / COLUMNS < ROWS && offset < (int64_t)block * COLUMNS ? of * block * COLUMNS + offset : -1;
}
static int64_t in_columns(int of, int64_t offset) {
  const int half = (size + 1) / 2;
  int64_t width = 0, columns[COLUMNS];
  if (of >= half * (size / half)) return -1;
  for (int64_t column = 0; column < COLUMNS; ++column)
    if (column / 2 % half == of % half) columns[width++] = column;
  return width > 0 && offset < ROWS * width ? offset / width * COLUMNS + columns[offset % width] : -1;
}
static int64_t held(int64_t (*of)(int, int64_t), int by) {
  int64_t count = 0;
  while (count < MOST && of(by, count) >= 0) ++count;
  return count;
}

/* feature: copies: broadcasts, all-gathers, replicas = `redist_copies_parse`, `redist_bind_copies`; `redist::Copies` */
static void copies_move(void) {
  for (int whole = 0; whole < 2; ++whole) {
    redist_copies *copies = rows_to_copies(whole);
    redist_bound *bound = NULL;
    int32_t dimensions = 0;
    int64_t ranks = 0, counts[2];
    CHECK(redist_copies_size(copies, &dimensions, &ranks, &counts[0], &counts[1]) == REDIST_OK);
    CHECK(dimensions == 2 && ranks <= size && counts[0] == 1 && counts[1] == (whole ? size : size / ((size + 1) / 2)));
    CHECK(redist_bind_copies(copies, "c64", MPI_COMM_WORLD, &bound) == REDIST_OK);
    const int64_t has = held(in_rows, rank), gets = whole ? MOST : held(in_columns, rank);
    CHECK(redist_local_len(bound, REDIST_SOURCE) == has && redist_local_len(bound, REDIST_DESTINATION) == gets);
    double source[2 * MOST], destination[2 * MOST + 2];
    for (int64_t at = 0; at < has; ++at) source[2 * at] = (double)in_rows(rank, at), source[2 * at + 1] = -1;
    for (int turn = 0; turn < 3; ++turn) {
      for (int64_t at = 0; at < 2 * MOST + 2; ++at) destination[at] = -7;
      if (turn == 0) {
        CHECK(redist_run(bound, source, has, destination, gets) == REDIST_OK);
      } else if (turn == 1) {
        CHECK(redist_start(bound, source, has, gets) == REDIST_OK);
        CHECK(redist_run(bound, source, has, destination, gets) == REDIST_STATE);
        int32_t done = 0;
        while (!done && redist_test(bound, &done) == REDIST_OK) continue;
        CHECK(redist_finish(bound, destination, gets) == REDIST_OK);
      } else {
        const double alpha[] = {0, 1}, beta[] = {1, 0};
        for (int64_t at = 0; at < gets; ++at) destination[2 * at] = -1, destination[2 * at + 1] = 0;
        redist_array from = REDIST_ARRAY_INIT, to = REDIST_ARRAY_INIT;
        from.data = source, from.len = has, to.data = destination, to.len = gets;
        CHECK(redist_run_scaled(bound, alpha, &from, beta, &to, 0) == REDIST_OK);
        /* i (a - i) - 1 = i a */
        for (int64_t at = 0; at < gets; ++at) {
          CHECK(destination[2 * at] == 0);
          destination[2 * at] = destination[2 * at + 1], destination[2 * at + 1] = -1;
        }
      }
      for (int64_t at = 0; at < gets; ++at)
        CHECK(destination[2 * at] == (double)(whole ? at : in_columns(rank, at)) && destination[2 * at + 1] == -1);
      CHECK(destination[2 * gets] == -7);
    }
    /* A wrong length, NULL, and another shape, on rank 0, which all receive from. */
    redist_status status = redist_run(bound, source, rank == 0 ? has - 1 : has, destination, gets);
    CHECK(status == (rank == 0 ? REDIST_ARRAY : gets > 0 ? REDIST_PEER : REDIST_OK));
    if (rank == 0 || gets > 0) SAYS("the local source array must hold");
    status = redist_run(bound, rank == 0 ? NULL : source, has, destination, gets);
    CHECK(status == (rank == 0 ? REDIST_NULL : gets > 0 ? REDIST_PEER : REDIST_OK));
    int64_t shape[2], strides[2];
    CHECK(redist_local(bound, REDIST_SOURCE, NULL, shape, strides) == REDIST_OK);
    CHECK(has == 0 || (shape[1] == COLUMNS && strides[0] == COLUMNS && shape[0] * shape[1] == has));
    redist_array from = REDIST_ARRAY_INIT, to = REDIST_ARRAY_INIT;
    from.data = source, from.len = has, to.data = destination, to.len = gets;
    const int64_t turned[] = {COLUMNS, has / COLUMNS}, by_columns[] = {1, COLUMNS};
    if (rank == 0) from.dimensions = 2, from.shape = turned, from.strides = by_columns;
    status = redist_run_arrays(bound, &from, &to);
    CHECK(status == (rank == 0 ? REDIST_ARRAY : gets > 0 ? REDIST_PEER : REDIST_OK));
    char *text = NULL;
    CHECK(redist_explain(bound, &text) == REDIST_OK && strstr(text, "packed") != NULL);
    redist_text_free(text);
    CHECK(redist_copies_explain(copies, &text) == REDIST_OK && strstr(text, "to copy 0 from copy 0") != NULL);
    redist_text_free(text);
    CHECK(redist_bound_free(bound) == REDIST_OK);
    redist_copies_free(copies);
  }
}

/* Digits of the addends' numbers: the order of addends is seen. */
static void digits(void *base, const void *arrived, void *kept, int64_t elements) {
  for (int64_t at = 0; at < elements; ++at) ((int64_t *)kept)[at] = *(int64_t *)base * ((int64_t *)kept)[at] + ((const int64_t *)arrived)[at];
}

static int64_t addend(int64_t of, int64_t element) { return (element * 7 + of * of * 3) % 9 + 1; }

static int64_t combined(int32_t how, int64_t element) {
  int64_t all = addend(0, element);
  for (int64_t of = 1; of < size; ++of) {
    const int64_t next = addend(of, element);
    if (how == REDIST_COMBINE_SUM) all += next;
    if (how == REDIST_COMBINE_MIN && next < all) all = next;
    if (how == REDIST_COMBINE_MAX && next > all) all = next;
    if (how == REDIST_COMBINE_FUNCTION) all = 10 * all + next;
  }
  return all;
}

/* feature: sums of addends, in one call or two = the same, with a `REDIST_COMBINE_…` or your function */
static void sums_move(void) {
  char from[32], to[2][64];
  snprintf(from, sizeof from, "(*, *) copies %d", size);
  snprintf(to[0], sizeof to[0], "(*, block) onto %d", size);
  snprintf(to[1], sizeof to[1], "(*, *) copies %d", size);
  int64_t base = 10;
  for (int all = 0; all < 2; ++all) {
    for (int32_t how = REDIST_COMBINE_SUM; how <= REDIST_COMBINE_FUNCTION; ++how) {
      redist_copies *copies = planned(from, to[all], how);
      redist_bound *bound = NULL;
      CHECK(redist_bind_copies(copies, "i64", MPI_COMM_WORLD, &bound) == REDIST_OK);
      int64_t source[MOST], destination[MOST], gets = length(copies, REDIST_DESTINATION, rank);
      CHECK(redist_local_len(bound, REDIST_DESTINATION) == gets && length(copies, REDIST_SOURCE, rank) == MOST);
      for (int64_t at = 0; at < MOST; ++at) source[at] = addend(rank, at);
      for (int in_two_calls = 0; in_two_calls < 2; ++in_two_calls) {
        for (int64_t at = 0; at < MOST; ++at) destination[at] = -1;
        redist_status status;
        if (how == REDIST_COMBINE_FUNCTION) {
          status = in_two_calls ? redist_start(bound, source, MOST, gets) : redist_run(bound, source, MOST, destination, gets);
          CHECK(status == REDIST_UNAVAILABLE);
          SAYS("call `redist_run_with`");
          CHECK(destination[0] == -1);
          status = redist_run_with(bound, source, MOST, destination, gets, sizeof *destination, digits, &base);
        } else if (in_two_calls) {
          CHECK(redist_start(bound, source, MOST, gets) == REDIST_OK);
          status = redist_finish(bound, destination, gets);
        } else {
          status = redist_run(bound, source, MOST, destination, gets);
        }
        CHECK(status == REDIST_OK);
        for (int64_t at = 0; at < gets; ++at)
          CHECK(destination[at] == combined(how, all ? at : number(copies, REDIST_DESTINATION, rank, at)));
      }
      /* Results of another size, and factors, are refused on all ranks. */
      CHECK(redist_run_with(bound, source, MOST, destination, gets, 4, digits, &base) == REDIST_UNAVAILABLE);
      SAYS("differ from addends of 8");
      redist_array a = REDIST_ARRAY_INIT, b = REDIST_ARRAY_INIT;
      a.data = source, a.len = MOST, b.data = destination, b.len = gets;
      CHECK(redist_run_scaled(bound, &base, &a, &base, &b, 0) == REDIST_ARGUMENT);
      SAYS("addends are not scaled");
      CHECK(redist_bound_free(bound) == REDIST_OK);
      redist_copies_free(copies);
    }
  }
}

/* Numbers whose sum depends on the order: all ranks have the same bits, those of a loop. */
static void bits_are_equal(void) {
  char sides[32];
  snprintf(sides, sizeof sides, "(*, *) copies %d", size);
  redist_copies *copies = planned(sides, sides, REDIST_COMBINE_SUM);
  redist_bound *bound = NULL;
  CHECK(redist_bind_copies(copies, "f32", MPI_COMM_WORLD, &bound) == REDIST_OK);
  float source[MOST], destination[MOST];
  for (int at = 0; at < MOST; ++at) source[at] = (float)(1.0 / (3 + rank * 1000 + at));
  CHECK(redist_run(bound, source, MOST, destination, MOST) == REDIST_OK);
  for (int at = 0; at < MOST; ++at) {
    float sum = (float)(1.0 / (3 + at));
    for (int of = 1; of < size; ++of) sum = sum + (float)(1.0 / (3 + of * 1000 + at));
    CHECK(memcmp(&sum, &destination[at], sizeof sum) == 0);
  }
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_copies_free(copies);
}

/* The ranks of `copies` as threads of this process. */
static void copies_are_simulated(void) {
  enum { RANKS = 4 };
  int64_t (*sources)[MOST] = malloc(RANKS * sizeof *sources), (*destinations)[MOST] = malloc(RANKS * sizeof *destinations);
  const void *from[RANKS];
  void *to[RANKS];
  redist_copies *copies = planned("(block, *) onto 2", "(*, cyclic(3)) onto 2 copies 2", REDIST_COMBINE_NONE);
  for (int64_t of = 0; of < RANKS; ++of) {
    from[of] = sources[of], to[of] = destinations[of];
    const int64_t has = length(copies, REDIST_SOURCE, of);
    CHECK(of < 2 ? has > 0 : has == 0);
    for (int64_t at = 0; at < has; ++at) sources[of][at] = of * 4 * COLUMNS + at;
  }
  from[3] = NULL;
  CHECK(redist_copies_simulate(copies, "i64", RANKS, from, to) == REDIST_OK);
  for (int64_t of = 0; of < RANKS; ++of) {
    int64_t columns[COLUMNS], width = 0;
    for (int64_t column = 0; column < COLUMNS; ++column)
      if (column / 3 % 2 == of % 2) columns[width++] = column;
    CHECK(length(copies, REDIST_DESTINATION, of) == ROWS * width);
    for (int64_t at = 0; at < ROWS * width; ++at)
      CHECK(destinations[of][at] == at / width * COLUMNS + columns[at % width]);
  }
  CHECK(redist_copies_simulate(copies, "i64", RANKS - 1, from, to) == REDIST_ARGUMENT);
  SAYS("`ranks` is 3, but the plan has 4");
  from[0] = NULL;
  CHECK(redist_copies_simulate(copies, "i64", RANKS, from, to) == REDIST_NULL);
  SAYS("`sources[0]` is NULL");
  from[0] = destinations[2];
  CHECK(redist_copies_simulate(copies, "i64", RANKS, from, to) == REDIST_ARRAY);
  SAYS("`destinations[2]` overlaps `sources[0]`");
  int64_t base = 10;
  CHECK(redist_copies_simulate_with(copies, "i64", RANKS, from, to, digits, &base) == REDIST_ARGUMENT);
  SAYS("copies are not combined");
  redist_copies_free(copies);

  copies = planned("(block, *) onto 2 copies 2", "(*, block) onto 3", REDIST_COMBINE_FUNCTION);
  CHECK(redist_copies_simulate(copies, "i64", RANKS, from, to) == REDIST_NULL);
  SAYS("`sources[3]` is NULL");
  for (int64_t of = 0; of < RANKS; ++of) {
    from[of] = sources[of];
    for (int64_t at = 0; at < length(copies, REDIST_SOURCE, of); ++at) sources[of][at] = addend(of / 2, of % 2 * 4 * COLUMNS + at);
  }
  CHECK(redist_copies_simulate(copies, "i64", RANKS, from, to) == REDIST_UNAVAILABLE);
  CHECK(redist_copies_simulate_with(copies, "i64", RANKS, from, to, NULL, &base) == REDIST_NULL);
  CHECK(redist_copies_simulate_with(copies, "i64", RANKS, from, to, digits, &base) == REDIST_OK);
  for (int64_t of = 0; of < 3; ++of)
    for (int64_t at = 0; at < length(copies, REDIST_DESTINATION, of); ++at) {
      const int64_t element = number(copies, REDIST_DESTINATION, of, at);
      CHECK(destinations[of][at] == 10 * addend(0, element) + addend(1, element));
    }
  redist_copies_free(copies);
  free(sources);
  free(destinations);
}

static void wrong_copies_are_refused(void) {
  const int64_t extents[] = {ROWS, COLUMNS};
  redist_copies *copies = NULL;
  redist_bound *bound = NULL;
  CHECK(redist_copies_parse(2, extents, "(*, *) copies 0", "(*, *)", REDIST_COMBINE_NONE, &copies) == REDIST_LAYOUT);
  SAYS("copies");
  CHECK(redist_copies_parse(2, extents, "*", "*", 5, &copies) == REDIST_ARGUMENT);
  SAYS("`combine` is 5");
  CHECK(redist_copies_parse(9, extents, "*", "*", 0, &copies) == REDIST_ARGUMENT);
  CHECK(redist_copies_parse(2, NULL, "*", "*", 0, &copies) == REDIST_NULL);
  CHECK(redist_copies_parse(2, extents, "(*, *)", "(*, *)", 0, NULL) == REDIST_NULL);
  CHECK(redist_copies_size(NULL, NULL, NULL, NULL, NULL) == REDIST_NULL && copies == NULL);
  redist_plan *plan = NULL;
  CHECK(redist_plan_parse(2, extents, "(*, *)", "(*, *) copies 2", &plan) == REDIST_LAYOUT);
  SAYS("`redist_copies_parse`");
  copies = planned("(*, *)", "(*, *)", REDIST_COMBINE_MIN);
  CHECK(redist_bind_copies(copies, "c64", MPI_COMM_WORLD, &bound) == REDIST_ARGUMENT);
  SAYS("c64 is not combined so");
  int64_t index[2];
  CHECK(redist_copies_local(copies, REDIST_SOURCE, 1, NULL, NULL, index) == REDIST_ARGUMENT);
  SAYS("the plan has 1 rank, 0 to 0");
  CHECK(redist_copies_global_index(copies, REDIST_SOURCE, 0, MOST, index) == REDIST_ARGUMENT);
  /* A mistake of the last rank, which all wait for. */
  redist_status status = redist_bind_copies(rank == size - 1 ? NULL : copies, "f64", MPI_COMM_WORLD, &bound);
  CHECK(status == (rank == size - 1 ? REDIST_NULL : REDIST_PEER));
  SAYS("`copies` is NULL");
  redist_copies_free(copies);
  redist_copies_free(NULL);
  char far[32];
  snprintf(far, sizeof far, "(*, *) copies %d", size + 1);
  copies = planned("(*, *)", far, REDIST_COMBINE_NONE);
  CHECK(redist_bind_copies(copies, "f64", MPI_COMM_WORLD, &bound) == REDIST_RANKS);
  redist_copies_free(copies);
}

enum { LINE = 41 };

/* An array of pairs, copies of a table, a single number, and bytes: on all ranks. */
static redist_batch *batch(redist_plan *plans[3], redist_copies **copies) {
  char from[64], to[64];
  const int64_t line = LINE, extents[] = {ROWS, COLUMNS};
  redist_batch *made = NULL;
  snprintf(from, sizeof from, "block onto %d", size);
  snprintf(to, sizeof to, "cyclic(3) onto %d", size);
  CHECK(redist_plan_parse(1, &line, from, to, &plans[0]) == REDIST_OK);
  snprintf(to, sizeof to, "() ranks %d..%d", size - 1, size);
  CHECK(redist_plan_parse(0, NULL, "()", to, &plans[1]) == REDIST_OK);
  snprintf(from, sizeof from, "(block, *) onto %d", size);
  snprintf(to, sizeof to, "(*, block) onto %d storage fortran", size);
  CHECK(redist_plan_parse(2, extents, from, to, &plans[2]) == REDIST_OK);
  *copies = rows_to_copies(1);
  CHECK(redist_batch_new(&made) == REDIST_OK);
  CHECK(redist_batch_add(made, plans[0], "[u8; 16]") == REDIST_OK);
  CHECK(redist_batch_add_copies(made, *copies, "i16") == REDIST_OK);
  CHECK(redist_batch_add(made, plans[1], "f64") == REDIST_OK);
  CHECK(redist_batch_add(made, plans[2], "u8") == REDIST_OK);
  return made;
}

/* The arrays of one rank of that batch. */
typedef struct {
  double pairs[2][2 * LINE];
  int16_t tables[2][MOST];
  double numbers[2];
  uint8_t bytes[2][MOST];
  redist_array arrays[2][4];
} parts;

static void fill(parts *own, redist_plan *plans[3], redist_copies *copies, int of) {
  memset(own, 99, sizeof *own);
  for (int32_t side = REDIST_SOURCE; side <= REDIST_DESTINATION; ++side) {
    void *const places[] = {own->pairs[side], own->tables[side], &own->numbers[side], own->bytes[side]};
    const char *const names[] = {NULL, "i16", "f64", "u8"};
    for (int at = 0; at < 4; ++at) {
      redist_array *array = &own->arrays[side][at];
      *array = (redist_array)REDIST_ARRAY_INIT;
      array->data = places[at], array->element = names[at];
      if (at == 1) array->len = length(copies, side, of);
      else CHECK(redist_plan_local(plans[at == 0 ? 0 : at - 1], side, of, NULL, NULL, &array->len) == REDIST_OK);
    }
  }
  for (int64_t at = 0; at < own->arrays[0][0].len; ++at) {
    own->pairs[0][2 * at] = (double)(of * ((LINE + size - 1) / size) + at), own->pairs[0][2 * at + 1] = 0.5;
  }
  for (int64_t at = 0; at < own->arrays[0][1].len; ++at) own->tables[0][at] = (int16_t)in_rows(of, at);
  own->numbers[0] = 42;
  const int64_t block = (ROWS + size - 1) / size;
  for (int64_t at = 0; at < own->arrays[0][3].len; ++at) own->bytes[0][at] = (uint8_t)(of * block * COLUMNS + at);
}

static int is_right(const parts *own, int of) {
  int right = 1;
  for (int64_t at = 0; at < own->arrays[1][0].len; ++at)
    right = right && own->pairs[1][2 * at] == (double)((at / 3 * size + of) * 3 + at % 3) && own->pairs[1][2 * at + 1] == 0.5;
  right = right && own->arrays[1][1].len == MOST && own->arrays[1][2].len == (of == size - 1);
  for (int64_t at = 0; at < MOST; ++at) right = right && own->tables[1][at] == at;
  right = right && (of != size - 1 || own->numbers[1] == 42);
  const int64_t block = (COLUMNS + size - 1) / size;
  for (int64_t at = 0; at < own->arrays[1][3].len; ++at)
    right = right && own->bytes[1][at] == at % ROWS * COLUMNS + of * block + at / ROWS;
  return right;
}

/* feature: several arrays at once (Batch) = `redist_batch_new` and others; `redist::Batch` */
static void batches_move(void) {
  redist_plan *plans[3];
  redist_copies *copies;
  redist_batch *made = batch(plans, &copies);
  redist_bound_batch *bound = NULL;
  int64_t arrays = 0, ranks = 0, len = 0, shape[2], strides[2];
  CHECK(redist_batch_size(made, &arrays, &ranks) == REDIST_OK && arrays == 4 && ranks == size);
  CHECK(redist_batch_bind(made, MPI_COMM_WORLD, &bound) == REDIST_OK);
  parts own;
  fill(&own, plans, copies, rank);
  CHECK(redist_batch_run(bound, 4, own.arrays[0], own.arrays[1]) == REDIST_OK);
  CHECK(is_right(&own, rank));
  fill(&own, plans, copies, rank);
  CHECK(redist_batch_start(bound, 4, own.arrays[0], own.arrays[1]) == REDIST_OK);
  memset(own.pairs[0], 1, sizeof own.pairs[0]);
  CHECK(redist_batch_run(bound, 4, own.arrays[0], own.arrays[1]) == REDIST_STATE);
  SAYS("call `redist_batch_finish` before");
  int32_t done = 0;
  while (!done && redist_batch_test(bound, &done) == REDIST_OK) continue;
  CHECK(redist_batch_finish(bound, 3, own.arrays[1]) == REDIST_ARGUMENT);
  SAYS("`arrays` is 3, but the batch has 4");
  own.arrays[1][1].len -= 1;
  CHECK(redist_batch_finish(bound, 4, own.arrays[1]) == REDIST_ARRAY);
  SAYS("array 1 of the batch: the local destination array must hold 70 elements, found 69");
  own.arrays[1][1].len += 1;
  CHECK(redist_batch_finish(bound, 4, own.arrays[1]) == REDIST_OK);
  CHECK(is_right(&own, rank));
  CHECK(redist_batch_finish(bound, 4, own.arrays[1]) == REDIST_STATE && redist_batch_test(bound, &done) == REDIST_STATE);
  CHECK(redist_batch_local(bound, 1, REDIST_DESTINATION, &len, shape, strides) == REDIST_OK);
  CHECK(len == MOST && shape[0] == ROWS && shape[1] == COLUMNS && strides[0] == COLUMNS && strides[1] == 1);
  CHECK(redist_batch_local(bound, 4, REDIST_SOURCE, &len, NULL, NULL) == REDIST_ARGUMENT);
  SAYS("`array` is 4, but the batch has 4 arrays");
  CHECK(redist_batch_part(made, 3, REDIST_SOURCE, rank, shape, strides, &len) == REDIST_OK && len == own.arrays[0][3].len);
  CHECK(redist_batch_part(made, 4, REDIST_SOURCE, rank, NULL, NULL, &len) == REDIST_ARGUMENT);
  CHECK(redist_batch_part(made, 0, REDIST_SOURCE, size, NULL, NULL, &len) == REDIST_ARGUMENT);
  char *text = NULL;
  CHECK(redist_batch_explain(bound, &text) == REDIST_OK && strstr(text, "4 arrays packed into") != NULL);
  redist_text_free(text);

  /* Mistakes of rank 0, which all receive from: too few arrays, NULL, another type, another length, another shape, memory of two. */
  const int64_t turned[] = {COLUMNS, ROWS}, by_columns[] = {1, COLUMNS};
  const char *const words[] = {"`arrays` is 3", "is NULL", "array 3 of the batch: the arrays have elements of type i32",
                               "array 3 of the batch: the local source array must hold", "array 1 of the batch: the destination array has the shape",
                               "array 1 of the batch: its destination overlaps the destination of array 3"};
  const redist_status statuses[] = {REDIST_ARGUMENT, REDIST_NULL, REDIST_ARGUMENT, REDIST_ARRAY, REDIST_ARRAY, REDIST_ARRAY};
  for (int mistake = 0; mistake < 6; ++mistake) {
    for (int starts = 0; starts < (mistake == 5 ? 1 : 2); ++starts) {
      fill(&own, plans, copies, rank);
      if (rank == 0) {
        if (mistake == 2) own.arrays[0][3].element = "i32";
        if (mistake == 3) own.arrays[0][3].len -= 1;
        if (mistake == 4) own.arrays[1][1].dimensions = 2, own.arrays[1][1].shape = turned, own.arrays[1][1].strides = by_columns;
        if (mistake == 5) own.arrays[1][1].data = own.bytes[1] + 1, own.arrays[1][3].data = own.bytes[1];
      }
      const int64_t count = rank == 0 && mistake == 0 ? 3 : 4;
      const redist_array *from = rank == 0 && mistake == 1 ? NULL : own.arrays[0];
      const redist_status status = starts ? redist_batch_start(bound, count, from, own.arrays[1]) : redist_batch_run(bound, count, from, own.arrays[1]);
      if (starts && rank != 0) {
        CHECK(status == REDIST_OK || status == REDIST_PEER);
        if (status == REDIST_OK) CHECK(redist_batch_finish(bound, 4, own.arrays[1]) == REDIST_PEER);
      } else {
        CHECK(status == (rank == 0 ? statuses[mistake] : REDIST_PEER));
      }
      /* Between ranks there is no room for all words. */
      SAYS(rank == 0 ? words[mistake] : "rank 0: arrays of a batch are not those that its plans are for");
      CHECK(own.tables[1][0] == (int16_t)0x6363);
    }
  }
  fill(&own, plans, copies, rank);
  CHECK(redist_batch_run(bound, 4, own.arrays[0], own.arrays[1]) == REDIST_OK && is_right(&own, rank));
  CHECK(redist_bound_batch_free(bound) == REDIST_OK && redist_bound_batch_free(NULL) == REDIST_OK);

  /* Without MPI: all ranks in this process. */
  parts *all = malloc((size_t)size * sizeof *all);
  const void **sources = malloc(4 * (size_t)size * sizeof *sources);
  void **destinations = malloc(4 * (size_t)size * sizeof *destinations);
  for (int of = 0; of < size; ++of) {
    fill(&all[of], plans, copies, of);
    for (int at = 0; at < 4; ++at)
      sources[at * size + of] = all[of].arrays[0][at].data, destinations[at * size + of] = all[of].arrays[1][at].data;
  }
  CHECK(redist_batch_simulate(made, 4, size, sources, destinations) == REDIST_OK);
  for (int of = 0; of < size; ++of) CHECK(is_right(&all[of], of));
  CHECK(redist_batch_simulate(made, 3, size, sources, destinations) == REDIST_ARGUMENT);
  CHECK(redist_batch_simulate(made, 4, size + 1, sources, destinations) == REDIST_ARGUMENT);
  CHECK(redist_batch_simulate(made, 4, size, NULL, destinations) == REDIST_NULL);
  destinations[3 * size] = destinations[size];
  CHECK(redist_batch_simulate(made, 4, size, sources, destinations) == REDIST_ARRAY);
  SAYS("overlaps `destinations[");
  free(all), free(sources), free(destinations);

  /* Batches that are none, or differ. */
  redist_batch *other = NULL;
  CHECK(redist_batch_new(&other) == REDIST_OK && redist_batch_new(NULL) == REDIST_NULL);
  CHECK(redist_batch_bind(other, MPI_COMM_WORLD, &bound) == REDIST_ARGUMENT);
  SAYS("the batch has no arrays");
  CHECK(redist_batch_add(other, NULL, "f64") == REDIST_NULL && redist_batch_add(other, plans[0], "f65") == REDIST_ARGUMENT);
  redist_copies *sums = planned("(*, *)", "(*, *)", REDIST_COMBINE_SUM);
  CHECK(redist_batch_add_copies(other, sums, "f64") == REDIST_ARGUMENT);
  SAYS("addends move by themselves");
  redist_copies_free(sums);
  CHECK(redist_batch_add(other, plans[0], rank == 0 && size > 1 ? "f64" : "c64") == REDIST_OK);
  CHECK(redist_batch_bind(other, MPI_COMM_WORLD, &bound) == (size > 1 ? REDIST_DIFFERS : REDIST_OK));
  if (size == 1) CHECK(redist_bound_batch_free(bound) == REDIST_OK);
  CHECK(redist_batch_bind(rank == 0 ? NULL : made, MPI_COMM_WORLD, &bound) == (rank == 0 ? REDIST_NULL : REDIST_PEER));
  redist_batch_free(other);
  redist_batch_free(made);
  redist_batch_free(NULL);
  redist_copies_free(copies);
  for (int at = 0; at < 3; ++at) redist_plan_free(plans[at]);
}

/* One element, which each call serves; and extents of 0 and 1. */
/* feature: dimensions of an array = 0 to 8 */
static void without_dimensions(void) {
  char to[32];
  redist_plan *plan = NULL, *back = NULL;
  redist_bound *bound = NULL;
  snprintf(to, sizeof to, "() ranks %d..%d", size - 1, size);
  CHECK(redist_plan_parse(0, NULL, "()", to, &plan) == REDIST_OK && redist_plan_inverse(plan, &back) == REDIST_OK);
  int32_t dimensions = -1;
  int64_t ranks, len = -1, owner = -1, guard[] = {-5, -5}, volume = -1;
  CHECK(redist_plan_size(plan, &dimensions, &ranks) == REDIST_OK && dimensions == 0 && ranks == size);
  CHECK(redist_plan_local(plan, REDIST_DESTINATION, size - 1, guard, guard + 1, &len) == REDIST_OK && len == 1);
  CHECK(redist_plan_owner(plan, REDIST_DESTINATION, NULL, &owner) == REDIST_OK && owner == size - 1);
  CHECK(redist_plan_global_index(plan, REDIST_SOURCE, 0, 0, guard) == REDIST_OK);
  CHECK(redist_plan_volume(plan, 0, size - 1, &volume) == REDIST_OK && volume == 1);
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  CHECK(redist_local(bound, REDIST_SOURCE, &len, guard, guard + 1) == REDIST_OK && len == (rank == 0));
  CHECK(guard[0] == -5 && guard[1] == -5);
  const int64_t gets = rank == size - 1;
  double source = 3.5, destination = 0;
  CHECK(redist_run(bound, &source, len, &destination, gets) == REDIST_OK && destination == (gets ? 3.5 : 0));
  destination = 0;
  CHECK(redist_start(bound, &source, len, gets) == REDIST_OK && redist_finish(bound, &destination, gets) == REDIST_OK);
  CHECK(destination == (gets ? 3.5 : 0));
  CHECK(redist_run(bound, &source, 2, &destination, gets) == REDIST_ARRAY);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_options options = REDIST_OPTIONS_INIT;
  options.padding[REDIST_SOURCE].kind = REDIST_PADDING_LEADING, options.padding[REDIST_SOURCE].leading = 4;
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, &options, &bound) == REDIST_ARGUMENT);
  SAYS("an array of no dimensions has none");

  /* Messages, packing, ranks simulated, and layouts as numbers. */
  redist_messages *messages = NULL;
  redist_packing *packing = NULL;
  int64_t count = 0, peer, elements, views;
  CHECK(redist_plan_messages(plan, REDIST_SOURCE, 0, &messages) == REDIST_OK);
  CHECK(redist_messages_size(messages, &count) == REDIST_OK && count == 1);
  CHECK(redist_message_views(messages, 0, &peer, &elements, &views) == REDIST_OK);
  CHECK(peer == size - 1 && elements == 1 && views == 1);
  redist_messages_free(messages);
  CHECK(redist_plan_packing(plan, "f64", 0, NULL, &packing) == REDIST_OK);
  CHECK(redist_pack(packing, &source, 1, size - 1, &destination, 1) == REDIST_OK && destination == 3.5);
  redist_packing_free(packing);
  double part[8] = {0}, whole = 8, again = 0;
  void *places[8];
  const void *from[8], *got[8];
  for (int of = 0; of < size; ++of) places[of] = &part[of], from[of] = of == 0 ? &source : NULL, got[of] = &part[of];
  CHECK(redist_plan_simulate(plan, "f64", size, from, places) == REDIST_OK && part[size - 1] == 3.5);
  CHECK(redist_plan_scatter(plan, "f64", REDIST_DESTINATION, &whole, 1, size, places) == REDIST_OK && part[size - 1] == 8);
  CHECK(redist_plan_gather(plan, "f64", REDIST_DESTINATION, size, got, &again, 1) == REDIST_OK && again == 8);
  int64_t moved = 0;
  CHECK(redist_plan_verify(plan, "f64", &moved) == REDIST_OK && moved == 1);
  char *text = NULL;
  CHECK(redist_plan_explain(plan, &text) == REDIST_OK && strlen(text) > 0);
  redist_text_free(text);
  redist_plan_free(plan);
  redist_plan_free(back);
  redist_layout layout = REDIST_LAYOUT_INIT;
  CHECK(redist_plan_numbers(0, NULL, &layout, &layout, &plan) == REDIST_OK);
  redist_plan_free(plan);

  /* Its copies, and their sum. */
  char all[32];
  snprintf(all, sizeof all, "() copies %d", size);
  redist_copies *copies = NULL;
  CHECK(redist_copies_parse(0, NULL, all, all, REDIST_COMBINE_SUM, &copies) == REDIST_OK);
  CHECK(redist_bind_copies(copies, "i32", MPI_COMM_WORLD, &bound) == REDIST_OK);
  int32_t addend = rank + 1, sum = 0;
  CHECK(redist_run(bound, &addend, 1, &sum, 1) == REDIST_OK && sum == size * (size + 1) / 2);
  CHECK(redist_local(bound, REDIST_SOURCE, &len, guard, guard + 1) == REDIST_OK && len == 1 && guard[0] == -5);
  CHECK(redist_copies_global_index(copies, REDIST_SOURCE, 0, 0, NULL) == REDIST_OK);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_copies_free(copies);

  char rows[32];
  snprintf(rows, sizeof rows, "(*, block) onto %d", size);
  for (int64_t extent = 0; extent < 2; ++extent) {
    const int64_t extents[] = {1, extent};
    CHECK(redist_plan_parse(2, extents, "(*, *)", rows, &plan) == REDIST_OK);
    CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
    const int64_t has = redist_local_len(bound, REDIST_SOURCE), now = redist_local_len(bound, REDIST_DESTINATION);
    CHECK(has == (rank == 0 ? extent : 0) && now == (rank == 0 ? extent : 0));
    destination = 0;
    CHECK(redist_run(bound, has ? &source : NULL, has, now ? &destination : NULL, now) == REDIST_OK && destination == (now ? 3.5 : 0));
    CHECK(redist_bound_free(bound) == REDIST_OK);
    redist_plan_free(plan);
    CHECK(redist_copies_parse(2, extents, "(*, *)", all + 3, REDIST_COMBINE_NONE, &copies) == REDIST_LAYOUT);
    snprintf(to, sizeof to, "(*, *) copies %d", size);
    CHECK(redist_copies_parse(2, extents, "(*, *)", to, REDIST_COMBINE_NONE, &copies) == REDIST_OK);
    CHECK(redist_bind_copies(copies, "f64", MPI_COMM_WORLD, &bound) == REDIST_OK);
    destination = 0;
    CHECK(redist_run(bound, &source, has, &destination, extent) == REDIST_OK && destination == (extent ? 3.5 : 0));
    CHECK(redist_bound_free(bound) == REDIST_OK);
    redist_copies_free(copies);
  }
}

/* One array for both sides: a move that is started has packed its source. */
/* feature: one array for both sides = `redist_start`, then `redist_finish` into the same memory */
static void in_place(void) {
  char from[32], to[32];
  const int64_t line = LINE;
  redist_plan *plan = NULL;
  redist_bound *bound = NULL;
  snprintf(from, sizeof from, "block onto %d", size);
  snprintf(to, sizeof to, "cyclic onto %d", size);
  CHECK(redist_plan_parse(1, &line, from, to, &plan) == REDIST_OK);
  CHECK(redist_bind(plan, "i64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  int64_t array[LINE], has = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION);
  for (int64_t at = 0; at < has; ++at) array[at] = rank * ((LINE + size - 1) / size) + at;
  CHECK(redist_run(bound, array, has, array, gets) == REDIST_ARRAY);
  CHECK(redist_start(bound, array, has, gets) == REDIST_OK && redist_finish(bound, array, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(array[at] == at * size + rank);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(plan);
  /* Blocks that become all of the line on each rank. */
  redist_copies *copies = NULL;
  snprintf(to, sizeof to, "* copies %d", size);
  CHECK(redist_copies_parse(1, &line, from, to, REDIST_COMBINE_NONE, &copies) == REDIST_OK);
  CHECK(redist_bind_copies(copies, "i64", MPI_COMM_WORLD, &bound) == REDIST_OK);
  for (int64_t at = 0; at < has; ++at) array[at] = rank * ((LINE + size - 1) / size) + at;
  CHECK(redist_start(bound, array, has, LINE) == REDIST_OK && redist_finish(bound, array, LINE) == REDIST_OK);
  for (int64_t at = 0; at < LINE; ++at) CHECK(array[at] == at);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_copies_free(copies);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  copies_move();
  sums_move();
  bits_are_equal();
  copies_are_simulated();
  wrong_copies_are_refused();
  batches_move();
  without_dimensions();
  in_place();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("copies, sums and batches in C on %d ranks: %d failures\n", size, all);
  MPI_Finalize();
  return failures + all > 0;
}
