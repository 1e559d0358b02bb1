/* Processes that have no MPI library, or two: one sentence, and no crash. The first argument is what the message says; a
 * second one is another library, which is loaded before. Compiled with REDIST_WITHOUT_MPI, it knows no mpi.h. */
#include <dlfcn.h>
#include <redist.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void refused(redist_status status, const char *words) {
  const char *message = redist_last_message();
  if (status == REDIST_MPI && strstr(message, words) != NULL) return;
  ++failures;
  fprintf(stderr, "status %d: %s\nbut should be status %d: … %s …\n", (int)status, message, REDIST_MPI, words);
}

int main(int argc, char **argv) {
  const int64_t extent = 4;
  redist_plan *plan = NULL;
  redist_bound *bound = NULL;
  if (argc < 2 || (argc > 2 && dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) == NULL)) {
    fprintf(stderr, "%s\n", argc < 2 ? "what should the message say?" : dlerror());
    return 2;
  }
  if (redist_plan_parse(1, &extent, "(*)", "(*)", &plan) != REDIST_OK) return 2;
#ifdef REDIST_WITHOUT_MPI
  void *handle = NULL;
  refused(redist_bind_place(plan, "f64", &handle, sizeof handle, NULL, NULL, &bound), argv[1]);
  refused(redist_bind_number(plan, "f64", 0, NULL, NULL, &bound), argv[1]);
#else
  MPI_Init(&argc, &argv);
  refused(redist_bind(plan, "f64", MPI_COMM_WORLD, NULL, &bound), argv[1]);
  refused(redist_bind_f(plan, "f64", MPI_Comm_c2f(MPI_COMM_WORLD), NULL, &bound), argv[1]);
  MPI_Finalize();
#endif
  redist_plan_free(plan);
  if (failures == 0) printf("%s\n", redist_last_message());
  return failures > 0;
}
