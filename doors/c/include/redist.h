/* redist: moves a distributed array from one block-cyclic layout to another.
 *
 * This file is made by cbindgen from the library's source. The guide is docs/c.md.
 *
 * What holds for all functions:
 * - They return a status. What went wrong is said by redist_last_message(), on the same thread. A
 *   function that fails has put no handle and no text anywhere.
 * - Pointers are NULL, which is refused where nothing else is said, or point to what they name: a text
 *   that ends with a zero, a list with an entry for each dimension, a handle that has not been freed.
 *   Texts are UTF-8. All lengths, extents, strides and offsets are in elements where the name does not
 *   say bytes; indices and ranks count from 0.
 * - "Collective" is as in MPI: all ranks of the communicator call, in one order. Where a rank brings
 *   wrong arguments to a collective call all ranks fail, except that a rank without a usable
 *   communicator or bound plan, on a wrong thread, or with a move under way cannot tell the others.
 * - MPI is initialised before redist_bind and not finalised before the last move. A bound plan is used
 *   on the thread that it was bound on; plans, and texts, on any.
 * - The library is linked with no MPI library, and calls whichever the program has loaded. Programs
 *   are compiled with that library's mpi.h, which is included here unless it has been, and unless
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
  {sizeof(redist_options), 0, 0, 0, 0, 0, {{0, 0, 0, NULL, NULL, NULL}, {0, 0, 0, NULL, NULL, NULL}}}
#define REDIST_LAYOUT_INIT {sizeof(redist_layout), NULL, NULL, NULL, NULL, 0, 0, 0}


/**
 * The side that an array is on before a move.
 */
#define REDIST_SOURCE 0

/**
 * The side that an array is on after a move.
 */
#define REDIST_DESTINATION 1

/**
 * Counts up when programs that were compiled with an earlier header have to be compiled again. The
 * library's SONAME changes with it.
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
 * It is a box in a larger array: its halo is left alone.
 */
#define REDIST_PADDING_WITHIN 3

/**
 * How elements go where all ranks run a move: the same on all ranks. `REDIST_ROUTE_AUTOMATIC` takes
 * what is expected to be fastest.
 */
#define REDIST_ROUTE_AUTOMATIC 0

/**
 * Chunks in shared memory, where all ranks are on one node.
 */
#define REDIST_ROUTE_STAGED 1

/**
 * Packed messages.
 */
#define REDIST_ROUTE_MESSAGES 2

/**
 * Messages joined between nodes.
 */
#define REDIST_ROUTE_JOINED 3

/**
 * The schedule in whose order messages are sent: the same on all ranks.
 * `REDIST_METHOD_AUTOMATIC` asks for none: messages go all at once, or joined.
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
 * Of a matrix, what is on and above the diagonal.
 */
#define REDIST_UPPER 1

/**
 * Of a matrix, what is on and below the diagonal.
 */
#define REDIST_LOWER 2

/**
 * What a call has come to. The numbers stay what they are in all releases; new ones may come.
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
   * A number is out of range, or a text is none of those that are known.
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
   * Ranks have brought different plans, element types or options, or call in different orders.
   */
  REDIST_DIFFERS = 8,
  /**
   * Another rank has failed, in the words of the message; this one has not moved, either.
   */
  REDIST_PEER = 9,
  /**
   * What was asked for cannot be had on these ranks.
   */
  REDIST_UNAVAILABLE = 10,
  /**
   * MPI has failed, is not initialised, or is finalised.
   */
  REDIST_MPI = 11,
  /**
   * The library has panicked, which is an error of its own. What was under way has not been done.
   */
  REDIST_PANIC = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum redist_status redist_status;
#else
typedef int32_t redist_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A plan that is bound to the ranks of a communicator.
 */
typedef struct redist_bound redist_bound;

/**
 * Who sends what to whom. It never changes, and may be used by several threads at a time.
 */
typedef struct redist_plan redist_plan;

/**
 * How this rank's local array on one side lies in memory, in elements. Each rank's own matter.
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
   * With `REDIST_PADDING_LEADING`: between neighbours along the second fastest dimension, as
   * ScaLAPACK's LLD.
   */
  int64_t leading;
  /**
   * With `REDIST_PADDING_STRIDES`: between neighbours along each dimension.
   */
  const int64_t *strides;
  /**
   * With `REDIST_PADDING_WITHIN`: the extents of the larger array.
   */
  const int64_t *extents;
  /**
   * With `REDIST_PADDING_WITHIN`: where in it the local array begins.
   */
  const int64_t *origin;
} redist_padding;

/**
 * How to bind a plan. Members that are 0 have their defaults; begin with
 * `redist_options options = REDIST_OPTIONS_INIT;`.
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
   * Bytes of the longest piece of a message; where it is 0, what the library sends to
   * another node without asking the receiver, and 1 MiB within one.
   */
  int64_t max_message_bytes;
  /**
   * `REDIST_WHOLE`, or which trapezoid of a matrix moves: `REDIST_UPPER` or `REDIST_LOWER`. The same on
   * all ranks.
   */
  int32_t part;
  /**
   * Not 0 where the diagonal is no part of that (ScaLAPACK's DIAG is `U`).
   */
  int32_t unit_diagonal;
  /**
   * How this rank's local arrays lie in memory: of `REDIST_SOURCE`, of `REDIST_DESTINATION`.
   */
  struct redist_padding padding[2];
} redist_options;

/**
 * A layout as numbers, an entry of each list for each dimension. Members that are 0 or NULL have
 * their defaults; begin with `redist_layout layout = REDIST_LAYOUT_INIT;`.
 */
typedef struct redist_layout {
  /**
   * `sizeof(redist_layout)`.
   */
  size_t size;
  /**
   * Length of blocks, in elements: `REDIST_BLOCK` for one block for each rank of the grid, as long as
   * the others; `REDIST_COLLAPSED` where a dimension is not distributed.
   */
  const int64_t *blocks;
  /**
   * Extents of the process grid; not looked at where a dimension is not distributed.
   */
  const int64_t *grid;
  /**
   * Grid coordinates of block 0 (ScaLAPACK's RSRC and CSRC); zeros where it is NULL.
   */
  const int64_t *first;
  /**
   * The ranks of the communicator that form the grid; from 0 on where it is NULL.
   */
  const int64_t *ranks;
  /**
   * How many those are.
   */
  int64_t ranks_len;
  /**
   * Not 0 where consecutive ranks fill the grid column by column.
   */
  int32_t column_major_ranks;
  /**
   * Not 0 where the first dimension is stored fastest, as in Fortran.
   */
  int32_t fortran;
} redist_layout;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * As `redist_bind`, which calls this, for callers that have no header of MPI's: the handle of C
 * lies at `communicator`, in so many bytes. `library` is what `MPI_Get_library_version` says to the
 * caller, which is compared with what it says to this library; NULL where that is not to be
 * compared.
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
 * Frees what is bound, on the thread that it was bound on; waits for the other ranks only where a move
 * is under way. It may be called after `MPI_Finalize`. NULL is left alone.
 */
redist_status redist_bound_free(struct redist_bound *bound);

/**
 * `REDIST_ABI` of the library that is loaded.
 */
uint32_t redist_abi(void);

/**
 * The release of the library that is loaded, such as "0.1.0". Not to be freed.
 */
const char *redist_version(void);

/**
 * What the last call on this thread that failed says of it, or "". UTF-8; not to be freed; it stays
 * until the next call on this thread that fails.
 */
const char *redist_last_message(void);

/**
 * Frees a text that the library has made. NULL is left alone.
 */
void redist_text_free(char *text);

/**
 * What this rank's local array on one side has to have: its length in elements, with the shape of its
 * memory and its strides in elements, which have an entry for each dimension as the array is stored
 * there. Each of the pointers may be NULL.
 */
redist_status redist_local(const struct redist_bound *bound,
                           int32_t side,
                           int64_t *len,
                           int64_t *shape,
                           int64_t *strides);

/**
 * The length of this rank's local array on one side, in elements; -1 where the call fails.
 */
int64_t redist_local_len(const struct redist_bound *bound, int32_t side);

/**
 * The name of the element type that the plan was bound for, as `redist_bind` was given it, and its
 * bytes. Each of the pointers may be NULL; the text is not to be freed, and is there as long as what
 * is bound.
 */
redist_status redist_element(const struct redist_bound *bound,
                             const char **name,
                             int64_t *size);

/**
 * What runs on these ranks: which way, which kernels, which schedule, how much. The text is to be
 * freed by `redist_text_free`.
 */
redist_status redist_explain(const struct redist_bound *bound, char **text);

/**
 * Moves everything. Collective. Lengths are in elements, as `redist_local_len` says, or more where
 * the local array was padded when the plan was bound; an array of length 0 may be NULL. The arrays
 * must not overlap. A mistake in the arrays of one rank fails on all, and nothing moves. The arrays'
 * elements are taken to be what `redist_element` says.
 */
redist_status redist_run(struct redist_bound *bound,
                         const void *source,
                         int64_t source_len,
                         void *destination,
                         int64_t destination_len);

/**
 * As `redist_run`, for callers that know the type of their arrays: `element` is its name, as for
 * `redist_bind`. If it is not that of the bound plan, `REDIST_ARGUMENT` says both, the other ranks learn
 * of it, and nothing moves. "[u8; 8]" fits all types of 8 bytes, and "i32" fits "u32".
 */
redist_status redist_run_as(struct redist_bound *bound,
                            const char *element,
                            const void *source,
                            int64_t source_len,
                            void *destination,
                            int64_t destination_len);

/**
 * Begins a move, which `redist_finish` ends. Collective. The source may be written to when this
 * returns; of the destination, only the length is looked at. Lengths are as for `redist_run`. After an
 * error no move is under way.
 */
redist_status redist_start(struct redist_bound *bound,
                           const void *source,
                           int64_t source_len,
                           int64_t destination_len);

/**
 * As `redist_start`, with the type of the arrays' elements: see `redist_run_as`.
 */
redist_status redist_start_as(struct redist_bound *bound,
                              const char *element,
                              const void *source,
                              int64_t source_len,
                              int64_t destination_len);

/**
 * Sets `done` to 1 if `redist_finish` would not wait any more, and else to 0; lets MPI make progress.
 */
redist_status redist_test(struct redist_bound *bound,
                          int32_t *done);

/**
 * Waits until the destination holds its part, for the move that `redist_start` began with this length.
 * No move is under way after it, whatever it returns, but for `REDIST_NULL`, `REDIST_ARGUMENT`,
 * `REDIST_STATE`, `REDIST_THREAD` and `REDIST_ARRAY`, which are this call's own: it may be made again.
 */
redist_status redist_finish(struct redist_bound *bound,
                            void *destination,
                            int64_t destination_len);

/**
 * As `redist_finish`, with the type of the array's elements: see `redist_run_as`.
 */
redist_status redist_finish_as(struct redist_bound *bound,
                               const char *element,
                               void *destination,
                               int64_t destination_len);

/**
 * Plans the move of an array between two layouts in the notation, such as `(block, *) onto 4` or
 * `scalapack(64, 64, 2, 3)`. `extents` has an entry for each of 1 to 8 dimensions, in elements. The
 * plan is to be freed by `redist_plan_free`.
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
 * Frees a plan; what was bound from it stays. NULL is left alone.
 */
void redist_plan_free(struct redist_plan *plan);

/**
 * The number of dimensions, and one past the highest rank that takes part. Either pointer may be
 * NULL.
 */
redist_status redist_plan_size(const struct redist_plan *plan, int32_t *dimensions, int64_t *ranks);

/**
 * Layouts, classes, windows, how much moves, in how many steps at least. The text is to be freed by
 * `redist_text_free`.
 */
redist_status redist_plan_explain(const struct redist_plan *plan, char **text);

/**
 * A side's layout in the notation. The text is to be freed by `redist_text_free`.
 */
redist_status redist_plan_layout(const struct redist_plan *plan, int32_t side, char **text);

/**
 * Where a rank's part of the array lies on one side, if its local array is dense: extents, and
 * strides in elements, with an entry for each dimension as the array is stored there, and the length
 * in elements. A rank that holds nothing has extents and a length of 0. Each of the pointers may be
 * NULL.
 */
redist_status redist_plan_local(const struct redist_plan *plan,
                                int32_t side,
                                int64_t rank,
                                int64_t *extents,
                                int64_t *strides,
                                int64_t *len);

/**
 * The global index, with an entry for each dimension as the array is stored on that side, of the
 * element at `offset` in the dense local array of a rank. All count from 0.
 */
redist_status redist_plan_global_index(const struct redist_plan *plan,
                                       int32_t side,
                                       int64_t rank,
                                       int64_t offset,
                                       int64_t *index);

/**
 * The plan of the way back. It is to be freed by `redist_plan_free`.
 */
redist_status redist_plan_inverse(const struct redist_plan *plan, struct redist_plan **inverse);

/**
 * The plan whose destination's ranks have those cells of its grid that let most elements stay where
 * they are. It is to be freed by `redist_plan_free`.
 */
redist_status redist_plan_relabelled(const struct redist_plan *plan,
                                     struct redist_plan **relabelled);

/**
 * Makes this rank's local array on one side, of `redist_local_len` elements, all bytes zero, in memory
 * that the other ranks of its node can use in `redist_run`: where all ranks are on one node and bring
 * such sources, each element is copied once, from array to array. `redist_run` knows the array by its
 * address and its length, and every plan that is bound to the same ranks in the same order on this
 * thread may have it as its source or destination. Collective. The array is to be freed by
 * `redist_shared_free`, on this thread, before MPI is finalised: one that lives then ends the job.
 */
redist_status redist_shared_alloc(struct redist_bound *bound,
                                  int32_t side,
                                  void **array);

/**
 * Frees an array of `redist_shared_alloc`, on the thread that made it. The memory is given back when
 * all ranks have freed their parts and bind a plan or make an array next, or with the communicator.
 * NULL is left alone.
 */
redist_status redist_shared_free(void *array);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifndef REDIST_WITHOUT_MPI

/**
 * Checks the plan with all ranks of a communicator, and allocates what moves need. Collective: ranks
 * that hold nothing call it, too, and what is wrong on one rank fails on all. `element` is the type of
 * the array's elements, the same on all ranks: "f32", "f64", "c32", "c64" (complex numbers of two of
 * these), "i8" to "i128", "u8" to "u128", "f16", "bf16", or "[u8; 24]" for any 24 bytes. `options` may
 * be NULL. The communicator may be freed afterwards, and the plan; what is bound is to be freed by
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

#endif /* REDIST_WITHOUT_MPI */

#endif /* REDIST_H */
