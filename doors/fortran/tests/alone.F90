! Plans without a communicator: messages as views, their packing, and ranks simulated, all in one process that never calls MPI.
module alone_functions
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use redist
  implicit none
contains
  ! A rank that is a thread: columns of a matrix become rows. Returns 0 if each element is in its place.
  recursive integer function turned(own, state) result(code)
    type(redist_rank_group), intent(in) :: own
    type(c_ptr), intent(in) :: state
    type(redist_plan), pointer :: plan
    type(redist_bound) :: bound
    integer(int64) :: rank, size
    real(real64) :: a(6, 2), b(2, 6)
    integer :: i, j, status
    call c_f_pointer(state, plan)
    call redist_ranks_size(own, rank, size)
    a = reshape([((10 * i + 2 * int(rank) + j + 0d0, i = 0, 5), j = 0, 1)], [6, 2])
    b = -1
    call redist_bind(plan, "f64", own, bound, status=status)
    if (status == REDIST_OK) call redist_run(bound, a, b, status)
    if (status == REDIST_OK) call redist_ranks_barrier(own, status)
    if (status == REDIST_OK) call redist_free(bound, status)
    code = status
    if (any(b /= reshape([((10 * (2 * int(rank) + i) + j + 0d0, i = 0, 1), j = 0, 5)], [2, 6])) .or. size /= 3) code = 99
  end function

  ! A rank that is a thread, of which the second one fails.
  recursive integer function fails(own, state) result(code)
    type(redist_rank_group), intent(in) :: own
    type(c_ptr), intent(in) :: state
    integer(int64) :: rank, size
    integer :: status
    code = 0
    call redist_ranks_size(own, rank, size)
    if (rank == 1 .or. c_associated(state)) then
      code = 5
      return
    end if
    call redist_ranks_barrier(own, status)
    if (status /= REDIST_PEER) code = 98
  end function

  ! Adds the real part of what arrives, as an integer of four bytes.
  subroutine add_real(state, arrived, kept, elements) bind(c)
    type(c_ptr), value :: state, arrived, kept
    integer(c_int64_t), value :: elements
    complex(c_double_complex), pointer :: from(:)
    integer(c_int32_t), pointer :: to(:)
    if (c_associated(state)) return
    call c_f_pointer(arrived, from, [elements])
    call c_f_pointer(kept, to, [elements])
    to = to + int(real(from), c_int32_t)
  end subroutine
end module

program alone
  use alone_functions
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use redist
  implicit none
  integer, parameter :: rows = 12, columns = 10, ranks = 3
  ! One rank's arrays, of the source and of the destination.
  type :: parts
    complex(real64), allocatable :: a(:, :), b(:, :)
  end type
  type(parts), target :: own(0:ranks - 1)
  type(redist_plan) :: plan
  integer :: wrong

  wrong = 0
  call redist_parse([int(rows, int64), int(columns, int64)], "(block, *) onto 3 storage fortran", &
                    "(cyclic(2), block) onto (1, 2) storage fortran", plan)
  call simulated()
  call packed(.false.)
  call packed(.true.)
  call as_views()
  call threads()
  call padded()
  call refused()
  call other_kinds()
  call redist_free(plan)
  print "(i0, a)", wrong, " wrong without a communicator"
  if (wrong /= 0) error stop 1

contains

  ! feature: ranks that are threads = `redist_threads_run`
  subroutine threads()
    type(redist_plan), target :: rows_to_columns
    integer :: status
    call redist_parse([6_int64, 6_int64], "(*, block) onto 3 storage fortran", "(block, *) onto 3 storage fortran", rows_to_columns)
    call redist_threads_run(3_int64, turned, c_loc(rows_to_columns), status)
    call expect(status, REDIST_OK)
    call redist_threads_run(3_int64, fails, c_null_ptr, status)
    call expect(status, REDIST_PEER, "rank 1 failed: its function has returned 5")
    call redist_threads_run(0_int64, turned, c_loc(rows_to_columns), status)
    call expect(status, REDIST_ARGUMENT, "`ranks` is 0")
    call redist_free(rows_to_columns)
  end subroutine

  include "checks.inc"

  complex(real64) function element(i, j)
    integer, intent(in) :: i, j
    element = cmplx(i, j, real64)
  end function

  ! Makes the local arrays of all ranks; those of the destination have `-1`.
  subroutine make()
    integer :: rank, i, j
    integer(int64) :: extents(2)
    do rank = 0, ranks - 1
      own(rank)%a = reshape([((element(i + 4 * rank, j), i = 1, 4), j = 1, columns)], [4, columns])
      call redist_plan_local(plan, REDIST_DESTINATION, int(rank, int64), extents)
      if (allocated(own(rank)%b)) deallocate (own(rank)%b)
      allocate (own(rank)%b(extents(1), extents(2)))
      own(rank)%b = -1
    end do
  end subroutine

  ! Counts elements that are not where the destination's layout has them.
  subroutine look(words)
    character(*), intent(in) :: words
    integer :: rank, i, j, bad
    bad = 0
    do rank = 0, 1
      do j = 1, 5
        do i = 1, rows
          if (own(rank)%b(i, j) /= element(i, j + 5 * rank)) bad = bad + 1
        end do
      end do
    end do
    call must(bad == 0 .and. size(own(2)%b) == 0, words)
  end subroutine

  function places(side) result(list)
    integer(int32), intent(in) :: side
    type(c_ptr) :: list(0:ranks - 1)
    integer :: rank
    list = c_null_ptr
    do rank = 0, ranks - 1
      if (side == REDIST_SOURCE) list(rank) = c_loc(own(rank)%a)
      if (side == REDIST_DESTINATION .and. size(own(rank)%b) > 0) list(rank) = c_loc(own(rank)%b)
    end do
  end function

  ! feature: every element of a plan compared = `redist_plan_verify`
  ! feature: all ranks in one process, without MPI = `redist_plan_simulate` and others, of copies and batches, too
  ! feature: conversion, functions of elements = `redist_run_with`, `redist_plan_simulate_with`, of runs, by `c_loc`
  subroutine simulated()
    complex(real64) :: whole(rows, columns), again(rows, columns)
    integer :: status, i, j, rank
    integer(int64) :: moved
    integer(int32), target :: numbers(rows, 5, 0:1)
    type(c_ptr) :: places_of_numbers(0:ranks - 1)
    whole = reshape([((element(i, j), i = 1, rows), j = 1, columns)], [rows, columns])
    call make()
    do rank = 0, ranks - 1
      own(rank)%a = -1
    end do
    call redist_plan_scatter(plan, REDIST_SOURCE, whole, places(REDIST_SOURCE))
    call must(own(1)%a(1, 2) == (5, 2) .and. own(2)%a(4, 10) == (12, 10), "scatter deals the array")
    call redist_plan_simulate(plan, "c64", places(REDIST_SOURCE), places(REDIST_DESTINATION))
    call look("simulate moves")
    again = 0
    call redist_plan_gather(plan, REDIST_DESTINATION, places(REDIST_DESTINATION), again)
    call must(all(again == whole), "gather puts together")
    call redist_plan_simulate_scaled(plan, (0d0, 2d0), places(REDIST_SOURCE), (3d0, 0d0), places(REDIST_DESTINATION), &
                                     conjugates=.true.)
    call must(own(1)%b(3, 1) == (0d0, 2d0) * conjg(element(3, 6)) + 3 * element(3, 6), "simulate_scaled adds")
    places_of_numbers = c_null_ptr
    numbers = 1000
    do rank = 0, 1
      places_of_numbers(rank) = c_loc(numbers(1, 1, rank))
    end do
    call redist_plan_simulate_with(plan, "c64", places(REDIST_SOURCE), places_of_numbers, 4_int64, add_real)
    call must(all(numbers == reshape([(1000 + modulo(i, rows) + 1, i = 0, rows * columns - 1)], [rows, 5, 2])), &
              "simulate_with converts")
    call redist_plan_simulate_with(plan, "c64", places(REDIST_SOURCE), places_of_numbers, 0_int64, add_real, status=status)
    call expect(status, int(REDIST_ARGUMENT), "`kept_bytes` is 0")
    call redist_plan_verify(plan, "c64", moved)
    call must(moved == rows * columns, "verify looks at all elements")

    call redist_plan_scatter(plan, REDIST_SOURCE, transpose(whole), places(REDIST_SOURCE), status)
    call expect(status, int(REDIST_ARRAY), "`whole` has the shape [10, 12]")
    call redist_plan_scatter(plan, REDIST_SOURCE, whole(:, 1), places(REDIST_SOURCE), status)
    call expect(status, int(REDIST_ARRAY), "`whole` has the shape [12]")
    associate (all_places => places(REDIST_SOURCE))
      call redist_plan_simulate(plan, "c64", all_places(:1), places(REDIST_DESTINATION), status)
      call expect(status, int(REDIST_ARGUMENT), "the plan has 3; bring an array for each")
      call redist_plan_gather(plan, REDIST_SOURCE, all_places(:1), again, status)
      call expect(status, int(REDIST_ARGUMENT), "`ranks` is 1, but the plan has 3")
    end associate
    call redist_plan_simulate(plan, "c65", places(REDIST_SOURCE), places(REDIST_DESTINATION), status)
    call expect(status, int(REDIST_ARGUMENT), "`c65` is no element type")
  end subroutine

  ! Each rank's messages are packed, and unpacked by the other rank, one at a time or all at once.
  ! feature: packing for a transport of your own = `redist_plan_packing`
  subroutine packed(at_once)
    logical, intent(in) :: at_once
    ! A message of each pair of ranks.
    complex(real64) :: mail(rows * columns, 0:ranks - 1, 0:ranks - 1)
    complex(real64), allocatable :: buffer(:)
    type(redist_packing) :: packing
    integer(int64) :: rank, peer, elements, message, count, local_len, first
    mail = -1
    call make()
    do rank = 0, ranks - 1
      call redist_plan_packing(plan, "c64", rank, packing)
      call redist_packing_size(packing, REDIST_SOURCE, count, local_len)
      call must(count == 2 .and. local_len == size(own(rank)%a), "each rank sends two messages")
      allocate (buffer(local_len))
      if (at_once) call redist_pack_all(packing, own(rank)%a, buffer)
      first = 0
      do message = 0, count - 1
        call redist_packing_message(packing, REDIST_SOURCE, message, peer, elements)
        if (.not. at_once) call redist_pack(packing, own(rank)%a, peer, buffer(first + 1:first + elements))
        mail(:elements, rank, peer) = buffer(first + 1:first + elements)
        first = first + elements
      end do
      deallocate (buffer)
      call redist_free(packing)
    end do
    do rank = 0, ranks - 1
      call redist_plan_packing(plan, "c64", rank, packing)
      call redist_packing_size(packing, REDIST_DESTINATION, count, local_len)
      allocate (buffer(local_len))
      first = 0
      do message = 0, count - 1
        call redist_packing_message(packing, REDIST_DESTINATION, message, peer, elements)
        buffer(first + 1:first + elements) = mail(:elements, peer, rank)
        if (.not. at_once) call redist_unpack(packing, buffer(first + 1:first + elements), peer, own(rank)%b)
        first = first + elements
      end do
      if (at_once) call redist_unpack_all(packing, buffer, own(rank)%b)
      deallocate (buffer)
      call redist_free(packing)
    end do
    call look(merge("packed at once", "packed singly ", at_once))
  end subroutine

  ! Copies element by element, as the views of all messages say.
  ! feature: messages as strided boxes = `redist_plan_messages`
  subroutine as_views()
    type(redist_messages) :: messages
    type(redist_view) :: view
    integer(int64) :: rank, peer, elements, views, message, number, count, at, volume, moved
    complex(real64), pointer :: from(:), to(:)
    integer(int64) :: here, there, rest, step
    integer :: axis, status
    call make()
    do rank = 0, ranks - 1
      call redist_plan_messages(plan, REDIST_SOURCE, rank, messages)
      call redist_messages_size(messages, count)
      from => flat(own(rank)%a)
      do message = 0, count - 1
        call redist_message_views(messages, message, peer, elements, views)
        call redist_plan_volume(plan, rank, peer, volume)
        to => flat(own(peer)%b)
        moved = 0
        do number = 0, views - 1
          call redist_message_view(messages, message, number, view)
          do at = 0, product(view%shape) - 1
            here = view%source_offset
            there = view%destination_offset
            rest = at
            do axis = size(view%shape), 1, -1
              step = modulo(rest, view%shape(axis))
              rest = rest / view%shape(axis)
              here = here + step * view%source_strides(axis)
              there = there + step * view%destination_strides(axis)
            end do
            to(there + 1) = from(here + 1)
            moved = moved + 1
          end do
        end do
        call must(moved == elements .and. moved == volume, "views have all elements of a message")
        call redist_message_view(messages, message, views, view, status)
        call expect(status, int(REDIST_ARGUMENT), "`number` is")
      end do
      call redist_message_views(messages, count, peer, elements, views, status)
      call expect(status, int(REDIST_ARGUMENT), "`message` is 2, but there are 2, from 0 on")
      call redist_free(messages)
    end do
    call look("copied by views")
    call redist_plan_messages(plan, REDIST_SOURCE, int(ranks, int64), messages, status)
    call expect(status, int(REDIST_ARGUMENT), "the plan has")
  end subroutine

  function flat(array) result(list)
    complex(real64), intent(in), target, contiguous :: array(:, :)
    complex(real64), pointer :: list(:)
    list(1:size(array)) => array
  end function

  ! An array with a leading dimension, and more columns than the plan needs.
  subroutine padded()
    type(redist_packing) :: packing
    type(redist_options) :: options
    complex(real64) :: wide(6, columns + 1), buffer(20), expected(20)
    integer :: status
    call make()
    wide = -7
    wide(:4, :columns) = own(1)%a
    call redist_plan_packing(plan, "c64", 1_int64, packing)
    call redist_pack(packing, own(1)%a, 1_int64, expected)
    call redist_free(packing)
    options%padding(1)%kind = REDIST_PADDING_LEADING
    options%padding(1)%leading = 6
    call redist_plan_packing(plan, "c64", 1_int64, packing, options)
    call redist_pack(packing, wide, 1_int64, buffer)
    call must(all(buffer == expected), "a padded array is packed")
    call redist_pack(packing, wide(:4, :), 1_int64, buffer, status)
    call expect(status, int(REDIST_ARRAY), "the source array has the shape [4, 11], but must have [6, 10]")
    call redist_free(packing)
  end subroutine

  subroutine refused()
    type(redist_packing) :: packing
    complex(real64) :: buffer(60), whole_buffer(61)
    real(real64) :: reals(4, columns), real_buffer(20)
    integer(int64) :: peer, elements
    integer :: status
    call make()
    call redist_plan_packing(plan, "c64", 0_int64, packing)
    buffer = -1
    whole_buffer = -1
    reals = 0
    call redist_pack(packing, own(0)%a, 2_int64, buffer(:20), status)
    call expect(status, int(REDIST_ARGUMENT), "there is no message to it")
    call redist_pack(packing, own(0)%a, 0_int64, buffer(:19), status)
    call expect(status, int(REDIST_ARRAY), "the buffer of the message to rank 0")
    call redist_pack(packing, transpose(own(0)%a), 0_int64, buffer(:20), status)
    call expect(status, int(REDIST_ARRAY), "it may be transposed")
    call redist_pack(packing, reals, 0_int64, real_buffer, status)
    call expect(status, int(REDIST_ARGUMENT), "f64")
    call redist_pack_all(packing, own(0)%a, buffer(:41), status)
    call expect(status, int(REDIST_ARRAY), "the buffer of all messages must hold 40 elements, found 41")
    call redist_unpack_all(packing, whole_buffer, own(0)%b, status)
    call expect(status, int(REDIST_ARRAY), "must hold 60 elements, found 61")
    call redist_unpack(packing, buffer(:20), 1_int64, own(0)%b(:, :4), status)
    call expect(status, int(REDIST_ARRAY), "the destination array has")
    call must(all(buffer == -1) .and. all(own(0)%b == -1), "nothing moved")
    call redist_packing_message(packing, REDIST_SOURCE, 2_int64, peer, elements, status)
    call expect(status, int(REDIST_ARGUMENT), "`message` is 2")
    call redist_free(packing)
    call redist_plan_packing(plan, "c64", int(ranks, int64), packing, status=status)
    call expect(status, int(REDIST_ARGUMENT), "the plan has")
  end subroutine

  ! Elements of four bytes, of arrays with one and three dimensions.
  subroutine other_kinds()
    type(redist_plan) :: line, cube
    real(real32), target :: first(5), second(5), all_of_it(10), again(10)
    integer(int32), target :: front(2, 3, 2), back(2, 3, 2), solid(2, 3, 4), copy(2, 3, 4)
    type(c_ptr) :: two(2)
    integer :: i
    call redist_parse([10_int64], "block onto 2", "cyclic onto 2", line)
    all_of_it = [(real(i, real32), i = 1, 10)]
    two = [c_loc(first), c_loc(second)]
    call redist_plan_scatter(line, REDIST_DESTINATION, all_of_it, two)
    call must(all(first == all_of_it(::2)) .and. all(second == all_of_it(2::2)), "a line is dealt")
    call redist_plan_gather(line, REDIST_DESTINATION, two, again)
    call must(all(again == all_of_it), "a line is put together")
    call redist_parse([2_int64, 3_int64, 4_int64], "(*, *, block) onto 2 storage fortran", "(*, *, *) storage fortran", cube)
    solid = reshape([(i, i = 1, 24)], [2, 3, 4])
    two = [c_loc(front), c_loc(back)]
    call redist_plan_scatter(cube, REDIST_SOURCE, solid, two)
    call must(all(back == solid(:, :, 3:)), "a cube is dealt")
    call redist_plan_simulate(cube, "i32", two, [c_loc(copy), c_null_ptr])
    call must(all(copy == solid), "a cube moves")
    call redist_plan_simulate_scaled(cube, 2_int32, two, -1_int32, [c_loc(copy), c_null_ptr])
    call must(all(copy == solid), "a cube is doubled, less itself")
    call redist_free(line)
    call redist_free(cube)
  end subroutine
end program
