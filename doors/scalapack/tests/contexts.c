/* Calls in new BLACS contexts, by ScaLAPACK and by the library that takes its place, side by side in one process.
 *
 * contexts LIBRARY first COUNT: times the first pdgemr2d in so many new contexts for each library and size. The order of
 *   both is drawn anew each time. Prints medians, with the first and the third quartile.
 * contexts LIBRARY live COUNT: makes so many contexts that live side by side, without a call, with one of ScaLAPACK, and with
 *   one of the library. Prints how much this process has grown for each.
 *
 * A matrix goes from blocks of 16 on two rows of processes to blocks of 32 on a column of all; both results are compared. New
 * contexts are rows of all processes, in which ScaLAPACK is faster than in columns. */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);

typedef void routine(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib, int jb,
                     const int *descb, int context);
routine Cpdgemr2d;

enum { THEIRS, OURS, BOTH };

/* One side's local array, and its descriptor. */
struct side {
    int desc[9];
    size_t len;
    double *array;
};

static routine *routines[BOTH];
static int rank, size;

static void fail(const char *why) {
    fprintf(stderr, "contexts: process %d: %s\n", rank, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns how many of n indices a process has, in blocks of nb over so many processes. */
static int numroc(int n, int nb, int process, int processes) {
    int count = 0;
    for (int at = 0; at < n; at++) count += at / nb % processes == process;
    return count;
}

static int grid(int rows, int columns) {
    int context;
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "R", rows, columns);
    return context;
}

static struct side side(int context, int order, int block) {
    int rows, columns, row, column;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int own_rows = numroc(order, block, row, rows), own_columns = numroc(order, block, column, columns);
    int lld = own_rows > 0 ? own_rows : 1;
    struct side made = {{1, context, order, order, block, block, 0, 0, lld}, (size_t)lld * (size_t)own_columns, NULL};
    made.array = malloc((made.len + 1) * sizeof(double));
    for (size_t at = 0; at < made.len; at++) made.array[at] = (double)at + 1e6 * rank;
    return made;
}

/* Calls a routine in a context, which all processes enter together, and returns the seconds until all have left it. */
static double call(int which, int order, const struct side *a, const struct side *b, int context) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    routines[which](order, order, a->array, 1, 1, a->desc, b->array, 1, 1, b->desc, context);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begun;
}

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void first_calls(int order, int count, const int grids[2]) {
    struct side a = side(grids[0], order, 16), b[BOTH] = {side(grids[1], order, 32), side(grids[1], order, 32)};
    double *times[BOTH] = {malloc((size_t)count * sizeof(double)), malloc((size_t)count * sizeof(double))};
    for (int at = 0; at < count; at++) {
        int first = rand() % 2; /* The same on all processes. */
        for (int turn = 0; turn < BOTH; turn++) {
            int which = turn ? !first : first, context = grid(1, size);
            times[which][at] = 1e6 * call(which, order, &a, &b[which], context);
            Cblacs_gridexit(context);
        }
        if (memcmp(b[THEIRS].array, b[OURS].array, b[OURS].len * sizeof(double)) != 0) fail("the results differ");
    }
    for (int which = 0; which < BOTH; which++) qsort(times[which], (size_t)count, sizeof(double), compare);
    if (rank == 0) {
        double *theirs = times[THEIRS], *ours = times[OURS];
        printf("%5d², %d processes: ScaLAPACK %6.0f µs (%.0f to %.0f), redist %6.0f µs (%.0f to %.0f): %.2f of its time\n",
               order, size, theirs[count / 2], theirs[count / 4], theirs[count * 3 / 4], ours[count / 2],
               ours[count / 4], ours[count * 3 / 4], ours[count / 2] / theirs[count / 2]);
    }
    for (int which = 0; which < BOTH; which++) free(times[which]), free(b[which].array);
    free(a.array);
}

/* Returns the KiB of this process that are in memory. */
static double resident(void) {
    long all, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) fail("no /proc/self/statm");
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void live(int count, const int grids[2]) {
    static const char *const names[] = {"without a call", "with one of ScaLAPACK", "with one of redist"};
    struct side a = side(grids[0], 200, 16), b = side(grids[1], 200, 32);
    for (int turn = 0; turn <= BOTH; turn++) {
        double before = resident();
        for (int at = 0; at < count; at++) {
            int context = grid(1, size);
            if (turn > 0) call(turn - 1, 200, &a, &b, context);
        }
        if (rank == 0)
            printf("%d contexts %s: %.1f KiB each\n", count, names[turn], (resident() - before) / count);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4 || size % 2) fail("usage: contexts LIBRARY first|live COUNT, on an even number of processes");
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(dlerror());
    routines[THEIRS] = Cpdgemr2d;
    *(void **)&routines[OURS] = dlsym(library, "Cpdgemr2d");
    if (!routines[OURS] || routines[OURS] == routines[THEIRS]) fail("the library has no Cpdgemr2d of its own");
    static const int orders[] = {50, 100, 200, 500, 1000};
    int grids[2] = {grid(2, size / 2), grid(size, 1)};
    if (strcmp(argv[2], "live") == 0) {
        live(atoi(argv[3]), grids);
    } else {
        for (size_t at = 0; at < sizeof orders / sizeof *orders; at++) first_calls(orders[at], atoi(argv[3]), grids);
    }
    MPI_Finalize();
}
