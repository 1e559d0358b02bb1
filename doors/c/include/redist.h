/* redist: moves a distributed array from one block-cyclic layout to another.
 *
 * cbindgen makes this file from the library's source. The guide is docs/c.md.
 *
 * All functions:
 * - Each returns a status. redist_last_message() has the message of a failed call, on the same thread.
 *   A call that fails stores no handle and no text.
 * - Pointers are NULL or point to the thing that they name: a text that ends with a zero, a list with
 *   an entry for each dimension, a handle that has not been freed. Functions refuse NULL unless they
 *   say otherwise. Texts are UTF-8. All lengths, extents, strides and offsets are in elements unless
 *   the name says bytes; indices and ranks count from 0.
 * - "Collective" is as in MPI: all ranks of the communicator call, in one order. If a rank passes wrong
 *   arguments to redist_bind or redist_shared_alloc, all ranks fail. A wrong array on one rank is an
 *   error of that rank and of all ranks that receive from it. All others move. Ranks that bound the
 *   plan `collectively` all get the error, and none moves. Some ranks cannot notify the others: those
 *   without a usable communicator or bound plan, on a wrong thread, or with a move under way.
 * - After an error of a move the destination is as it was, if the ranks are on one node. Between nodes,
 *   and after a rank that has panicked or ended, it may be half written.
 * - MPI is initialised before redist_bind and not finalised before the last move. Only the thread that
 *   bound a plan uses the bound plan; any thread uses plans and texts. Threads that bind plans take a
 *   communicator each, made by MPI_Comm_dup.
 * - The library is linked with no MPI library, and calls the one that the program has loaded. Programs
 *   are compiled with that library's mpi.h. This file includes it, unless it is included already or
 *   REDIST_WITHOUT_MPI is defined: plans need none.
 */

#ifndef REDIST_H
#define REDIST_H


#include <stddef.h>
#include <stdint.h>
#if !defined(REDIST_WITHOUT_MPI) && !defined(MPI_VERSION)
#include "mpi.h"
#endif

/* All other members have their defaults. */
#define REDIST_OPTIONS_INIT \
  {sizeof(redist_options), 0, 0, 0, 0, 0, {{0, 0, 0, NULL, NULL, NULL}, {0, 0, 0, NULL, NULL, NULL}}, 0, 0, 0}
#define REDIST_ARRAY_INIT {sizeof(redist_array), NULL, NULL, 0, 0, 0, NULL, NULL}
#define REDIST_LAYOUT_INIT \
  {sizeof(redist_layout), NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL, NULL}
#define REDIST_FILE_OPTIONS_INIT {sizeof(redist_file_options), 0, 0, 0, 0, 0, 0}
#define REDIST_MESH_INIT {sizeof(redist_mesh), 0, 0, NULL, NULL, NULL, NULL}
#define REDIST_FIGURES_INIT {sizeof(redist_figures), 0, 0, 0, 0, 0, 0, 0}
#define REDIST_LISTS_INIT {sizeof(redist_lists), 0, NULL, 0, NULL, 0, 0, 0, 0}


/**
 * The side that an array is on before a move.
 */
#define REDIST_SOURCE 0

/**
 * The side that an array is on after a move.
 */
#define REDIST_DESTINATION 1

/**
 * The source has equal copies of the array, or one.
 */
#define REDIST_COMBINE_NONE 0

/**
 * The source has addends; each copy of the destination becomes their sum.
 */
#define REDIST_COMBINE_SUM 1

/**
 * As `REDIST_COMBINE_SUM`, but the least of each element's addends.
 */
#define REDIST_COMBINE_MIN 2

/**
 * As `REDIST_COMBINE_SUM`, but the greatest of each element's addends.
 */
#define REDIST_COMBINE_MAX 3

/**
 * As `REDIST_COMBINE_SUM`, but a function of the caller combines them: by `redist_run_with`, or by
 * `redist_copies_simulate_with`.
 */
#define REDIST_COMBINE_FUNCTION 4

/**
 * `MPI_DISTRIBUTE_NONE`.
 */
#define REDIST_DISTRIBUTE_NONE 0

/**
 * `MPI_DISTRIBUTE_BLOCK`.
 */
#define REDIST_DISTRIBUTE_BLOCK 1

/**
 * `MPI_DISTRIBUTE_CYCLIC`.
 */
#define REDIST_DISTRIBUTE_CYCLIC 2

/**
 * `MPI_DISTRIBUTE_DFLT_DARG`.
 */
#define REDIST_DISTRIBUTE_DFLT_DARG 0

/**
 * Each device along this dimension of the mesh has a copy.
 */
#define REDIST_REPLICATE -1

/**
 * Each device along this dimension of the mesh has an addend.
 */
#define REDIST_PARTIAL -2

/**
 * Counts up when programs compiled with an earlier header must be compiled again. The library's
 * SONAME changes with it.
 */
#define REDIST_ABI 1

/**
 * A dimension that is not distributed.
 */
#define REDIST_COLLAPSED -1

/**
 * One block for each rank of the grid.
 */
#define REDIST_BLOCK 0

/**
 * One block of its own size for each rank of the grid.
 */
#define REDIST_GEN_BLOCK -2

/**
 * The array is dense.
 */
#define REDIST_PADDING_NONE 0

/**
 * It has a leading dimension.
 */
#define REDIST_PADDING_LEADING 1

/**
 * It has strides.
 */
#define REDIST_PADDING_STRIDES 2

/**
 * It is a box in a larger array, whose halo stays untouched.
 */
#define REDIST_PADDING_WITHIN 3

/**
 * The way of elements if all ranks run a move: the same on all ranks. `REDIST_ROUTE_AUTOMATIC`
 * takes the way that is expected to be fastest.
 */
#define REDIST_ROUTE_AUTOMATIC 0

/**
 * Chunks in shared memory, if all ranks are on one node.
 */
#define REDIST_ROUTE_CHUNKS 1

/**
 * Packed messages.
 */
#define REDIST_ROUTE_MESSAGES 2

/**
 * The schedule of messages: the same on all ranks. `REDIST_METHOD_AUTOMATIC` asks for none:
 * messages go all at once.
 */
#define REDIST_METHOD_AUTOMATIC 0

/**
 * No steps.
 */
#define REDIST_METHOD_ALL_AT_ONCE 1

/**
 * The circulant schedule, for x to kx and back.
 */
#define REDIST_METHOD_CIRCULANT 2

/**
 * The closed form for s to t.
 */
#define REDIST_METHOD_CLOSED_FORM 3

/**
 * König's edge colouring.
 */
#define REDIST_METHOD_KOENIG 4

/**
 * Walker and Otto's caterpillar.
 */
#define REDIST_METHOD_CATERPILLAR 5

/**
 * The whole array moves.
 */
#define REDIST_WHOLE 0

/**
 * The part of a matrix on and above the diagonal moves.
 */
#define REDIST_UPPER 1

/**
 * The part of a matrix on and below the diagonal moves.
 */
#define REDIST_LOWER 2

/**
 * The result of a call. All releases keep the numbers; new ones may come.
 */
enum redist_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * It is done.
   */
  REDIST_OK = 0,
  /**
   * A pointer is NULL that must not be.
   */
  REDIST_NULL = 1,
  /**
   * A number is out of range, or a text is unknown.
   */
  REDIST_ARGUMENT = 2,
  /**
   * A text or numbers are no layout, or the layouts do not meet.
   */
  REDIST_LAYOUT = 3,
  /**
   * A move is under way where none may be, or none where one must be.
   */
  REDIST_STATE = 4,
  /**
   * A bound plan was used on another thread than it was bound on.
   */
  REDIST_THREAD = 5,
  /**
   * A local array has another length than it must have, or overlaps the other one.
   */
  REDIST_ARRAY = 6,
  /**
   * The communicator has too few ranks for the layouts.
   */
  REDIST_RANKS = 7,
  /**
   * Ranks have different plans, element types or options, or call in different orders. Or parts of
   * several programs do not make one array.
   */
  REDIST_DIFFERS = 8,
  /**
   * Another rank is at fault, or has ended; the message names it, and what is wrong there. This
   * rank's call has failed, too.
   */
  REDIST_PEER = 9,
  /**
   * These ranks cannot have something that the caller asked for.
   */
  REDIST_UNAVAILABLE = 10,
  /**
   * MPI has failed, is not initialised, or is finalised.
   */
  REDIST_MPI = 11,
  /**
   * The library has panicked, which is an error of its own. In a move the destination may be half
   * written.
   */
  REDIST_PANIC = 12,
  /**
   * A file, or the system, does not allow it, or an element in a file differs.
   */
  REDIST_FILE = 13,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum redist_status redist_status;
#else
typedef int32_t redist_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Arrays that move in one exchange: at most one message from a rank to another, with its parts of all
 * arrays. Several threads may use it at a time.
 */
typedef struct redist_batch redist_batch;

/**
 * A plan bound to the ranks of a communicator.
 */
typedef struct redist_bound redist_bound;

/**
 * A batch bound to the ranks of a communicator.
 */
typedef struct redist_bound_batch redist_bound_batch;

/**
 * A plan between copies of one array, or a sum of addends. It never changes, and several threads may
 * use it at a time.
 */
typedef struct redist_copies redist_copies;

/**
 * Messages that one rank sends, or those that it receives. They never change, and several threads may
 * use them at a time.
 */
typedef struct redist_messages redist_messages;

/**
 * The packing and the unpacking of one rank. It never changes, and several threads may use it at a
 * time.
 */
typedef struct redist_packing redist_packing;

/**
 * The messages of a move: senders, receivers, elements. It never changes, and several threads may
 * use it at a time.
 */
typedef struct redist_plan redist_plan;

/**
 * The programs of a launch. Only the thread that sorted them uses them.
 */
typedef struct redist_programs redist_programs;

/**
 * The ranks that plans are bound to, where they are no MPI communicator: threads, which
 * `redist_threads_run` starts, or the ranks of two programs, which `redist_programs_couple` joins. Only the
 * thread that got them uses them.
 */
typedef struct redist_ranks redist_ranks;

/**
 * A local array, with what its caller knows of it. Begin with `redist_array array =
 * REDIST_ARRAY_INIT;`.
 */
typedef struct redist_array {
  /**
   * `sizeof(redist_array)`.
   */
  size_t size;
  /**
   * The name of the element type, as for `redist_bind`. It is not compared if it is NULL.
   */
  const char *element;
  /**
   * The first element in memory. A source is only read. It may be NULL if the array has none.
   */
  void *data;
  /**
   * Elements of the memory, as for `redist_run`.
   */
  int64_t len;
  /**
   * Number of the array's dimensions; 0 if the shape is not to be compared.
   */
  int32_t dimensions;
  /**
   * 0.
   */
  int32_t reserved;
  /**
   * Extents of the array, dimension by dimension.
   */
  const int64_t *shape;
  /**
   * Distance of neighbours along each dimension, in elements.
   */
  const int64_t *strides;
} redist_array;

/**
 * The place in memory of this rank's local array on one side, in elements. Ranks may differ.
 */
typedef struct redist_padding {
  /**
   * A `REDIST_PADDING_…`.
   */
  int32_t kind;
  /**
   * 0.
   */
  int32_t reserved;
  /**
   * With `REDIST_PADDING_LEADING`: distance of neighbours along the second fastest dimension,
   * ScaLAPACK's LLD.
   */
  int64_t leading;
  /**
   * With `REDIST_PADDING_STRIDES`: distance of neighbours along each dimension.
   */
  const int64_t *strides;
  /**
   * With `REDIST_PADDING_WITHIN`: the extents of the larger array.
   */
  const int64_t *extents;
  /**
   * With `REDIST_PADDING_WITHIN`: the local array's first index in it.
   */
  const int64_t *origin;
} redist_padding;

/**
 * Options of binding. Members that are 0 have their defaults; begin with `redist_options options =
 * REDIST_OPTIONS_INIT;`.
 */
typedef struct redist_options {
  /**
   * `sizeof(redist_options)`.
   */
  size_t size;
  /**
   * A `REDIST_ROUTE_…`.
   */
  int32_t route;
  /**
   * A `REDIST_METHOD_…`.
   */
  int32_t method;
  /**
   * Bytes of the longest segment of a message. 0 is the library's eager limit to another node,
   * and 1 MiB on the same node.
   */
  int64_t max_message_bytes;
  /**
   * `REDIST_WHOLE`, or the trapezoid of a matrix that moves: `REDIST_UPPER` or `REDIST_LOWER`.
   * The same on all ranks.
   */
  int32_t part;
  /**
   * Not 0 if the diagonal does not belong to that (ScaLAPACK's DIAG is `U`).
   */
  int32_t unit_diagonal;
  /**
   * The places of this rank's local arrays: of `REDIST_SOURCE`, of `REDIST_DESTINATION`.
   */
  struct redist_padding padding[2];
  /**
   * Most bytes of message buffers on a rank; 0 is no bound. A larger move by `redist_run` goes in
   * rounds; `redist_start` returns `REDIST_UNAVAILABLE`. The same on all ranks.
   */
  int64_t max_bytes;
  /**
   * Not 0 if all ranks are to learn of a fault on any rank, before anything is written. They
   * exchange a word in each move. The same on all ranks.
   */
  int32_t collectively;
  /**
   * 0.
   */
  int32_t reserved;
} redist_options;

/**
 * A function of runs: `elements` have arrived, and as many are kept in the destination, in the
 * same order. It reads the former, and reads and writes the latter. It returns, and calls neither
 * this library nor MPI.
 */
typedef void (*redist_function)(void *state, const void *arrived, void *kept, int64_t elements);

/**
 * Numbers of a plan. A number that takes too long to find is a bound, and its `…_is_exact` is 0. Begin
 * with `redist_figures figures = REDIST_FIGURES_INIT;`.
 */
typedef struct redist_figures {
  /**
   * `sizeof(redist_figures)`.
   */
  size_t size;
  /**
   * Least steps of a schedule in which a rank sends and receives at most one message; a bound is at
   * most the number.
   */
  int64_t steps;
  /**
   * Elements that stay on their rank.
   */
  int64_t stays;
  /**
   * Bytes of local arrays and messages, on the rank that needs the most.
   */
  int64_t memory_bytes;
  /**
   * Not 0 if `steps` is the number itself.
   */
  int32_t steps_is_exact;
  /**
   * Not 0 if `stays` is the number itself.
   */
  int32_t stays_is_exact;
  /**
   * Not 0 if `memory_bytes` is the number itself.
   */
  int32_t memory_is_exact;
  /**
   * 0.
   */
  int32_t reserved;
} redist_figures;

/**
 * Options of `redist_convert` and `redist_verify_files`. Members that are 0 have their defaults;
 * begin with `redist_file_options options = REDIST_FILE_OPTIONS_INIT;`.
 */
typedef struct redist_file_options {
  /**
   * `sizeof(redist_file_options)`.
   */
  size_t size;
  /**
   * Most bytes of memory for elements, all threads together: at least 65536. 0 is 256 MiB.
   */
  int64_t memory_bytes;
  /**
   * Number of threads; 0 is as many as there are processors.
   */
  int64_t threads;
  /**
   * Not 0 to replace files that are there. Of `redist_convert` alone, as all members below.
   */
  int32_t force;
  /**
   * Not 0 to read what was written, and to compare every element, before files get their names.
   */
  int32_t check;
  /**
   * Not 0 to return before all is on the disk.
   */
  int32_t no_sync;
  /**
   * 0.
   */
  int32_t reserved;
} redist_file_options;

/**
 * A layout as numbers: lists with an entry for each dimension. Members that are 0 or NULL have
 * their defaults; begin with `redist_layout layout = REDIST_LAYOUT_INIT;`.
 */
typedef struct redist_layout {
  /**
   * `sizeof(redist_layout)`.
   */
  size_t size;
  /**
   * Length of blocks, in elements. `REDIST_BLOCK` is one block of equal length for each rank of
   * the grid. `REDIST_COLLAPSED` is a dimension that is not distributed. `REDIST_GEN_BLOCK` is
   * one block of its own size for each rank of the grid, which `sizes` has.
   */
  const int64_t *blocks;
  /**
   * Extents of the process grid; ignored for dimensions that are not distributed.
   */
  const int64_t *grid;
  /**
   * Grid coordinates of block 0 (ScaLAPACK's RSRC and CSRC); zeros if it is NULL.
   */
  const int64_t *first;
  /**
   * The ranks of the communicator that form the grid; from 0 on if it is NULL.
   */
  const int64_t *ranks;
  /**
   * Number of these ranks.
   */
  int64_t ranks_len;
  /**
   * Not 0 if consecutive ranks fill the grid column by column.
   */
  int32_t column_major_ranks;
  /**
   * Not 0 if the first dimension is stored fastest, as in Fortran.
   */
  int32_t fortran;
  /**
   * Sizes of the blocks of dimensions that are `REDIST_GEN_BLOCK`: one for each coordinate of the
   * grid, dimension after dimension. They add up to the extents.
   */
  const int64_t *sizes;
  /**
   * Number of these.
   */
  int64_t sizes_len;
  /**
   * Of a destination: the axis of this array that each axis of the source becomes. `{1, 0}` is a
   * transposition. The same if it is NULL. All other lists are in this array's own order.
   */
  const int64_t *axes;
  /**
   * Extents of the stored array, of which a section moves; the whole moves if it is NULL.
   */
  const int64_t *of;
  /**
   * The first index of the section, from 0 on; zeros if it is NULL.
   */
  const int64_t *at;
} redist_layout;

/**
 * A mesh of devices, with the placement of a tensor along each of its dimensions, as PyTorch's DTensor
 * has them. Begin with `redist_mesh mesh = REDIST_MESH_INIT;`.
 */
typedef struct redist_mesh {
  /**
   * `sizeof(redist_mesh)`.
   */
  size_t size;
  /**
   * Number of the mesh's dimensions.
   */
  int32_t dimensions;
  /**
   * 0.
   */
  int32_t reserved;
  /**
   * Devices along each dimension.
   */
  const int64_t *extents;
  /**
   * The ranks of its devices, in row-major order; from 0 on if it is NULL.
   */
  const int64_t *ranks;
  /**
   * The placement along each dimension: the dimension of the tensor that it cuts (`Shard`), from 0
   * on, `REDIST_REPLICATE` or `REDIST_PARTIAL`.
   */
  const int32_t *placements;
  /**
   * Along each dimension that cuts one: the split factor of a `_StridedShard`, or 0. All are 0 if it
   * is NULL.
   */
  const int64_t *split_factors;
} redist_mesh;

/**
 * Global indices of this rank's elements, before and after a move: each rank has lists of its own.
 * Begin with `redist_lists lists = REDIST_LISTS_INIT;`.
 */
typedef struct redist_lists {
  /**
   * `sizeof(redist_lists)`.
   */
  size_t size;
  /**
   * Number of all indices: the same on all ranks.
   */
  int64_t extent;
  /**
   * The index of each element of the source, in the order of the local array. No index is in the
   * sources of two ranks, unless elements `are_equal`.
   */
  const int64_t *source;
  /**
   * Number of these.
   */
  int64_t source_len;
  /**
   * The index of each element of the destination: any of some source, any number of times.
   */
  const int64_t *destination;
  /**
   * Number of these.
   */
  int64_t destination_len;
  /**
   * Neighbouring elements that each index stands for, such as those of a row; 1 if it is 0. The
   * same on all ranks. Local arrays have as many times the elements.
   */
  int64_t elements;
  /**
   * Not 0 if elements of one index are equal on all ranks that have them: those of the lowest
   * rank travel. The same on all ranks.
   */
  int32_t are_equal;
  /**
   * 0.
   */
  int32_t reserved;
} redist_lists;

/**
 * A view of a message, and the caller's lists for it. Lists begin with the slowest axis.
 */
typedef struct redist_view {
  /**
   * Entries that each list has, set by the caller.
   */
  int32_t room;
  /**
   * Axes of the view; a view of a single element has none.
   */
  int32_t axes;
  /**
   * A list for the elements along each axis, or NULL.
   */
  int64_t *shape;
  /**
   * Elements before the first one in the sender's array.
   */
  int64_t source_offset;
  /**
   * A list for the elements from neighbour to neighbour in the sender's array, or NULL.
   */
  int64_t *source_strides;
  /**
   * Elements before the first one in the receiver's array.
   */
  int64_t destination_offset;
  /**
   * A list for the elements from neighbour to neighbour in the receiver's array, or NULL.
   */
  int64_t *destination_strides;
} redist_view;

/**
 * A program of a rank that is a thread: see `redist_threads_run`. It returns 0, or any other number if it
 * has failed.
 */
typedef int32_t (*redist_rank_function)(const struct redist_ranks *ranks, void *state);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a batch without arrays. It is to be freed by `redist_batch_free`.
 */
redist_status redist_batch_new(struct redist_batch **batch);

/**
 * Adds an array, with its plan and its element type, as for `redist_bind`. Arrays are numbered from 0;
 * all ranks add them in the same order. Layouts, element types and numbers of dimensions may differ.
 * The plan may be freed afterwards.
 */
redist_status redist_batch_add(struct redist_batch *batch,
                               const struct redist_plan *plan,
                               const char *element);

/**
 * As `redist_batch_add`, with a plan between copies. Sums move by themselves (`redist_bind_copies`),
 * and are refused here.
 */
redist_status redist_batch_add_copies(struct redist_batch *batch,
                                      const struct redist_copies *copies,
                                      const char *element);

/**
 * Frees a batch; what was bound from it stays. NULL is ignored.
 */
void redist_batch_free(struct redist_batch *batch);

/**
 * Stores the number of arrays, and one past the highest rank that takes part. Either pointer may be
 * NULL.
 */
redist_status redist_batch_size(const struct redist_batch *batch, int64_t *arrays, int64_t *ranks);

/**
 * Stores a rank's part of an array of the batch on one side: see `redist_plan_local`. Each pointer may
 * be NULL.
 */
redist_status redist_batch_part(const struct redist_batch *batch,
                                int64_t array,
                                int32_t side,
                                int64_t rank,
                                int64_t *extents,
                                int64_t *strides,
                                int64_t *len);

/**
 * As `redist_batch_bind`, which calls this: see `redist_bind_place`.
 */
redist_status redist_batch_bind_place(const struct redist_batch *batch,
                                      const void *communicator,
                                      size_t bytes,
                                      const char *library,
                                      struct redist_bound_batch **bound);

/**
 * As `redist_batch_bind_place`, with a communicator as Fortran's integer.
 */
redist_status redist_batch_bind_number(const struct redist_batch *batch,
                                       int32_t communicator,
                                       const char *library,
                                       struct redist_bound_batch **bound);

/**
 * Moves all arrays between all ranks, which are threads of this process: see `redist_plan_simulate`.
 * `arrays` and `ranks` are as many as `redist_batch_size` tells. Each list has, array after array, the
 * dense local array of each rank: that of rank `r` of array `a` is at `a * ranks + r`.
 */
redist_status redist_batch_simulate(const struct redist_batch *batch,
                                    int64_t arrays,
                                    int64_t ranks,
                                    const void *const *sources,
                                    void *const *destinations);

/**
 * Moves all arrays. Collective. Both lists have an array for each of the batch's, in order, as for
 * `redist_run_arrays`: types and shapes are compared where they are told. Local arrays are dense.
 * No destination overlaps another array. A wrong array has the effect that `redist_run` tells of;
 * the message of the rank at fault numbers the array.
 */
redist_status redist_batch_run(struct redist_bound_batch *bound,
                               int64_t arrays,
                               const struct redist_array *sources,
                               const struct redist_array *destinations);

/**
 * Begins a move of all arrays, which `redist_batch_finish` ends. Collective. Lists are as for
 * `redist_batch_run`. The sources may change when this returns; of the destinations only types,
 * shapes and lengths are used. After an error no move is under way.
 */
redist_status redist_batch_start(struct redist_bound_batch *bound,
                                 int64_t arrays,
                                 const struct redist_array *sources,
                                 const struct redist_array *destinations);

/**
 * Sets `done` to 1 if `redist_batch_finish` would not wait, else to 0. Lets MPI make progress.
 */
redist_status redist_batch_test(struct redist_bound_batch *bound, int32_t *done);

/**
 * Waits until all destinations hold their parts, for the move that `redist_batch_start` began. No move
 * is under way afterwards, but after the errors that `redist_finish` names.
 */
redist_status redist_batch_finish(struct redist_bound_batch *bound,
                                  int64_t arrays,
                                  const struct redist_array *destinations);

/**
 * Stores the length of this rank's local array on one side, in elements, and its shape and strides,
 * of an array of a bound batch: see `redist_local`. Each pointer may be NULL.
 */
redist_status redist_batch_local(const struct redist_bound_batch *bound,
                                 int64_t array,
                                 int32_t side,
                                 int64_t *len,
                                 int64_t *shape,
                                 int64_t *strides);

/**
 * Describes a move of these ranks: its messages, and the code that packs them. The text is to be freed
 * by `redist_text_free`.
 */
redist_status redist_batch_explain(const struct redist_bound_batch *bound,
                                   char **text);

/**
 * Frees a bound batch, on the thread that bound it: see `redist_bound_free`. NULL is ignored.
 */
redist_status redist_bound_batch_free(struct redist_bound_batch *bound);

/**
 * As `redist_bind`, which calls this, for callers without MPI's header. The handle of C has
 * `bytes` bytes at `communicator`. `library` is the caller's text of `MPI_Get_library_version`. It
 * is compared with this library's, unless it is NULL.
 */
redist_status redist_bind_place(const struct redist_plan *plan,
                                const char *element,
                                const void *communicator,
                                size_t bytes,
                                const char *library,
                                const struct redist_options *options,
                                struct redist_bound **bound);

/**
 * As `redist_bind_place`, with a communicator as Fortran's integer.
 */
redist_status redist_bind_number(const struct redist_plan *plan,
                                 const char *element,
                                 int32_t communicator,
                                 const char *library,
                                 const struct redist_options *options,
                                 struct redist_bound **bound);

/**
 * Frees a bound plan, on the thread that bound it. Waits for no rank. A move under way is not
 * finished: its destination stays as it is, and the other ranks get this rank's elements. It may be
 * called after `MPI_Finalize`. NULL is ignored.
 */
redist_status redist_bound_free(struct redist_bound *bound);

/**
 * Plans moves between copies of one array: broadcasts, all-gathers, and others. Behind a layout,
 * `copies k` stands for `k` copies on the ranks behind each other, and `copies k along a` for copies
 * along an axis of the grid. Each copy of the destination is read from one copy of the source, and
 * all messages go in one exchange. `combine` is a `REDIST_COMBINE_…`: with any but
 * `REDIST_COMBINE_NONE` the copies of the source are addends. They are combined in their order, so
 * that all ranks and all runs have the same bits. All else is as for `redist_plan_parse`. The plan is
 * to be freed by `redist_copies_free`.
 */
redist_status redist_copies_parse(int32_t dimensions,
                                  const int64_t *extents,
                                  const char *from,
                                  const char *to,
                                  int32_t combine,
                                  struct redist_copies **copies);

/**
 * Frees a plan between copies; what was bound from it, and batches that have it, stay. NULL is
 * ignored.
 */
void redist_copies_free(struct redist_copies *copies);

/**
 * Stores the number of dimensions, one past the highest rank that takes part, and the number of
 * copies of each side. Those of a sum's source are its addends. Each pointer may be NULL.
 */
redist_status redist_copies_size(const struct redist_copies *copies,
                                 int32_t *dimensions,
                                 int64_t *ranks,
                                 int64_t *source_copies,
                                 int64_t *destination_copies);

/**
 * Stores a rank's part of its copy of the array on one side: see `redist_plan_local`. A rank without
 * a copy has extents and a length of 0.
 */
redist_status redist_copies_local(const struct redist_copies *copies,
                                  int32_t side,
                                  int64_t rank,
                                  int64_t *extents,
                                  int64_t *strides,
                                  int64_t *len);

/**
 * Stores the global index of the element at `offset` in the dense local array of a rank: see
 * `redist_plan_global_index`.
 */
redist_status redist_copies_global_index(const struct redist_copies *copies,
                                         int32_t side,
                                         int64_t rank,
                                         int64_t offset,
                                         int64_t *index);

/**
 * Lists the source's copy of each of the destination's copies, or the addends. The text is to be
 * freed by `redist_text_free`.
 */
redist_status redist_copies_explain(const struct redist_copies *copies, char **text);

/**
 * As `redist_bind_copies`, which calls this: see `redist_bind_place`.
 */
redist_status redist_bind_copies_place(const struct redist_copies *copies,
                                       const char *element,
                                       const void *communicator,
                                       size_t bytes,
                                       const char *library,
                                       struct redist_bound **bound);

/**
 * As `redist_bind_copies_place`, with a communicator as Fortran's integer.
 */
redist_status redist_bind_copies_number(const struct redist_copies *copies,
                                        const char *element,
                                        int32_t communicator,
                                        const char *library,
                                        struct redist_bound **bound);

/**
 * Moves copies, or makes sums, between all ranks, which are threads of this process: see
 * `redist_plan_simulate`. `ranks` are as many as `redist_copies_size` tells.
 */
redist_status redist_copies_simulate(const struct redist_copies *copies,
                                     const char *element,
                                     int64_t ranks,
                                     const void *const *sources,
                                     void *const *destinations);

/**
 * As `redist_copies_simulate`, but that a function combines addends: see `redist_run_with`. Several
 * threads may call it at a time, each for a rank of its own. The copies of the plan's source are
 * addends.
 */
redist_status redist_copies_simulate_with(const struct redist_copies *copies,
                                          const char *element,
                                          int64_t ranks,
                                          const void *const *sources,
                                          void *const *destinations,
                                          redist_function function,
                                          void *state);

/**
 * Stores the least number of steps, the elements that stay, and the memory of a move of elements of this
 * type, which is as for `redist_bind`.
 */
redist_status redist_plan_figures(const struct redist_plan *plan,
                                  const char *element,
                                  struct redist_figures *figures);

/**
 * As `redist_plan_relabelled`, and stores the table: by rank of the plan (`redist_plan_size` tells how
 * many), the rank that now has its cell of the destination's grid. Ranks outside of the grid keep theirs.
 * Also stores the elements that stay on their rank before and after. Each pointer but `relabelled` may
 * be NULL.
 */
redist_status redist_plan_relabelling(const struct redist_plan *plan,
                                      struct redist_plan **relabelled,
                                      int64_t *table,
                                      int64_t *stayed,
                                      int64_t *stays);

/**
 * Stores a report of a plan as JSON, as `redist explain --json` writes it: classes, windows, elements from
 * rank to rank, schedules with their costs, memory. The element type is as for `redist_bind`. With a `rank`
 * that is not -1, its messages are listed, too. Elements are listed for `counts` pairs of ranks at most,
 * for 2^20 if that is -1. The text is to be freed by `redist_text_free`.
 */
redist_status redist_plan_explain_json(const struct redist_plan *plan,
                                       const char *element,
                                       int64_t rank,
                                       int64_t counts,
                                       char **text);

/**
 * Stores a plan as JSON: its extents, both layouts, and the digest that ranks compare. A layout in JSON
 * is its text in the notation. The text is to be freed by `redist_text_free`.
 */
redist_status redist_plan_json(const struct redist_plan *plan,
                               char **text);

/**
 * Reads a plan of `redist_plan_json`, or one that was written by hand: an object with `extents`, `from`
 * and `to`, which may have no `digest`. A text that is no plan, or whose digest is of other layouts, is
 * `REDIST_LAYOUT`. The plan is to be freed by `redist_plan_free`.
 */
redist_status redist_plan_from_json(const char *text,
                                    struct redist_plan **plan);

/**
 * Converts the arrays of a manifest, as `redist convert` does, in this process alone; MPI is not
 * needed. `manifest` is the name of a file: JSON if it ends in `.json`, else TOML. Names of files
 * in it begin in its folder. `options` may be NULL. All files are complete, or none has its name:
 * a file that is missing, or that is there already, is `REDIST_FILE`, and a manifest that makes
 * no sense `REDIST_ARGUMENT`. Stores JSON: `arrays`, each with `name`, `bytes`, `element_bytes`,
 * `files` (numbers of those read and written), `checksum`, `kept` and `seconds`, and `warnings`,
 * which are texts. `text` may be NULL; it is to be freed by `redist_text_free`.
 */
redist_status redist_convert(const char *manifest,
                             const struct redist_file_options *options,
                             char **text);

/**
 * Compares every element of a manifest's arrays in the files of both sides, and writes nothing.
 * All else is as for `redist_convert`. An element that differs is `REDIST_FILE`, and the message
 * says where.
 */
redist_status redist_verify_files(const char *manifest,
                                  const struct redist_file_options *options,
                                  char **text);

/**
 * As `redist_run`, but that a function receives what arrives, run by run, with its place in the
 * destination. Elements of the destination have `kept_bytes` bytes each; its length is in these.
 * Elements for which nothing arrives stay as they are. Arrived elements are aligned to the
 * greatest power of 2 that divides their bytes, 16 at most. `state` is passed to the function.
 * Each rank chooses whether it calls this, `redist_run` or `redist_start`. Of the addends of a sum
 * (`redist_copies_parse`), the first one is stored, and the function receives each further one with
 * the result so far; `kept_bytes` are those of an addend. After an error the function may have run
 * for some elements.
 */
redist_status redist_run_with(struct redist_bound *bound,
                              const void *source,
                              int64_t source_len,
                              void *destination,
                              int64_t destination_len,
                              int64_t kept_bytes,
                              redist_function function,
                              void *state);

/**
 * As `redist_run_arrays`, but that the destination becomes `alpha` times what arrives plus `beta`
 * times what it had, as by ScaLAPACK's `p?geadd`. Both are one element, of the type "f32", "f64",
 * "c32", "c64", "i32" or "i64". A matrix that is multiplied by zero is not read. If `conjugates` is not 0,
 * the complex conjugate arrives. Elements for which nothing arrives stay as they are. After an
 * error some elements may have been changed.
 */
redist_status redist_run_scaled(struct redist_bound *bound,
                                const void *alpha,
                                const struct redist_array *source,
                                const void *beta,
                                const struct redist_array *destination,
                                int32_t conjugates);

/**
 * Stores a layout of numbers as a text in the notation, for an array of `dimensions`. The text is to be
 * freed by `redist_text_free`.
 */
redist_status redist_layout_text(int32_t dimensions,
                                 const struct redist_layout *layout,
                                 char **text);

/**
 * Stores the layout of a submatrix of ScaLAPACK, sub(A), as a text in the notation. `desc` is the
 * array descriptor of its matrix, nine integers as DESCINIT fills them; CTXT and LLD are not looked at
 * (`redist_options` takes a leading dimension). `m` and `n` are the submatrix's rows and columns: the
 * extents of the array that moves. `ia` and `ja` are its first row and column, and count from 1. The
 * process grid has `rows` and `columns`; its processes are ranks in row-major order. For others, add
 * ` order col` or ` ranks a..b` to the text. A submatrix that is not inside of its matrix is
 * `REDIST_ARGUMENT`; a descriptor that is none is `REDIST_LAYOUT`. The text is to be freed by
 * `redist_text_free`.
 */
redist_status redist_layout_scalapack(const int32_t *desc,
                                      int64_t m,
                                      int64_t n,
                                      int64_t ia,
                                      int64_t ja,
                                      int64_t rows,
                                      int64_t columns,
                                      char **text);

/**
 * Stores the array descriptor of a side of a plan, nine integers as DESCINIT fills them on a rank, with
 * this CTXT and the least LLD. A rank outside of the grid has CTXT -1. Layouts that ScaLAPACK does not
 * have are `REDIST_LAYOUT`.
 */
redist_status redist_plan_scalapack(const struct redist_plan *plan,
                                    int32_t side,
                                    int32_t context,
                                    int64_t rank,
                                    int32_t *desc);

/**
 * As `redist_layout_darray`, which calls this, for callers without MPI's header: a
 * `REDIST_DISTRIBUTE_…` for each dimension, of which `REDIST_DISTRIBUTE_DFLT_DARG` is a `darg`, and
 * `fortran` not 0 for `MPI_ORDER_FORTRAN`.
 */
redist_status redist_layout_darray_numbers(int32_t dimensions,
                                           const int32_t *gsizes,
                                           const int32_t *distribs,
                                           const int32_t *dargs,
                                           const int32_t *psizes,
                                           int32_t fortran,
                                           char **text);

/**
 * As `redist_plan_darray`, which calls this, for callers without MPI's header: numbers are as for
 * `redist_layout_darray_numbers`.
 */
redist_status redist_plan_darray_numbers(const struct redist_plan *plan,
                                         int32_t side,
                                         int32_t *gsizes,
                                         int32_t *distribs,
                                         int32_t *dargs,
                                         int32_t *psizes,
                                         int32_t *fortran);

/**
 * Stores the mesh of a side of a plan: its number of dimensions, at most 16, and for each of them devices,
 * placement and split factor, as in a `redist_mesh`. `ranks` are those of its devices, in row-major order;
 * they are at most as many as the plan's (`redist_plan_size`). Layouts that no mesh has are
 * `REDIST_LAYOUT`, and the message names the dimension. Each pointer may be NULL.
 */
redist_status redist_plan_mesh(const struct redist_plan *plan,
                               int32_t side,
                               int32_t *dimensions,
                               int64_t *extents,
                               int32_t *placements,
                               int64_t *split_factors,
                               int64_t *ranks);

/**
 * Stores the layout of a tensor of `extents` on a mesh as a text in the notation. Meshes that replicate
 * or are partial are `REDIST_LAYOUT`: `redist_copies_meshes` plans between these. The text is to be
 * freed by `redist_text_free`.
 */
redist_status redist_layout_mesh(int32_t dimensions,
                                 const int64_t *extents,
                                 const struct redist_mesh *mesh,
                                 char **text);

/**
 * Plans the move of a tensor of `extents` between meshes, as `redist_copies_parse` between texts.
 * Dimensions of a mesh that replicate have copies, and partial ones of the source have addends. `combine`
 * combines these. The plan is to be freed by `redist_copies_free`.
 */
redist_status redist_copies_meshes(int32_t dimensions,
                                   const int64_t *extents,
                                   const struct redist_mesh *from,
                                   const struct redist_mesh *to,
                                   int32_t combine,
                                   struct redist_copies **copies);

/**
 * Returns `REDIST_ABI` of the loaded library.
 */
uint32_t redist_abi(void);

/**
 * Returns the release of the loaded library, such as "0.1.0". Not to be freed.
 */
const char *redist_version(void);

/**
 * Returns the message of the last failed call on this thread, or "". UTF-8; not to be freed. It
 * stays until the next failed call on this thread.
 */
const char *redist_last_message(void);

/**
 * Frees a text that the library has made. NULL is ignored.
 */
void redist_text_free(char *text);

/**
 * As `redist_bind_lists`, which calls this: see `redist_bind_place`.
 */
redist_status redist_bind_lists_place(const struct redist_lists *lists,
                                      const char *element,
                                      const void *communicator,
                                      size_t bytes,
                                      const char *library,
                                      struct redist_bound **bound);

/**
 * As `redist_bind_lists_place`, with a communicator as Fortran's integer.
 */
redist_status redist_bind_lists_number(const struct redist_lists *lists,
                                       const char *element,
                                       int32_t communicator,
                                       const char *library,
                                       struct redist_bound **bound);

/**
 * Stores the length of this rank's local array on one side, in elements, and the shape and strides
 * of its memory. These have an entry for each dimension, in the order of that side's axes,
 * whichever is stored fastest. Each pointer may be NULL.
 */
redist_status redist_local(const struct redist_bound *bound,
                           int32_t side,
                           int64_t *len,
                           int64_t *shape,
                           int64_t *strides);

/**
 * Returns the length of this rank's local array on one side, in elements; -1 if the call fails.
 */
int64_t redist_local_len(const struct redist_bound *bound, int32_t side);

/**
 * Stores the name of the element type of the bound plan, as `redist_bind` received it, and its
 * bytes. Each pointer may be NULL. The text is not to be freed, and lasts as long as the bound
 * plan.
 */
redist_status redist_element(const struct redist_bound *bound, const char **name, int64_t *size);

/**
 * Describes a move of these ranks: way, kernels, schedule, volumes. The text is to be freed by
 * `redist_text_free`.
 */
redist_status redist_explain(const struct redist_bound *bound, char **text);

/**
 * Tells the messages that a rank sends (REDIST_SOURCE) or receives (REDIST_DESTINATION), for a
 * transport of the caller's own. Elements that stay on the rank are a message to itself. Each message
 * is some views: strided boxes of the sender's and of the receiver's dense local array, which list the
 * same elements in the same order. The sender copies its boxes to a buffer, one after the other, and
 * the receiver copies the buffer to its own. Ranks from the number of `redist_plan_size` on are
 * refused. The messages outlive the plan, and are to be freed by `redist_messages_free`.
 */
redist_status redist_plan_messages(const struct redist_plan *plan,
                                   int32_t side,
                                   int64_t rank,
                                   struct redist_messages **messages);

/**
 * Frees messages. NULL is ignored.
 */
void redist_messages_free(struct redist_messages *messages);

/**
 * Stores the number of messages, which are sorted by the other rank. None is empty.
 */
redist_status redist_messages_size(const struct redist_messages *messages, int64_t *count);

/**
 * Stores of a message, numbered from 0 on: the other rank, the number of elements, and the number of
 * views. Each pointer may be NULL.
 */
redist_status redist_message_views(const struct redist_messages *messages,
                                   int64_t message,
                                   int64_t *peer,
                                   int64_t *elements,
                                   int64_t *views);

/**
 * Stores one view of a message, both numbered from 0 on. If the view has more axes than the lists have
 * room, only their number is stored, and the call fails.
 */
redist_status redist_message_view(const struct redist_messages *messages,
                                  int64_t message,
                                  int64_t number,
                                  struct redist_view *view);

/**
 * Moves the whole array. Collective. Lengths are in elements, as from `redist_local_len`, or more
 * if the local array was padded when the plan was bound. An array of length 0 may be NULL. The
 * arrays must not overlap. A wrong array on one rank is an error of that rank and of all ranks
 * that receive from it. All others move. Ranks that bound the plan `collectively` all get the
 * error, and none moves. Elements are taken for the type of `redist_element`.
 */
redist_status redist_run(struct redist_bound *bound,
                         const void *source,
                         int64_t source_len,
                         void *destination,
                         int64_t destination_len);

/**
 * As `redist_run`, for callers that know the type of their arrays: `element` is its name, as for
 * `redist_bind`. If the bound plan has another type, the arrays are wrong: `REDIST_ARGUMENT`
 * names both. "[u8; 8]" fits all types of 8 bytes; "i32" fits "u32".
 */
redist_status redist_run_as(struct redist_bound *bound,
                            const char *element,
                            const void *source,
                            int64_t source_len,
                            void *destination,
                            int64_t destination_len);

/**
 * As `redist_run`, for callers that know the shape of their arrays. An array with an entry for
 * each of two or more dimensions of the plan must have the shape and the strides of
 * `redist_local`: otherwise `REDIST_ARRAY` names both. If it was padded, it may be
 * longer along the dimension that is stored slowest. Arrays of another number of dimensions, and
 * of a plan that was bound with strides that leave gaps, are compared only by their lengths.
 */
redist_status redist_run_arrays(struct redist_bound *bound,
                                const struct redist_array *source,
                                const struct redist_array *destination);

/**
 * Begins a move, which `redist_finish` ends. Collective. The source may change when this returns.
 * The destination's length matters already. Lengths, and what a wrong array does, are as for
 * `redist_run`. After an error no move is under way.
 */
redist_status redist_start(struct redist_bound *bound,
                           const void *source,
                           int64_t source_len,
                           int64_t destination_len);

/**
 * As `redist_start`, with the element type of the arrays: see `redist_run_as`.
 */
redist_status redist_start_as(struct redist_bound *bound,
                              const char *element,
                              const void *source,
                              int64_t source_len,
                              int64_t destination_len);

/**
 * As `redist_start`, with the shapes of the arrays: see `redist_run_arrays`. The place of the
 * destination is not used.
 */
redist_status redist_start_arrays(struct redist_bound *bound,
                                  const struct redist_array *source,
                                  const struct redist_array *destination);

/**
 * Sets `done` to 1 if `redist_finish` would not wait, else to 0. Lets MPI make progress.
 */
redist_status redist_test(struct redist_bound *bound, int32_t *done);

/**
 * Waits until the destination holds its part, for the move that `redist_start` began with this
 * length. No move is under way afterwards. `REDIST_NULL`, `REDIST_ARGUMENT`, `REDIST_STATE`,
 * `REDIST_THREAD` and `REDIST_ARRAY` are exceptions: errors of this call itself, which may be made
 * again.
 */
redist_status redist_finish(struct redist_bound *bound, void *destination, int64_t destination_len);

/**
 * As `redist_finish`, with the element type of the array: see `redist_run_as`.
 */
redist_status redist_finish_as(struct redist_bound *bound,
                               const char *element,
                               void *destination,
                               int64_t destination_len);

/**
 * As `redist_finish`, with the shape of the array: see `redist_run_arrays`.
 */
redist_status redist_finish_array(struct redist_bound *bound,
                                  const struct redist_array *destination);

/**
 * Prepares the packing and the unpacking of a rank's messages, for a transport of the caller's own.
 * `element` is as for `redist_bind`. Of the options, `padding` and `part` count; they may be NULL.
 * Neither MPI nor a communicator is needed. The packing outlives the plan, and is to be freed by
 * `redist_packing_free`.
 */
redist_status redist_plan_packing(const struct redist_plan *plan,
                                  const char *element,
                                  int64_t rank,
                                  const struct redist_options *options,
                                  struct redist_packing **packing);

/**
 * Frees a packing. NULL is ignored.
 */
void redist_packing_free(struct redist_packing *packing);

/**
 * Stores the number of messages that the rank sends (REDIST_SOURCE) or receives
 * (REDIST_DESTINATION), and the elements of its local array. Elements that stay on the rank are a
 * message to itself. Each pointer may be NULL.
 */
redist_status redist_packing_size(const struct redist_packing *packing,
                                  int32_t side,
                                  int64_t *count,
                                  int64_t *local_len);

/**
 * Stores of a message, numbered from 0 on and sorted by the other rank: that rank, and the number of
 * elements. Each pointer may be NULL.
 */
redist_status redist_packing_message(const struct redist_packing *packing,
                                     int32_t side,
                                     int64_t message,
                                     int64_t *peer,
                                     int64_t *elements);

/**
 * Checks the type, the length and the shape of the rank's local array on one side, for callers that
 * know them: see `redist_run_arrays`. An array that was padded may be longer than the `local_len` of
 * `redist_packing_size`, which all other functions of packing take.
 */
redist_status redist_packing_check(const struct redist_packing *packing,
                                   int32_t side,
                                   const struct redist_array *array);

/**
 * Packs the message to `peer` into a buffer. Lengths are in elements. Array and buffer must not
 * overlap. The first call of a packing plans. The order of elements is that of `redist_run`'s
 * messages, and another one than that of views.
 */
redist_status redist_pack(const struct redist_packing *packing,
                          const void *array,
                          int64_t array_len,
                          int64_t peer,
                          void *buffer,
                          int64_t buffer_len);

/**
 * Unpacks the message from `peer`, which a buffer has, into the array: see `redist_pack`. Elements
 * of no message stay as they are.
 */
redist_status redist_unpack(const struct redist_packing *packing,
                            const void *buffer,
                            int64_t buffer_len,
                            int64_t peer,
                            void *array,
                            int64_t array_len);

/**
 * Packs all messages by the kernels of `redist_run`, which read the array once. There are `count`
 * buffers, in the order of the messages, each as long as its message. Array and buffers must not
 * overlap.
 */
redist_status redist_pack_all(const struct redist_packing *packing,
                              const void *array,
                              int64_t array_len,
                              void *const *buffers,
                              int64_t count);

/**
 * Unpacks all messages by the kernels of `redist_run`: see `redist_pack_all`.
 */
redist_status redist_unpack_all(const struct redist_packing *packing,
                                const void *const *buffers,
                                int64_t count,
                                void *array,
                                int64_t array_len);

/**
 * As `redist_pack_all`, with one buffer that has all messages, one after the other in their order, as
 * `MPI_Alltoallv` takes it. `buffer_len` is their sum.
 */
redist_status redist_pack_joined(const struct redist_packing *packing,
                                 const void *array,
                                 int64_t array_len,
                                 void *buffer,
                                 int64_t buffer_len);

/**
 * Unpacks the messages of one buffer: see `redist_pack_joined`.
 */
redist_status redist_unpack_joined(const struct redist_packing *packing,
                                   const void *buffer,
                                   int64_t buffer_len,
                                   void *array,
                                   int64_t array_len);

/**
 * Joins programs that hold or want parts of one array, of which this one is the `side` `REDIST_SOURCE` or
 * `REDIST_DESTINATION`. Collective over all ranks of all programs. `whole` has the extents of the array. The
 * part begins at index `at`, from 0 on, and has `extents`. Lists have an entry for each of 0 to 8 dimensions.
 * The `layout` is that of the part on this program's ranks, which are numbered from 0.
 * It is NULL in a program that takes no part, where side and lists are not read.
 *
 * Parts that are held do not overlap, and have all elements that are wanted: otherwise `REDIST_DIFFERS` on
 * every rank names programs and ranges. A rank's other mistake is an error on every rank, too. The bound
 * plan moves all parts by `redist_run`, or by `redist_start` and `redist_finish`, collectively over all
 * ranks of all programs. A wrong array on one rank is an error on every rank, and none is written to. An
 * array has length 0 where the program has no part on its side. The programs may be freed afterwards.
 */
redist_status redist_programs_join(const struct redist_programs *programs,
                                   const char *element,
                                   int32_t side,
                                   int32_t dimensions,
                                   const int64_t *whole,
                                   const int64_t *at,
                                   const int64_t *extents,
                                   const char *layout,
                                   struct redist_bound **bound);

/**
 * Plans the move of an array between two layouts in the notation, such as `(block, *) onto 4` or
 * `scalapack(64, 64, 2, 3)`. `extents` has an entry for each of 0 to 8 dimensions, in elements; an
 * array of 0 dimensions has one element, and layouts such as `() ranks 2..3`. The plan is to be freed by `redist_plan_free`.
 */
redist_status redist_plan_parse(int32_t dimensions,
                                const int64_t *extents,
                                const char *from,
                                const char *to,
                                struct redist_plan **plan);

/**
 * As `redist_plan_parse`, with layouts as numbers.
 */
redist_status redist_plan_numbers(int32_t dimensions,
                                  const int64_t *extents,
                                  const struct redist_layout *from,
                                  const struct redist_layout *to,
                                  struct redist_plan **plan);

/**
 * Frees a plan; plans bound from it stay. NULL is ignored.
 */
void redist_plan_free(struct redist_plan *plan);

/**
 * Stores the number of dimensions, and one past the highest rank that takes part. Either pointer
 * may be NULL.
 */
redist_status redist_plan_size(const struct redist_plan *plan, int32_t *dimensions, int64_t *ranks);

/**
 * Describes layouts, classes, windows, volumes, and the least number of steps. The text is to be
 * freed by `redist_text_free`.
 */
redist_status redist_plan_explain(const struct redist_plan *plan, char **text);

/**
 * Stores a side's layout in the notation. The text is to be freed by `redist_text_free`.
 */
redist_status redist_plan_layout(const struct redist_plan *plan, int32_t side, char **text);

/**
 * Stores a rank's part of the array on one side, for a dense local array: extents, strides in
 * elements, and the length in elements. Lists have an entry for each dimension, in the order of
 * that side's axes, whichever is stored fastest. A rank that holds nothing has extents and a
 * length of 0. Ranks from the number of `redist_plan_size` on are refused. Each pointer may be
 * NULL.
 */
redist_status redist_plan_local(const struct redist_plan *plan,
                                int32_t side,
                                int64_t rank,
                                int64_t *extents,
                                int64_t *strides,
                                int64_t *len);

/**
 * Stores the global index of the element at `offset` in the dense local array of a rank. It has an
 * entry for each dimension, in the order of that side's axes, whichever is stored fastest. All
 * count from 0. Ranks from the number of `redist_plan_size` on are refused.
 */
redist_status redist_plan_global_index(const struct redist_plan *plan,
                                       int32_t side,
                                       int64_t rank,
                                       int64_t offset,
                                       int64_t *index);

/**
 * Stores the rank that holds an element on one side. `index` has an entry for each dimension, in
 * the order of that side's axes, and counts from 0.
 */
redist_status redist_plan_owner(const struct redist_plan *plan,
                                int32_t side,
                                const int64_t *index,
                                int64_t *rank);

/**
 * Stores the elements that one rank sends to another rank, or keeps, if both are the same rank.
 */
redist_status redist_plan_volume(const struct redist_plan *plan,
                                 int64_t source_rank,
                                 int64_t destination_rank,
                                 int64_t *elements);

/**
 * Makes the plan of the way back. It is to be freed by `redist_plan_free`.
 */
redist_status redist_plan_inverse(const struct redist_plan *plan, struct redist_plan **inverse);

/**
 * Makes the plan with relabelled destination ranks: each has the cell of its grid that lets most
 * elements stay. It is to be freed by `redist_plan_free`.
 */
redist_status redist_plan_relabelled(const struct redist_plan *plan,
                                     struct redist_plan **relabelled);

/**
 * As `redist_programs_new`, which calls this: see `redist_bind_place`.
 */
redist_status redist_programs_place(const void *communicator,
                                    size_t bytes,
                                    const char *library,
                                    int64_t number,
                                    struct redist_programs **programs);

/**
 * As `redist_programs_place`, with a communicator as Fortran's integer.
 */
redist_status redist_programs_number(int32_t communicator,
                                     const char *library,
                                     int64_t number,
                                     struct redist_programs **programs);

/**
 * Stores this program's number, the number of programs, this rank's number in its program, and how many ranks
 * that has. Each pointer may be NULL.
 */
redist_status redist_programs_size(const struct redist_programs *programs,
                                   int64_t *program,
                                   int64_t *count,
                                   int64_t *rank,
                                   int64_t *size);

/**
 * Frees programs, on the thread that sorted them; those that are coupled stay so. NULL is ignored.
 */
redist_status redist_programs_free(struct redist_programs *programs);

/**
 * Couples this program, which is the `side` `REDIST_SOURCE` or `REDIST_DESTINATION`, with another program,
 * which is the other side. Collective over both. The ranks of the source come first. The ranks are to be freed
 * by `redist_ranks_free`.
 */
redist_status redist_programs_couple(const struct redist_programs *programs,
                                     int32_t side,
                                     int64_t program,
                                     struct redist_ranks **ranks);

/**
 * As `redist_rendezvous`, which calls this: see `redist_bind_place`.
 */
redist_status redist_rendezvous_place(const void *communicator,
                                      size_t bytes,
                                      const char *library,
                                      int32_t side,
                                      const char *file,
                                      double seconds,
                                      struct redist_ranks **ranks);

/**
 * As `redist_rendezvous_place`, with a communicator as Fortran's integer.
 */
redist_status redist_rendezvous_number(int32_t communicator,
                                       const char *library,
                                       int32_t side,
                                       const char *file,
                                       double seconds,
                                       struct redist_ranks **ranks);

/**
 * Stores facts about two programs that are coupled. They are the side of this one, the number of its rank 0
 * among the ranks of both, and the numbers of ranks of source and destination. Each pointer may be NULL.
 */
redist_status redist_ranks_programs(const struct redist_ranks *ranks,
                                    int32_t *side,
                                    int64_t *first_rank,
                                    int64_t *sources,
                                    int64_t *destinations);

/**
 * Exchanges layouts with the other program, and the extents, which one of both knows at least. Collective over
 * both. The `layout` is this program's own, on ranks from the first one of `redist_ranks_programs` on. Lists
 * have an entry for each dimension; `extents` is NULL where this program does not know them. Stores the other
 * program's layout, and the extents in `all_extents`. A mismatch is an error on every rank of both. The text
 * is to be freed by `redist_text_free`.
 */
redist_status redist_ranks_handshake(const struct redist_ranks *ranks,
                                     const char *layout,
                                     int32_t dimensions,
                                     const int64_t *extents,
                                     char **other,
                                     int64_t *all_extents);

/**
 * Calls `function` on a thread for each of `ranks` ranks, with the ranks and with `state`. Returns when all
 * have ended. Neither MPI nor a communicator is needed: `redist_bind_ranks` and others bind plans to the
 * ranks, and all else that takes a bound plan serves it, on its thread. `ranks` is the function's own: only
 * its thread uses it, until the function returns. It frees what it has bound before.
 *
 * The function returns to its caller: it is not left by `longjmp`, `pthread_exit` or an exception. If one
 * returns another number than 0, `REDIST_PEER` is the status, and the message has its rank and the last
 * message of its thread. Ranks that wait for a rank that has ended get `REDIST_PEER`, so that none waits
 * for ever.
 */
redist_status redist_threads_run(int64_t ranks,
                                 redist_rank_function function,
                                 void *state);

/**
 * Stores this rank's number, and the number of ranks. Each pointer may be NULL.
 */
redist_status redist_ranks_size(const struct redist_ranks *ranks, int64_t *rank, int64_t *size);

/**
 * Waits until all ranks have called it. Collective. A rank that has ended is an error of those that wait.
 */
redist_status redist_ranks_barrier(const struct redist_ranks *ranks);

/**
 * Frees the ranks of two programs, on the thread that coupled them. Plans bound to them stay. Ranks that are
 * threads are not freed. NULL is ignored.
 */
redist_status redist_ranks_free(struct redist_ranks *ranks);

/**
 * As `redist_bind`, with ranks that are threads, or of two programs. Collective.
 */
redist_status redist_bind_ranks(const struct redist_plan *plan,
                                const char *element,
                                const struct redist_ranks *ranks,
                                const struct redist_options *options,
                                struct redist_bound **bound);

/**
 * As `redist_bind_copies`, with ranks that are threads, or of two programs. Collective.
 */
redist_status redist_bind_copies_ranks(const struct redist_copies *copies,
                                       const char *element,
                                       const struct redist_ranks *ranks,
                                       struct redist_bound **bound);

/**
 * As `redist_bind_lists`, with ranks that are threads, or of two programs. Collective.
 */
redist_status redist_bind_lists_ranks(const struct redist_lists *lists,
                                      const char *element,
                                      const struct redist_ranks *ranks,
                                      struct redist_bound **bound);

/**
 * As `redist_batch_bind`, with ranks that are threads, or of two programs. Collective.
 */
redist_status redist_batch_bind_ranks(const struct redist_batch *batch,
                                      const struct redist_ranks *ranks,
                                      struct redist_bound_batch **bound);

/**
 * Makes this rank's local array on one side, of `redist_local_len` elements, all bytes zero. Other
 * ranks of its node can use its memory in `redist_run`. If all ranks are on one node and pass such
 * sources, each element is copied once, from array to array. `redist_run` knows the array by its
 * address and its length. Any plan bound to the same ranks in the same order on this thread may
 * have it as its source or destination. Collective. The array is to be freed by
 * `redist_shared_free`, on this thread; it may outlive the communicator and MPI.
 */
redist_status redist_shared_alloc(struct redist_bound *bound, int32_t side, void **array);

/**
 * Frees an array of `redist_shared_alloc`, on the thread that made it. Waits for no rank: the
 * system frees the memory when all ranks have freed their parts, and next make an array or end.
 * NULL is ignored.
 */
redist_status redist_shared_free(void *array);

/**
 * Moves an array between all ranks of the plan, which are threads of this process: neither MPI nor a
 * communicator is needed. Each list has the rank's dense local array for each of `ranks` ranks, as many
 * as `redist_plan_size` tells. Lengths are those of `redist_plan_local`. An array without elements may
 * be NULL. No two arrays may overlap. Elements for which nothing arrives stay as they are.
 */
redist_status redist_plan_simulate(const struct redist_plan *plan,
                                   const char *element,
                                   int64_t ranks,
                                   const void *const *sources,
                                   void *const *destinations);

/**
 * As `redist_plan_simulate`, but that a function receives what arrives, run by run, with its place in
 * the destination: see `redist_run_with`. Elements of destinations have `kept_bytes` bytes each, and
 * lengths are in these. Several threads may call the function at a time, each for a rank of its own.
 */
redist_status redist_plan_simulate_with(const struct redist_plan *plan,
                                        const char *element,
                                        int64_t ranks,
                                        const void *const *sources,
                                        void *const *destinations,
                                        int64_t kept_bytes,
                                        redist_function function,
                                        void *state);

/**
 * As `redist_plan_simulate`, but that each destination becomes `alpha` times what arrives plus `beta`
 * times what it had: see `redist_run_scaled`. If `conjugates` is not 0, the complex conjugate arrives.
 */
redist_status redist_plan_simulate_scaled(const struct redist_plan *plan,
                                          const char *element,
                                          int64_t ranks,
                                          const void *alpha,
                                          const void *const *sources,
                                          const void *beta,
                                          void *const *destinations,
                                          int32_t conjugates);

/**
 * Deals a whole array to the dense local arrays of all ranks on a side: see `redist_plan_simulate`.
 * The whole array has the extents of the side's stored array, of which a section is a part, and lies
 * row by row. `whole_len` is in elements.
 */
redist_status redist_plan_scatter(const struct redist_plan *plan,
                                  const char *element,
                                  int32_t side,
                                  const void *whole,
                                  int64_t whole_len,
                                  int64_t ranks,
                                  void *const *parts);

/**
 * As `redist_plan_scatter`, for callers that know the shape of the array. `whole->element` is not
 * NULL. An array of 0 dimensions lies row by row. Any other has the shape of the side's stored array,
 * and may have any strides by which elements are apart.
 */
redist_status redist_plan_scatter_array(const struct redist_plan *plan,
                                        int32_t side,
                                        const struct redist_array *whole,
                                        int64_t ranks,
                                        void *const *parts);

/**
 * Puts the dense local arrays of all ranks on a side together: the reverse of `redist_plan_scatter`.
 */
redist_status redist_plan_gather(const struct redist_plan *plan,
                                 const char *element,
                                 int32_t side,
                                 int64_t ranks,
                                 const void *const *parts,
                                 void *whole,
                                 int64_t whole_len);

/**
 * As `redist_plan_gather`, for callers that know the shape of the array: see
 * `redist_plan_scatter_array`.
 */
redist_status redist_plan_gather_array(const struct redist_plan *plan,
                                       int32_t side,
                                       int64_t ranks,
                                       const void *const *parts,
                                       const struct redist_array *whole);

/**
 * Moves an array of bytes that tell all elements apart between all ranks of the plan, which are
 * threads, and looks at every element that arrives. `element` gives its size. Takes the memory of all
 * local arrays. Stores the number of elements that moved, unless the pointer is NULL.
 * `REDIST_DIFFERS` is a mistake of this library.
 */
redist_status redist_plan_verify(const struct redist_plan *plan,
                                 const char *element,
                                 int64_t *elements);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifndef REDIST_WITHOUT_MPI

/**
 * Checks the plan with all ranks of a communicator, and allocates for moves. Collective: ranks that
 * hold nothing call it, too, and an error of one rank fails on all. `element` is the element type of
 * the array, the same on all ranks: "f32", "f64", "c32", "c64" (complex numbers of two of these),
 * "i8" to "i128", "u8" to "u128", "f16", "bf16", or "[u8; 24]" for any 24 bytes. `options` may be
 * NULL. Communicator and plan may be freed afterwards. The bound plan is to be freed by
 * `redist_bound_free`.
 */
static inline redist_status redist_bind(const redist_plan *plan,
                                        const char *element,
                                        MPI_Comm communicator,
                                        const redist_options *options,
                                        redist_bound **bound) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  return redist_bind_place(plan, element, &communicator, sizeof communicator, library, options, bound);
}

/**
 * As `redist_bind`, with a communicator as Fortran's integer.
 */
static inline redist_status redist_bind_f(const redist_plan *plan,
                                          const char *element,
                                          int32_t communicator,
                                          const redist_options *options,
                                          redist_bound **bound) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  return redist_bind_number(plan, element, communicator, library, options, bound);
}

/**
 * Plans a move by lists of indices with all ranks of a communicator, of which none knows another's
 * lists. Collective, as `redist_bind`, which tells of `element`. `redist_run`, `redist_start` and all
 * else that takes a bound plan serve it: local arrays have one dimension, in the order of the lists.
 * A mistake in the lists of a rank is an error of all. The lists may be freed afterwards.
 */
static inline redist_status redist_bind_lists(const redist_lists *lists,
                                              const char *element,
                                              MPI_Comm communicator,
                                              redist_bound **bound) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  return redist_bind_lists_place(lists, element, &communicator, sizeof communicator, library, bound);
}

/**
 * Checks a plan between copies with all ranks of a communicator. Collective, as `redist_bind`, which
 * tells of `element`. `redist_run`, `redist_start` and all else that takes a bound plan serve it: a
 * rank's local array is its part of its copy. Sums are of "f32", "f64", "i32", "i64", "c32" or "c64";
 * complex numbers have no least and no greatest. `REDIST_COMBINE_FUNCTION` takes any type, and
 * `redist_run_with` its function. Scaled moves of sums are refused.
 */
static inline redist_status redist_bind_copies(const redist_copies *copies,
                                               const char *element,
                                               MPI_Comm communicator,
                                               redist_bound **bound) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  return redist_bind_copies_place(copies, element, &communicator, sizeof communicator, library, bound);
}

/**
 * Checks all plans of a batch with all ranks of a communicator. Collective, as `redist_bind`. Batch and
 * communicator may be freed afterwards. The bound batch is to be freed by `redist_bound_batch_free`.
 */
static inline redist_status redist_batch_bind(const redist_batch *batch,
                                              MPI_Comm communicator,
                                              redist_bound_batch **bound) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  return redist_batch_bind_place(batch, &communicator, sizeof communicator, library, bound);
}

/**
 * Tells the programs of a launch apart, such as `mpiexec -n 3 producer : -n 4 consumer`, by their numbers from
 * 0 on (MPI_APPNUM). Collective over all ranks of the communicator, of all programs. With a `number` that is not
 * -1, and that all ranks of a program give, programs are those of equal numbers. The communicator may be freed
 * afterwards. The programs are to be freed by `redist_programs_free`.
 */
static inline redist_status redist_programs_new(MPI_Comm communicator,
                                                int64_t number,
                                                redist_programs **programs) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  return redist_programs_place(&communicator, sizeof communicator, library, number, programs);
}

/**
 * Couples two programs of different launches, of which this one is the `side`. Collective over the communicator
 * of all ranks of this program. Both name one `file`, in a folder that rank 0 of either can write to, and wait
 * for each other for at most `seconds`. The MPI library's ports join them. The ranks are to be freed by
 * `redist_ranks_free`.
 */
static inline redist_status redist_rendezvous(MPI_Comm communicator,
                                              int32_t side,
                                              const char *file,
                                              double seconds,
                                              redist_ranks **ranks) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  return redist_rendezvous_place(&communicator, sizeof communicator, library, side, file, seconds, ranks);
}

/**
 * Stores the layout of MPI_Type_create_darray's arguments as a text in the notation. These are the
 * arguments that are equal on all processes: lists have an entry for each of 0 to 8 dimensions. Ranks
 * are those of the communicator, from 0 on. Arguments that MPI does not allow are `REDIST_ARGUMENT` or
 * `REDIST_LAYOUT`; the message names the dimension. The text is to be freed by `redist_text_free`.
 */
static inline redist_status redist_layout_darray(int dimensions,
                                                 const int *gsizes,
                                                 const int *distribs,
                                                 const int *dargs,
                                                 const int *psizes,
                                                 int order,
                                                 char **text) {
  int32_t own_distribs[8], own_dargs[8];
  int at;
  for (at = 0; at < dimensions && at < 8; ++at) {
    own_distribs[at] = distribs[at] == MPI_DISTRIBUTE_NONE     ? REDIST_DISTRIBUTE_NONE
                       : distribs[at] == MPI_DISTRIBUTE_BLOCK  ? REDIST_DISTRIBUTE_BLOCK
                       : distribs[at] == MPI_DISTRIBUTE_CYCLIC ? REDIST_DISTRIBUTE_CYCLIC
                                                               : -1;
    /* A block of no elements is none of MPI's. */
    own_dargs[at] = dargs[at] == MPI_DISTRIBUTE_DFLT_DARG ? REDIST_DISTRIBUTE_DFLT_DARG
                    : dargs[at] == 0                      ? -1
                                                          : dargs[at];
  }
  return redist_layout_darray_numbers(dimensions, gsizes, own_distribs, own_dargs, psizes,
                                      order == MPI_ORDER_FORTRAN, text);
}

/**
 * Stores the arguments of MPI_Type_create_darray for the stored array of a side: lists have an entry for each
 * dimension. Layouts that MPI does not have are `REDIST_LAYOUT`, and the message names the dimension. Each
 * pointer may be NULL.
 */
static inline redist_status redist_plan_darray(const redist_plan *plan,
                                               int32_t side,
                                               int *gsizes,
                                               int *distribs,
                                               int *dargs,
                                               int *psizes,
                                               int *order) {
  int32_t own_distribs[8], own_dargs[8], fortran = 0, dimensions = 0;
  int at;
  redist_status status = redist_plan_size(plan, &dimensions, NULL);
  if (status == REDIST_OK)
    status = redist_plan_darray_numbers(plan, side, gsizes, own_distribs, own_dargs, psizes, &fortran);
  if (status != REDIST_OK) return status;
  for (at = 0; at < dimensions; ++at) {
    if (distribs != NULL)
      distribs[at] = own_distribs[at] == REDIST_DISTRIBUTE_NONE    ? MPI_DISTRIBUTE_NONE
                     : own_distribs[at] == REDIST_DISTRIBUTE_BLOCK ? MPI_DISTRIBUTE_BLOCK
                                                                   : MPI_DISTRIBUTE_CYCLIC;
    if (dargs != NULL)
      dargs[at] = own_dargs[at] == REDIST_DISTRIBUTE_DFLT_DARG ? MPI_DISTRIBUTE_DFLT_DARG : own_dargs[at];
  }
  if (order != NULL) *order = fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
  return REDIST_OK;
}

#endif /* REDIST_WITHOUT_MPI */

#endif /* REDIST_H */
