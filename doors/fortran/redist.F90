! redist for Fortran 2008, over redist.h: plans, and plans that are bound to the ranks of a communicator, which is
! `type(MPI_Comm)` or an integer. Compile with the wrapper of the program's MPI library, and with
! -DREDIST_WITHOUT_MPI_F08 if that has no module `mpi_f08`. Indices of layouts, ranks and offsets count from 0, as in
! MPI. The guide is docs/c.md.
module redist
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private

  public :: redist_plan, redist_bound, redist_options, redist_padding
  public :: redist_layout_numbers, redist_mesh, redist_figures
  public :: redist_layout_text, redist_layout_scalapack, redist_layout_darray, redist_layout_mesh, redist_copies_meshes
  public :: redist_plan_scalapack, redist_plan_figures, redist_plan_relabelling, redist_plan_json, redist_plan_from_json
  public :: redist_plan_explain_json, redist_plan_darray, redist_plan_mesh
  public :: redist_convert, redist_verify_files
  public :: redist_parse, redist_inverse, redist_relabelled, redist_free, redist_bind
  public :: redist_run, redist_run_scaled, redist_start, redist_test, redist_finish
  public :: redist_shared_alloc, redist_shared_free
  public :: redist_plan_ranks, redist_plan_layout, redist_plan_local, redist_plan_global_index, redist_plan_owner, &
    redist_plan_volume
  public :: redist_messages, redist_view, redist_plan_messages, redist_messages_size, redist_message_views, &
    redist_message_view
  public :: redist_packing, redist_plan_packing, redist_packing_size, redist_packing_message, redist_pack, redist_unpack, &
    redist_pack_all, redist_unpack_all
  public :: redist_plan_simulate, redist_plan_simulate_with, redist_plan_simulate_scaled, &
    redist_plan_scatter, redist_plan_gather, redist_plan_verify
  public :: redist_copies, redist_copies_parse, redist_copies_size, redist_copies_local, redist_copies_global_index, &
    redist_copies_simulate, redist_copies_simulate_with
  public :: redist_batch, redist_bound_batch, redist_batch_array, redist_array_of, redist_batch_new, redist_batch_add, &
    redist_batch_size, redist_batch_run, redist_batch_start, redist_batch_test, redist_batch_finish, redist_batch_local, &
    redist_batch_simulate
  public :: redist_bind_lists, redist_function, redist_run_with
  public :: redist_rank_group, redist_rank_function, redist_threads_run, redist_ranks_size, redist_ranks_barrier
  public :: redist_programs, redist_programs_new, redist_programs_size, redist_programs_couple, redist_programs_join, &
    redist_rendezvous, redist_ranks_programs, redist_ranks_handshake
  public :: redist_local_len, redist_local_shape, redist_element, redist_explain, redist_last_message, redist_release

  ! Statuses, as in redist.h.
  integer(c_int32_t), parameter, public :: REDIST_OK = 0, REDIST_NULL = 1, REDIST_ARGUMENT = 2, REDIST_LAYOUT = 3, &
    REDIST_STATE = 4, REDIST_THREAD = 5, REDIST_ARRAY = 6, REDIST_RANKS = 7, REDIST_DIFFERS = 8, REDIST_PEER = 9, &
    REDIST_UNAVAILABLE = 10, REDIST_MPI = 11, REDIST_PANIC = 12, REDIST_FILE = 13
  integer(c_int32_t), parameter, public :: REDIST_SOURCE = 0, REDIST_DESTINATION = 1
  integer(c_int32_t), parameter, public :: REDIST_ROUTE_AUTOMATIC = 0, REDIST_ROUTE_CHUNKS = 1, &
    REDIST_ROUTE_MESSAGES = 2
  integer(c_int32_t), parameter, public :: REDIST_METHOD_AUTOMATIC = 0, REDIST_METHOD_ALL_AT_ONCE = 1, &
    REDIST_METHOD_CIRCULANT = 2, REDIST_METHOD_CLOSED_FORM = 3, REDIST_METHOD_KOENIG = 4, REDIST_METHOD_CATERPILLAR = 5
  integer(c_int32_t), parameter, public :: REDIST_PADDING_NONE = 0, REDIST_PADDING_LEADING = 1, &
    REDIST_PADDING_STRIDES = 2, REDIST_PADDING_WITHIN = 3
  integer(c_int32_t), parameter, public :: REDIST_WHOLE = 0, REDIST_UPPER = 1, REDIST_LOWER = 2
  integer(c_int32_t), parameter, public :: REDIST_COMBINE_NONE = 0, REDIST_COMBINE_SUM = 1, REDIST_COMBINE_MIN = 2, &
    REDIST_COMBINE_MAX = 3, REDIST_COMBINE_FUNCTION = 4

  ! Of `redist_layout_numbers%blocks`: a dimension that is not distributed, one block for each rank, one of its own size for each.
  integer(int64), parameter, public :: REDIST_COLLAPSED = -1, REDIST_BLOCK = 0, REDIST_GEN_BLOCK = -2
  ! Of `redist_mesh%placements`: devices have copies, or addends.
  integer(int32), parameter, public :: REDIST_REPLICATE = -1, REDIST_PARTIAL = -2

  ! The messages of a move; to be freed by `redist_free`.
  type :: redist_plan
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A bound plan; to be freed by `redist_free` on the thread that bound it.
  type :: redist_bound
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A plan between copies of an array, or a sum of addends; to be freed by `redist_free`.
  type :: redist_copies
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! Plans of arrays that move in one exchange; to be freed by `redist_free`.
  type :: redist_batch
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A bound batch; to be freed by `redist_free` on the thread that bound it.
  type :: redist_bound_batch
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! Ranks that are threads, lent by `redist_threads_run`, or those of two programs; the latter are to be freed by `redist_free`.
  type :: redist_rank_group
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! The programs of a launch; to be freed by `redist_free`.
  type :: redist_programs
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! An array of a batch's move, made by `redist_array_of`.
  type :: redist_batch_array
    private
    character(kind=c_char) :: element(24) = c_null_char
    ! Bytes of an element; 0 if they are not known.
    integer(c_int64_t) :: bytes = 0
    type(c_ptr) :: place = c_null_ptr
    integer(c_int64_t) :: len = 0
    integer(c_int32_t) :: dimensions = 0
    integer(c_int64_t) :: extents(8) = 0
    ! Bytes from neighbour to neighbour along each dimension.
    integer(c_int64_t) :: steps(8) = 0
  end type

  ! Messages that one rank sends, or those that it receives; to be freed by `redist_free`.
  type :: redist_messages
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! The packing and the unpacking of one rank; to be freed by `redist_free`.
  type :: redist_packing
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A strided box of the sender's and of the receiver's dense local array. Lists begin with the slowest axis.
  type :: redist_view
    ! Elements along each axis; a view of a single element has no axes.
    integer(int64), allocatable :: shape(:)
    ! Elements before the first one in the sender's array, and from neighbour to neighbour along each axis.
    integer(int64) :: source_offset = 0
    integer(int64), allocatable :: source_strides(:)
    ! The same in the receiver's array.
    integer(int64) :: destination_offset = 0
    integer(int64), allocatable :: destination_strides(:)
  end type

  ! As redist_padding and redist_options of redist.h; lists are `c_loc` of arrays of integer(c_int64_t).
  type, bind(c) :: redist_padding
    integer(c_int32_t) :: kind = REDIST_PADDING_NONE
    integer(c_int32_t) :: reserved = 0
    integer(c_int64_t) :: leading = 0
    type(c_ptr) :: strides = c_null_ptr
    type(c_ptr) :: extents = c_null_ptr
    type(c_ptr) :: origin = c_null_ptr
  end type
  ! `size` is set by `redist_bind`; `padding(1)` is the source's, `padding(2)` the destination's.
  type, bind(c) :: redist_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: route = REDIST_ROUTE_AUTOMATIC
    integer(c_int32_t) :: method = REDIST_METHOD_AUTOMATIC
    integer(c_int64_t) :: max_message_bytes = 0
    integer(c_int32_t) :: part = REDIST_WHOLE
    integer(c_int32_t) :: unit_diagonal = 0
    type(redist_padding) :: padding(2)
    ! Most bytes of message buffers on a rank; 0 is no bound.
    integer(c_int64_t) :: max_bytes = 0
    ! Not 0 if all ranks are to learn of a fault on any rank, before anything is written.
    integer(c_int32_t) :: collectively = 0
    integer(c_int32_t) :: reserved = 0
  end type

  ! A layout as numbers, as redist_layout of redist.h; lists that are not allocated have their defaults. Local arrays are stored in
  ! Fortran's order unless `fortran` is false.
  type :: redist_layout_numbers
    ! Lengths of blocks, in elements, or a `REDIST_COLLAPSED`, `REDIST_BLOCK` or `REDIST_GEN_BLOCK`.
    integer(int64), allocatable :: blocks(:)
    ! Extents of the process grid; ignored for dimensions that are not distributed.
    integer(int64), allocatable :: grid(:)
    ! Grid coordinates of block 0.
    integer(int64), allocatable :: first(:)
    ! The ranks that form the grid.
    integer(int64), allocatable :: ranks(:)
    ! Sizes of the blocks of dimensions that are `REDIST_GEN_BLOCK`, dimension after dimension.
    integer(int64), allocatable :: sizes(:)
    ! Of a destination: the axis of this array, from 0 on, that each axis of the source becomes.
    integer(int64), allocatable :: axes(:)
    ! Extents of the stored array, and the first index, from 0 on, of the section that moves.
    integer(int64), allocatable :: of(:)
    integer(int64), allocatable :: at(:)
    logical :: column_major_ranks = .false.
    logical :: fortran = .true.
  end type
  ! A mesh of devices, as redist_mesh of redist.h.
  type :: redist_mesh
    ! Devices along each dimension.
    integer(int64), allocatable :: extents(:)
    ! The ranks of its devices, in row-major order; from 0 on if it is not allocated.
    integer(int64), allocatable :: ranks(:)
    ! Along each dimension: the dimension of the tensor that it cuts, from 0 on, `REDIST_REPLICATE` or `REDIST_PARTIAL`.
    integer(int32), allocatable :: placements(:)
    ! The split factor of a `_StridedShard`, or 0.
    integer(int64), allocatable :: split_factors(:)
  end type
  ! Numbers of a plan. One that takes too long to find is a bound, and not exact.
  type :: redist_figures
    ! Least steps of a schedule in which a rank sends and receives at most one message.
    integer(int64) :: steps = 0
    ! Elements that stay on their rank.
    integer(int64) :: stays = 0
    ! Bytes of local arrays and messages, on the rank that needs the most.
    integer(int64) :: memory_bytes = 0
    logical :: steps_is_exact = .false., stays_is_exact = .false., memory_is_exact = .false.
  end type

  ! As redist_layout, redist_mesh and redist_figures of redist.h.
  type, bind(c) :: c_layout
    integer(c_size_t) :: size = 0
    type(c_ptr) :: blocks = c_null_ptr, grid = c_null_ptr, first = c_null_ptr, ranks = c_null_ptr
    integer(c_int64_t) :: ranks_len = 0
    integer(c_int32_t) :: column_major_ranks = 0, fortran = 0
    type(c_ptr) :: sizes = c_null_ptr
    integer(c_int64_t) :: sizes_len = 0
    type(c_ptr) :: axes = c_null_ptr, of = c_null_ptr, at = c_null_ptr
  end type
  type, bind(c) :: c_mesh
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: dimensions = 0, reserved = 0
    type(c_ptr) :: extents = c_null_ptr, ranks = c_null_ptr, placements = c_null_ptr, split_factors = c_null_ptr
  end type
  type, bind(c) :: c_figures
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: steps = 0, stays = 0, memory_bytes = 0
    integer(c_int32_t) :: steps_is_exact = 0, stays_is_exact = 0, memory_is_exact = 0, reserved = 0
  end type
  ! As redist_file_options of redist.h.
  type, bind(c) :: c_file_options
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: memory_bytes = 0, threads = 0
    integer(c_int32_t) :: force = 0, check = 0, no_sync = 0, reserved = 0
  end type
  ! As redist_array of redist.h.
  type, bind(c) :: c_array
    integer(c_size_t) :: size = 0
    type(c_ptr) :: element = c_null_ptr
    type(c_ptr) :: place = c_null_ptr
    integer(c_int64_t) :: len = 0
    integer(c_int32_t) :: dimensions = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: extents = c_null_ptr
    type(c_ptr) :: strides = c_null_ptr
  end type
  ! What a `c_array` points to.
  type :: array_lists
    integer(c_int64_t) :: extents(8)
    integer(c_int64_t) :: strides(8)
  end type
  ! As redist_lists of redist.h.
  type, bind(c) :: c_lists
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: extent = 0
    type(c_ptr) :: source = c_null_ptr
    integer(c_int64_t) :: source_len = 0
    type(c_ptr) :: destination = c_null_ptr
    integer(c_int64_t) :: destination_len = 0
    integer(c_int64_t) :: elements = 0
    integer(c_int32_t) :: are_equal = 0
    integer(c_int32_t) :: reserved = 0
  end type
  ! An array as a call takes it: what its `c_array` points to, and a dense copy where the array has gaps.
  type :: lent_array
    type(c_array) :: array
    character(kind=c_char) :: element(24) = c_null_char
    type(array_lists) :: lists
    logical :: is_copy = .false.
    integer(int8), allocatable :: copy(:)
  end type
  ! What `redist_local` of redist.h tells; `dimensions` is -1 if it fails.
  type :: local_part
    integer(c_int32_t) :: dimensions = -1
    integer(c_int64_t) :: len = 0
    integer(c_int64_t) :: extents(8) = -1
    integer(c_int64_t) :: strides(8) = 0
  end type
  ! As redist_view of redist.h.
  type, bind(c) :: c_view
    integer(c_int32_t) :: room = 0
    integer(c_int32_t) :: axes = 0
    type(c_ptr) :: shape = c_null_ptr
    integer(c_int64_t) :: source_offset = 0
    type(c_ptr) :: source_strides = c_null_ptr
    integer(c_int64_t) :: destination_offset = 0
    type(c_ptr) :: destination_strides = c_null_ptr
  end type

  ! Plans the move of an array of these extents between layouts: texts in the notation, or numbers.
  interface redist_parse
    module procedure parse_texts, parse_numbers
  end interface
  ! The layout of a submatrix of ScaLAPACK by its array descriptor; all numbers have one kind.
  interface redist_layout_scalapack
    module procedure scalapack_int32, scalapack_int64
  end interface
  interface redist_plan_scalapack
    module procedure plan_scalapack_int32, plan_scalapack_int64
  end interface
  ! The layout of MPI_Type_create_darray's arguments, by the constants of MPI; all numbers have one kind.
  interface redist_layout_darray
    module procedure darray_int32, darray_int64
  end interface
  interface redist_free
    module procedure free_plan, free_bound, free_messages, free_packing, free_copies, free_batch, free_bound_batch, free_ranks, &
      free_programs
  end interface
  interface redist_explain
    module procedure explain_plan, explain_bound, explain_copies, explain_batch
  end interface
  ! Collective. The name of the element type is "f64", "c64", … as for redist_bind of redist.h. A plan is bound, a plan
  ! between copies, or a batch, whose plans have their types already.
  interface redist_bind
    module procedure bind_int32, bind_int64, bind_copies_int32, bind_copies_int64, bind_batch_int32, bind_batch_int64
    module procedure bind_ranks, bind_copies_ranks, bind_batch_ranks
#ifndef REDIST_WITHOUT_MPI_F08
    module procedure bind_f08, bind_copies_f08, bind_batch_f08
#endif
  end interface
  ! Plans a move by lists of global indices, from 0 on, of which each rank brings its own: see redist_bind_lists of redist.h.
  interface redist_bind_lists
    module procedure bind_lists_int32, bind_lists_int64, bind_lists_ranks
#ifndef REDIST_WITHOUT_MPI_F08
    module procedure bind_lists_f08
#endif
  end interface
  ! Tells the programs of a launch apart, which `redist_programs_couple` joins. Collective over all ranks of all programs.
  interface redist_programs_new
    module procedure programs_int32, programs_int64
#ifndef REDIST_WITHOUT_MPI_F08
    module procedure programs_f08
#endif
  end interface
  ! Joins programs that hold and want parts of one array; what is bound moves all parts, collectively over all ranks of all programs.
  ! Numbers of the lists count from 0. `layout` is that of the part on this program's ranks.
  interface redist_programs_join
    module procedure join_part, join_no_part
  end interface
  ! Couples two programs that were launched apart.
  interface redist_rendezvous
    module procedure rendezvous_int32, rendezvous_int64
#ifndef REDIST_WITHOUT_MPI_F08
    module procedure rendezvous_f08
#endif
  end interface
  interface redist_batch_add
    module procedure add_plan, add_copies
  end interface
  ! Describes an array for `redist_batch_run`: with the attribute `target`, and alive until the move ends. A section with gaps
  ! is copied to dense memory, and back. Or `c_loc`
  ! of any array, with its length in elements and the name of its element type, which may be "" to compare none.
  interface redist_array_of
    module procedure array_of_any
  end interface
  abstract interface
    ! A function of runs: `elements` have arrived, and as many are kept, as for redist_run_with of redist.h.
    subroutine redist_function(state, arrived, kept, elements) bind(c)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: state, arrived, kept
      integer(c_int64_t), value :: elements
    end subroutine
    ! A program of a rank that is a thread. It returns 0, or another number if it has failed.
    integer function redist_rank_function(ranks, state)
      import :: c_ptr, redist_rank_group
      type(redist_rank_group), intent(in) :: ranks
      type(c_ptr), intent(in) :: state
    end function
  end interface
  ! What a thread calls.
  type :: thread_call
    procedure(redist_rank_function), pointer, nopass :: function => null()
    type(c_ptr) :: state = c_null_ptr
  end type
  ! Collective. Single numbers, and arrays of one to seven dimensions of real, complex (real32, real64) and integer (int8 to int64)
  ! numbers, or `c_loc` of any with their lengths in elements. A section that lies as the plan was bound, by strides or a leading
  ! dimension, moves as it lies. Any other section that has gaps is copied to dense memory, and back.
  ! An array that is not allocated has no elements: so a rank that holds nothing need not allocate. A wrong array on one
  ! rank is an error of that rank and of all ranks that receive from it. All others move. Ranks that bound the plan `collectively` all get the error, and none moves. An array of another type
  ! than the plan's is wrong (REDIST_ARGUMENT), and so is one of as many dimensions as the plan's, two or more, with
  ! another shape (REDIST_ARRAY). `c_loc` has neither to compare.
  interface redist_run
    module procedure run_any
  end interface
  interface redist_start
    module procedure start_any
  end interface
  interface redist_finish
    module procedure finish_any
  end interface

  ! Packs the message to a rank into a buffer of its elements, and unpacks the message from a rank. Neither MPI nor a
  ! communicator is needed. Arrays are as for `redist_run`, buffers have one dimension, and both may be `c_loc` with lengths in
  ! elements. The order of elements is that of `redist_run`'s messages, and another one than that of views.
  interface redist_pack
    module procedure pack_any
  end interface
  interface redist_unpack
    module procedure unpack_any
  end interface
  ! Packs and unpacks all messages by the kernels of `redist_run`. The buffer has them one after the other, sorted by the other
  ! rank, as MPI_Alltoallv takes it.
  interface redist_pack_all
    module procedure pack_all_any
  end interface
  interface redist_unpack_all
    module procedure unpack_all_any
  end interface
  ! Deals a whole array to the dense local arrays of all ranks on a side, and puts these together. The whole array has the
  ! shape of the side's stored array, of which a section is a part. Local arrays are `c_loc`s, one for each rank.
  interface redist_plan_scatter
    module procedure scatter_any
  end interface
  interface redist_plan_gather
    module procedure gather_any
  end interface
#include "redist_generics.inc"

  interface
#include "redist_functions.inc"
#include "redist_alone_functions.inc"
#include "redist_together_functions.inc"
#include "redist_layouts_functions.inc"
#include "redist_ranks_functions.inc"
#include "redist_files_functions.inc"
  end interface

contains

  ! Ends the program if a call fails and its caller has not asked for the status.
  subroutine answer(found, status)
    integer(c_int32_t), intent(in) :: found
    integer, intent(out), optional :: status
    if (present(status)) then
      status = found
    else if (found /= REDIST_OK) then
      print "(a)", redist_last_message()
      error stop "redist has failed"
    end if
  end subroutine

  ! Answers with a text that C has made, and frees it.
  subroutine answer_text(found, made, text, status)
    integer(c_int32_t), intent(in) :: found
    type(c_ptr), intent(in) :: made
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: status
    if (found == REDIST_OK) then
      text = text_at(made)
      call c_text_free(made)
    end if
    call answer(found, status)
  end subroutine

  function text_at(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: at
    call c_f_pointer(pointer, bytes, [c_strlen(pointer)])
    allocate (character(size(bytes)) :: text)
    do at = 1, size(bytes)
      text(at:at) = bytes(at)
    end do
  end function

  ! Returns the message of the last failed call of this thread.
  function redist_last_message() result(text)
    character(:), allocatable :: text
    text = text_at(c_last_message())
  end function

  ! Returns the release of the loaded library.
  function redist_release() result(text)
    character(:), allocatable :: text
    text = text_at(c_version())
  end function

  subroutine redist_inverse(plan, inverse, status)
    type(redist_plan), intent(in) :: plan
    type(redist_plan), intent(out) :: inverse
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_plan_inverse(plan%handle, inverse%handle)
    call answer(found, status)
  end subroutine

  subroutine redist_relabelled(plan, relabelled, status)
    type(redist_plan), intent(in) :: plan
    type(redist_plan), intent(out) :: relabelled
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_plan_relabelled(plan%handle, relabelled%handle)
    call answer(found, status)
  end subroutine

  ! Returns the number of dimensions of a plan's array; 0 if the call fails.
  integer function dimensions_of(plan)
    type(redist_plan), intent(in) :: plan
    integer(c_int32_t), target :: found
    dimensions_of = 0
    if (c_plan_size(plan%handle, c_loc(found), c_null_ptr) == REDIST_OK) dimensions_of = found
  end function

  ! Returns one past the highest rank that takes part; -1 if the call fails.
  integer(int64) function redist_plan_ranks(plan)
    type(redist_plan), intent(in) :: plan
    integer(c_int64_t), target :: found
    redist_plan_ranks = -1
    if (c_plan_size(plan%handle, c_null_ptr, c_loc(found)) == REDIST_OK) redist_plan_ranks = found
  end function

  ! Stores a side's layout in the notation.
  subroutine redist_plan_layout(plan, side, text, status)
    type(redist_plan), intent(in) :: plan
    integer(c_int32_t), intent(in) :: side
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int32_t) :: found
    found = c_plan_layout(plan%handle, side, made)
    call answer_text(found, made, text, status)
  end subroutine

  ! Stores the extents of a rank's part of the array on one side, one for each dimension.
  subroutine redist_plan_local(plan, side, rank, extents, status)
    type(redist_plan), intent(in) :: plan
    integer(c_int32_t), intent(in) :: side
    integer(int64), intent(in) :: rank
    integer(int64), intent(out) :: extents(:)
    integer, intent(out), optional :: status
    ! The library has eight dimensions at most.
    integer(c_int64_t) :: all_extents(8), len
    integer(c_int32_t) :: found
    all_extents = 0
    found = c_plan_local(plan%handle, side, rank, all_extents, c_null_ptr, len)
    extents = 0
    if (found == REDIST_OK) extents(:min(8, size(extents))) = all_extents(:min(8, size(extents)))
    call answer(found, status)
  end subroutine

  ! Stores the global index, from 0 on, of the element at `offset`, from 0 on, in a rank's dense local array.
  subroutine redist_plan_global_index(plan, side, rank, offset, index, status)
    type(redist_plan), intent(in) :: plan
    integer(c_int32_t), intent(in) :: side
    integer(int64), intent(in) :: rank, offset
    integer(int64), intent(out) :: index(:)
    integer, intent(out), optional :: status
    integer(c_int64_t) :: whole(8)
    integer(c_int32_t) :: found
    whole = 0
    found = c_plan_global_index(plan%handle, side, rank, offset, whole)
    index = 0
    if (found == REDIST_OK) index(:min(8, size(index))) = whole(:min(8, size(index)))
    call answer(found, status)
  end subroutine

  ! Stores the rank that holds an element, whose index counts from 0 and has an entry for each dimension.
  subroutine redist_plan_owner(plan, side, index, rank, status)
    type(redist_plan), intent(in) :: plan
    integer(c_int32_t), intent(in) :: side
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(out) :: rank
    integer, intent(out), optional :: status
    integer(c_int64_t) :: whole(8)
    integer(c_int32_t) :: found
    ! An index with another number of entries is none.
    whole = -1
    if (size(index) == dimensions_of(plan)) whole(:size(index)) = index
    rank = -1
    found = c_plan_owner(plan%handle, side, whole, rank)
    call answer(found, status)
  end subroutine

  ! Stores the elements that one rank sends to another rank, or keeps, if both are the same rank.
  subroutine redist_plan_volume(plan, source_rank, destination_rank, elements, status)
    type(redist_plan), intent(in) :: plan
    integer(int64), intent(in) :: source_rank, destination_rank
    integer(int64), intent(out) :: elements
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    elements = -1
    found = c_plan_volume(plan%handle, source_rank, destination_rank, elements)
    call answer(found, status)
  end subroutine

  subroutine free_plan(plan)
    type(redist_plan), intent(inout) :: plan
    call c_plan_free(plan%handle)
    plan%handle = c_null_ptr
  end subroutine

  subroutine free_bound(bound, status)
    type(redist_bound), intent(inout) :: bound
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_bound_free(bound%handle)
    if (found == REDIST_OK) bound%handle = c_null_ptr
    call answer(found, status)
  end subroutine

  subroutine explain_plan(plan, text, status)
    type(redist_plan), intent(in) :: plan
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int32_t) :: found
    found = c_plan_explain(plan%handle, made)
    call answer_text(found, made, text, status)
  end subroutine

  subroutine explain_bound(bound, text, status)
    type(redist_bound), intent(in) :: bound
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int32_t) :: found
    found = c_explain(bound%handle, made)
    call answer_text(found, made, text, status)
  end subroutine

  ! Returns the name of the element type of the bound plan; "" if the call fails.
  function redist_element(bound) result(name)
    type(redist_bound), intent(in) :: bound
    character(:), allocatable :: name
    type(c_ptr) :: text
    name = ""
    if (c_element(bound%handle, text, c_null_ptr) == REDIST_OK) name = text_at(text)
  end function

  ! Returns the length of this rank's local array on one side, in elements; -1 if the call fails.
  integer(int64) function redist_local_len(bound, side)
    type(redist_bound), intent(in) :: bound
    integer(c_int32_t), intent(in) :: side
    integer(c_int64_t), target :: len
    redist_local_len = -1
    if (c_local(bound%handle, side, c_loc(len), c_null_ptr, c_null_ptr) == REDIST_OK) redist_local_len = len
  end function

  ! Stores the extents of that array in memory, one for each dimension of the plan.
  subroutine redist_local_shape(bound, side, shape, status)
    type(redist_bound), intent(in) :: bound
    integer(c_int32_t), intent(in) :: side
    integer(int64), intent(out), target, contiguous :: shape(:)
    integer, intent(out), optional :: status
    ! The library has eight dimensions at most.
    integer(c_int64_t), target :: found_shape(8)
    integer(c_int32_t) :: found
    found = c_local(bound%handle, side, c_null_ptr, c_loc(found_shape), c_null_ptr)
    if (found == REDIST_OK) shape = found_shape(:min(8, size(shape)))
    call answer(found, status)
  end subroutine

  ! Makes this rank's local array on one side, all bytes zero, in memory that other ranks of its node can use in `redist_run`;
  ! `c_f_pointer` gives it a shape. Collective. To be freed by `redist_shared_free` before MPI is finalised.
  subroutine redist_shared_alloc(bound, side, array, status)
    type(redist_bound), intent(in) :: bound
    integer(c_int32_t), intent(in) :: side
    type(c_ptr), intent(out) :: array
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    array = c_null_ptr
    found = c_shared_alloc(bound%handle, side, array)
    call answer(found, status)
  end subroutine

  subroutine redist_shared_free(array, status)
    type(c_ptr), intent(inout) :: array
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_shared_free(array)
    if (found == REDIST_OK) array = c_null_ptr
    call answer(found, status)
  end subroutine

  subroutine redist_test(bound, done, status)
    type(redist_bound), intent(in) :: bound
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found, number
    number = 0
    found = c_test(bound%handle, number)
    done = number /= 0
    call answer(found, status)
  end subroutine

  subroutine run_any(bound, source, source_len, destination, destination_len, status)
    type(redist_bound), intent(in) :: bound
    type(c_ptr), intent(in) :: source, destination
    integer(int64), intent(in) :: source_len, destination_len
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_run(bound%handle, source, source_len, destination, destination_len)
    call answer(found, status)
  end subroutine

  subroutine start_any(bound, source, source_len, destination_len, status)
    type(redist_bound), intent(in) :: bound
    type(c_ptr), intent(in) :: source
    integer(int64), intent(in) :: source_len, destination_len
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_start(bound%handle, source, source_len, destination_len)
    call answer(found, status)
  end subroutine

  subroutine finish_any(bound, destination, destination_len, status)
    type(redist_bound), intent(in) :: bound
    type(c_ptr), intent(in) :: destination
    integer(int64), intent(in) :: destination_len
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_finish(bound%handle, destination, destination_len)
    call answer(found, status)
  end subroutine

  ! Layouts as texts, as numbers, and in the words of other libraries; figures of plans.
#include "redist_layouts.inc"
  ! Arrays as calls take them.
#include "redist_arrays.inc"
  ! Binding, of whatever can be bound.
#include "redist_bind.inc"
  ! Copies, sums, batches and functions.
#include "redist_together.inc"
  ! Ranks that are threads, and programs that are coupled.
#include "redist_ranks.inc"
  ! Arrays in files.
#include "redist_files.inc"
  ! Messages, packing, and ranks simulated: without a communicator.
#include "redist_alone.inc"
  ! Each number type and number of dimensions has the same subroutines.
#include "redist_types.inc"
end module redist
