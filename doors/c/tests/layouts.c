/* Layouts as numbers, of ScaLAPACK, of MPI and of meshes; figures of plans, relabelled ranks, and plans as JSON. In each process by
 * itself. Prints failures; its exit code counts them. */
#include "checks.h"

#include <stdlib.h>

/* The call fills `text`, and so goes before it is read. */
#define IS(call, expected)                                                                                          \
  do {                                                                                                              \
    const redist_status said = (call);                                                                              \
    is(said, text, expected, __LINE__);                                                                             \
    text = NULL;                                                                                                    \
  } while (0)

static void is(redist_status status, char *text, const char *expected, int line) {
  if (status != REDIST_OK || strcmp(text, expected) != 0) {
    ++failures;
    fprintf(stderr, "line %d: status %d, \"%s\", not \"%s\": %s\n", line, (int)status, text ? text : "", expected,
            redist_last_message());
  }
  redist_text_free(text);
}

/* feature: layouts = texts; numbers */
static void numbers(void) {
  const int64_t extents[] = {7, 10}, turned[] = {10, 7};
  const int64_t blocks[] = {REDIST_GEN_BLOCK, REDIST_GEN_BLOCK}, grid[] = {2, 3}, sizes[] = {3, 4, 1, 2, 7}, axes[] = {1, 0};
  const int64_t tiles[] = {2, REDIST_BLOCK}, of[] = {12, 9}, at[] = {2, 1};
  char *text = NULL;
  redist_layout from = REDIST_LAYOUT_INIT, to = REDIST_LAYOUT_INIT;
  redist_plan *plan = NULL, *again = NULL;
  from.blocks = blocks, from.grid = grid, from.sizes = sizes, from.sizes_len = 5;
  to.blocks = tiles, to.grid = grid, to.axes = axes, to.of = of, to.at = at, to.fortran = 1;
  IS(redist_layout_text(2, &from, &text), "(gen_block([3, 4]), gen_block([1, 2, 7])) onto (2, 3)");
  IS(redist_layout_text(2, &to, &text), "(cyclic(2), block) onto (2, 3) storage fortran of [12, 9] at [2, 1] axes (1, 0)");
  CHECK(redist_plan_numbers(2, extents, &from, &to, &plan) == REDIST_OK);
  CHECK(redist_plan_parse(2, extents, "(gen_block([3, 4]), gen_block([1, 2, 7])) onto (2, 3)",
                          "(cyclic(2), block) onto (2, 3) storage fortran transposed of [12, 9] at [2, 1]", &again) == REDIST_OK);
  int64_t owners[2], own[2];
  for (int64_t i = 0; i < extents[0]; ++i)
    for (int64_t j = 0; j < extents[1]; ++j) {
      const int64_t index[] = {i, j}, there[] = {j + at[0], i + at[1]};
      CHECK(redist_plan_owner(plan, REDIST_SOURCE, index, owners) == REDIST_OK && owners[0] == 3 * (i >= 3) + (j >= 1) + (j >= 3));
      CHECK(redist_plan_owner(plan, REDIST_DESTINATION, there, owners) == REDIST_OK);
      CHECK(redist_plan_owner(again, REDIST_DESTINATION, there, owners + 1) == REDIST_OK && owners[0] == owners[1]);
      CHECK(owners[0] == there[0] / 2 % 2 * 3 + there[1] / 3);
    }
  CHECK(redist_plan_local(plan, REDIST_SOURCE, 5, own, NULL, NULL) == REDIST_OK && own[0] == 4 && own[1] == 7);
  int64_t moved = 0;
  CHECK(redist_plan_verify(plan, "f64", &moved) == REDIST_OK && moved == 70);
  redist_plan_free(plan);
  redist_plan_free(again);
  from.sizes_len = 4;
  CHECK(redist_plan_numbers(2, turned, &from, &to, &plan) == REDIST_LAYOUT);
  SAYS("`from`: sizes has 4, but the grid has 5 coordinates");
  from.sizes_len = -1;
  CHECK(redist_layout_text(2, &from, &text) == REDIST_ARGUMENT);
  SAYS("`layout.sizes_len` is -1");
  from.sizes_len = 5, from.sizes = NULL;
  CHECK(redist_layout_text(2, &from, &text) == REDIST_NULL);
  CHECK(redist_layout_text(9, &from, &text) == REDIST_ARGUMENT);
  from.size = 64;
  CHECK(redist_layout_text(2, &from, &text) == REDIST_ARGUMENT);
  SAYS("sizeof(redist_layout)");
}

/* feature: descriptors of ScaLAPACK, MPI_Type_create_darray, meshes = `redist_layout_scalapack`, `redist_layout_darray`, `redist_layout_mesh` */
static void scalapack(void) {
  const int32_t desc[] = {1, 0, 100, 60, 8, 4, 1, 0, 52};
  int32_t found[9], wrong[9];
  char *text = NULL;
  redist_plan *plan = NULL;
  IS(redist_layout_scalapack(desc, 100, 60, 1, 1, 2, 3, &text),
     "(cyclic(8), cyclic(4)) onto (2, 3) first (1, 0) storage fortran");
  IS(redist_layout_scalapack(desc, 30, 20, 5, 9, 2, 3, &text),
     "(cyclic(8), cyclic(4)) onto (2, 3) first (1, 0) storage fortran of [100, 60] at [4, 8]");
  const int64_t extents[] = {100, 60};
  CHECK(redist_plan_parse(2, extents, "scalapack(8, 4, 2, 3, 1, 0)", "(block, *) onto 6", &plan) == REDIST_OK);
  CHECK(redist_plan_scalapack(plan, REDIST_SOURCE, 0, 0, found) == REDIST_OK && memcmp(found, desc, 8 * sizeof *desc) == 0);
  CHECK(found[8] == 48);
  CHECK(redist_plan_scalapack(plan, REDIST_DESTINATION, 0, 0, found) == REDIST_LAYOUT);
  SAYS("stored column by column there");
  CHECK(redist_plan_scalapack(plan, REDIST_SOURCE, 0, 6, found) == REDIST_ARGUMENT);
  redist_plan_free(plan);
  CHECK(redist_layout_scalapack(desc, 30, 20, 72, 1, 2, 3, &text) == REDIST_ARGUMENT);
  SAYS("m is 30, and the submatrix ends behind its matrix");
  CHECK(redist_layout_scalapack(desc, 30, 20, 1, 0, 2, 3, &text) == REDIST_ARGUMENT);
  SAYS("ja is 0, and must be at least 1");
  memcpy(wrong, desc, sizeof wrong);
  wrong[4] = 0;
  CHECK(redist_layout_scalapack(wrong, 30, 20, 1, 1, 2, 3, &text) == REDIST_LAYOUT);
  CHECK(redist_layout_scalapack(NULL, 30, 20, 1, 1, 2, 3, &text) == REDIST_NULL);
}

static void darray(void) {
  const int gsizes[] = {10, 9, 8}, psizes[] = {2, 1, 3}, wide[] = {2, 3, 1};
  const int distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK};
  int dargs[] = {2, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  char *text = NULL;
  IS(redist_layout_darray(3, gsizes, distribs, dargs, psizes, MPI_ORDER_FORTRAN, &text),
     "(cyclic(2), *, block) onto (2, 3) storage fortran");
  dargs[0] = MPI_DISTRIBUTE_DFLT_DARG, dargs[2] = 4;
  IS(redist_layout_darray(3, gsizes, distribs, dargs, psizes, MPI_ORDER_C, &text), "(cyclic, *, block(4)) onto (2, 3)");
  /* And back. */
  const int64_t extents[] = {10, 9, 8};
  redist_plan *plan = NULL;
  int found[4][3], order = -1;
  CHECK(redist_plan_parse(3, extents, "(cyclic(3), *, block) onto (2, 3) storage fortran", "(*, gen_block([4, 5]), *) onto 2", &plan) ==
        REDIST_OK);
  CHECK(redist_plan_darray(plan, REDIST_SOURCE, found[0], found[1], found[2], found[3], &order) == REDIST_OK);
  CHECK(order == MPI_ORDER_FORTRAN && found[2][0] == 3 && found[2][2] == MPI_DISTRIBUTE_DFLT_DARG);
  for (int at = 0; at < 3; ++at)
    CHECK(found[0][at] == gsizes[at] && found[1][at] == distribs[at] && found[3][at] == psizes[at]);
  CHECK(redist_plan_darray(plan, REDIST_DESTINATION, NULL, NULL, NULL, NULL, NULL) == REDIST_LAYOUT);
  SAYS("blocks of different sizes");
  redist_plan_free(plan);
  CHECK(redist_layout_darray(3, gsizes, distribs, dargs, wide, MPI_ORDER_C, &text) == REDIST_ARGUMENT);
  SAYS("psize is 3, and must be 1 in a dimension that is MPI_DISTRIBUTE_NONE");
  dargs[0] = 0;
  CHECK(redist_layout_darray(3, gsizes, distribs, dargs, psizes, MPI_ORDER_C, &text) == REDIST_ARGUMENT);
  SAYS("darg is -1");
  CHECK(redist_layout_darray(9, gsizes, distribs, dargs, psizes, MPI_ORDER_C, &text) == REDIST_ARGUMENT);
  SAYS("`dimensions` is 9");
  const int none[] = {77, 77, 77};
  CHECK(redist_layout_darray(3, gsizes, none, dargs, psizes, MPI_ORDER_C, &text) == REDIST_ARGUMENT);
  SAYS("no MPI_DISTRIBUTE_");
}

static void meshes(void) {
  const int64_t extents[] = {9, 8}, devices[] = {2, 2}, ranks[] = {3, 2, 1, 0}, factors[] = {3, 0};
  const int32_t shards[] = {1, 0}, copied[] = {REDIST_REPLICATE, 0}, addends[] = {REDIST_PARTIAL, 0};
  char *text = NULL;
  redist_mesh tiles = REDIST_MESH_INIT, copies = REDIST_MESH_INIT;
  redist_copies *plan = NULL;
  tiles.dimensions = 2, tiles.extents = devices, tiles.placements = shards, copies = tiles;
  IS(redist_layout_mesh(2, extents, &tiles, &text), "(block, block) onto (2, 2) ranks [0, 2, 1, 3]");
  redist_plan *dealt = NULL;
  int32_t axes = 0, cuts[16];
  int64_t lens[16], strides[16], own[4];
  CHECK(redist_plan_parse(2, extents, "(block, block) onto (2, 2) ranks [0, 2, 1, 3]", "(*, *) storage fortran", &dealt) == REDIST_OK);
  CHECK(redist_plan_mesh(dealt, REDIST_SOURCE, &axes, lens, cuts, strides, own) == REDIST_OK && axes == 2);
  CHECK(lens[0] == 2 && lens[1] == 2 && cuts[0] == 0 && cuts[1] == 1 && strides[0] == 0 && own[1] == 2 && own[2] == 1);
  CHECK(redist_plan_mesh(dealt, REDIST_DESTINATION, NULL, NULL, NULL, NULL, NULL) == REDIST_LAYOUT);
  SAYS("row by row");
  redist_plan_free(dealt);
  tiles.ranks = ranks;
  IS(redist_layout_mesh(2, extents, &tiles, &text), "(block, block) onto (2, 2) ranks [3, 1, 2, 0]");
  const int64_t line = 12, two = 2;
  const int32_t along = 0;
  redist_mesh strided = REDIST_MESH_INIT;
  strided.dimensions = 1, strided.extents = &two, strided.placements = &along, strided.split_factors = factors;
  IS(redist_layout_mesh(1, &line, &strided, &text), "cyclic(2) onto 2");
  copies.placements = copied;
  CHECK(redist_layout_mesh(2, extents, &copies, &text) == REDIST_LAYOUT);
  SAYS("copies");
  int64_t counts[2] = {0, 0};
  CHECK(redist_copies_meshes(2, extents, &tiles, &copies, REDIST_COMBINE_NONE, &plan) == REDIST_OK);
  CHECK(redist_copies_size(plan, NULL, NULL, counts, counts + 1) == REDIST_OK && counts[0] == 1 && counts[1] == 2);
  redist_copies_free(plan);
  /* Two addends of each block of rows: their sums in tiles. */
  copies.placements = addends;
  CHECK(redist_copies_meshes(2, extents, &copies, &tiles, REDIST_COMBINE_NONE, &plan) == REDIST_ARGUMENT);
  CHECK(redist_copies_meshes(2, extents, &copies, &tiles, REDIST_COMBINE_SUM, &plan) == REDIST_OK);
  double parts[4][72], sums[4][72];
  void *sources[4], *destinations[4];
  for (int rank = 0; rank < 4; ++rank) {
    sources[rank] = parts[rank], destinations[rank] = sums[rank];
    int64_t len = 0, index[2];
    CHECK(redist_copies_local(plan, REDIST_SOURCE, rank, NULL, NULL, &len) == REDIST_OK);
    for (int64_t at = 0; at < len; ++at) {
      CHECK(redist_copies_global_index(plan, REDIST_SOURCE, rank, at, index) == REDIST_OK);
      parts[rank][at] = (double)(10 * index[0] + index[1]) * (rank < 2 ? 1 : 100);
    }
  }
  CHECK(redist_copies_simulate(plan, "f64", 4, (const void *const *)sources, destinations) == REDIST_OK);
  for (int rank = 0; rank < 4; ++rank) {
    int64_t len = 0, index[2];
    CHECK(redist_copies_local(plan, REDIST_DESTINATION, rank, NULL, NULL, &len) == REDIST_OK);
    for (int64_t at = 0; at < len; ++at) {
      CHECK(redist_copies_global_index(plan, REDIST_DESTINATION, rank, at, index) == REDIST_OK);
      CHECK(sums[rank][at] == 101 * (double)(10 * index[0] + index[1]));
    }
  }
  redist_copies_free(plan);
  tiles.extents = NULL;
  CHECK(redist_layout_mesh(2, extents, &tiles, &text) == REDIST_NULL);
  SAYS("`mesh.extents` is NULL");
}

/* feature: ranks in other cells, with their table = `redist_plan_relabelling` */
/* feature: steps, elements that stay, memory = `redist_plan_figures` */
static void figures(void) {
  const int64_t extent = 12;
  redist_figures found = REDIST_FIGURES_INIT;
  redist_plan *plan = NULL, *best = NULL;
  CHECK(redist_plan_parse(1, &extent, "block onto 4", "gen_block([4, 2, 3, 3]) onto 4 first 1", &plan) == REDIST_OK);
  CHECK(redist_plan_figures(plan, "f64", &found) == REDIST_OK);
  CHECK(found.steps == 2 && found.stays == 1 && found.memory_bytes >= 8 * 6 && found.steps_is_exact && found.stays_is_exact);
  found.size = 1;
  CHECK(redist_plan_figures(plan, "f64", &found) == REDIST_ARGUMENT);
  SAYS("sizeof(redist_figures)");
  int64_t table[4], stayed = -1, stays = -1;
  char *text = NULL;
  CHECK(redist_plan_relabelling(plan, &best, table, &stayed, &stays) == REDIST_OK);
  CHECK(stayed == 1 && stays == 11);
  IS(redist_plan_layout(best, REDIST_DESTINATION, &text), "gen_block([4, 2, 3, 3]) onto 4 first 1 ranks [3, 0, 1, 2]");
  CHECK(table[0] == 3 && table[1] == 0 && table[2] == 1 && table[3] == 2);
  redist_plan_free(best);
  CHECK(redist_plan_relabelling(plan, NULL, table, NULL, NULL) == REDIST_NULL);
  redist_plan_free(plan);
}

/* feature: plans explained, as text and JSON = `redist_plan_explain`, `redist_plan_explain_json` */
static void explained(void) {
  const int64_t extent = 12;
  redist_plan *plan = NULL;
  char *text = NULL;
  CHECK(redist_plan_parse(1, &extent, "block onto 4", "cyclic onto 3", &plan) == REDIST_OK);
  CHECK(redist_plan_explain(plan, &text) == REDIST_OK && strstr(text, "cyclic onto 3") != NULL);
  redist_text_free(text);
  CHECK(redist_plan_explain_json(plan, "f64", -1, -1, &text) == REDIST_OK);
  CHECK(strstr(text, "\"element\":\"f64\",\"element_bytes\":8,\"bytes\":96") != NULL);
  CHECK(strstr(text, "\"counts\":[[1,1,1],[1,1,1],[1,1,1],[1,1,1]]") != NULL);
  CHECK(strstr(text, "\"schedule\":{\"method\":") != NULL && strstr(text, "\"rank\":{") == NULL);
  redist_text_free(text);
  CHECK(redist_plan_explain_json(plan, "f64", 3, 11, &text) == REDIST_OK);
  CHECK(strstr(text, "\"counts\":null") != NULL && strstr(text, "\"rank\":{\"rank\":3,") != NULL);
  redist_text_free(text);
  CHECK(redist_plan_explain_json(plan, "f64", 4, -1, &text) == REDIST_ARGUMENT);
  SAYS("`rank` is 4");
  CHECK(redist_plan_explain_json(plan, "f64", -1, -2, &text) == REDIST_ARGUMENT);
  SAYS("`counts` is -2");
  CHECK(redist_plan_explain_json(plan, "f65", -1, -1, &text) == REDIST_ARGUMENT);
  CHECK(redist_plan_explain_json(plan, "f64", -1, -1, NULL) == REDIST_NULL);
  redist_plan_free(plan);
}

/* feature: plans in files = `redist_plan_json` */
static void json(void) {
  const int64_t extents[] = {100, 60};
  redist_plan *plan = NULL, *again = NULL;
  char *text = NULL, *other = NULL;
  CHECK(redist_plan_parse(2, extents, "scalapack(8, 8, 2, 2)", "(block, *) onto 4", &plan) == REDIST_OK);
  CHECK(redist_plan_json(plan, &text) == REDIST_OK && strstr(text, "\"extents\":[100,60]") != NULL);
  CHECK(redist_plan_from_json(text, &again) == REDIST_OK && redist_plan_json(again, &other) == REDIST_OK);
  CHECK(strcmp(text, other) == 0);
  redist_text_free(other);
  redist_plan_free(again);
  memcpy(strstr(text, "100"), "101", 3);
  CHECK(redist_plan_from_json(text, &again) == REDIST_LAYOUT);
  SAYS("the digest is");
  redist_text_free(text);
  CHECK(redist_plan_from_json("{\"extents\": [100, 60], \"from\": \"scalapack(8, 8, 2, 2)\", \"to\": \"(block, *) onto 4\"}",
                              &again) == REDIST_OK);
  redist_plan_free(again);
  CHECK(redist_plan_from_json("{\"extents\": 7}", &again) == REDIST_LAYOUT);
  CHECK(redist_plan_from_json(NULL, &again) == REDIST_NULL);
  redist_plan_free(plan);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  numbers();
  scalapack();
  darray();
  meshes();
  figures();
  explained();
  json();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("layouts in C: %d failures\n", all);
  MPI_Finalize();
  return all > 0;
}
