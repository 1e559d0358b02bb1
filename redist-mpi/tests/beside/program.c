/* Loads the library at its first argument, and passes communicators to it. A name behind that is of
   another MPI library, which it loads before. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#define EXPECT(what, expected)                                                                     \
    do {                                                                                           \
        int found = (what);                                                                        \
        if (found != (expected)) {                                                                 \
            printf("%s is %d, not %d\n", #what, found, (expected));                                \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main(int argc, char **argv) {
    int ranks;
    MPI_Comm own, inter;
    if (argc > 2 && !dlopen(argv[2], RTLD_NOW | RTLD_LOCAL)) {
        puts(dlerror());
        return 1;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        puts(dlerror());
        return 1;
    }
    int (*raw)(uintptr_t) = (int (*)(uintptr_t))dlsym(library, "beside_raw");
    int (*fortran)(int) = (int (*)(int))dlsym(library, "beside_fortran");
    int (*place)(const void *) = (int (*)(const void *))dlsym(library, "beside_place");
    EXPECT(raw((uintptr_t)MPI_COMM_WORLD), argc > 2 ? -9 : -1);
    if (argc > 2) return 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    EXPECT(raw((uintptr_t)MPI_COMM_WORLD), ranks);
    EXPECT(raw((uintptr_t)own), ranks);
    EXPECT(raw((uintptr_t)MPI_COMM_SELF), 1);
    EXPECT(raw((uintptr_t)MPI_COMM_NULL), -3);
    EXPECT(fortran(MPI_Comm_c2f(own)), ranks);
    EXPECT(place(&own), ranks);
    if (ranks > 1) {
        int rank;
        MPI_Comm half;
        MPI_Comm_rank(own, &rank);
        MPI_Comm_split(own, rank == 0, rank, &half);
        MPI_Intercomm_create(half, 0, own, rank == 0, 0, &inter);
        EXPECT(raw((uintptr_t)inter), -4);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    MPI_Comm_free(&own);
    MPI_Finalize();
    EXPECT(raw((uintptr_t)MPI_COMM_WORLD), -2);
    return 0;
}
