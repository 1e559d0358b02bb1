/* Two threads of each rank bind plans (MPI_THREAD_MULTIPLE): to a communicator each, to one in turn, or to one at once. Where they share one,
 * a thread gets a sentence on each rank; none hangs. Argument: apart, in_turn or at_once. At once, either thread of a rank may bind, and
 * the other one is refused while that plan lives. */
#include <mpi.h>
#include <redist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { ROWS = 90, COLUMNS = 50, BINDS = 50 };

static int rank, size, is_apart, is_in_turn, is_at_once;
static MPI_Comm communicators[2];
/* Calls of each thread that another thread's plans kept from binding, and other faults. */
static int refused[2], failed[2];
static mtx_t lock;
static cnd_t has_bound;
static int first_has_bound;
/* Threads that are about to bind at once, and those that have been refused. */
static int ready, turned_away;

static void fault(int thread, const char *what) {
  ++failed[thread];
  fprintf(stderr, "rank %d, thread %d: %s: %s\n", rank, thread, what, redist_last_message());
}

static void wait_for_the_first(void) {
  mtx_lock(&lock);
  while (!first_has_bound) cnd_wait(&has_bound, &lock);
  mtx_unlock(&lock);
}

static void note_the_first(void) {
  mtx_lock(&lock);
  first_has_bound = 1;
  cnd_broadcast(&has_bound);
  mtx_unlock(&lock);
}

/* Adds to a number that threads share, and waits until another one is so much. */
static void count_and_wait(int *counted, int *awaited, int most) {
  mtx_lock(&lock);
  if (counted) ++*counted;
  cnd_broadcast(&has_bound);
  while (awaited && *awaited < most) cnd_wait(&has_bound, &lock);
  mtx_unlock(&lock);
}

static int moves(void *number) {
  int thread = (int)(intptr_t)number;
  char from[40], to[40];
  const int64_t extents[] = {ROWS, COLUMNS};
  snprintf(from, sizeof from, "(cyclic(3), *) onto %d", size);
  snprintf(to, sizeof to, "(*, cyclic(5)) onto %d", size);
  double *source = malloc(ROWS * COLUMNS * sizeof *source), *destination = malloc(ROWS * COLUMNS * sizeof *destination);
  if (is_in_turn && thread == 1) wait_for_the_first();
  if (is_at_once) count_and_wait(&ready, &ready, 2);
  for (int bind = 0; bind < (is_at_once ? 1 : BINDS) && !refused[thread] && !failed[thread]; ++bind) {
    redist_plan *plan = NULL;
    redist_bound *bound = NULL;
    redist_plan_parse(2, extents, from, to, &plan);
    redist_status status = redist_bind(plan, "f64", communicators[thread], NULL, &bound);
    redist_plan_free(plan);
    if (status == REDIST_UNAVAILABLE && strstr(redist_last_message(), "another thread")) ++refused[thread];
    else if (status != REDIST_OK) fault(thread, "bind");
    if (status == REDIST_OK && thread == 0) note_the_first();
    if (status == REDIST_OK && !is_apart) count_and_wait(NULL, &turned_away, 1);
    if (status != REDIST_OK) break;
    int64_t held = redist_local_len(bound, REDIST_SOURCE), gets = redist_local_len(bound, REDIST_DESTINATION);
    for (int64_t at = 0; at < held; ++at) source[at] = thread;
    if (redist_run(bound, source, held, destination, gets) != REDIST_OK) fault(thread, "run");
    for (int64_t at = 0; at < gets; ++at)
      /* At once, the plan's other rank may have bound it on its other thread. */
      if (destination[at] != thread && !(is_at_once && destination[at] == !thread)) {
        fault(thread, "the other thread's elements");
        break;
      }
    if (redist_bound_free(bound) != REDIST_OK) fault(thread, "free");
  }
  note_the_first();
  if (refused[thread]) count_and_wait(&turned_away, NULL, 0);
  free(source);
  free(destination);
  return 0;
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *how = argc > 1 ? argv[1] : "apart";
  is_apart = strcmp(how, "apart") == 0;
  is_in_turn = strcmp(how, "in_turn") == 0;
  is_at_once = strcmp(how, "at_once") == 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &communicators[0]);
  communicators[1] = communicators[0];
  if (is_apart) MPI_Comm_dup(MPI_COMM_WORLD, &communicators[1]);
  mtx_init(&lock, mtx_plain);
  cnd_init(&has_bound);
  thrd_t threads[2];
  if (level < MPI_THREAD_MULTIPLE) printf("threads: the library has no MPI_THREAD_MULTIPLE\n");
  for (int thread = 0; level == MPI_THREAD_MULTIPLE && thread < 2; ++thread)
    thrd_create(&threads[thread], moves, (void *)(intptr_t)thread);
  for (int thread = 0; level == MPI_THREAD_MULTIPLE && thread < 2; ++thread) thrd_join(threads[thread], NULL);
  int expected = is_apart ? 0 : 1, wrong = refused[0] + refused[1] != expected || failed[0] || failed[1];
  if (level < MPI_THREAD_MULTIPLE) wrong = 0;
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("two threads, %s, on %d ranks: %d failures\n", how, size, all);
  MPI_Finalize();
  return all > 0;
}
