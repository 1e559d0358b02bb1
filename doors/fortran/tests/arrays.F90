! Arrays of another shape, in another order, and arrays that are not allocated where a rank holds nothing: on 2 ranks or more.
program arrays
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use redist
  implicit none
  integer :: rank, ranks, code, wrong, all_wrong
  character(12) :: onto

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  write (onto, "(a, i0)") " onto ", ranks
  wrong = 0
  call other_shapes()
  call padded()
  call unallocated()
  call wrong_on_one_rank()
  call scaled()
  call described()
  call by_options()
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0) print "(i0, a, i0, a)", all_wrong, " wrong on ", ranks, " ranks"
  call MPI_Finalize(code)
  if (all_wrong /= 0) error stop 1

contains

  subroutine expect(status, expected, words)
    integer, intent(in) :: status
    integer, intent(in) :: expected
    character(*), intent(in), optional :: words
    logical :: says
    says = .true.
    if (present(words)) says = index(redist_last_message(), words) > 0
    if (status == expected .and. says) return
    wrong = wrong + 1
    print "(3(a, i0), 2a)", "rank ", rank, ": status ", status, ", not ", expected, ": ", redist_last_message()
  end subroutine

  ! Rows of each rank to columns of each. Layouts that are stored row by row, and arrays that are transposed, move nothing.
  ! feature: shapes compared = of arrays with the plan's dimensions
  subroutine other_shapes()
    type(redist_plan) :: plan, by_rows
    type(redist_bound) :: bound, bound_by_rows
    real(real64), allocatable :: a(:, :), b(:, :), turned(:, :), flat(:)
    integer :: status, i, j
    integer(int64) :: extents(2)
    extents = [3 * ranks, 2 * ranks]
    call redist_parse(extents, "(block, *)" // trim(onto), "(*, block)" // trim(onto), by_rows)
    call redist_bind(by_rows, "f64", MPI_COMM_WORLD, bound_by_rows)
    call redist_parse(extents, "(block, *)" // trim(onto) // " storage fortran", &
                      "(*, block)" // trim(onto) // " storage fortran", plan)
    call redist_bind(plan, "f64", MPI_COMM_WORLD, bound)
    allocate (a(3, 2 * ranks), b(3 * ranks, 2))
    do j = 1, 2 * ranks
      do i = 1, 3
        a(i, j) = 1000 * (i + 3 * rank) + j
      end do
    end do
    b = -1
    call redist_run(bound_by_rows, a, b, status)
    call expect(status, int(REDIST_ARRAY), "column by column, but its layout is stored row by row; add `storage fortran`")
    call redist_start(bound_by_rows, a, b, status)
    call expect(status, int(REDIST_ARRAY), "add `storage fortran`")
    call redist_run(bound, transpose(a), b, status)
    call expect(status, int(REDIST_ARRAY), "it may be transposed")
    if (ranks > 1) then
      call redist_run(bound, b, a, status)
      call expect(status, int(REDIST_ARRAY), "; the arrays seem exchanged, so bring the source first")
    end if
    turned = transpose(b)
    call redist_run(bound, a, turned, status)
    call expect(status, int(REDIST_ARRAY), "the destination array has the shape")
    if (any(b /= -1)) wrong = wrong + 1
    call redist_run(bound, a, b, status)
    call expect(status, int(REDIST_OK))
    do j = 1, 2
      do i = 1, 3 * ranks
        if (b(i, j) /= 1000 * i + j + 2 * rank) wrong = wrong + 1
      end do
    end do
    ! Arrays of one dimension are told by their lengths.
    flat = pack(a, .true.)
    b = -1
    call redist_start(bound, a, b)
    call redist_finish(bound, turned, status)
    call expect(status, int(REDIST_ARRAY), "the shape")
    call redist_finish(bound, b, status)
    call expect(status, int(REDIST_OK))
    call redist_run(bound_by_rows, flat, flat(:size(b)), status)
    call expect(status, int(REDIST_ARRAY), "overlap")
    call redist_free(bound)
    call redist_free(bound_by_rows)
    call redist_free(plan)
    call redist_free(by_rows)
  end subroutine

  ! With a leading dimension, and more columns than the plan needs, as ScaLAPACK's programs allocate.
  ! feature: halos, leading dimensions, strides
  subroutine padded()
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    type(redist_options) :: options
    real(real64), allocatable :: a(:, :), b(:, :)
    integer :: status
    call redist_parse([int(3 * ranks, int64), 4_int64], "(block, *)" // trim(onto) // " storage fortran", &
                      "(*, *) storage fortran", plan)
    options%padding(1)%kind = REDIST_PADDING_LEADING
    options%padding(1)%leading = 5
    call redist_bind(plan, "f64", MPI_COMM_WORLD, bound, options)
    allocate (a(5, 6), b(3 * ranks, merge(4, 0, rank == 0)))
    a = rank
    call redist_run(bound, a, b, status)
    call expect(status, int(REDIST_OK))
    if (rank == 0) wrong = wrong + count(b(3 * ranks - 2:, :) /= ranks - 1)
    ! A section that lies as the plan was bound moves without the rest of its array.
    b = -1
    call redist_run(bound, a(:3, :4), b, status)
    call expect(status, int(REDIST_OK))
    if (rank == 0) wrong = wrong + count(b(3 * ranks - 2:, :) /= ranks - 1)
    call redist_run(bound, a(:3, :), b, status)
    call expect(status, int(REDIST_ARRAY), "the source array has the shape [3, 6], but must have [5, 4]")
    call redist_free(bound)
    call redist_free(plan)
  end subroutine

  ! All to rank 0, and back from it: the others hold nothing there, and have allocated nothing.
  subroutine unallocated()
    type(redist_plan) :: plan, back
    type(redist_bound) :: bound, bound_back
    real(real64) :: a(3, 4), again(3, 4)
    real(real64), allocatable :: whole(:, :), nothing(:, :)
    integer :: status
    call redist_parse([int(3 * ranks, int64), 4_int64], "(block, *)" // trim(onto) // " storage fortran", &
                      "(*, *) storage fortran", plan)
    call redist_inverse(plan, back)
    call redist_bind(plan, "f64", MPI_COMM_WORLD, bound)
    call redist_bind(back, "f64", MPI_COMM_WORLD, bound_back)
    a = rank
    if (rank == 0) allocate (whole(3 * ranks, 4))
    call redist_run(bound, a, whole, status)
    call expect(status, int(REDIST_OK))
    if (rank == 0) wrong = wrong + count(whole(3 * ranks - 2:, :) /= ranks - 1)
    call redist_run(bound_back, whole, again, status)
    call expect(status, int(REDIST_OK))
    wrong = wrong + count(again /= a)
    again = -1
    call redist_start(bound, a, whole)
    call redist_finish(bound, whole)
    call redist_start(bound_back, whole, again)
    call redist_finish(bound_back, again)
    wrong = wrong + count(again /= a)
    ! Of a rank that holds something.
    call redist_run(bound, nothing, whole, status)
    call expect(status, int(REDIST_ARRAY), "must hold 12 elements, found 0")
    call redist_free(bound)
    call redist_free(bound_back)
    call redist_free(plan)
    call redist_free(back)
  end subroutine

  ! B := 2 i conjg(A) + 3 B, by rows to columns.
  ! feature: α A + β B, conjugates = `redist_run_scaled`
  subroutine scaled()
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    complex(real64) :: a(3, 2 * ranks), b(3 * ranks, 2)
    integer :: status, i, j
    call redist_parse([int(3 * ranks, int64), int(2 * ranks, int64)], "(block, *)" // trim(onto) // " storage fortran", &
                      "(*, block)" // trim(onto) // " storage fortran", plan)
    call redist_bind(plan, "c64", MPI_COMM_WORLD, bound)
    do j = 1, 2 * ranks
      do i = 1, 3
        a(i, j) = cmplx(i + 3 * rank, j, real64)
      end do
    end do
    b = (1d0, 1d0)
    call redist_run_scaled(bound, (0d0, 2d0), a, (3d0, 0d0), b, conjugates=.true., status=status)
    call expect(status, int(REDIST_OK))
    do j = 1, 2
      do i = 1, 3 * ranks
        if (b(i, j) /= cmplx(2 * (j + 2 * rank) + 3, 2 * i + 3, real64)) wrong = wrong + 1
      end do
    end do
    call redist_run_scaled(bound, (1d0, 0d0), transpose(a), (0d0, 0d0), b, status=status)
    call expect(status, int(REDIST_ARRAY), "it may be transposed")
    call redist_free(bound)
    call redist_free(plan)
  end subroutine

  ! Layouts, extents, indices, owners and volumes of any rank; ranks that are none are refused.
  ! feature: a rank's extents, global indices, owner of an element = yes; one element a call
  ! feature: volumes = from rank to rank
  subroutine described()
    type(redist_plan) :: plan
    character(:), allocatable :: text
    integer(int64) :: extents(2), at(2), owner, elements, last
    integer :: status
    last = ranks - 1
    call redist_parse([int(3 * ranks, int64), int(2 * ranks, int64)], "(block, *)" // trim(onto) // " storage fortran", &
                      "(*, block)" // trim(onto), plan)
    if (redist_plan_ranks(plan) /= ranks) wrong = wrong + 1
    call redist_plan_layout(plan, REDIST_DESTINATION, text)
    if (text /= "(*, block)" // trim(onto)) wrong = wrong + 1
    call redist_plan_local(plan, REDIST_SOURCE, last, extents)
    if (any(extents /= [3, 2 * ranks])) wrong = wrong + 1
    call redist_plan_global_index(plan, REDIST_SOURCE, last, 4_int64, at)
    if (any(at /= [3 * (ranks - 1) + 1, 1])) wrong = wrong + 1
    call redist_plan_owner(plan, REDIST_SOURCE, at, owner)
    if (owner /= last) wrong = wrong + 1
    call redist_plan_volume(plan, 0_int64, last, elements)
    if (elements /= 6) wrong = wrong + 1
    call redist_plan_local(plan, REDIST_SOURCE, last + 1, extents, status)
    call expect(status, int(REDIST_ARGUMENT), "ranks of a communicator past these hold nothing")
    call redist_plan_global_index(plan, REDIST_SOURCE, -1_int64, 0_int64, at, status)
    call expect(status, int(REDIST_ARGUMENT), "`rank` is -1, but the plan has")
    call redist_plan_volume(plan, last + 1, 0_int64, elements, status)
    call expect(status, int(REDIST_ARGUMENT))
    call redist_plan_owner(plan, REDIST_SOURCE, [0_int64], owner, status)
    call expect(status, int(REDIST_ARGUMENT), "is no index of the array")
    call redist_free(plan)
  end subroutine

  ! The lower triangle of a matrix, without its diagonal; messages in steps, in segments, and in rounds.
  ! feature: trapezoids of matrices
  ! feature: method of the schedule, longest segment of a message
  ! feature: memory within a bound (max_bytes)
  subroutine by_options()
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    type(redist_options) :: options
    character(:), allocatable :: text
    real(real64) :: a(3, 3 * ranks), b(3 * ranks, 3), expected
    integer :: status, i, j, turn
    call redist_parse([int(3 * ranks, int64), int(3 * ranks, int64)], "(block, *)" // trim(onto) // " storage fortran", &
                      "(*, block)" // trim(onto) // " storage fortran", plan)
    do j = 1, 3 * ranks
      do i = 1, 3
        a(i, j) = 1000 * (i + 3 * rank) + j
      end do
    end do
    do turn = 1, 3
      options = redist_options()
      if (turn == 1) then
        options%part = REDIST_LOWER
        options%unit_diagonal = 1
      else if (turn == 2) then
        options%route = REDIST_ROUTE_MESSAGES
        options%method = REDIST_METHOD_KOENIG
        options%max_message_bytes = 16
      else
        options%max_bytes = 200 * ranks
      end if
      call redist_bind(plan, "f64", MPI_COMM_WORLD, bound, options)
      if (turn == 2 .and. ranks > 1) then
        call redist_explain(bound, text)
        if (index(text, "nig colouring") == 0) wrong = wrong + 1
      end if
      b = -1
      call redist_run(bound, a, b)
      do j = 1, 3
        do i = 1, 3 * ranks
          expected = 1000 * i + j + 3 * rank
          if (turn == 1 .and. i <= j + 3 * rank) expected = -1
          if (b(i, j) /= expected) wrong = wrong + 1
        end do
      end do
      if (turn == 3 .and. ranks > 2) then
        call redist_start(bound, a, b, status)
        call expect(status, int(REDIST_UNAVAILABLE))
      end if
      call redist_free(bound)
    end do
    options = redist_options()
    options%method = 77
    call redist_bind(plan, "f64", MPI_COMM_WORLD, bound, options, status)
    call expect(status, int(REDIST_ARGUMENT), "`options.method` is 77")
    call redist_free(plan)
  end subroutine

  ! Bound collectively, all ranks learn what is wrong on one, and none moves.
  ! feature: errors of all ranks (collectively)
  subroutine wrong_on_one_rank()
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    type(redist_options) :: options
    real(real64), allocatable :: a(:, :), b(:, :), turned(:, :)
    integer :: status
    call redist_parse([int(3 * ranks, int64), 4_int64], "(block, *)" // trim(onto) // " storage fortran", &
                      "(block, *)" // trim(onto) // " storage fortran", plan)
    options%collectively = 1
    call redist_bind(plan, "f64", MPI_COMM_WORLD, bound, options)
    allocate (a(3, 4), b(3, 4))
    a = rank
    b = -1
    turned = transpose(a)
    if (rank == 0) then
      call redist_run(bound, turned, b, status)
    else
      call redist_run(bound, a, b, status)
    end if
    call expect(status, int(merge(REDIST_ARRAY, REDIST_PEER, rank == 0)))
    if (rank /= 0) call expect(status, int(REDIST_PEER), &
      "rank 0: the source array has 4 elements along dimension 0, but must have 3")
    if (any(b /= -1)) wrong = wrong + 1
    call redist_run(bound, a, b, status)
    call expect(status, int(REDIST_OK))
    if (any(b /= rank)) wrong = wrong + 1
    call redist_free(bound)
    call redist_free(plan)
  end subroutine
end program
