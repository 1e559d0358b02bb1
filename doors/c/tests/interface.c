/* Right and wrong calls of the interface, on 2 to 6 ranks. Prints failures; its exit code counts them. */
#include "checks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

/* The interface of MPI 5.0 has another name for it. */
#ifdef MPI_ABI_VERSION
#define MPI_Comm_c2f MPI_Comm_toint
#endif

static int size;

enum { EXTENT = 103, BLOCK = 5 };

static redist_plan *blocks_to_cyclic(void) {
  char from[32], to[32];
  const int64_t extent = EXTENT;
  redist_plan *plan = NULL;
  snprintf(from, sizeof from, "block onto %d", size);
  snprintf(to, sizeof to, "cyclic(%d) onto %d", BLOCK, size);
  CHECK(redist_plan_parse(1, &extent, from, to, &plan) == REDIST_OK);
  return plan;
}

/* Both layouts by counting: the source's and the destination's local index to the global one. */
static int64_t in_block(int64_t local) { return rank * (int64_t)((EXTENT + size - 1) / size) + local; }
static int64_t in_cyclic(int64_t local) { return (local / BLOCK * size + rank) * BLOCK + local % BLOCK; }
static int64_t count(int64_t (*global)(int64_t), int64_t limit) {
  int64_t held = 0;
  while (held < limit && global(held) < EXTENT) ++held;
  return held;
}

/* Elements of 24 bytes, by each route that serves on one node, in one call and in two. */
/* feature: method of the schedule, longest segment of a message */
static void moves(void) {
  typedef struct { int64_t index; char padding[16]; } record;
  redist_plan *plan = blocks_to_cyclic();
  int64_t held = count(in_block, (EXTENT + size - 1) / size), gets = count(in_cyclic, EXTENT);
  record source[EXTENT] = {0}, destination[EXTENT];
  for (int64_t at = 0; at < held; ++at) source[at].index = in_block(at);
  for (int32_t route = REDIST_ROUTE_AUTOMATIC; route <= REDIST_ROUTE_MESSAGES; ++route) {
    redist_options options = REDIST_OPTIONS_INIT;
    options.route = route;
    options.max_message_bytes = 100;
    options.method = route == REDIST_ROUTE_MESSAGES ? REDIST_METHOD_KOENIG : REDIST_METHOD_AUTOMATIC;
    redist_bound *bound = NULL;
    CHECK(redist_bind_f(plan, "[u8; 24]", MPI_Comm_c2f(MPI_COMM_WORLD), &options, &bound) == REDIST_OK);
    CHECK(redist_local_len(bound, REDIST_SOURCE) == held);
    CHECK(redist_local_len(bound, REDIST_DESTINATION) == gets);
    char *text = NULL;
    CHECK(redist_explain(bound, &text) == REDIST_OK);
    CHECK(size == 1 || (strstr(text, "König") != NULL) == (route == REDIST_ROUTE_MESSAGES));
    redist_text_free(text);
    for (int in_two_calls = 0; in_two_calls < 2; ++in_two_calls) {
      memset(destination, 7, sizeof destination);
      if (in_two_calls) {
        CHECK(redist_start(bound, source, held, gets) == REDIST_OK);
        int32_t done = 0;
        while (!done) CHECK(redist_test(bound, &done) == REDIST_OK);
        CHECK(redist_finish(bound, destination, gets) == REDIST_OK);
      } else {
        CHECK(redist_run(bound, source, held, destination, gets) == REDIST_OK);
      }
      for (int64_t at = 0; at < gets; ++at) CHECK(destination[at].index == in_cyclic(at));
      CHECK(gets == EXTENT || destination[gets].padding[15] == 7);
    }
    CHECK(redist_bound_free(bound) == REDIST_OK);
  }
  redist_plan_free(plan);
}

/* A matrix in a halo, from tiles of numbers; the lower triangle of it alone. */
/* feature: halos, leading dimensions, strides */
/* feature: trapezoids of matrices */
static void padded(void) {
  enum { N = 12, HALO = 2 };
  const int64_t extents[] = {N, N}, blocks[] = {REDIST_BLOCK, REDIST_COLLAPSED}, grid[] = {size, 1};
  const int64_t tiles[] = {3, 3}, tile_grid[] = {1, size};
  redist_layout from = REDIST_LAYOUT_INIT, to = REDIST_LAYOUT_INIT;
  from.blocks = blocks, from.grid = grid;
  to.blocks = tiles, to.grid = tile_grid, to.fortran = 1;
  redist_plan *plan = NULL;
  CHECK(redist_plan_numbers(2, extents, &from, &to, &plan) == REDIST_OK);
  int64_t own[2], len;
  CHECK(redist_plan_local(plan, REDIST_SOURCE, rank, own, NULL, &len) == REDIST_OK);
  CHECK(len == own[0] * own[1]);
  const int64_t allocated[] = {own[0] + 2 * HALO, own[1] + 2 * HALO}, origin[] = {HALO, HALO};
  redist_options options = REDIST_OPTIONS_INIT;
  options.part = REDIST_LOWER;
  options.padding[REDIST_SOURCE].kind = REDIST_PADDING_WITHIN;
  options.padding[REDIST_SOURCE].extents = allocated;
  options.padding[REDIST_SOURCE].origin = origin;
  options.padding[REDIST_DESTINATION].kind = REDIST_PADDING_LEADING;
  options.padding[REDIST_DESTINATION].leading = N + 1;
  redist_bound *bound = NULL;
  CHECK(redist_bind(plan, "i32", MPI_COMM_WORLD, &options, &bound) == REDIST_OK);
  int64_t shape[2], strides[2], first = rank * (int64_t)((N + size - 1) / size), gets;
  CHECK(redist_local(bound, REDIST_SOURCE, &len, shape, strides) == REDIST_OK);
  CHECK(shape[0] == allocated[0] && strides[0] == allocated[1] && strides[1] == 1);
  CHECK(redist_local(bound, REDIST_DESTINATION, &gets, NULL, strides) == REDIST_OK);
  int32_t *source = calloc(len + 1, sizeof *source), *destination = calloc(gets + 1, sizeof *destination);
  for (int64_t i = 0; i < own[0]; ++i)
    for (int64_t j = 0; j < N; ++j) source[(i + HALO) * allocated[1] + j + HALO] = 100 * (first + i) + j + 1;
  CHECK(redist_run(bound, source, len, destination, gets) == REDIST_OK);
  CHECK(redist_plan_local(plan, REDIST_DESTINATION, rank, own, NULL, NULL) == REDIST_OK);
  for (int64_t j = 0; j < own[1]; ++j)
    for (int64_t i = 0; i < N; ++i) {
      int64_t column = (j / 3 * size + rank) * 3 + j % 3;
      CHECK(destination[i * strides[0] + j * strides[1]] == (column <= i ? 100 * i + column + 1 : 0));
    }
  free(source);
  free(destination);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(plan);
}

/* The transpose of a matrix: its columns are dealt in pairs, and are the rows of what is stored. */
static void transposed(void) {
  enum { ROWS = 12, COLUMNS = 8 };
  const int64_t extents[] = {ROWS, COLUMNS};
  char from[32], to[64];
  redist_plan *plan = NULL;
  redist_bound *bound = NULL;
  snprintf(from, sizeof from, "(block, *) onto %d", size);
  snprintf(to, sizeof to, "(cyclic(2), *) onto %d storage fortran transposed", size);
  CHECK(redist_plan_parse(2, extents, from, to, &plan) == REDIST_OK);
  CHECK(redist_bind(plan, "i32", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  int64_t held = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION), index[2];
  int32_t source[ROWS * COLUMNS] = {0}, destination[ROWS * COLUMNS] = {0};
  for (int64_t at = 0; at < held; ++at) {
    CHECK(redist_plan_global_index(plan, REDIST_SOURCE, rank, at, index) == REDIST_OK);
    source[at] = 100 * index[0] + index[1] + 1;
  }
  CHECK(redist_run(bound, source, held, destination, gets) == REDIST_OK);
  CHECK(gets % ROWS == 0);
  for (int64_t at = 0, own = gets / ROWS; at < gets; ++at) {
    CHECK(redist_plan_global_index(plan, REDIST_DESTINATION, rank, at, index) == REDIST_OK);
    CHECK(index[0] == (at % own / 2 * size + rank) * 2 + at % own % 2 && index[1] == at / own);
    CHECK(destination[at] == 100 * index[1] + index[0] + 1);
  }
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(plan);
}

/* Elements between a box and a buffer, in the order of a view. Returns their number. */
static int64_t copy(const redist_view *view, int32_t axis, int32_t *box, const int64_t *strides, int32_t *buffer, int packs) {
  if (axis == view->axes) {
    if (packs) *buffer = *box;
    else *box = *buffer;
    return 1;
  }
  int64_t done = 0;
  for (int64_t turn = 0; turn < view->shape[axis]; ++turn)
    done += copy(view, axis + 1, box + turn * strides[axis], strides, buffer + done, packs);
  return done;
}

/* A plan that is carried by the program's own messages, box by box. */
/* feature: messages as strided boxes = `redist_plan_messages`, `redist::Messages` */
/* feature: volumes = from rank to rank */
/* feature: a rank's extents, global indices, owner of an element = yes; one element a call */
static void own_messages(void) {
  enum { ROWS = 23, COLUMNS = 17, AXES = 32 };
  const int64_t extents[] = {ROWS, COLUMNS};
  char from[64], to[64];
  redist_plan *plan = NULL;
  snprintf(from, sizeof from, "(cyclic(3), *) onto %d", size);
  snprintf(to, sizeof to, "(cyclic(2), *) onto %d storage fortran transposed", size);
  CHECK(redist_plan_parse(2, extents, from, to, &plan) == REDIST_OK);
  int64_t shape[AXES], here[AXES], there[AXES], index[2], held = 0, gets = 0;
  redist_view view = {.room = AXES, .shape = shape, .source_strides = here, .destination_strides = there};
  CHECK(redist_plan_local(plan, REDIST_SOURCE, rank, NULL, NULL, &held) == REDIST_OK);
  CHECK(redist_plan_local(plan, REDIST_DESTINATION, rank, NULL, NULL, &gets) == REDIST_OK);
  int32_t source[ROWS * COLUMNS] = {0}, destination[ROWS * COLUMNS] = {0}, buffers[2][ROWS * COLUMNS];
  for (int64_t at = 0; at < held; ++at) {
    CHECK(redist_plan_global_index(plan, REDIST_SOURCE, rank, at, index) == REDIST_OK);
    source[at] = 100 * index[0] + index[1] + 1;
  }
  MPI_Request requests[64];
  MPI_Status statuses[64];
  int sent = 0;
  for (int side = REDIST_SOURCE; side <= REDIST_DESTINATION; ++side) {
    redist_messages *messages = NULL;
    int64_t count = -1, peer = -1, elements = -1, views = -1, volume = -1, begin = 0;
    CHECK(redist_plan_messages(plan, side, rank, &messages) == REDIST_OK);
    CHECK(redist_messages_size(messages, &count) == REDIST_OK);
    for (int64_t message = 0; message < count; ++message) {
      CHECK(redist_message_views(messages, message, &peer, &elements, &views) == REDIST_OK);
      int packs = side == REDIST_SOURCE;
      CHECK(redist_plan_volume(plan, packs ? rank : peer, packs ? peer : rank, &volume) == REDIST_OK && volume == elements);
      int32_t *buffer = buffers[side] + begin;
      int64_t done = 0;
      if (!packs) MPI_Recv(buffer, (int)elements, MPI_INT32_T, (int)peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int64_t number = 0; number < views; ++number) {
        CHECK(redist_message_view(messages, message, number, &view) == REDIST_OK);
        done += packs ? copy(&view, 0, source + view.source_offset, here, buffer + done, 1)
                      : copy(&view, 0, destination + view.destination_offset, there, buffer + done, 0);
      }
      CHECK(done == elements);
      if (packs) MPI_Isend(buffer, (int)elements, MPI_INT32_T, (int)peer, 7, MPI_COMM_WORLD, &requests[sent++]);
      begin += elements;
    }
    CHECK(redist_message_view(messages, count, 0, &view) == REDIST_ARGUMENT);
    SAYS("from 0 on");
    redist_messages_free(messages);
  }
  MPI_Waitall(sent, requests, statuses);
  for (int64_t at = 0; at < gets; ++at) {
    CHECK(redist_plan_global_index(plan, REDIST_DESTINATION, rank, at, index) == REDIST_OK);
    CHECK(destination[at] == 100 * index[1] + index[0] + 1);
  }
  redist_plan_free(plan);
}

/* The rank's messages packed and unpacked by the library, one at a time and all at once, and carried by MPI. */
/* feature: packing for a transport of your own = `redist_plan_packing`, `redist::Packing` */
static void own_packing(int at_once) {
  enum { ROWS = 12, COLUMNS = 11, WIDTH = 14, MOST = 64 };
  const int64_t extents[] = {ROWS, COLUMNS};
  char from[64], to[64];
  redist_plan *plan = NULL;
  snprintf(from, sizeof from, "(block, *) onto %d", size);
  snprintf(to, sizeof to, "(cyclic(2), *) onto %d storage fortran transposed", size);
  CHECK(redist_plan_parse(2, extents, from, to, &plan) == REDIST_OK);
  redist_options options = REDIST_OPTIONS_INIT;
  options.padding[REDIST_SOURCE].kind = REDIST_PADDING_LEADING;
  options.padding[REDIST_SOURCE].leading = WIDTH;
  redist_packing *packing = NULL;
  CHECK(redist_plan_packing(plan, "i32", rank, &options, &packing) == REDIST_OK);
  int64_t counts[2] = {-1, -1}, lens[2] = {-1, -1}, shape[2], index[2], peer = -1, elements = -1;
  for (int side = REDIST_SOURCE; side <= REDIST_DESTINATION; ++side)
    CHECK(redist_packing_size(packing, side, &counts[side], &lens[side]) == REDIST_OK && counts[side] <= MOST);
  CHECK(redist_plan_local(plan, REDIST_SOURCE, rank, shape, NULL, NULL) == REDIST_OK);
  int32_t source[ROWS * WIDTH] = {0}, destination[ROWS * COLUMNS] = {0}, buffers[2][ROWS * COLUMNS];
  void *places[2][MOST];
  int64_t lengths[2][MOST], peers[2][MOST], first = 0;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column) {
      CHECK(redist_plan_global_index(plan, REDIST_SOURCE, rank, row * COLUMNS + column, index) == REDIST_OK);
      source[row * WIDTH + column] = 100 * index[0] + index[1] + 1;
    }
  for (int side = REDIST_SOURCE; side <= REDIST_DESTINATION; ++side, first = 0)
    for (int64_t message = 0; message < counts[side]; ++message, first += elements) {
      CHECK(redist_packing_message(packing, side, message, &peer, &elements) == REDIST_OK && elements > 0);
      places[side][message] = buffers[side] + first, lengths[side][message] = elements, peers[side][message] = peer;
    }
  if (at_once)
    CHECK(redist_pack_all(packing, source, lens[0], places[0], counts[0]) == REDIST_OK);
  else
    for (int64_t at = 0; at < counts[0]; ++at)
      CHECK(redist_pack(packing, source, lens[0], peers[0][at], places[0][at], lengths[0][at]) == REDIST_OK);
  MPI_Request requests[MOST];
  MPI_Status statuses[MOST];
  for (int64_t at = 0; at < counts[0]; ++at)
    MPI_Isend(places[0][at], (int)lengths[0][at], MPI_INT32_T, (int)peers[0][at], 8, MPI_COMM_WORLD, &requests[at]);
  for (int64_t at = 0; at < counts[1]; ++at)
    MPI_Recv(places[1][at], (int)lengths[1][at], MPI_INT32_T, (int)peers[1][at], 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall((int)counts[0], requests, statuses);
  if (at_once)
    CHECK(redist_unpack_all(packing, (const void *const *)places[1], counts[1], destination, lens[1]) == REDIST_OK);
  else
    for (int64_t at = 0; at < counts[1]; ++at)
      CHECK(redist_unpack(packing, places[1][at], lengths[1][at], peers[1][at], destination, lens[1]) == REDIST_OK);
  for (int64_t at = 0; at < lens[1]; ++at) {
    CHECK(redist_plan_global_index(plan, REDIST_DESTINATION, rank, at, index) == REDIST_OK);
    CHECK(destination[at] == 100 * index[1] + index[0] + 1);
  }
  if (counts[0] > 0) {
    CHECK(redist_pack(packing, source, lens[0], size, buffers[0], lengths[0][0]) == REDIST_ARGUMENT);
    SAYS("there is no message to it");
    CHECK(redist_pack(packing, source, lens[0], peers[0][0], buffers[0], lengths[0][0] + 1) == REDIST_ARRAY);
    SAYS("the buffer of the message to rank");
    CHECK(redist_pack(packing, source, lens[0] - 1, peers[0][0], buffers[0], lengths[0][0]) == REDIST_ARRAY);
    SAYS("the local source array must hold");
    CHECK(redist_pack(packing, source, lens[0], peers[0][0], source, lengths[0][0]) == REDIST_ARRAY);
    SAYS("bring memory that is apart");
    CHECK(redist_pack(packing, source, lens[0], peers[0][0], NULL, lengths[0][0]) == REDIST_NULL);
    SAYS("`buffer` is NULL");
    CHECK(redist_pack(packing, source, -1, peers[0][0], buffers[0], lengths[0][0]) == REDIST_ARGUMENT);
    SAYS("`array_len` is -1");
    CHECK(redist_pack_all(packing, source, lens[0], places[0], counts[0] + 1) == REDIST_ARRAY);
    SAYS("there must be a buffer for each of");
    places[0][0] = NULL;
    CHECK(redist_pack_all(packing, source, lens[0], places[0], counts[0]) == REDIST_NULL);
    SAYS("`buffers[0]` is NULL");
  }
  int64_t all[2] = {0, 0};
  for (int side = REDIST_SOURCE; side <= REDIST_DESTINATION; ++side)
    for (int64_t at = 0; at < counts[side]; ++at) all[side] += lengths[side][at];
  int32_t joined[ROWS * COLUMNS], again[ROWS * COLUMNS];
  CHECK(redist_pack_joined(packing, source, lens[0], joined, all[0]) == REDIST_OK);
  CHECK(memcmp(joined, buffers[0], all[0] * sizeof *joined) == 0);
  CHECK(redist_unpack_joined(packing, buffers[1], all[1], again, lens[1]) == REDIST_OK);
  CHECK(memcmp(again, destination, lens[1] * sizeof *again) == 0);
  CHECK(redist_pack_joined(packing, source, lens[0], joined, all[0] + 1) == REDIST_ARRAY);
  SAYS("the buffer of all messages must hold");
  if (all[1] > 0) CHECK(redist_unpack_joined(packing, destination, all[1], destination, lens[1]) == REDIST_ARRAY);
  const int64_t found[] = {ROWS, WIDTH}, rows_first[] = {WIDTH, 1}, columns_first[] = {1, ROWS};
  redist_array array = REDIST_ARRAY_INIT;
  array.data = source, array.len = ROWS * WIDTH, array.dimensions = 2, array.shape = found, array.strides = rows_first;
  CHECK(redist_packing_check(packing, REDIST_SOURCE, &array) == REDIST_OK);
  array.strides = columns_first;
  CHECK(redist_packing_check(packing, REDIST_SOURCE, &array) == (shape[0] > 0 ? REDIST_ARRAY : REDIST_OK));
  array.element = "f64";
  CHECK(redist_packing_check(packing, REDIST_SOURCE, &array) == REDIST_ARGUMENT);
  SAYS("bound for i32");
  CHECK(redist_packing_message(packing, REDIST_SOURCE, counts[0], &peer, &elements) == REDIST_ARGUMENT);
  redist_packing_free(packing);
  redist_packing_free(NULL);
  packing = NULL;
  CHECK(redist_plan_packing(plan, "i31", rank, NULL, &packing) == REDIST_ARGUMENT && packing == NULL);
  CHECK(redist_plan_packing(plan, "i32", size, NULL, &packing) == REDIST_ARGUMENT && packing == NULL);
  redist_plan_free(plan);
}

/* All ranks of a plan as threads of this process. */
/* Rounds what arrives to whole numbers, and counts its calls, of several threads at a time. */
static void rounded(void *state, const void *arrived, void *kept, int64_t elements) {
  const double *from = arrived;
  int32_t *to = kept;
  for (int64_t at = 0; at < elements; ++at) to[at] += (int32_t)from[at];
  atomic_fetch_add((atomic_llong *)state, elements);
}

/* feature: every element of a plan compared = `redist_plan_verify`, `Plan::verify` */
/* feature: all ranks in one process, without MPI = `redist_plan_simulate` and others, of copies and batches, too; `simulate` of C++'s classes */
static void simulated(void) {
  enum { ROWS = 8, COLUMNS = 6, ALL = ROWS * COLUMNS, RANKS = 3 };
  const int64_t extents[] = {ROWS, COLUMNS};
  redist_plan *plan = NULL;
  CHECK(redist_plan_parse(2, extents, "(cyclic(2), *) onto 2", "(*, block) onto 3", &plan) == REDIST_OK);
  double whole[ALL], again[ALL] = {0}, rows[RANKS][ALL], columns[RANKS][ALL];
  for (int at = 0; at < ALL; ++at) whole[at] = at;
  void *row[] = {rows[0], rows[1], NULL}, *column[] = {columns[0], columns[1], columns[2]};
  const void *const *held = (const void *const *)row, *const *got = (const void *const *)column;
  CHECK(redist_plan_scatter(plan, "f64", REDIST_SOURCE, whole, ALL, RANKS, row) == REDIST_OK);
  CHECK(rows[0][0] == 0 && rows[1][0] == 12);
  CHECK(redist_plan_simulate(plan, "f64", RANKS, held, column) == REDIST_OK);
  CHECK(columns[2][0] == 4 && columns[2][3] == 11);
  CHECK(redist_plan_gather(plan, "f64", REDIST_DESTINATION, RANKS, got, again, ALL) == REDIST_OK);
  CHECK(memcmp(whole, again, sizeof whole) == 0);
  const double alpha = 2, beta = 1;
  CHECK(redist_plan_simulate_scaled(plan, "f64", RANKS, &alpha, held, &beta, column, 0) == REDIST_OK);
  CHECK(columns[2][0] == 12 && columns[2][3] == 33);
  CHECK(redist_plan_simulate_scaled(plan, "u8", RANKS, &alpha, held, &beta, column, 0) == REDIST_ARGUMENT);
  SAYS("u8 is not scaled");
  /* Through a function, to elements of another type; those that are there take part. */
  int32_t whole_numbers[RANKS][ALL];
  void *number[] = {whole_numbers[0], whole_numbers[1], whole_numbers[2]};
  atomic_llong arrived;
  atomic_init(&arrived, 0);
  for (int at = 0; at < ALL; ++at) whole_numbers[0][at] = whole_numbers[1][at] = whole_numbers[2][at] = 1000;
  CHECK(redist_plan_simulate_with(plan, "f64", RANKS, held, number, 4, rounded, &arrived) == REDIST_OK);
  CHECK(atomic_load(&arrived) == ALL && whole_numbers[2][0] == 1004 && whole_numbers[2][3] == 1011);
  CHECK(whole_numbers[2][ALL / RANKS] == 1000);
  CHECK(redist_plan_simulate_with(plan, "f64", RANKS, held, number, 0, rounded, &arrived) == REDIST_ARGUMENT);
  SAYS("`kept_bytes` is 0, and must be at least 1");
  CHECK(redist_plan_simulate_with(plan, "f64", RANKS, held, number, 4, NULL, NULL) == REDIST_NULL);
  SAYS("`function` is NULL");
  number[1] = number[0];
  CHECK(redist_plan_simulate_with(plan, "f64", RANKS, held, number, 4, rounded, &arrived) == REDIST_ARRAY);
  SAYS("`destinations[1]` overlaps `destinations[0]`");
  CHECK(redist_plan_simulate(plan, "f64", 2, held, column) == REDIST_ARGUMENT);
  SAYS("`ranks` is 2, but the plan has 3");
  CHECK(redist_plan_scatter(plan, "f64", REDIST_SOURCE, whole, ALL - 1, RANKS, row) == REDIST_ARRAY);
  SAYS("`whole_len` is 47, but the array has 48 elements");
  column[1] = column[0];
  CHECK(redist_plan_simulate(plan, "f64", RANKS, held, column) == REDIST_ARRAY);
  SAYS("`destinations[1]` overlaps `destinations[0]`");
  column[1] = rows[1];
  CHECK(redist_plan_simulate(plan, "f64", RANKS, held, column) == REDIST_ARRAY);
  SAYS("`destinations[1]` overlaps `sources[1]`");
  /* Whole arrays with strides of their own, and a proof. */
  int64_t shape[] = {ROWS, COLUMNS}, strides[] = {1, ROWS}, moved = -1;
  redist_array array = REDIST_ARRAY_INIT;
  array.element = "f64", array.data = again, array.len = ALL, array.dimensions = 2, array.shape = shape, array.strides = strides;
  CHECK(redist_plan_gather_array(plan, REDIST_SOURCE, RANKS, held, &array) == REDIST_OK);
  for (int at = 0; at < ALL; ++at) CHECK(again[at % COLUMNS * ROWS + at / COLUMNS] == whole[at]);
  rows[0][0] = rows[1][5] = -1;
  CHECK(redist_plan_scatter_array(plan, REDIST_SOURCE, &array, RANKS, row) == REDIST_OK);
  CHECK(rows[0][0] == 0 && rows[1][5] == 17);
  strides[1] = -1;
  CHECK(redist_plan_scatter_array(plan, REDIST_SOURCE, &array, RANKS, row) == REDIST_ARRAY);
  SAYS("and must have none below 0");
  strides[1] = 4;
  CHECK(redist_plan_gather_array(plan, REDIST_SOURCE, RANKS, held, &array) != REDIST_OK);
  array.dimensions = 0, array.len = ALL - 1;
  CHECK(redist_plan_scatter_array(plan, REDIST_SOURCE, &array, RANKS, row) == REDIST_ARRAY);
  SAYS("`whole_len` is 47, but the array has 48 elements");
  array.element = NULL;
  CHECK(redist_plan_scatter_array(plan, REDIST_SOURCE, &array, RANKS, row) == REDIST_NULL);
  SAYS("`whole.element` is NULL");
  CHECK(redist_plan_verify(plan, "[u8; 3]", &moved) == REDIST_OK && moved == ALL);
  CHECK(redist_plan_verify(plan, "u9", NULL) == REDIST_ARGUMENT);
  column[1] = NULL;
  CHECK(redist_plan_simulate(plan, "f64", RANKS, held, column) == REDIST_NULL);
  SAYS("`destinations[1]` is NULL");
  CHECK(columns[2][0] == 12);
  redist_plan_free(plan);
}

/* Arrays that ranks share: on both sides, on one, two of which one is the destination first and the source then. */
static void shared(void) {
  redist_plan *plan = blocks_to_cyclic(), *back = NULL;
  redist_bound *bound = NULL, *again = NULL;
  CHECK(redist_plan_inverse(plan, &back) == REDIST_OK);
  CHECK(redist_bind(plan, "i64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  CHECK(redist_bind(back, "i64", MPI_COMM_WORLD, NULL, &again) == REDIST_OK);
  int64_t held = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION);
  int64_t ordinary[EXTENT] = {0};
  void *arrays[] = {NULL, NULL, NULL};
  for (int32_t side = REDIST_SOURCE; side <= REDIST_DESTINATION; ++side)
    CHECK(redist_shared_alloc(bound, side, &arrays[side]) == REDIST_OK && arrays[side] != NULL);
  int64_t *source = arrays[0], *destination = arrays[1];
  for (int64_t at = 0; at < held; ++at) {
    CHECK(source[at] == 0);
    source[at] = in_block(at);
  }
  CHECK(redist_run(bound, source, held, destination, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(destination[at] == in_cyclic(at));
  CHECK(redist_run(bound, source, held, ordinary, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(ordinary[at] == in_cyclic(at));
  memset(source, 7, held * sizeof *source);
  CHECK(redist_run(again, destination, gets, source, held) == REDIST_OK);
  for (int64_t at = 0; at < held; ++at) CHECK(source[at] == in_block(at));
  memset(destination, 7, gets * sizeof *destination);
  CHECK(redist_start(bound, source, held, gets) == REDIST_OK);
  memset(source, 7, held * sizeof *source);
  CHECK(redist_finish(bound, destination, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(destination[at] == in_cyclic(at));
  /* It is known by its address that they are shared: ranks may pass parts of two arrays. */
  CHECK(redist_shared_alloc(bound, REDIST_SOURCE, &arrays[2]) == REDIST_OK);
  int64_t *other = arrays[2];
  for (int64_t at = 0; at < held; ++at) (rank == 0 ? source : other)[at] = in_block(at);
  memset(ordinary, 7, sizeof ordinary);
  CHECK(redist_run(bound, rank == 0 ? source : other, held, ordinary, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(ordinary[at] == in_cyclic(at));
  CHECK(redist_shared_free(arrays[2]) == REDIST_OK);
  arrays[2] = NULL;
  /* Other lengths than the array's, and both sides one array, are refused as they are elsewhere. */
  CHECK(redist_run(bound, source, held + 1, destination, gets) == REDIST_ARRAY);
  if (size == 1) CHECK(redist_run(bound, source, held, source, gets) == REDIST_ARRAY);

  int last = rank == size - 1;
  redist_status peer = size > 1 ? REDIST_PEER : REDIST_ARGUMENT;
  CHECK(redist_shared_alloc(bound, last ? 2 : 0, &arrays[2]) == (last ? REDIST_ARGUMENT : peer));
  SAYS("`side` is 2");
  CHECK(redist_shared_alloc(bound, 0, last ? NULL : &arrays[2]) == (last ? REDIST_NULL : REDIST_PEER));
  SAYS("`array` is NULL");
  CHECK(arrays[2] == NULL);
  CHECK(redist_shared_free(source + 1) == REDIST_ARGUMENT);
  SAYS("no shared array");
  for (int side = 0; side < 2; ++side) CHECK(redist_shared_free(arrays[side]) == REDIST_OK);
  CHECK(redist_shared_free(arrays[0]) == REDIST_ARGUMENT);
  CHECK(redist_shared_free(NULL) == REDIST_OK);
  CHECK(redist_bound_free(bound) == REDIST_OK && redist_bound_free(again) == REDIST_OK);
  redist_plan_free(plan);
  redist_plan_free(back);
}

/* An error of one rank fails on all, and the bound plan works afterwards. */
static void wrong_on_one_rank(void) {
  redist_plan *plan = blocks_to_cyclic();
  redist_bound *bound = NULL;
  int last = rank == size - 1;
  CHECK(redist_bind(plan, last ? "f65" : "f64", MPI_COMM_WORLD, NULL, &bound) == (last ? REDIST_ARGUMENT : REDIST_PEER));
  SAYS("`f65` is no element type");
  CHECK(redist_bind(last ? NULL : plan, "f64", MPI_COMM_WORLD, NULL, &bound) == (last ? REDIST_NULL : REDIST_PEER));
  SAYS("`plan` is NULL");
  redist_options options = {0};
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, last ? &options : NULL, &bound) == (last ? REDIST_ARGUMENT : REDIST_PEER));
  SAYS("`redist_options.size` is 0");
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, last ? NULL : &bound) == (last ? REDIST_NULL : REDIST_PEER));
  CHECK(redist_bind(plan, last ? "f64" : "i64", MPI_COMM_WORLD, NULL, &bound) == REDIST_DIFFERS);
  SAYS("i64");
  CHECK(bound == NULL);

  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  int64_t held = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION);
  double array[2 * EXTENT] = {0}, *destination = array + EXTENT;
  for (int64_t at = 0; at < held; ++at) array[at] = in_block(at);
  destination[0] = -1;
  for (int starts = 0; starts < 2; ++starts) {
    redist_status status = last     ? redist_run(bound, array, held, array + held - 1, gets)
                           : starts ? redist_start(bound, array, held, gets)
                                    : redist_run(bound, array, held, destination, gets);
    if (starts && !last && status == REDIST_OK) status = redist_finish(bound, destination, gets);
    CHECK(status == (last ? REDIST_ARRAY : REDIST_PEER));
    SAYS("overlap; bring arrays apart");
    status = starts ? redist_start(bound, last ? NULL : array, held, gets) : redist_run(bound, last ? NULL : array, held, destination, gets);
    if (starts && status == REDIST_OK) status = redist_finish(bound, destination, gets);
    CHECK(status == (last ? REDIST_NULL : REDIST_PEER));
    SAYS("the source array is NULL, but its length is");
    status = redist_run(bound, array, held, destination, last ? gets + 1 : gets);
    CHECK(status == (last ? REDIST_ARRAY : REDIST_PEER));
    SAYS("the local destination array must hold");
    status = redist_run(bound, array, last ? -1 : held, destination, gets);
    CHECK(status == (last ? REDIST_ARGUMENT : REDIST_PEER));
    SAYS("the source array has the length -1");
  }
  CHECK(destination[0] == -1);

  /* Callers that know their elements have them compared, and the others learn of it. */
  const char *element = NULL;
  int64_t bytes = 0;
  CHECK(redist_element(bound, &element, &bytes) == REDIST_OK && bytes == 8 && strcmp(element, "f64") == 0);
  CHECK(redist_element(bound, NULL, NULL) == REDIST_OK);
  redist_status typed = redist_run_as(bound, last ? "c64" : "f64", array, held, destination, gets);
  CHECK(typed == (last ? REDIST_ARGUMENT : REDIST_PEER));
  SAYS("type c64, but the plan was bound for f64");
  typed = redist_start_as(bound, last ? "i64" : "f64", array, held, gets);
  if (typed == REDIST_OK) typed = redist_finish_as(bound, "f64", destination, gets);
  CHECK(typed == (last ? REDIST_ARGUMENT : REDIST_PEER));
  CHECK(destination[0] == -1);

  int32_t done;
  CHECK(redist_test(bound, &done) == REDIST_STATE);
  CHECK(redist_finish(bound, destination, gets) == REDIST_STATE);
  SAYS("no move is under way");
  CHECK(redist_start(bound, array, held, gets) == REDIST_OK);
  CHECK(redist_start(bound, array, held, gets) == REDIST_STATE);
  CHECK(redist_run(bound, array, held, destination, gets) == REDIST_STATE);
  SAYS("a move is under way");
  CHECK(redist_finish(bound, destination, gets + 1) == REDIST_ARRAY);
  CHECK(redist_finish_as(bound, "f32", destination, gets) == REDIST_ARGUMENT);
  CHECK(redist_finish(bound, destination, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(destination[at] == in_cyclic(at));
  /* Freed while a move is under way, which the others finish. */
  CHECK(redist_start(bound, array, held, gets) == REDIST_OK);
  if (!last) CHECK(redist_finish(bound, destination, gets) == REDIST_OK);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(plan);
}

/* Communicators that are none, or of another library, and one that is freed before the move. */
static void communicators(void) {
  redist_plan *plan = blocks_to_cyclic();
  redist_bound *bound = NULL;
  redist_plan *copies = NULL;
  const int64_t six = 6;
  CHECK(redist_plan_parse(1, &six, "block onto 2", "(*) copies 2", &copies) == REDIST_LAYOUT && copies == NULL);
  SAYS("redist_copies_parse");
  CHECK(redist_bind(plan, "f64", MPI_COMM_NULL, NULL, &bound) == REDIST_ARGUMENT);
  SAYS("MPI_COMM_NULL");
  CHECK(redist_bind_f(plan, "f64", MPI_Comm_c2f(MPI_COMM_NULL), NULL, &bound) == REDIST_ARGUMENT);
  /* Handles of another library, by what their callers say of them. */
  MPI_Comm world = MPI_COMM_WORLD;
  const char *other = "Another MPI 1.0\nbuilt elsewhere";
  CHECK(redist_bind_place(plan, "f64", &world, sizeof world, other, NULL, &bound) == REDIST_MPI);
  SAYS("the program calls \"Another MPI 1.0\", but the MPI library that redist has found");
  CHECK(redist_bind_number(plan, "f64", MPI_Comm_c2f(world), other, NULL, &bound) == REDIST_MPI);
  SAYS("Another MPI 1.0");
  CHECK(redist_bind_place(plan, "f64", &world, 2 * sizeof world, NULL, NULL, &bound) == REDIST_MPI);
  SAYS("compiled for handles of");
  CHECK(redist_bind_place(plan, "f64", NULL, sizeof world, NULL, NULL, &bound) == REDIST_NULL);
  CHECK(redist_bind(plan, "f64", MPI_COMM_SELF, NULL, &bound) == (size > 1 ? REDIST_RANKS : REDIST_OK));
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  CHECK(redist_bind(plan, "f64", own, NULL, &bound) == REDIST_OK);
  redist_plan_free(plan);
  MPI_Comm_free(&own);
  double source[EXTENT] = {0}, destination[EXTENT] = {0};
  int64_t held = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION);
  for (int64_t at = 0; at < held; ++at) source[at] = in_block(at);
  CHECK(redist_run(bound, source, held, destination, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(destination[at] == in_cyclic(at));
  char *text = NULL;
  CHECK(redist_explain(bound, &text) == REDIST_OK);
  CHECK(text != NULL && strlen(text) > 20 && strstr(text, "run_with") == NULL);
  redist_text_free(text);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  CHECK(redist_bound_free(NULL) == REDIST_OK);
  CHECK(redist_run(NULL, source, held, destination, gets) == REDIST_NULL);
  CHECK(redist_local_len(NULL, REDIST_SOURCE) == -1);
}

/* Arrays with their shapes: by rows, in a matrix of columns, and of another type; the others are told what is wrong. */
/* feature: shapes compared = `redist_array`; views of C++ with extents and strides, such as `std::mdspan`; otherwise lengths */
static void shapes(void) {
  enum { ROWS = 12, COLUMNS = 8 };
  const int64_t extents[] = {ROWS, COLUMNS};
  char from[32], to[32];
  redist_plan *plan = NULL;
  redist_bound *bound = NULL;
  int last = rank == size - 1;
  snprintf(from, sizeof from, "(block, *) onto %d", size);
  snprintf(to, sizeof to, "(*, block) onto %d", size);
  CHECK(redist_plan_parse(2, extents, from, to, &plan) == REDIST_OK);
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  double here[ROWS * COLUMNS], there[ROWS * COLUMNS];
  redist_array source = REDIST_ARRAY_INIT, destination = REDIST_ARRAY_INIT;
  int64_t shape[2][2], strides[2][2];
  CHECK(redist_local(bound, REDIST_SOURCE, &source.len, shape[0], strides[0]) == REDIST_OK);
  CHECK(redist_local(bound, REDIST_DESTINATION, &destination.len, shape[1], strides[1]) == REDIST_OK);
  source.element = destination.element = "f64", source.data = here, destination.data = there;
  source.dimensions = destination.dimensions = 2;
  source.shape = shape[0], source.strides = strides[0];
  destination.shape = shape[1], destination.strides = strides[1];
  for (int64_t at = 0; at < source.len; ++at)
    here[at] = 100 * (rank * (int64_t)((ROWS + size - 1) / size) + at / COLUMNS) + at % COLUMNS;
  const int64_t by_columns[] = {1, shape[0][0]}, turned[] = {shape[0][1], shape[0][0]};
  for (int in_two_calls = 0; in_two_calls < 2; ++in_two_calls)
    for (int mistake = 0; mistake < 4; ++mistake) {
      redist_array wrong = source, to_wrong = destination;
      if (mistake == 1) wrong.strides = by_columns;
      if (mistake == 2) wrong.shape = turned, wrong.strides = by_columns;
      if (mistake == 3) wrong.element = "i64";
      there[0] = -1;
      const redist_array *from_array = last ? &wrong : &source;
      redist_status status = in_two_calls ? redist_start_arrays(bound, from_array, &to_wrong)
                                          : redist_run_arrays(bound, from_array, &to_wrong);
      if (in_two_calls && status == REDIST_OK) status = redist_finish_array(bound, &destination);
      redist_status own = mistake == 0 ? REDIST_OK : mistake == 3 ? REDIST_ARGUMENT : REDIST_ARRAY;
      redist_status others = mistake == 0 ? REDIST_OK : REDIST_PEER;
      /* Two arrays with the same strides fit both ways. */
      if (shape[0][0] < 2 && (mistake == 1 || mistake == 2)) continue;
      CHECK(status == (last ? own : others));
      if (mistake == 0) for (int64_t at = 0; at < destination.len; ++at)
        CHECK(there[at] == 100 * (at / shape[1][1]) + rank * (int64_t)((COLUMNS + size - 1) / size) + at % shape[1][1]);
      else CHECK(there[0] == -1);
      if (mistake == 1) SAYS(last ? "add `storage fortran`" : "has the stride 1 along dimension 0, but must have 8");
      if (mistake == 2) SAYS(last ? "it may be transposed" : "has 8 elements along dimension 0, but must have");
      if (mistake == 3) SAYS("type i64, but the plan was bound for f64");
    }
  if (size > 1 && size < 5) {
    redist_status status = redist_run_arrays(bound, last ? &destination : &source, last ? &source : &destination);
    CHECK(status == (last ? REDIST_ARRAY : REDIST_PEER));
    if (last) SAYS("; the arrays seem exchanged, so bring the source first");
  }
  source.size = 0;
  CHECK(redist_run_arrays(bound, &source, &destination) == REDIST_ARGUMENT);
  SAYS("`redist_array.size` is 0");
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(plan);
}

/* A wrong array fails where it is received from; bound collectively, on all ranks. */
/* feature: errors of all ranks (collectively) */
static void one_receiver(void) {
  const int64_t extent = 4 * size;
  char from[32], to[128] = "";
  redist_plan *plan = NULL;
  int at = snprintf(to, sizeof to, "block onto %d ranks [", size);
  for (int of = 0; of < size; ++of) at += snprintf(to + at, sizeof to - at, of ? ", %d" : "%d", (of + 1) % size);
  snprintf(to + at, sizeof to - at, "]");
  snprintf(from, sizeof from, "block onto %d", size);
  CHECK(redist_plan_parse(1, &extent, from, to, &plan) == REDIST_OK);
  double source[] = {rank, rank, rank, rank}, destination[4];
  for (int collectively = 0; collectively < 2; ++collectively) {
    redist_options options = REDIST_OPTIONS_INIT;
    redist_bound *bound = NULL;
    options.collectively = collectively;
    CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, &options, &bound) == REDIST_OK);
    for (int in_two_calls = 0; in_two_calls < 2; ++in_two_calls) {
      destination[0] = -1;
      int64_t len = rank == 1 ? 3 : 4;
      redist_status status = in_two_calls ? redist_start(bound, source, len, 4) : redist_run(bound, source, len, destination, 4);
      if (in_two_calls && status == REDIST_OK) status = redist_finish(bound, destination, 4);
      int told = collectively || rank == 2 % size;
      CHECK(status == (rank == 1 ? REDIST_ARRAY : told ? REDIST_PEER : REDIST_OK));
      CHECK(destination[0] == (status == REDIST_OK ? (rank + size - 1) % size : -1));
      if (status != REDIST_OK) SAYS("the local source array must hold 4 elements, found 3");
    }
    CHECK(redist_run(bound, source, 4, destination, 4) == REDIST_OK && destination[0] == (rank + size - 1) % size);
    CHECK(redist_bound_free(bound) == REDIST_OK);
  }
  redist_plan_free(plan);
}

/* Messages within a bound go in rounds; no bound is too small for a sentence. */
/* feature: memory within a bound (max_bytes) */
static void bounded(void) {
  redist_plan *plan = blocks_to_cyclic();
  redist_options options = REDIST_OPTIONS_INIT;
  redist_bound *bound = NULL;
  options.route = REDIST_ROUTE_MESSAGES, options.max_bytes = 128 * size + 128;
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, &options, &bound) == REDIST_OK);
  int64_t held = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION);
  double source[EXTENT] = {0}, destination[EXTENT] = {0};
  for (int64_t at = 0; at < held; ++at) source[at] = in_block(at);
  CHECK(redist_run(bound, source, held, destination, gets) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(destination[at] == in_cyclic(at));
  char *text = NULL;
  CHECK(redist_explain(bound, &text) == REDIST_OK && (size == 1 || strstr(text, " rounds") != NULL));
  redist_text_free(text);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  options.max_bytes = -1;
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, &options, &bound) == REDIST_ARGUMENT);
  SAYS("`options.max_bytes` is -1");
  redist_plan_free(plan);
}

/* Sums of floats in doubles, by a function of runs. */
static void add(void *state, const void *arrived, void *kept, int64_t elements) {
  const float *from = arrived;
  double *to = kept;
  for (int64_t at = 0; at < elements; ++at) to[at] += from[at];
  *(int64_t *)state += elements;
}

/* What arrives goes through a function, or is scaled and added; a trapezoid alone, too. */
/* feature: α A + β B, conjugates = `redist_run_scaled`, `Bound::run_scaled` */
/* feature: conversion, functions of elements = `redist_run_with`, `redist_plan_simulate_with`, of runs; `Bound::run_with`, `Plan::simulate_with` */
static void functions(void) {
  redist_plan *plan = blocks_to_cyclic();
  redist_bound *bound = NULL;
  int last = rank == size - 1;
  CHECK(redist_bind(plan, "f32", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  int64_t held = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION), counted = 0;
  float source[EXTENT] = {0};
  double sums[EXTENT] = {0};
  for (int64_t at = 0; at < held; ++at) source[at] = in_block(at);
  for (int turn = 0; turn < 2; ++turn)
    CHECK(redist_run_with(bound, source, held, sums, gets, sizeof *sums, add, &counted) == REDIST_OK);
  CHECK(counted == 2 * gets);
  for (int64_t at = 0; at < gets; ++at) CHECK(sums[at] == 2.0 * in_cyclic(at));
  redist_status status = redist_run_with(bound, source, held, sums, gets, sizeof *sums, last ? NULL : add, &counted);
  CHECK(status == (last ? REDIST_NULL : size > 1 ? REDIST_PEER : REDIST_OK));
  CHECK(redist_run_with(bound, source, held, sums, gets, 0, add, &counted) == REDIST_ARGUMENT);
  SAYS("`kept_bytes` is 0");
  CHECK(redist_bound_free(bound) == REDIST_OK);

  CHECK(redist_bind(plan, "c64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  static double numbers[2 * EXTENT], kept[2 * EXTENT];
  const double alpha[] = {0, 1}, beta[] = {2, 0}, zero[] = {0, 0};
  for (int64_t at = 0; at < held; ++at) numbers[2 * at] = in_block(at), numbers[2 * at + 1] = 1;
  for (int64_t at = 0; at < gets; ++at) kept[2 * at] = 3, kept[2 * at + 1] = 4;
  redist_array from = REDIST_ARRAY_INIT, to = REDIST_ARRAY_INIT;
  from.data = numbers, from.len = held, to.data = kept, to.len = gets;
  CHECK(redist_run_scaled(bound, alpha, &from, beta, &to, 1) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(kept[2 * at] == 7 && kept[2 * at + 1] == in_cyclic(at) + 8);
  kept[0] = kept[1] = 0.0 / zero[0];
  CHECK(redist_run_scaled(bound, alpha, &from, zero, &to, 0) == REDIST_OK);
  for (int64_t at = 0; at < gets; ++at) CHECK(kept[2 * at] == -1 && kept[2 * at + 1] == in_cyclic(at));
  from.len = last ? held + 1 : held;
  status = redist_run_scaled(bound, alpha, &from, zero, &to, 0);
  CHECK(status == (last ? REDIST_ARRAY : REDIST_PEER));
  SAYS("the local source array must hold");
  CHECK(redist_run_scaled(bound, NULL, &to, zero, &to, 0) == REDIST_NULL);
  CHECK(redist_bound_free(bound) == REDIST_OK);
  CHECK(redist_bind(plan, "u16", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  CHECK(redist_run_scaled(bound, alpha, &to, zero, &to, 0) == REDIST_ARGUMENT);
  SAYS("u16 is not scaled");
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(plan);
}

static int on_another_thread(void *bound) {
  CHECK(redist_run(bound, NULL, 0, NULL, 0) == REDIST_THREAD);
  SAYS("on the thread that it was bound on");
  CHECK(redist_bound_free(bound) == REDIST_THREAD);
  return 0;
}

/* Pairs of numbers by their indices: each rank has every so many, and gets those before its own, backwards, and one twice. */
/* feature: moves by lists of indices = `redist_bind_lists`, `Bound(lists, communicator)` in C++ */
static void by_lists(void) {
  enum { EACH = 40 };
  int64_t own[EACH], wanted[EACH + 1];
  for (int64_t at = 0; at < EACH; ++at) {
    own[at] = at * size + rank;
    wanted[at] = (EACH - 1 - at) * size + (rank + 1) % size;
  }
  wanted[EACH] = wanted[3];
  redist_lists lists = REDIST_LISTS_INIT;
  lists.extent = EACH * (int64_t)size, lists.elements = 2;
  lists.source = own, lists.source_len = EACH;
  lists.destination = wanted, lists.destination_len = EACH + 1;
  redist_bound *bound = NULL;
  CHECK(redist_bind_lists(&lists, "i32", MPI_COMM_WORLD, &bound) == REDIST_OK);
  const char *name = NULL;
  CHECK(redist_element(bound, &name, NULL) == REDIST_OK && strcmp(name, "i32") == 0);
  int64_t shape, strides, held = 2 * EACH, gets = held + 2;
  CHECK(redist_local(bound, REDIST_SOURCE, NULL, &shape, &strides) == REDIST_OK && shape == held && strides == 1);
  CHECK(redist_local_len(bound, REDIST_DESTINATION) == gets);
  int32_t source[2 * EACH], destination[2 * EACH + 2];
  for (int64_t at = 0; at < held; ++at) source[at] = (int32_t)(10 * own[at / 2] + at % 2);
  for (int in_two_calls = 0; in_two_calls < 2; ++in_two_calls) {
    memset(destination, 0, sizeof destination);
    if (in_two_calls) {
      CHECK(redist_start(bound, source, held, gets) == REDIST_OK);
      memset(source, 0, sizeof source);
      int32_t done = 0;
      while (!done) CHECK(redist_test(bound, &done) == REDIST_OK);
      CHECK(redist_finish(bound, destination, gets) == REDIST_OK);
    } else {
      CHECK(redist_run(bound, source, held, destination, gets) == REDIST_OK);
    }
    for (int64_t at = 0; at < gets; ++at) CHECK(destination[at] == 10 * wanted[at / 2] + at % 2);
  }
  CHECK(redist_run_as(bound, "f64", source, held, destination, gets) == REDIST_ARGUMENT);
  CHECK(redist_run(bound, source, held, destination, held) == (size > 1 || held != gets ? REDIST_ARRAY : REDIST_OK));
  CHECK(redist_bound_free(bound) == REDIST_OK);

  /* Mistakes: of the last rank alone, and of two ranks together. */
  lists.elements = 0;
  if (rank == size - 1) own[5] = -3;
  redist_status status = redist_bind_lists(&lists, "i32", MPI_COMM_WORLD, &bound);
  CHECK(status == (rank == size - 1 ? REDIST_ARGUMENT : REDIST_PEER));
  SAYS("`lists.source[5]` is -3");
  own[5] = size > 1 ? 0 : own[4];
  status = redist_bind_lists(&lists, "i32", MPI_COMM_WORLD, &bound);
  CHECK(status == REDIST_ARGUMENT || status == REDIST_PEER);
  SAYS("is in the source lists of ranks");
  lists.size = 1;
  CHECK(redist_bind_lists(&lists, "i32", MPI_COMM_WORLD, &bound) == REDIST_ARGUMENT);
  SAYS("sizeof(redist_lists)");
}

int main(int argc, char **argv) {
  redist_plan *early = NULL;
  redist_bound *bound = NULL;
  const int64_t extent = 4;
  CHECK(redist_plan_parse(1, &extent, "(*)", "(*)", &early) == REDIST_OK);
  CHECK(redist_bind(early, "f64", MPI_COMM_WORLD, NULL, &bound) == REDIST_MPI);
  SAYS("MPI is not initialised");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(redist_abi() == REDIST_ABI);
  CHECK(strlen(redist_version()) > 4);
  moves();
  padded();
  by_lists();
  transposed();
  own_messages();
  own_packing(0);
  own_packing(1);
  simulated();
  shared();
  if (size > 1) wrong_on_one_rank();
  shapes();
  if (size > 1) one_receiver();
  bounded();
  functions();
  communicators();
  redist_plan *plan = blocks_to_cyclic();
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound) == REDIST_OK);
  thrd_t thread;
  CHECK(thrd_create(&thread, on_another_thread, bound) == thrd_success && thrd_join(thread, NULL) == thrd_success);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("the C interface on %d ranks: %d failures\n", size, all);
  MPI_Finalize();
  CHECK(redist_run(bound, NULL, 0, NULL, 0) == REDIST_MPI);
  SAYS("MPI is finalised");
  CHECK(redist_start(bound, NULL, 0, 0) == REDIST_MPI && redist_finish(bound, NULL, 0) == REDIST_MPI);
  CHECK(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound) == REDIST_MPI);
  SAYS("MPI is finalised");
  CHECK(redist_bound_free(bound) == REDIST_OK);
  redist_plan_free(early);
  redist_plan_free(plan);
  return failures + all > 0;
}
