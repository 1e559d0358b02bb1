! redist for Fortran 2008, over redist.h: plans, and plans that are bound to the ranks of a communicator, which is
! `type(MPI_Comm)` or an integer. Compile with the wrapper of the program's MPI library, and with
! -DREDIST_WITHOUT_MPI_F08 if that has no module `mpi_f08`. Indices of layouts, ranks and offsets count from 0, as in
! MPI. The guide is docs/c.md.
module redist
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private

  public :: redist_plan, redist_bound, redist_options, redist_padding
  public :: redist_parse, redist_inverse, redist_relabelled, redist_free, redist_bind
  public :: redist_run, redist_run_scaled, redist_start, redist_test, redist_finish
  public :: redist_shared_alloc, redist_shared_free
  public :: redist_plan_ranks, redist_plan_layout, redist_plan_local, redist_plan_global_index, redist_plan_owner, &
    redist_plan_volume
  public :: redist_messages, redist_view, redist_plan_messages, redist_messages_size, redist_message_views, &
    redist_message_view
  public :: redist_packing, redist_plan_packing, redist_packing_size, redist_packing_message, redist_pack, redist_unpack, &
    redist_pack_all, redist_unpack_all
  public :: redist_plan_simulate, redist_plan_simulate_scaled, redist_plan_scatter, redist_plan_gather, redist_plan_verify
  public :: redist_copies, redist_copies_parse, redist_copies_size, redist_copies_local, redist_copies_global_index, &
    redist_copies_simulate, redist_copies_simulate_with
  public :: redist_batch, redist_bound_batch, redist_batch_array, redist_array_of, redist_batch_new, redist_batch_add, &
    redist_batch_size, redist_batch_run, redist_batch_start, redist_batch_test, redist_batch_finish, redist_batch_local, &
    redist_batch_simulate
  public :: redist_bind_lists, redist_function, redist_run_with
  public :: redist_local_len, redist_local_shape, redist_element, redist_explain, redist_last_message, redist_release

  ! Statuses, as in redist.h.
  integer(c_int32_t), parameter, public :: REDIST_OK = 0, REDIST_NULL = 1, REDIST_ARGUMENT = 2, REDIST_LAYOUT = 3, &
    REDIST_STATE = 4, REDIST_THREAD = 5, REDIST_ARRAY = 6, REDIST_RANKS = 7, REDIST_DIFFERS = 8, REDIST_PEER = 9, &
    REDIST_UNAVAILABLE = 10, REDIST_MPI = 11, REDIST_PANIC = 12
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
  ! An array of a batch's move, made by `redist_array_of`.
  type :: redist_batch_array
    private
    character(kind=c_char) :: element(24) = c_null_char
    type(c_ptr) :: place = c_null_ptr
    integer(c_int64_t) :: len = 0
    integer(c_int32_t) :: dimensions = 0
    integer(c_int64_t) :: extents(8) = 0
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
  ! Name and lists of the `c_array` of a `redist_batch_array`.
  type :: batch_lists
    character(kind=c_char) :: element(24)
    type(array_lists) :: lists
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

  interface redist_free
    module procedure free_plan, free_bound, free_messages, free_packing, free_copies, free_batch, free_bound_batch
  end interface
  interface redist_explain
    module procedure explain_plan, explain_bound, explain_copies, explain_batch
  end interface
  ! Collective. The name of the element type is "f64", "c64", … as for redist_bind of redist.h. A plan is bound, a plan
  ! between copies, or a batch, whose plans have their types already.
  interface redist_bind
    module procedure bind_int32, bind_int64, bind_copies_int32, bind_copies_int64, bind_batch_int32, bind_batch_int64
#ifndef REDIST_WITHOUT_MPI_F08
    module procedure bind_f08, bind_copies_f08, bind_batch_f08
#endif
  end interface
  ! Plans a move by lists of global indices, from 0 on, of which each rank brings its own: see redist_bind_lists of redist.h.
  interface redist_bind_lists
    module procedure bind_lists_int32, bind_lists_int64
#ifndef REDIST_WITHOUT_MPI_F08
    module procedure bind_lists_f08
#endif
  end interface
  interface redist_batch_add
    module procedure add_plan, add_copies
  end interface
  ! Describes an array for `redist_batch_run`: contiguous, with the attribute `target`, and alive until the move ends. Or `c_loc`
  ! of any array, with its length in elements and the name of its element type, which may be "" to compare none.
  interface redist_array_of
    module procedure array_of_any
    module procedure array_r32_1, array_r32_2, array_r32_3, array_r64_1, array_r64_2, array_r64_3
    module procedure array_c32_1, array_c32_2, array_c32_3, array_c64_1, array_c64_2, array_c64_3
    module procedure array_i32_1, array_i32_2, array_i32_3, array_i64_1, array_i64_2, array_i64_3
  end interface
  abstract interface
    ! A function of runs: `elements` have arrived, and as many are kept, as for redist_run_with of redist.h.
    subroutine redist_function(state, arrived, kept, elements) bind(c)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: state, arrived, kept
      integer(c_int64_t), value :: elements
    end subroutine
  end interface
  ! Collective. Single numbers, and arrays of one to three dimensions of real, complex (real32, real64) and integer (int32, int64) numbers, or
  ! `c_loc` of any with their lengths in elements. An array that is not allocated has no elements: so a rank that holds
  ! nothing need not allocate. A wrong array on one rank is an error of that rank and of all ranks that receive from it.
  ! All others move. Ranks that bound the plan `collectively` all get the error, and none moves. An array of another type
  ! than the plan's is wrong (REDIST_ARGUMENT), and so is one of as many dimensions as the plan's, two or more, with
  ! another shape (REDIST_ARRAY). `c_loc` has neither to compare.
  interface redist_run
    module procedure run_any
    module procedure run_r32_0, run_r64_0, run_c32_0, run_c64_0, run_i32_0, run_i64_0
    module procedure run_r32_1, run_r32_2, run_r32_3
    module procedure run_r64_1, run_r64_2, run_r64_3
    module procedure run_c32_1, run_c32_2, run_c32_3
    module procedure run_c64_1, run_c64_2, run_c64_3
    module procedure run_i32_1, run_i32_2, run_i32_3
    module procedure run_i64_1, run_i64_2, run_i64_3
  end interface
  ! As redist_run, but that the destination becomes `alpha` times what arrives, or its complex conjugate, plus `beta` times
  ! what it had. An array that is multiplied by zero is not read. After an error some elements may have been changed.
  interface redist_run_scaled
    module procedure scaled_r32_1, scaled_r32_2, scaled_r32_3
    module procedure scaled_r64_1, scaled_r64_2, scaled_r64_3
    module procedure scaled_c32_1, scaled_c32_2, scaled_c32_3
    module procedure scaled_c64_1, scaled_c64_2, scaled_c64_3
    module procedure scaled_i32_1, scaled_i32_2, scaled_i32_3
    module procedure scaled_i64_1, scaled_i64_2, scaled_i64_3
  end interface
  interface redist_start
    module procedure start_any
    module procedure start_r32_0, start_r64_0, start_c32_0, start_c64_0, start_i32_0, start_i64_0
    module procedure start_r32_1, start_r32_2, start_r32_3
    module procedure start_r64_1, start_r64_2, start_r64_3
    module procedure start_c32_1, start_c32_2, start_c32_3
    module procedure start_c64_1, start_c64_2, start_c64_3
    module procedure start_i32_1, start_i32_2, start_i32_3
    module procedure start_i64_1, start_i64_2, start_i64_3
  end interface
  interface redist_finish
    module procedure finish_any
    module procedure finish_r32_0, finish_r64_0, finish_c32_0, finish_c64_0, finish_i32_0, finish_i64_0
    module procedure finish_r32_1, finish_r32_2, finish_r32_3
    module procedure finish_r64_1, finish_r64_2, finish_r64_3
    module procedure finish_c32_1, finish_c32_2, finish_c32_3
    module procedure finish_c64_1, finish_c64_2, finish_c64_3
    module procedure finish_i32_1, finish_i32_2, finish_i32_3
    module procedure finish_i64_1, finish_i64_2, finish_i64_3
  end interface

  ! Packs the message to a rank into a buffer of its elements, and unpacks the message from a rank. Neither MPI nor a
  ! communicator is needed. Arrays are as for `redist_run`, buffers have one dimension, and both may be `c_loc` with lengths in
  ! elements. The order of elements is that of `redist_run`'s messages, and another one than that of views.
  interface redist_pack
    module procedure pack_any
    module procedure pack_r32_1, pack_r32_2, pack_r32_3, pack_r64_1, pack_r64_2, pack_r64_3
    module procedure pack_c32_1, pack_c32_2, pack_c32_3, pack_c64_1, pack_c64_2, pack_c64_3
    module procedure pack_i32_1, pack_i32_2, pack_i32_3, pack_i64_1, pack_i64_2, pack_i64_3
  end interface
  interface redist_unpack
    module procedure unpack_any
    module procedure unpack_r32_1, unpack_r32_2, unpack_r32_3, unpack_r64_1, unpack_r64_2, unpack_r64_3
    module procedure unpack_c32_1, unpack_c32_2, unpack_c32_3, unpack_c64_1, unpack_c64_2, unpack_c64_3
    module procedure unpack_i32_1, unpack_i32_2, unpack_i32_3, unpack_i64_1, unpack_i64_2, unpack_i64_3
  end interface
  ! Packs and unpacks all messages by the kernels of `redist_run`. The buffer has them one after the other, sorted by the other
  ! rank, as MPI_Alltoallv takes it.
  interface redist_pack_all
    module procedure pack_all_any
    module procedure pack_all_r32_1, pack_all_r32_2, pack_all_r32_3, pack_all_r64_1, pack_all_r64_2, pack_all_r64_3
    module procedure pack_all_c32_1, pack_all_c32_2, pack_all_c32_3, pack_all_c64_1, pack_all_c64_2, pack_all_c64_3
    module procedure pack_all_i32_1, pack_all_i32_2, pack_all_i32_3, pack_all_i64_1, pack_all_i64_2, pack_all_i64_3
  end interface
  interface redist_unpack_all
    module procedure unpack_all_any
    module procedure unpack_all_r32_1, unpack_all_r32_2, unpack_all_r32_3, unpack_all_r64_1, unpack_all_r64_2, unpack_all_r64_3
    module procedure unpack_all_c32_1, unpack_all_c32_2, unpack_all_c32_3, unpack_all_c64_1, unpack_all_c64_2, unpack_all_c64_3
    module procedure unpack_all_i32_1, unpack_all_i32_2, unpack_all_i32_3, unpack_all_i64_1, unpack_all_i64_2, unpack_all_i64_3
  end interface
  ! Deals a whole array to the dense local arrays of all ranks on a side, and puts these together. The whole array has the
  ! shape of the side's stored array, of which a section is a part. Local arrays are `c_loc`s, one for each rank.
  interface redist_plan_scatter
    module procedure scatter_any
    module procedure scatter_r32_1, scatter_r32_2, scatter_r32_3, scatter_r64_1, scatter_r64_2, scatter_r64_3
    module procedure scatter_c32_1, scatter_c32_2, scatter_c32_3, scatter_c64_1, scatter_c64_2, scatter_c64_3
    module procedure scatter_i32_1, scatter_i32_2, scatter_i32_3, scatter_i64_1, scatter_i64_2, scatter_i64_3
  end interface
  interface redist_plan_gather
    module procedure gather_any
    module procedure gather_r32_1, gather_r32_2, gather_r32_3, gather_r64_1, gather_r64_2, gather_r64_3
    module procedure gather_c32_1, gather_c32_2, gather_c32_3, gather_c64_1, gather_c64_2, gather_c64_3
    module procedure gather_i32_1, gather_i32_2, gather_i32_3, gather_i64_1, gather_i64_2, gather_i64_3
  end interface
  ! As redist_plan_simulate, but that each destination becomes `alpha` times what arrives, or its complex conjugate, plus `beta`
  ! times what it had: numbers of the arrays' type.
  interface redist_plan_simulate_scaled
    module procedure simulate_r32, simulate_r64, simulate_c32, simulate_c64, simulate_i32, simulate_i64
  end interface

  interface
#include "redist_functions.inc"
#include "redist_alone_functions.inc"
#include "redist_together_functions.inc"
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

  ! Plans the move of an array of these extents between layouts in the notation.
  subroutine redist_parse(extents, from, to, plan, status)
    integer(int64), intent(in) :: extents(:)
    character(*), intent(in) :: from, to
    type(redist_plan), intent(out) :: plan
    integer, intent(out), optional :: status
    integer(c_int32_t) :: found
    found = c_plan_parse(size(extents, kind=c_int32_t), extents, trim(from) // c_null_char, trim(to) // c_null_char, &
                         plan%handle)
    call answer(found, status)
  end subroutine

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

  ! Describes an array that lies column by column; `lists` is kept as long as the description.
  subroutine describe(array, lists, element, place, extents)
    type(c_array), intent(out) :: array
    type(array_lists), intent(out), target :: lists
    character(kind=c_char), intent(in), target :: element(*)
    type(c_ptr), intent(in) :: place
    integer(int64), intent(in) :: extents(:)
    integer :: at
    array%size = c_sizeof(array)
    array%element = c_loc(element)
    ! The size and the shape of an array that is not allocated are no numbers.
    if (.not. c_associated(place)) return
    array%place = place
    array%len = product(extents)
    array%dimensions = size(extents, kind=c_int32_t)
    do at = 1, size(extents)
      lists%extents(at) = extents(at)
      lists%strides(at) = product(extents(:at - 1))
    end do
    array%extents = c_loc(lists%extents)
    array%strides = c_loc(lists%strides)
  end subroutine

  subroutine run_shaped(bound, element, source, source_shape, destination, destination_shape, status)
    type(redist_bound), intent(in) :: bound
    character(kind=c_char), intent(in), target :: element(*)
    type(c_ptr), intent(in) :: source, destination
    integer(int64), intent(in) :: source_shape(:), destination_shape(:)
    integer, intent(out), optional :: status
    type(c_array) :: arrays(2)
    type(array_lists), target :: lists(2)
    call describe(arrays(1), lists(1), element, source, source_shape)
    call describe(arrays(2), lists(2), element, destination, destination_shape)
    call answer(c_run_arrays(bound%handle, arrays(1), arrays(2)), status)
  end subroutine

  subroutine run_scaled_shaped(bound, element, alpha, source, source_shape, beta, destination, destination_shape, &
                               conjugates, status)
    type(redist_bound), intent(in) :: bound
    character(kind=c_char), intent(in), target :: element(*)
    type(c_ptr), intent(in) :: alpha, source, beta, destination
    integer(int64), intent(in) :: source_shape(:), destination_shape(:)
    logical, intent(in), optional :: conjugates
    integer, intent(out), optional :: status
    type(c_array) :: arrays(2)
    type(array_lists), target :: lists(2)
    integer(c_int32_t) :: number
    number = 0
    if (present(conjugates)) number = merge(1_c_int32_t, 0_c_int32_t, conjugates)
    call describe(arrays(1), lists(1), element, source, source_shape)
    call describe(arrays(2), lists(2), element, destination, destination_shape)
    call answer(c_run_scaled(bound%handle, alpha, arrays(1), beta, arrays(2), number), status)
  end subroutine

  subroutine start_shaped(bound, element, source, source_shape, destination, destination_shape, status)
    type(redist_bound), intent(in) :: bound
    character(kind=c_char), intent(in), target :: element(*)
    type(c_ptr), intent(in) :: source, destination
    integer(int64), intent(in) :: source_shape(:), destination_shape(:)
    integer, intent(out), optional :: status
    type(c_array) :: arrays(2)
    type(array_lists), target :: lists(2)
    call describe(arrays(1), lists(1), element, source, source_shape)
    call describe(arrays(2), lists(2), element, destination, destination_shape)
    call answer(c_start_arrays(bound%handle, arrays(1), arrays(2)), status)
  end subroutine

  subroutine finish_shaped(bound, element, destination, destination_shape, status)
    type(redist_bound), intent(in) :: bound
    character(kind=c_char), intent(in), target :: element(*)
    type(c_ptr), intent(in) :: destination
    integer(int64), intent(in) :: destination_shape(:)
    integer, intent(out), optional :: status
    type(c_array) :: array
    type(array_lists), target :: lists
    call describe(array, lists, element, destination, destination_shape)
    call answer(c_finish_array(bound%handle, array), status)
  end subroutine

  ! Binding, of whatever can be bound.
#include "redist_bind.inc"
  ! Copies, sums, batches and functions.
#include "redist_together.inc"
  ! Messages, packing, and ranks simulated: without a communicator.
#include "redist_alone.inc"
  ! Each number type and number of dimensions has the same subroutines.
#include "redist_types.inc"
end module redist
