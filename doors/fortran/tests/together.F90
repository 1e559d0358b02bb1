! Copies, sums, batches, index lists and arrays without dimensions, against loops over all elements: on 1 to 6 ranks.
module functions
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
contains
  ! Digits of the addends: their order is seen.
  subroutine digits(state, arrived, kept, elements) bind(c)
    type(c_ptr), value :: state, arrived, kept
    integer(c_int64_t), value :: elements
    integer(int64), pointer :: base, from(:), to(:)
    call c_f_pointer(state, base)
    call c_f_pointer(arrived, from, [elements])
    call c_f_pointer(kept, to, [elements])
    to = base * to + from
  end subroutine

  ! Rounds doubles to integers of four bytes.
  subroutine rounded(state, arrived, kept, elements) bind(c)
    type(c_ptr), value :: state, arrived, kept
    integer(c_int64_t), value :: elements
    real(c_double), pointer :: from(:)
    integer(c_int32_t), pointer :: to(:)
    if (c_associated(state)) return
    call c_f_pointer(arrived, from, [elements])
    call c_f_pointer(kept, to, [elements])
    to = nint(from, c_int32_t)
  end subroutine
end module

program together
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08
  use redist
  use functions
  implicit none
  integer :: rank, ranks, code, wrong, all_wrong
  character(12) :: onto
  character(16) :: all_copies

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  write (onto, "(a, i0)") " onto ", ranks
  write (all_copies, "(a, i0)") " copies ", ranks
  wrong = 0
  call copied()
  call summed()
  call batched()
  call listed()
  call converted()
  call in_place()
  call without_dimensions()
  call coupled()
  call joined()
  call simulated()
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0) print "(i0, a, i0, a)", all_wrong, " wrong with copies, sums and batches on ", ranks, " ranks"
  call MPI_Finalize(code)
  if (all_wrong /= 0) error stop 1

contains

  subroutine expect(status, expected, words)
    integer, intent(in) :: status
    integer(int32), intent(in) :: expected
    character(*), intent(in), optional :: words
    logical :: says
    says = .true.
    if (present(words)) says = index(redist_last_message(), words) > 0
    if (status == expected .and. says) return
    wrong = wrong + 1
    print "(3(a, i0), 2a)", "rank ", rank, ": status ", status, ", not ", expected, ": ", redist_last_message()
  end subroutine

  subroutine must(is_so, words)
    logical, intent(in) :: is_so
    character(*), intent(in) :: words
    if (is_so) return
    wrong = wrong + 1
    print "(a, i0, 2a)", "rank ", rank, ", not so: ", words
  end subroutine

  integer function element(i, j)
    integer, intent(in) :: i, j
    element = 1000 * i + j
  end function

  ! Rows of each rank to all of the matrix on each.
  ! feature: copies: broadcasts, all-gathers, replicas = `redist_copies_parse`, `redist_bind`
  subroutine copied()
    type(redist_copies) :: copies
    type(redist_bound) :: bound
    real(real64) :: a(2, 5), b(2 * ranks, 5), expected(2 * ranks, 5)
    integer(int64) :: other(2, 5), all_other(2 * ranks, 5)
    character(:), allocatable :: text
    integer(int64) :: extents(2), at(2), count, sources, destinations
    integer :: status, i, j
    logical :: done
    call redist_copies_parse([2_int64 * ranks, 5_int64], "(block, *)" // trim(onto) // " storage fortran", &
                             "(*, *) storage fortran" // trim(all_copies), copies)
    call redist_copies_size(copies, count, sources, destinations)
    call must(count == ranks .and. sources == 1 .and. destinations == ranks, "copies are counted")
    call redist_copies_local(copies, REDIST_SOURCE, int(ranks - 1, int64), extents)
    call must(all(extents == [2, 5]), "a rank has two rows")
    call redist_copies_global_index(copies, REDIST_SOURCE, int(ranks - 1, int64), 3_int64, at)
    call must(all(at == [2 * ranks - 1, 1]), "the fourth element is in the second column")
    call redist_explain(copies, text)
    call must(index(text, "to copy 0 from copy 0") > 0, "copies are explained")
    call redist_bind(copies, "f64", MPI_COMM_WORLD, bound)
    other = 0
    a = reshape([((real(element(i + 2 * rank, j), real64), i = 1, 2), j = 1, 5)], [2, 5])
    expected = reshape([((real(element(i, j), real64), i = 1, 2 * ranks), j = 1, 5)], [2 * ranks, 5])
    b = -1
    call redist_run(bound, a, b)
    call must(all(b == expected), "run copies")
    b = -1
    call redist_start(bound, a, b)
    done = .false.
    do while (.not. done)
      call redist_test(bound, done)
    end do
    call redist_finish(bound, b)
    call must(all(b == expected), "start and finish copy")
    call redist_run_scaled(bound, 2d0, a, -1d0, b)
    call must(all(b == expected), "copies are scaled")
    call redist_run(bound, a(:, :4), b, status)
    call expect(status, REDIST_ARRAY, "the source array has the shape [2, 4], but must have [2, 5]")
    call redist_run(bound, other, all_other, status)
    call expect(status, REDIST_ARGUMENT)
    call redist_free(bound)
    call redist_free(copies)
    call redist_copies_parse([4_int64], "* copies 0", "*", copies, status=status)
    call expect(status, REDIST_LAYOUT)
    call redist_copies_parse([4_int64], "*", "*", copies, 7_int32, status)
    call expect(status, REDIST_ARGUMENT, "`combine` is 7")
    call redist_bind(copies, "f64", MPI_COMM_WORLD, bound, status)
    call expect(status, REDIST_NULL, "`copies` is NULL")
  end subroutine

  integer(int64) function addend(of, at)
    integer, intent(in) :: of, at
    addend = mod(7 * at + 3 * of * of, 9) + 1
  end function

  ! An addend of a line on each rank to blocks of what combines them.
  ! feature: sums of addends, in one call or two = the same
  subroutine summed()
    type(redist_copies) :: copies
    type(redist_bound) :: bound
    integer(int64), target :: a(3 * ranks), b(3), base
    integer(int64) :: result
    integer(int32) :: how
    integer :: status, at, of
    base = 10
    a = [(addend(rank, at), at = 1, 3 * ranks)]
    do how = REDIST_COMBINE_SUM, REDIST_COMBINE_FUNCTION
      call redist_copies_parse([3_int64 * ranks], "*" // trim(all_copies), "block" // trim(onto), copies, how)
      call redist_bind(copies, "i64", MPI_COMM_WORLD%MPI_VAL, bound)
      b = -1
      if (how == REDIST_COMBINE_FUNCTION) then
        call redist_run(bound, a, b, status)
        call expect(status, REDIST_UNAVAILABLE, "call `redist_run_with`")
        call redist_run_with(bound, c_loc(a), size(a, kind=int64), c_loc(b), 3_int64, 4_int64, digits, c_loc(base), status)
        call expect(status, REDIST_UNAVAILABLE, "differ from addends of 8")
        call must(all(b == -1), "sums that are refused write nothing")
        call redist_run_with(bound, c_loc(a), size(a, kind=int64), c_loc(b), 3_int64, 8_int64, digits, c_loc(base))
      else if (how == REDIST_COMBINE_MIN) then
        call redist_start(bound, a, b)
        call redist_finish(bound, b)
      else
        call redist_run(bound, a, b)
      end if
      do at = 1, 3
        result = addend(0, 3 * rank + at)
        do of = 1, ranks - 1
          select case (how)
          case (REDIST_COMBINE_SUM)
            result = result + addend(of, 3 * rank + at)
          case (REDIST_COMBINE_MIN)
            result = min(result, addend(of, 3 * rank + at))
          case (REDIST_COMBINE_MAX)
            result = max(result, addend(of, 3 * rank + at))
          case default
            result = 10 * result + addend(of, 3 * rank + at)
          end select
        end do
        call must(b(at) == result, "addends are combined")
      end do
      call redist_run_scaled(bound, 1_int64, a, 1_int64, b, status=status)
      call expect(status, REDIST_ARGUMENT, "addends are not scaled")
      call redist_free(bound)
      call redist_free(copies)
    end do
    call redist_copies_parse([4_int64], "*", "*", copies, REDIST_COMBINE_MAX)
    call redist_bind(copies, "c32", MPI_COMM_WORLD, bound, status)
    call expect(status, REDIST_ARGUMENT, "c32 is not combined so")
    call redist_free(copies)
  end subroutine

  ! Rows to columns, a line of complex numbers, and copies of a table, in one exchange.
  ! feature: several arrays at once (Batch) = `redist_batch_new` and others
  subroutine batched()
    type(redist_plan) :: plan, line
    type(redist_copies) :: copies, sum
    type(redist_batch) :: batch
    type(redist_bound_batch) :: bound
    real(real32), target :: a(3, 2 * ranks), b(3 * ranks, 2), turned(2 * ranks, 3)
    complex(real64), target :: from(4), to(4), wide(8), apart(8)
    integer(int64), allocatable, target :: table(:), copy(:)
    integer(int64) :: arrays, count, len, extents(2)
    type(c_ptr) :: sources(ranks, 3), destinations(ranks, 3)
    character(:), allocatable :: text
    integer :: status, i, j
    logical :: done
    call redist_parse([3_int64 * ranks, 2_int64 * ranks], "(block, *)" // trim(onto) // " storage fortran", &
                      "(*, block)" // trim(onto) // " storage fortran", plan)
    call redist_parse([4_int64 * ranks], "block" // trim(onto), "cyclic" // trim(onto), line)
    call redist_copies_parse([5_int64], "*", "*" // trim(all_copies), copies)
    call redist_copies_parse([5_int64], "*", "*", sum, REDIST_COMBINE_SUM)
    call redist_batch_new(batch)
    call redist_bind(batch, MPI_COMM_WORLD, bound, status)
    call expect(status, REDIST_ARGUMENT, "the batch has no arrays")
    call redist_batch_add(batch, plan, "f32")
    call redist_batch_add(batch, line, "c64")
    call redist_batch_add(batch, copies, "i64")
    call redist_batch_add(batch, sum, "i64", status)
    call expect(status, REDIST_ARGUMENT, "addends move by themselves")
    call redist_batch_add(batch, line, "f65", status)
    call expect(status, REDIST_ARGUMENT, "`f65` is no element type")
    call redist_batch_size(batch, arrays, count)
    call must(arrays == 3 .and. count == ranks, "a batch tells its size")
    call redist_bind(batch, MPI_COMM_WORLD, bound)
    call redist_batch_local(bound, 0_int64, REDIST_DESTINATION, len, extents)
    call must(len == 6 * ranks .and. all(extents == [3 * ranks, 2]), "a batch tells shapes")
    call redist_explain(bound, text)
    call must(index(text, "3 arrays packed into") > 0, "a batch is explained")
    a = reshape([((real(element(i + 3 * rank, j), real32), i = 1, 3), j = 1, 2 * ranks)], [3, 2 * ranks])
    from = [(cmplx(4 * rank + i, -1, real64), i = 1, 4)]
    if (rank == 0) table = [(int(i * i, int64), i = 1, 5)]
    allocate (copy(5))
    turned = transpose(a)
    call spoil(b, to, copy)
    call redist_batch_run(bound, [redist_array_of(a), redist_array_of(from), redist_array_of(table)], &
                          [redist_array_of(b), redist_array_of(c_loc(to), 4_int64, "c64"), redist_array_of(copy)])
    call look(b, to, copy, "a batch moves")
    call spoil(b, to, copy)
    call redist_batch_start(bound, [redist_array_of(a), redist_array_of(from), redist_array_of(table)], &
                            [redist_array_of(b), redist_array_of(to), redist_array_of(copy)])
    done = .false.
    do while (.not. done)
      call redist_batch_test(bound, done)
    end do
    call redist_batch_finish(bound, [redist_array_of(b), redist_array_of(to)], status)
    call expect(status, REDIST_ARGUMENT, "`arrays` is 2, but the batch has 3")
    call redist_batch_finish(bound, [redist_array_of(b), redist_array_of(to), redist_array_of(copy)])
    call look(b, to, copy, "a batch that was started moves")
    call spoil(b, to, copy)
    ! Mistakes of all ranks.
    call redist_batch_run(bound, [redist_array_of(a), redist_array_of(from)], [redist_array_of(b), redist_array_of(to)], status)
    call expect(status, REDIST_ARGUMENT, "`arrays` is 2, but the batch has 3")
    call redist_batch_run(bound, [redist_array_of(turned), redist_array_of(from), redist_array_of(table)], &
                          [redist_array_of(b), redist_array_of(to), redist_array_of(copy)], status)
    if (ranks > 1) call expect(status, REDIST_ARRAY, "array 0 of the batch: the source array has the shape")
    call redist_batch_run(bound, [redist_array_of(a), redist_array_of(a), redist_array_of(table)], &
                          [redist_array_of(b), redist_array_of(to), redist_array_of(copy)], status)
    call expect(status, REDIST_ARGUMENT, "array 1 of the batch: the arrays have elements of type f32")
    call redist_batch_run(bound, [redist_array_of(a), redist_array_of(from(::2)), redist_array_of(table)], &
                          [redist_array_of(b), redist_array_of(to), redist_array_of(copy)], status)
    call expect(status, REDIST_ARRAY, "array 1 of the batch: the local source array must hold 4 elements, found 2")
    ! Sections with gaps: backwards, and every other element.
    wide = 7
    apart = 5
    wide(8:1:-2) = from
    call redist_batch_run(bound, [redist_array_of(a), redist_array_of(wide(8:1:-2)), redist_array_of(table)], &
                          [redist_array_of(b), redist_array_of(apart(2::2)), redist_array_of(copy)])
    to = apart(2::2)
    call look(b, to, copy, "a batch moves sections")
    call must(all(apart(::2) == 5), "elements between those of a section stay")
    call spoil(b, to, copy)
    call redist_batch_run(bound, [redist_array_of(a), redist_array_of(from), redist_array_of(table)], &
                          [redist_array_of(b), redist_array_of(to(:3)), redist_array_of(copy)], status)
    call expect(status, REDIST_ARRAY, "array 1 of the batch: the local destination array must hold 4 elements, found 3")
    call must(all(b == -1) .and. all(copy == -1), "a batch that is refused writes nothing")
    call redist_free(bound)
    ! All ranks in this process, each with the same arrays of its own: here of rank 0, for one rank.
    if (ranks == 1) then
      sources(1, :) = [c_loc(a), c_loc(from), c_loc(table)]
      destinations(1, :) = [c_loc(b), c_loc(to), c_loc(copy)]
      call redist_batch_simulate(batch, sources, destinations)
      call look(b, to, copy, "a batch is simulated")
      destinations(1, 3) = c_null_ptr
      call redist_batch_simulate(batch, sources, destinations, status)
      call expect(status, REDIST_NULL, "`destinations[2]` is NULL")
    end if
    call redist_batch_simulate(batch, sources(:, :2), destinations(:, :2), status)
    call expect(status, REDIST_ARGUMENT, "`arrays` is 2, but the batch has 3")
    call redist_free(batch)
    call redist_free(copies)
    call redist_free(sum)
    call redist_free(plan)
    call redist_free(line)
  end subroutine

  subroutine spoil(b, to, copy)
    real(real32), intent(out) :: b(:, :)
    complex(real64), intent(out) :: to(:)
    integer(int64), intent(out) :: copy(:)
    b = -1
    to = -1
    copy = -1
  end subroutine

  subroutine look(b, to, copy, words)
    real(real32), intent(in) :: b(:, :)
    complex(real64), intent(in) :: to(:)
    integer(int64), intent(in) :: copy(:)
    character(*), intent(in) :: words
    integer :: i, j
    call must(all(b == reshape([((real(element(i, j + 2 * rank), real32), i = 1, 3 * ranks), j = 1, 2)], [3 * ranks, 2])), words)
    call must(all(to == [(cmplx(1 + rank + ranks * i, -1, real64), i = 0, 3)]), words)
    call must(all(copy == [(int(i * i, int64), i = 1, 5)]), words)
  end subroutine

  ! Each rank has pairs of every so many of a line, and gets those of the next rank, backwards.
  ! feature: moves by lists of indices = `redist_bind_lists`
  subroutine listed()
    type(redist_bound) :: bound
    integer(int64) :: own(20), wanted(20), twice(1)
    integer(int32) :: source(2, 20), destination(2, 20)
    integer :: status, at
    own = [(int(at * ranks + rank, int64), at = 0, 19)]
    wanted = [(int((19 - at) * ranks + mod(rank + 1, ranks), int64), at = 0, 19)]
    do at = 1, 20
      source(:, at) = [10, 10] * int(own(at), int32) + [0, 1]
    end do
    call redist_bind_lists(20_int64 * ranks, own, wanted, "i32", MPI_COMM_WORLD, bound, elements=2_int64)
    destination = -1
    call redist_run(bound, source, destination)
    do at = 1, 20
      call must(all(destination(:, at) == 10 * wanted(at) + [0, 1]), "lists move")
    end do
    destination = -1
    call redist_start(bound, source, destination)
    call redist_finish(bound, destination)
    call must(destination(2, 20) == 10 * wanted(20) + 1, "lists move in two calls")
    call redist_run(bound, source(:, :19), destination, status)
    call expect(status, REDIST_ARRAY, "must hold 40 elements, found 38")
    call redist_free(bound)
    own(1) = -1
    call redist_bind_lists(20_int64 * ranks, own, wanted, "i32", int(MPI_COMM_WORLD%MPI_VAL, int64), bound, status=status)
    call expect(status, REDIST_ARGUMENT, "`lists.source[0]` is -1")
    twice = 0
    call redist_bind_lists(1_int64, twice, twice, "i32", MPI_COMM_WORLD%MPI_VAL, bound, are_equal=.true.)
    call redist_free(bound)
    call redist_bind_lists(1_int64, twice, twice, "i32", MPI_COMM_WORLD, bound, status=status)
    if (ranks > 1) call expect(status, merge(REDIST_ARGUMENT, REDIST_PEER, rank == 0), "is in the source lists of ranks")
    if (ranks == 1) call redist_free(bound)
  end subroutine

  ! Doubles to integers on the way.
  subroutine converted()
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    real(real64), target :: a(4)
    integer(int32), target :: b(4)
    integer :: status, at
    call redist_parse([4_int64 * ranks], "block" // trim(onto), "cyclic" // trim(onto), plan)
    call redist_bind(plan, "f64", MPI_COMM_WORLD, bound)
    a = [(4 * rank + at + 0.25d0, at = 0, 3)]
    b = -1
    call redist_run_with(bound, c_loc(a), 4_int64, c_loc(b), 4_int64, 4_int64, rounded)
    call must(all(b == [(rank + ranks * at, at = 0, 3)]), "elements are converted")
    call redist_run_with(bound, c_loc(a), 3_int64, c_loc(b), 4_int64, 4_int64, rounded, status=status)
    call expect(status, REDIST_ARRAY, "must hold 4 elements, found 3")
    call redist_run_with(bound, c_loc(a), 4_int64, c_loc(b), 4_int64, 0_int64, rounded, status=status)
    call expect(status, REDIST_ARGUMENT, "`kept_bytes` is 0")
    call redist_free(bound)
    call redist_free(plan)
  end subroutine

  ! One array for both sides.
  ! feature: one array for both sides = the same
  subroutine in_place()
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    real(real32) :: a(4)
    integer :: at
    call redist_parse([4_int64 * ranks], "block" // trim(onto), "cyclic" // trim(onto), plan)
    call redist_bind(plan, "f32", MPI_COMM_WORLD, bound)
    a = [(real(4 * rank + at, real32), at = 0, 3)]
    call redist_start(bound, a, a)
    call redist_finish(bound, a)
    call must(all(a == [(real(rank + ranks * at, real32), at = 0, 3)]), "an array moves in place")
    call redist_free(bound)
    call redist_free(plan)
  end subroutine

  ! A single number, from the first rank to the last one, and the sum of one on each rank; an array without elements.
  subroutine without_dimensions()
    type(redist_plan) :: plan
    type(redist_copies) :: copies
    type(redist_bound) :: bound
    complex(real32) :: a, b
    integer(int64) :: own, sum, nothing(0, 3), none(0, 3)
    character(32) :: last
    integer :: status
    write (last, "(a, i0, a, i0)") "() ranks ", ranks - 1, "..", ranks
    call redist_parse([integer(int64) ::], "()", last, plan)
    call redist_bind(plan, "c32", MPI_COMM_WORLD, bound)
    call must(redist_local_len(bound, REDIST_SOURCE) == merge(1, 0, rank == 0), "the first rank has the number")
    a = cmplx(rank, 3, real32)
    b = -1
    call redist_run(bound, a, b)
    call must(b == merge(cmplx(0, 3, real32), cmplx(-1, 0, real32), rank == ranks - 1), "a number moves")
    b = -1
    call redist_start(bound, a, b)
    call redist_finish(bound, b)
    call must(b == merge(cmplx(0, 3, real32), cmplx(-1, 0, real32), rank == ranks - 1), "a number moves in two calls")
    call redist_run(bound, own, sum, status)
    call expect(status, REDIST_ARGUMENT, "elements of type i64")
    call redist_free(bound)
    call redist_free(plan)
    call redist_copies_parse([integer(int64) ::], "()" // trim(all_copies), "()" // trim(all_copies), copies, &
                             REDIST_COMBINE_SUM)
    call redist_bind(copies, "i64", MPI_COMM_WORLD, bound)
    own = rank + 1
    call redist_run(bound, own, sum)
    call must(sum == ranks * (ranks + 1) / 2, "numbers are added")
    call redist_free(bound)
    call redist_free(copies)
    call redist_parse([0_int64, 3_int64], "(block, *)" // trim(onto) // " storage fortran", "(*, *) storage fortran", plan)
    call redist_bind(plan, "i64", MPI_COMM_WORLD, bound)
    call redist_run(bound, nothing, none, status)
    call expect(status, REDIST_OK)
    call redist_free(bound)
    call redist_free(plan)
  end subroutine

  ! Two programs of this launch: the first rank, and all others. Each knows its own layout alone.
  ! feature: programs that are coupled = the same
  subroutine coupled()
    type(redist_programs) :: programs
    type(redist_rank_group) :: both
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    character(32) :: layout
    character(:), allocatable :: other
    integer(int64), allocatable :: extents(:)
    integer(int64) :: program, count, own, members, first, sources, destinations, number, all_ranks
    integer(int32) :: a(12), b(12), side
    integer :: status, at
    logical :: is_source
    if (ranks < 2) return
    is_source = rank == 0
    call redist_programs_new(MPI_COMM_WORLD, programs, merge(0_int64, 1_int64, is_source))
    call redist_programs_size(programs, program, count, own, members)
    call must(program == merge(0, 1, is_source) .and. count == 2 .and. members == merge(1, ranks - 1, is_source), "there are programs")
    call redist_programs_couple(programs, REDIST_SOURCE, program, both, status)
    call expect(status, REDIST_ARGUMENT, "this one")
    call redist_programs_couple(programs, merge(REDIST_SOURCE, REDIST_DESTINATION, is_source), 1 - program, both)
    call redist_free(programs)
    call redist_ranks_programs(both, side, first, sources, destinations)
    call must(first == merge(0, 1, is_source) .and. sources == 1 .and. destinations == ranks - 1, "programs know each other")
    call redist_ranks_size(both, number, all_ranks)
    call must(number == rank .and. all_ranks == ranks, "ranks of both are numbered")
    a = [(at, at = 1, 12)]
    if (is_source) then
      layout = "(*)"
      call redist_ranks_handshake(both, layout, 1, other, extents, [12_int64])
      call redist_parse(extents, layout, other, plan)
    else
      write (layout, "(a, i0, a)") "block onto ", ranks - 1, " ranks 1.."
      call redist_ranks_handshake(both, layout, 1, other, extents)
      call redist_parse(extents, other, layout, plan)
    end if
    call redist_bind(plan, "i32", both, bound)
    call redist_ranks_barrier(both)
    call redist_free(both)
    b = 0
    own = redist_local_len(bound, REDIST_DESTINATION)
    call redist_run(bound, a(:redist_local_len(bound, REDIST_SOURCE)), b(:own))
    call must(all(b(:own) == [((rank - 1) * ((12 + ranks - 2) / (ranks - 1)) + at, at = 1, int(own))]), "an array comes from another program")
    call redist_free(bound)
    call redist_free(plan)
    call redist_rendezvous(MPI_COMM_WORLD, REDIST_SOURCE, "nowhere/to/meet", 0.1_real64, both, status)
    call expect(status, REDIST_UNAVAILABLE, "nowhere/to/meet")
  end subroutine

  ! Parts of one array: the first rank has the lower columns of a matrix, the last rank the others and wants nothing; those between them want
  ! a box of both, but for the third of many, which takes no part.
  subroutine joined()
    integer(int64), parameter :: whole(2) = [6_int64, 8_int64]
    type(redist_programs) :: programs
    type(redist_bound) :: bound
    real(real64), allocatable :: held(:, :), box(:, :), long(:, :)
    integer(int64) :: number
    integer :: status, i, j, at_fault
    number = 2
    if (ranks > 3 .and. rank == 2) number = 3
    if (rank == 0) number = 0
    if (rank == ranks - 1) number = 1
    if (ranks < 3) return
    call redist_programs_new(MPI_COMM_WORLD, programs, number)
    allocate (held(0, 0), box(0, 0))
    select case (number)
    case (0)
      call redist_programs_join(programs, "f64", REDIST_SOURCE, whole, [0_int64, 0_int64], [6_int64, 3_int64], "(*, *) storage fortran", bound)
      held = reshape([((10.0d0 * i + j, i = 1, 6), j = 1, 3)], [6, 3])
    case (1)
      call redist_programs_join(programs, "f64", REDIST_SOURCE, whole, [0_int64, 3_int64], [6_int64, 5_int64], "(*, *) storage fortran", bound)
      held = reshape([((10.0d0 * i + j, i = 1, 6), j = 4, 8)], [6, 5])
    case (2)
      call redist_programs_join(programs, "f64", REDIST_DESTINATION, whole, [1_int64, 2_int64], [4_int64, 5_int64], &
                                "(*, *) storage fortran", bound)
      if (rank == 1) box = reshape([(-1.0d0, i = 1, 20)], [4, 5])
    case (3)
      call redist_programs_join(programs, "f64", 2, bound)
    end select
    call must(redist_local_len(bound, REDIST_SOURCE) == size(held) .and. redist_local_len(bound, REDIST_DESTINATION) == size(box), &
              "parts have lengths")
    call redist_run(bound, held, box)
    call must(all(box == reshape([((10.0d0 * i + j, i = 2, 5), j = 3, 7)], shape(box))), "parts come from two programs")
    do at_fault = 0, ranks - 1
      box = -1
      long = reshape([(0.0d0, i = 1, size(held) + 1)], [1, size(held) + 1])
      if (rank == at_fault) then
        call redist_run(bound, long, box, status)
        call expect(status, REDIST_ARRAY)
      else
        call redist_run(bound, held, box, status)
        call expect(status, REDIST_PEER)
      end if
      call must(all(box == -1), "a rank with a wrong array keeps all from writing")
      call redist_start(bound, held, box)
      call redist_finish(bound, box)
      call must(all(box == reshape([((10.0d0 * i + j, i = 2, 5), j = 3, 7)], shape(box))), "the next move works")
    end do
    call redist_free(bound)
    ! Both hold a column; and a rank brings lists of different lengths.
    if (number < 2) then
      call redist_programs_join(programs, "f64", REDIST_SOURCE, whole, [0_int64, 3 * number], [6_int64, 4_int64], "(*, *)", bound, status)
    else
      call redist_programs_join(programs, "f64", 2, bound, status)
    end if
    call expect(status, REDIST_DIFFERS, "both hold elements 0..6 of dimension 0 and elements 3..4 of dimension 1")
    if (rank == 0) then
      call redist_programs_join(programs, "f64", REDIST_SOURCE, whole, [0_int64], [6_int64, 4_int64], "(*, *)", bound, status)
      call expect(status, REDIST_ARGUMENT, "`dimensions` is -1")
    else
      call redist_programs_join(programs, "f64", 2, bound, status)
      call expect(status, REDIST_PEER)
    end if
    call redist_free(programs)
  end subroutine

  ! All ranks in this process: copies, and addends that a function combines.
  subroutine simulated()
    type(redist_copies) :: copies
    integer(int64), target :: a(4, 2), b(8, 2), sums(4, 2), base
    type(c_ptr) :: sources(2), destinations(2)
    integer :: status, at
    a = reshape([(int(at, int64), at = 1, 8)], [4, 2])
    b = -1
    base = 100
    sources = [c_loc(a(1, 1)), c_loc(a(1, 2))]
    destinations = [c_loc(b(1, 1)), c_loc(b(1, 2))]
    call redist_copies_parse([8_int64], "block onto 2", "* copies 2", copies)
    call redist_copies_simulate(copies, "i64", sources, destinations)
    call must(all(b(:, 1) == b(:, 2)) .and. all(b(:, 1) == [(at, at = 1, 8)]), "copies are simulated")
    call redist_copies_simulate(copies, "i64", sources(:1), destinations(:1), status)
    call expect(status, REDIST_ARGUMENT, "`ranks` is 1, but the plan has 2")
    call redist_free(copies)
    call redist_copies_parse([4_int64], "* copies 2", "* copies 2", copies, REDIST_COMBINE_FUNCTION)
    destinations = [c_loc(sums(1, 1)), c_loc(sums(1, 2))]
    call redist_copies_simulate_with(copies, "i64", sources, destinations, digits, c_loc(base))
    call must(all(sums(:, 1) == sums(:, 2)) .and. all(sums(:, 1) == 100 * a(:, 1) + a(:, 2)), "sums are simulated")
    call redist_copies_simulate(copies, "i64", sources, destinations, status)
    call expect(status, REDIST_UNAVAILABLE)
    call redist_free(copies)
    call batch_simulated()
  end subroutine

  ! A line of blocks that is dealt, and copies of a table, of two ranks.
  subroutine batch_simulated()
    type(redist_plan) :: plan
    type(redist_copies) :: copies
    type(redist_batch) :: batch
    integer(int32), target :: blocks(3, 2), dealt(3, 2)
    real(real64), target :: table(4), found(4, 2)
    type(c_ptr) :: sources(2, 2), destinations(2, 2)
    integer :: status, at
    call redist_parse([6_int64], "block onto 2", "cyclic onto 2", plan)
    call redist_copies_parse([4_int64], "* ranks 1..2", "* copies 2", copies)
    call redist_batch_new(batch)
    call redist_batch_add(batch, plan, "i32")
    call redist_batch_add(batch, copies, "f64")
    blocks = reshape([(at, at = 1, 6)], [3, 2])
    table = [(at + 0.5d0, at = 1, 4)]
    dealt = -1
    found = -1
    sources(:, 1) = [c_loc(blocks(1, 1)), c_loc(blocks(1, 2))]
    sources(:, 2) = [c_null_ptr, c_loc(table)]
    destinations(:, 1) = [c_loc(dealt(1, 1)), c_loc(dealt(1, 2))]
    destinations(:, 2) = [c_loc(found(1, 1)), c_loc(found(1, 2))]
    call redist_batch_simulate(batch, sources, destinations)
    call must(all(dealt == reshape([1, 3, 5, 2, 4, 6], [3, 2])), "a batch is simulated")
    call must(all(found(:, 1) == table) .and. all(found(:, 2) == table), "copies in a batch are simulated")
    call redist_batch_simulate(batch, sources(:1, :), destinations(:1, :), status)
    call expect(status, REDIST_ARGUMENT, "`ranks` is 1, but the plan has 2")
    call redist_free(batch)
    call redist_free(copies)
    call redist_free(plan)
  end subroutine
end program
