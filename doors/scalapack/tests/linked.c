/* A program that is linked with libredist_scalapack before ScaLAPACK: the routine that it calls by name is the library's,
 * and moves what ScaLAPACK's own moves. Its argument is
 * the name that ScaLAPACK is loaded by. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void gemr2d(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *b,
                    const int *ib, const int *jb, const int *descb, const int *context);
gemr2d pdgemr2d_;
void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
void Cblacs_exit(int goes_on);
int numroc_(const int *n, const int *nb, const int *at, const int *first, const int *processes);

enum { M = 37, N = 29, MOST = M * N };

static int grid(int rows, int columns) {
    int context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", rows, columns);
    return context;
}

/* A matrix of M rows and N columns on a grid. */
static void describe(int desc[9], int context, int mb, int nb) {
    int rows, columns, row, column, m = M, zero = 0;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int local = numroc_(&m, &mb, &row, &zero, &rows);
    int made[9] = {1, context, M, N, mb, nb, 0, 0, local > 1 ? local : 1};
    memcpy(desc, made, sizeof made);
}

static void must(int is_so, const char *what) {
    if (!is_so) {
        fprintf(stderr, "linked: %s\n", what);
        exit(1);
    }
}

static int is_in(void *function, const char *library) {
    Dl_info found;
    return dladdr(function, &found) != 0 && strstr(found.dli_fname, library) != NULL;
}

int main(int arguments, char **argument) {
    int rank, size, one = 1, desca[9], descb[9], m = M, n = N;
    static double a[MOST], ours[MOST], theirs[MOST];
    Cblacs_pinfo(&rank, &size);
    int from = grid(1, size), to = grid(size, 1);
    describe(desca, from, 5, 3);
    describe(descb, to, 4, 7);
    for (int at = 0; at < MOST; at++) a[at] = 1000.0 * MOST * rank + at;

    must(is_in((void *)pdgemr2d_, "libredist_scalapack"), "pdgemr2d_ is not the library's");
    void *handle = arguments == 2 ? dlopen(argument[1], RTLD_NOW | RTLD_NOLOAD) : NULL;
    must(handle != NULL, "ScaLAPACK is not loaded");
    void *scalapack = dlsym(handle, "pdgemr2d_");
    must(scalapack != NULL && is_in(scalapack, "libscalapack"), "ScaLAPACK has no pdgemr2d_ of its own");

    pdgemr2d_(&m, &n, a, &one, &one, desca, ours, &one, &one, descb, &to);
    ((gemr2d *)scalapack)(&m, &n, a, &one, &one, desca, theirs, &one, &one, descb, &to);
    must(memcmp(ours, theirs, sizeof ours) == 0, "the two differ");
    int moved = 0;
    for (int at = 0; at < MOST; at++) moved += ours[at] != 0.0;
    must(moved > 0, "nothing was moved");
    if (rank == 0) printf("%d processes, linked before ScaLAPACK: the library's pdgemr2d_, and the same elements\n", size);
    Cblacs_gridexit(from);
    Cblacs_gridexit(to);
    Cblacs_exit(0);
}
