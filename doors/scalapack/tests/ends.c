/* Drawn orders of ends of BLACS contexts that have served a pdgemr2d: each process exits its contexts in an order of its own,
 * around barriers of all, or leaves them to BLACS_EXIT or MPI_Finalize. No end may wait for another process: with
 * ScaLAPACK alone, each of these programs ends.
 *
 * ends CASE: plays one of the fixed programs `table`, `crossed`, `finalize` and `collected`, or so many drawn ones:
 * ends FIRST COUNT. A process that still waits after LIMIT seconds names the program and its call. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridmap(int *context, const int *map, int leading, int rows, int columns);
void Cblacs_gridexit(int context);
void Cblacs_exit(int goes_on);
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib, int jb,
               const int *descb, int context);

/* Seconds; rows and columns of a matrix; most contexts of a program, and steps of a process. */
enum { LIMIT = 40, N = 120, MOST = 8, STEPS = 2 * MOST };

static int rank, size;
static uint64_t state;
static char doing[160];
static volatile sig_atomic_t length;
static int all[] = {0, 1, 2, 3, 4, 5, 6, 7};
static double a[N * N], b[N * N];

/* Returns a number below another; the same seed draws the same ones. */
static int draw(int below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

static void seed(uint64_t number, uint64_t of_rank) {
    state = number * 1000003u + of_rank * 7919u + 12345u;
    for (int at = 0; at < 5; at++) draw(2);
}

/* Notes what this process is in. */
static void note(const char *program, const char *what, int which) {
    length = 0;
    length = snprintf(doing, sizeof doing, "ends: process %d waits in program %s, %s %d\n", rank, program, what, which);
}

static void bites(int signal) {
    (void)signal;
    if (write(2, doing, (size_t)length) < 0) _exit(123);
    _exit(124);
}

/* Makes a context of so many of these processes, a column of them. All processes call it. */
static int grid(const int *processes, int count) {
    int context;
    Cblacs_get(0, 0, &context);
    Cblacs_gridmap(&context, processes, count, count, 1);
    return context;
}

/* Moves a matrix between blocks of 16 and of 32 on a context. */
static void move(int context) {
    const int from[9] = {1, context, N, N, 16, 16, 0, 0, N}, to[9] = {1, context, N, N, 32, 32, 0, 0, N};
    Cpdgemr2d(N, N, a, 1, 1, from, b, 1, 1, to, context);
}

/* BLACS_EXIT frees the contexts in the order of each process's table. Process 0 has the last one before the second,
 * because it has a free place in its table; process 1 has it behind. */
static void table(void) {
    const int apart[] = {0, 2}, together[] = {0, 1};
    int x = grid(apart, 2), y = grid(together, 2);
    if (rank != 1) Cblacs_gridexit(x);
    int z = grid(together, 2);
    if (rank < 2) {
        move(y);
        move(z);
    }
}

/* Odd processes exit two contexts in the other order. */
static void crossed(void) {
    int context[2] = {grid(all, size), grid(all, size)}, first = rank % 2;
    for (int at = 0; at < 2; at++) move(context[at]);
    Cblacs_gridexit(context[first]);
    Cblacs_gridexit(context[!first]);
}

/* Process 0 exits its context, the others leave it to the end of MPI. */
static void finalize(void) {
    int context = grid(all, size);
    move(context);
    if (rank == 0) Cblacs_gridexit(context);
}

/* As a garbage collector exits contexts: one process before a barrier, the others after it; then in any order. */
static void collected(void) {
    int first = grid(all, size);
    move(first);
    if (rank == 0) Cblacs_gridexit(first);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) Cblacs_gridexit(first);
    MPI_Barrier(MPI_COMM_WORLD);
    crossed();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Plays a drawn program; the last one `leaves` some contexts. */
static void play(uint64_t number, int leaves) {
    int context[MOST], own[MOST], steps[STEPS], count = 0;
    char name[32];
    snprintf(name, sizeof name, "%llu", (unsigned long long)number);
    seed(number, 0);
    int contexts = 1 + draw(MOST - 1), barriers = 1 + draw(4);
    for (int at = 0; at < contexts; at++) {
        int members = draw(2) ? size : 1 + draw(size), first = draw(size - members + 1), moves = draw(4);
        own[at] = rank >= first && rank < first + members;
        note(name, "the making of context", at);
        context[at] = grid(all + first, members);
        for (int turn = 0; own[at] && turn < moves; turn++) move(context[at]);
    }
    seed(number, 1 + (uint64_t)rank);
    for (int at = 0; at < contexts; at++)
        if (own[at] && !(leaves && draw(3) == 0)) steps[count++] = at;
    for (int at = 0; at < barriers; at++) steps[count++] = -1;
    for (int at = count - 1; at > 0; at--) {
        int other = draw(at + 1), kept = steps[at];
        steps[at] = steps[other], steps[other] = kept;
    }
    for (int at = 0; at < count; at++) {
        if (draw(4) == 0) usleep(1000 * (1 + draw(30)));
        note(name, steps[at] < 0 ? "the barrier at step" : "the exit of context", steps[at] < 0 ? at : steps[at]);
        if (steps[at] < 0) MPI_Barrier(MPI_COMM_WORLD);
        else Cblacs_gridexit(context[steps[at]]);
    }
}

int main(int arguments, char **argument) {
    static const struct { const char *name; void (*play)(void); } fixed[] = {
        {"table", table}, {"crossed", crossed}, {"finalize", finalize}, {"collected", collected}};
    if (arguments < 2) return 2;
    signal(SIGALRM, bites);
    MPI_Init(NULL, NULL);
    Cblacs_pinfo(&rank, &size);
    const char *name = argument[1];
    if (arguments == 2) {
        alarm(LIMIT);
        note(name, "its only part", 0);
        for (int at = 0; at < 4; at++)
            if (strcmp(fixed[at].name, name) == 0) fixed[at].play();
    } else {
        uint64_t first = strtoull(name, NULL, 10), count = strtoull(argument[2], NULL, 10);
        for (uint64_t at = 0; at < count; at++) {
            alarm(LIMIT);
            play(first + at, at + 1 == count);
        }
    }
    /* BLACS_EXIT finalises MPI, too. A program may call MPI_Finalize instead. */
    int by_blacs = strcmp(name, "finalize") != 0 && (arguments == 2 || atoi(name) % 2 == 0);
    note(name, by_blacs ? "Cblacs_exit" : "MPI_Finalize", by_blacs);
    if (by_blacs) Cblacs_exit(0);
    else MPI_Finalize();
    if (rank == 0) printf("program %s has ended%s\n", name, arguments > 2 ? ", and those behind it" : "");
    return 0;
}
