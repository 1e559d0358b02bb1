/* Drawn orders of ends: each rank ends bound plans, shared arrays and communicators in an order of its own, around
 * barriers of all. No end may wait for another rank. With MPI alone, each of these programs ends.
 *
 * ends FIRST COUNT [alone]: plays two fixed programs, and so many drawn ones by their numbers. The last one leaves some
 * things to MPI_Finalize. `alone`: without the library. A rank that still waits after LIMIT seconds names the program
 * and its call. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <redist.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds; elements of an array; most things of a program, and steps of a rank. */
enum { LIMIT = 40, EXTENT = 6000, MOST = 16, STEPS = 2 * MOST };

/* A thing with an end. `owner` is the index of the communicator of a plan or an array. */
typedef struct {
  enum { COMM, BOUND, ARRAY } kind;
  int owner;
  MPI_Comm comm;
  redist_bound *bound;
  void *array;
} thing;

static int rank, size, alone;
static uint64_t state;
static char doing[160];
static volatile sig_atomic_t length;

/* Returns a number below another; the same seed draws the same ones. */
static int draw(int below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)below);
}

static void seed(uint64_t number, uint64_t of_rank) {
  state = number * 1000003u + of_rank * 7919u + 12345u;
  for (int at = 0; at < 5; at++) draw(2);
}

/* Notes what this rank is in. */
static void note(uint64_t number, const char *what, int thing) {
  length = 0;
  length = snprintf(doing, sizeof doing, "ends: rank %d waits in program %llu, %s %d\n", rank,
                    (unsigned long long)number, what, thing);
}

static void bites(int signal) {
  (void)signal;
  if (write(2, doing, (size_t)length) < 0) _exit(123);
  _exit(124);
}

static void must(redist_status status) {
  if (status == REDIST_OK) return;
  fprintf(stderr, "ends: rank %d: %s\n", rank, redist_last_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Makes the communicator of a thing: a duplicate, or one of some ranks. */
static MPI_Comm some(int first, int count) {
  MPI_Comm made;
  if (count == size) {
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, rank >= first && rank < first + count ? 1 : MPI_UNDEFINED, 0, &made);
  }
  return made;
}

/* Binds a plan on a communicator, moves once, and makes an array if wanted. */
static void bind(thing *bound, thing *array, MPI_Comm comm) {
  int ranks;
  char from[32], to[32];
  const int64_t extents[] = {EXTENT};
  static double source[EXTENT], destination[EXTENT];
  redist_plan *plan;
  MPI_Comm_size(comm, &ranks);
  snprintf(from, sizeof from, "block onto %d", ranks);
  snprintf(to, sizeof to, "cyclic onto %d", ranks);
  must(redist_plan_parse(1, extents, from, to, &plan));
  must(redist_bind(plan, "f64", comm, NULL, &bound->bound));
  redist_plan_free(plan);
  int64_t held = redist_local_len(bound->bound, REDIST_SOURCE), gets = redist_local_len(bound->bound, REDIST_DESTINATION);
  if (array) must(redist_shared_alloc(bound->bound, REDIST_SOURCE, &array->array));
  must(redist_run(bound->bound, array ? array->array : source, held, destination, gets));
}

static void end(thing *ended) {
  switch (ended->kind) {
    case COMM: MPI_Comm_free(&ended->comm); break;
    case BOUND: must(redist_bound_free(ended->bound)); break;
    case ARRAY: must(redist_shared_free(ended->array)); break;
  }
}

/* Makes the things of a program, in one order on all ranks; returns how many. `own`: this rank has it. */
static int make(thing *things, int *own) {
  int count = 0;
  for (int comms = 1 + draw(3); comms > 0; comms--) {
    int members = draw(2) ? size : 1 + draw(size), first = draw(size - members + 1), plans = 1 + draw(2);
    int is_in = rank >= first && rank < first + members, owner = count;
    things[count] = (thing){.kind = COMM, .comm = some(first, members)};
    own[count++] = is_in;
    for (int plan = 0; plan < plans && !alone; plan++) {
      int has_array = draw(2), bound = count++;
      things[bound] = (thing){.kind = BOUND, .owner = owner};
      if (has_array) things[count] = (thing){.kind = ARRAY, .owner = owner};
      if (is_in) bind(&things[bound], has_array ? &things[count] : NULL, things[owner].comm);
      own[bound] = is_in;
      if (has_array) own[count++] = is_in;
    }
  }
  return count;
}

/* Plays a program. The last one `leaves` some things to the end of MPI. */
static void play(uint64_t number, int leaves) {
  thing things[MOST] = {0};
  int own[MOST], steps[STEPS], count = 0;
  alarm(LIMIT);
  seed(number, 0);
  note(number, "the making of thing", 0);
  int made = make(things, own), barriers = 1 + draw(3);
  seed(number, 1 + (uint64_t)rank);
  for (int at = 0; at < made; at++)
    if (own[at] && !(leaves && draw(3) == 0)) steps[count++] = at;
  for (int at = 0; at < barriers; at++) steps[count++] = -1;
  for (int at = count - 1; at > 0; at--) {
    int other = draw(at + 1), kept = steps[at];
    steps[at] = steps[other], steps[other] = kept;
  }
  for (int at = 0; at < count; at++) {
    if (draw(4) == 0) usleep(1000 * (1 + draw(30)));
    note(number, steps[at] < 0 ? "the barrier at step" : "the end of thing", steps[at] < 0 ? at : steps[at]);
    if (steps[at] < 0) MPI_Barrier(MPI_COMM_WORLD);
    else end(&things[steps[at]]);
  }
  note(number, "the end of MPI after step", count);
}

/* Two communicators of bound plans. Odd ranks free them in the other order; or rank 0 frees one before a barrier, and the
 * others after it. */
static void fixed(int is_crossed) {
  thing comms[2], bound[2];
  alarm(LIMIT);
  for (int at = 0; at < 2; at++) {
    comms[at] = (thing){.kind = COMM, .comm = some(0, size)};
    bound[at] = (thing){.kind = BOUND};
    if (alone) continue;
    bind(&bound[at], NULL, comms[at].comm);
    end(&bound[at]);
  }
  int first = is_crossed && rank % 2;
  note(0, is_crossed ? "the crossed ends of communicator" : "the ends around a barrier of communicator", first);
  if (!is_crossed && rank != 0) MPI_Barrier(MPI_COMM_WORLD);
  end(&comms[first]);
  if (!is_crossed && rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  end(&comms[!first]);
}

int main(int arguments, char **argument) {
  if (arguments < 3) return 2;
  uint64_t first = strtoull(argument[1], NULL, 10), count = strtoull(argument[2], NULL, 10);
  alone = arguments > 3;
  signal(SIGALRM, bites);
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  fixed(1);
  fixed(0);
  for (uint64_t at = 0; at < count; at++) play(first + at, at + 1 == count);
  MPI_Finalize();
  if (rank == 0) printf("%s programs from %s on have ended\n", argument[2], argument[1]);
  return 0;
}
