! ScaLAPACK's tiles become other tiles on another grid, in column-major order, with `use mpi`: `mpirun -n 4 retile_mpi`.
program retile_mpi
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use redist
  implicit none
  integer, parameter :: rows = 130, columns = 90
  integer :: rank, ranks, code, status, grid(2), other(2), wrong, all_wrong
  type(redist_plan) :: plan, back
  type(redist_bound) :: bound, bound_back
  real(real64), allocatable :: a(:, :), b(:, :), again(:, :)
  character(:), allocatable :: words

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  grid = merge([2, ranks / 2], [1, ranks], modulo(ranks, 2) == 0)
  other = [ranks, 1]

  call redist_parse([int(rows, int64), int(columns, int64)], layout(16, grid), layout(7, other), plan)
  call redist_bind(plan, "f64", MPI_COMM_WORLD, bound)
  if (rank == 0) then
    call redist_explain(bound, words)
    print "(a)", words
  end if

  allocate (a(numroc(rows, 16, 1, grid), numroc(columns, 16, 2, grid)))
  allocate (b(numroc(rows, 7, 1, other), numroc(columns, 7, 2, other)))
  wrong = merge(0, 1, size(a) == redist_local_len(bound, REDIST_SOURCE) .and. &
                size(b) == redist_local_len(bound, REDIST_DESTINATION))
  call fill(a, 16, grid)
  b = -1
  call redist_run(bound, a, b)
  wrong = wrong + misplaced(b, 7, other)

  ! The way back, in two calls.
  call redist_inverse(plan, back)
  call redist_bind(back, "f64", MPI_COMM_WORLD, bound_back)
  again = 0 * a
  call redist_start(bound_back, b, again)
  call redist_finish(bound_back, again)
  wrong = wrong + count(again /= a)

  ! A mistake is a status with a message.
  call redist_finish(bound, b, status)
  if (status /= REDIST_STATE) wrong = wrong + 1
  if (rank == 0) print "(2a)", "refused: ", redist_last_message()
  call redist_parse([8_int64], "blok onto 2", "(*)", back, status)
  if (status /= REDIST_LAYOUT) wrong = wrong + 1

  ! Arrays of another type than the plan was bound for would be read and written past their ends.
  if (redist_element(bound) /= "f64") wrong = wrong + 1
  call refuse_another_type()

  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0) print "(i0, a, i0, a)", all_wrong, " wrong on ", ranks, " ranks"
  call redist_free(bound)
  call redist_free(bound_back)
  call redist_free(plan)
  call MPI_Finalize(code)
  if (all_wrong /= 0) error stop 1

contains

  ! On all ranks, in one call; then on the last alone, in two: the ranks that receive from it, here all others, learn of it.
  subroutine refuse_another_type()
    type(redist_bound) :: complex_bound
    real(real64), allocatable :: untouched(:, :)
    complex(real64), allocatable :: complex_b(:, :)
    call redist_bind(plan, "c64", MPI_COMM_WORLD, complex_bound)
    untouched = b
    call redist_run(complex_bound, a, untouched, status)
    if (status /= REDIST_ARGUMENT) wrong = wrong + 1
    if (index(redist_last_message(), "type f64, but the plan was bound for c64") == 0) wrong = wrong + 1
    if (rank == ranks - 1) then
      call redist_start(complex_bound, a, untouched, status)
      if (status /= REDIST_ARGUMENT) wrong = wrong + 1
    else
      complex_b = cmplx(b, kind=real64)
      call redist_start(complex_bound, cmplx(a, kind=real64), complex_b, status)
      if (status == REDIST_OK) call redist_finish(complex_bound, complex_b, status)
      if (status /= REDIST_PEER) wrong = wrong + 1
    end if
    if (any(untouched /= b)) wrong = wrong + 1
    call redist_free(complex_bound)
  end subroutine

  ! Square blocks on a grid whose ranks are numbered row by row.
  function layout(block, grid) result(text)
    integer, intent(in) :: block, grid(2)
    character(80) :: text
    write (text, "(a, 4(i0, a))") "scalapack(", block, ", ", block, ", ", grid(1), ", ", grid(2), ")"
  end function

  ! This rank's coordinate along a dimension of the grid.
  integer function coordinate(dimension, grid)
    integer, intent(in) :: dimension, grid(2)
    coordinate = merge(rank / grid(2), modulo(rank, grid(2)), dimension == 1)
  end function

  ! How many of `extent` indices this rank has, by counting.
  integer function numroc(extent, block, dimension, grid)
    integer, intent(in) :: extent, block, dimension, grid(2)
    integer :: index
    numroc = count([(modulo(index / block, grid(dimension)) == coordinate(dimension, grid), index = 0, extent - 1)])
  end function

  ! The global index, from 0 on, of local index `local`, from 1 on.
  integer function global(local, block, dimension, grid)
    integer, intent(in) :: local, block, dimension, grid(2)
    associate (at => local - 1)
      global = (at / block * grid(dimension) + coordinate(dimension, grid)) * block + modulo(at, block)
    end associate
  end function

  real(real64) function element(i, j, block, grid)
    integer, intent(in) :: i, j, block, grid(2)
    element = 1000d0 * global(i, block, 1, grid) + global(j, block, 2, grid)
  end function

  subroutine fill(local, block, grid)
    real(real64), intent(out) :: local(:, :)
    integer, intent(in) :: block, grid(2)
    integer :: i, j
    do j = 1, size(local, 2)
      do i = 1, size(local, 1)
        local(i, j) = element(i, j, block, grid)
      end do
    end do
  end subroutine

  integer function misplaced(local, block, grid)
    real(real64), intent(in) :: local(:, :)
    integer, intent(in) :: block, grid(2)
    integer :: i, j
    misplaced = 0
    do j = 1, size(local, 2)
      do i = 1, size(local, 1)
        if (local(i, j) /= element(i, j, block, grid)) misplaced = misplaced + 1
      end do
    end do
  end function
end program
