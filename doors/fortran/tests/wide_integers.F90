! Compiled, as the module, with default integers of eight bytes (`-fdefault-integer-8`): communicators of the module `mpi_f08`,
! of `mpif.h`, and as wide integers; statuses, shapes and lengths of the program's own kind.
program wide_integers
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use mpi_f08
  use redist
  implicit none
  type(redist_plan) :: plan
  type(redist_bound) :: bound
  real(real64), allocatable :: a(:, :), b(:, :)
  integer :: status, extents(2), wide, wrong, turn
  integer(int32) :: rank, ranks, code
  character(12) :: onto

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  write (onto, "(a, i0)") " onto ", ranks
  extents = [3 * ranks, 2 * ranks]
  wide = MPI_COMM_WORLD%MPI_VAL
  wrong = 0
  allocate (a(3, 2 * ranks), b(3 * ranks, 2))
  if (kind(status) /= int64) wrong = 1
  call redist_parse(extents, "(block, *)" // trim(onto) // " storage fortran", &
                    "(*, block)" // trim(onto) // " storage fortran", plan, status)
  if (status /= REDIST_OK) wrong = wrong + 1
  do turn = 1, 3
    if (turn == 1) call redist_bind(plan, "f64", MPI_COMM_WORLD, bound, status=status)
    if (turn == 2) call redist_bind(plan, "f64", MPI_COMM_WORLD%MPI_VAL, bound, status=status)
    if (turn == 3) call redist_bind(plan, "f64", wide, bound, status=status)
    if (status /= REDIST_OK) print "(a)", redist_last_message()
    a = 10 * turn + rank
    b = -1
    call redist_run(bound, a, b, status)
    if (status /= REDIST_OK .or. any(b(3 * ranks - 2:, :) /= 10 * turn + ranks - 1)) wrong = wrong + 1
    if (redist_local_len(bound, REDIST_SOURCE) /= size(a)) wrong = wrong + 1
    call redist_run(bound, transpose(a), b, status)
    if (status /= REDIST_ARRAY) wrong = wrong + 1
    call redist_free(bound, status)
  end do
  call redist_free(plan)
  print "(a, i0, a, i0, a)", "rank ", rank, ": ", wrong, " wrong with wide integers"
  call MPI_Finalize(code)
  if (wrong /= 0) error stop 1
end program
