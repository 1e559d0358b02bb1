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
  public :: redist_run, redist_start, redist_test, redist_finish
  public :: redist_shared_alloc, redist_shared_free
  public :: redist_local_len, redist_local_shape, redist_element, redist_explain, redist_last_message, redist_release

  ! Statuses, as in redist.h.
  integer(c_int32_t), parameter, public :: REDIST_OK = 0, REDIST_NULL = 1, REDIST_ARGUMENT = 2, REDIST_LAYOUT = 3, &
    REDIST_STATE = 4, REDIST_THREAD = 5, REDIST_ARRAY = 6, REDIST_RANKS = 7, REDIST_DIFFERS = 8, REDIST_PEER = 9, &
    REDIST_UNAVAILABLE = 10, REDIST_MPI = 11, REDIST_PANIC = 12
  integer(c_int32_t), parameter, public :: REDIST_SOURCE = 0, REDIST_DESTINATION = 1
  integer(c_int32_t), parameter, public :: REDIST_ROUTE_AUTOMATIC = 0, REDIST_ROUTE_STAGED = 1, &
    REDIST_ROUTE_MESSAGES = 2
  integer(c_int32_t), parameter, public :: REDIST_METHOD_AUTOMATIC = 0, REDIST_METHOD_ALL_AT_ONCE = 1, &
    REDIST_METHOD_CIRCULANT = 2, REDIST_METHOD_CLOSED_FORM = 3, REDIST_METHOD_KOENIG = 4, REDIST_METHOD_CATERPILLAR = 5
  integer(c_int32_t), parameter, public :: REDIST_PADDING_NONE = 0, REDIST_PADDING_LEADING = 1, &
    REDIST_PADDING_STRIDES = 2, REDIST_PADDING_WITHIN = 3
  integer(c_int32_t), parameter, public :: REDIST_WHOLE = 0, REDIST_UPPER = 1, REDIST_LOWER = 2

  ! The messages of a move; to be freed by `redist_free`.
  type :: redist_plan
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A bound plan; to be freed by `redist_free` on the thread that bound it.
  type :: redist_bound
    type(c_ptr) :: handle = c_null_ptr
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
  end type

  interface redist_free
    module procedure free_plan, free_bound
  end interface
  interface redist_explain
    module procedure explain_plan, explain_bound
  end interface
  ! Collective. The name of the element type is "f64", "c64", … as for redist_bind of redist.h.
  interface redist_bind
    module procedure bind_integer
#ifndef REDIST_WITHOUT_MPI_F08
    module procedure bind_f08
#endif
  end interface
  ! Collective. Arrays of one to three dimensions of real, complex (real32, real64) and integer (int32, int64) numbers, or
  ! `c_loc` of any with their lengths in elements. Arrays of another type than the plan's are refused with
  ! REDIST_ARGUMENT before anything moves; `c_loc` has no type to compare.
  interface redist_run
    module procedure run_any
    module procedure run_r32_1, run_r32_2, run_r32_3
    module procedure run_r64_1, run_r64_2, run_r64_3
    module procedure run_c32_1, run_c32_2, run_c32_3
    module procedure run_c64_1, run_c64_2, run_c64_3
    module procedure run_i32_1, run_i32_2, run_i32_3
    module procedure run_i64_1, run_i64_2, run_i64_3
  end interface
  interface redist_start
    module procedure start_any
    module procedure start_r32_1, start_r32_2, start_r32_3
    module procedure start_r64_1, start_r64_2, start_r64_3
    module procedure start_c32_1, start_c32_2, start_c32_3
    module procedure start_c64_1, start_c64_2, start_c64_3
    module procedure start_i32_1, start_i32_2, start_i32_3
    module procedure start_i64_1, start_i64_2, start_i64_3
  end interface
  interface redist_finish
    module procedure finish_any
    module procedure finish_r32_1, finish_r32_2, finish_r32_3
    module procedure finish_r64_1, finish_r64_2, finish_r64_3
    module procedure finish_c32_1, finish_c32_2, finish_c32_3
    module procedure finish_c64_1, finish_c64_2, finish_c64_3
    module procedure finish_i32_1, finish_i32_2, finish_i32_3
    module procedure finish_i64_1, finish_i64_2, finish_i64_3
  end interface

  interface
    integer(c_int32_t) function c_plan_parse(dimensions, extents, from, to, plan) bind(c, name="redist_plan_parse")
      import :: c_int32_t, c_int64_t, c_char, c_ptr
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: extents(*)
      character(kind=c_char), intent(in) :: from(*), to(*)
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int32_t) function c_plan_inverse(plan, inverse) bind(c, name="redist_plan_inverse")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: inverse
    end function
    integer(c_int32_t) function c_plan_relabelled(plan, relabelled) bind(c, name="redist_plan_relabelled")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: relabelled
    end function
    subroutine c_plan_free(plan) bind(c, name="redist_plan_free")
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
    integer(c_int32_t) function c_plan_explain(plan, text) bind(c, name="redist_plan_explain")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int32_t) function c_bind(plan, element, communicator, library, options, bound) &
        bind(c, name="redist_bind_number")
      import :: c_int32_t, c_char, c_ptr
      type(c_ptr), value :: plan, options
      character(kind=c_char), intent(in) :: element(*), library(*)
      integer(c_int32_t), value :: communicator
      type(c_ptr), intent(out) :: bound
    end function
    integer(c_int32_t) function c_bound_free(bound) bind(c, name="redist_bound_free")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: bound
    end function
    integer(c_int32_t) function c_explain(bound, text) bind(c, name="redist_explain")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: bound
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int32_t) function c_local(bound, side, len, shape, strides) bind(c, name="redist_local")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: bound, len, shape, strides
      integer(c_int32_t), value :: side
    end function
    integer(c_int32_t) function c_run(bound, source, source_len, destination, destination_len) bind(c, name="redist_run")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: bound, source, destination
      integer(c_int64_t), value :: source_len, destination_len
    end function
    integer(c_int32_t) function c_start(bound, source, source_len, destination_len) bind(c, name="redist_start")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: bound, source
      integer(c_int64_t), value :: source_len, destination_len
    end function
    integer(c_int32_t) function c_run_as(bound, element, source, source_len, destination, destination_len) &
      bind(c, name="redist_run_as")
      import :: c_char, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: bound, source, destination
      character(kind=c_char), intent(in) :: element(*)
      integer(c_int64_t), value :: source_len, destination_len
    end function
    integer(c_int32_t) function c_start_as(bound, element, source, source_len, destination_len) &
      bind(c, name="redist_start_as")
      import :: c_char, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: bound, source
      character(kind=c_char), intent(in) :: element(*)
      integer(c_int64_t), value :: source_len, destination_len
    end function
    integer(c_int32_t) function c_test(bound, done) bind(c, name="redist_test")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: bound
      integer(c_int32_t), intent(out) :: done
    end function
    integer(c_int32_t) function c_finish(bound, destination, destination_len) bind(c, name="redist_finish")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: bound, destination
      integer(c_int64_t), value :: destination_len
    end function
    integer(c_int32_t) function c_finish_as(bound, element, destination, destination_len) bind(c, name="redist_finish_as")
      import :: c_char, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: bound, destination
      character(kind=c_char), intent(in) :: element(*)
      integer(c_int64_t), value :: destination_len
    end function
    integer(c_int32_t) function c_element(bound, name, bytes) bind(c, name="redist_element")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: bound, bytes
      type(c_ptr), intent(out) :: name
    end function
    integer(c_int32_t) function c_shared_alloc(bound, side, array) bind(c, name="redist_shared_alloc")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: bound
      integer(c_int32_t), value :: side
      type(c_ptr), intent(out) :: array
    end function
    integer(c_int32_t) function c_shared_free(array) bind(c, name="redist_shared_free")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: array
    end function
    type(c_ptr) function c_last_message() bind(c, name="redist_last_message")
      import :: c_ptr
    end function
    type(c_ptr) function c_version() bind(c, name="redist_version")
      import :: c_ptr
    end function
    subroutine c_text_free(text) bind(c, name="redist_text_free")
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine
    integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function
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
    if (found == REDIST_OK) then
      text = text_at(made)
      call c_text_free(made)
    end if
    call answer(found, status)
  end subroutine

  subroutine explain_bound(bound, text, status)
    type(redist_bound), intent(in) :: bound
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int32_t) :: found
    found = c_explain(bound%handle, made)
    if (found == REDIST_OK) then
      text = text_at(made)
      call c_text_free(made)
    end if
    call answer(found, status)
  end subroutine

  subroutine bind_integer(plan, element, communicator, bound, options, status)
    type(redist_plan), intent(in) :: plan
    character(*), intent(in) :: element
    integer, intent(in) :: communicator
    type(redist_bound), intent(out) :: bound
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(redist_options), target :: given
    ! More than any library needs. The routine has the same interface in `mpi`, in `mpif.h` and behind `mpi_f08`.
    character(16384) :: library
    integer :: length, ignored
    integer(c_int32_t) :: found
    external :: MPI_Get_library_version
    if (present(options)) given = options
    given%size = c_sizeof(given)
    length = 0
    call MPI_Get_library_version(library, length, ignored)
    found = c_bind(plan%handle, trim(element) // c_null_char, int(communicator, c_int32_t), &
                   library(:length) // c_null_char, c_loc(given), bound%handle)
    call answer(found, status)
  end subroutine

#ifndef REDIST_WITHOUT_MPI_F08
  subroutine bind_f08(plan, element, communicator, bound, options, status)
    use mpi_f08, only: MPI_Comm
    type(redist_plan), intent(in) :: plan
    character(*), intent(in) :: element
    type(MPI_Comm), intent(in) :: communicator
    type(redist_bound), intent(out) :: bound
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call bind_integer(plan, element, communicator%MPI_VAL, bound, options, status)
  end subroutine
#endif

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

  ! Each number type and number of dimensions has the same three subroutines.
#define ELEMENT real(real32)
#define NAME "f32"
#define SHAPE :
#define RUN run_r32_1
#define START start_r32_1
#define FINISH finish_r32_1
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT real(real32)
#define NAME "f32"
#define SHAPE :, :
#define RUN run_r32_2
#define START start_r32_2
#define FINISH finish_r32_2
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT real(real32)
#define NAME "f32"
#define SHAPE :, :, :
#define RUN run_r32_3
#define START start_r32_3
#define FINISH finish_r32_3
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT real(real64)
#define NAME "f64"
#define SHAPE :
#define RUN run_r64_1
#define START start_r64_1
#define FINISH finish_r64_1
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT real(real64)
#define NAME "f64"
#define SHAPE :, :
#define RUN run_r64_2
#define START start_r64_2
#define FINISH finish_r64_2
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT real(real64)
#define NAME "f64"
#define SHAPE :, :, :
#define RUN run_r64_3
#define START start_r64_3
#define FINISH finish_r64_3
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT complex(real32)
#define NAME "c32"
#define SHAPE :
#define RUN run_c32_1
#define START start_c32_1
#define FINISH finish_c32_1
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT complex(real32)
#define NAME "c32"
#define SHAPE :, :
#define RUN run_c32_2
#define START start_c32_2
#define FINISH finish_c32_2
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT complex(real32)
#define NAME "c32"
#define SHAPE :, :, :
#define RUN run_c32_3
#define START start_c32_3
#define FINISH finish_c32_3
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT complex(real64)
#define NAME "c64"
#define SHAPE :
#define RUN run_c64_1
#define START start_c64_1
#define FINISH finish_c64_1
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT complex(real64)
#define NAME "c64"
#define SHAPE :, :
#define RUN run_c64_2
#define START start_c64_2
#define FINISH finish_c64_2
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT complex(real64)
#define NAME "c64"
#define SHAPE :, :, :
#define RUN run_c64_3
#define START start_c64_3
#define FINISH finish_c64_3
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT integer(int32)
#define NAME "i32"
#define SHAPE :
#define RUN run_i32_1
#define START start_i32_1
#define FINISH finish_i32_1
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT integer(int32)
#define NAME "i32"
#define SHAPE :, :
#define RUN run_i32_2
#define START start_i32_2
#define FINISH finish_i32_2
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT integer(int32)
#define NAME "i32"
#define SHAPE :, :, :
#define RUN run_i32_3
#define START start_i32_3
#define FINISH finish_i32_3
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT integer(int64)
#define NAME "i64"
#define SHAPE :
#define RUN run_i64_1
#define START start_i64_1
#define FINISH finish_i64_1
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT integer(int64)
#define NAME "i64"
#define SHAPE :, :
#define RUN run_i64_2
#define START start_i64_2
#define FINISH finish_i64_2
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
#define ELEMENT integer(int64)
#define NAME "i64"
#define SHAPE :, :, :
#define RUN run_i64_3
#define START start_i64_3
#define FINISH finish_i64_3
#include "redist_moves.inc"
#undef ELEMENT
#undef NAME
#undef SHAPE
#undef RUN
#undef START
#undef FINISH
end module redist
