! Small moves from Fortran, for `benches/doors/run`: see small.rs.
program small
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use redist
  implicit none
  type(redist_plan) :: plan
  type(redist_bound) :: bound
  real(real64), allocatable :: source(:, :), destination(:, :)
  real(real64) :: began
  character(24) :: word
  integer :: rank, ranks, given(3), at, batch, move
  integer(int64) :: extent
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  do at = 1, 3
    call get_command_argument(at, word)
    read (word, *) given(at)
  end do
  extent = given(1)
  write (word, "(i0)") ranks
  ! Columns that lie together, as the rows of the other programs do.
  call redist_parse([extent, extent], "(*, block) onto " // trim(word) // " storage fortran", &
                    "(block, *) onto " // trim(word) // " storage fortran", plan)
  call redist_bind(plan, "f64", MPI_COMM_WORLD, bound)
  allocate (source(extent, redist_local_len(bound, REDIST_SOURCE) / extent))
  allocate (destination(redist_local_len(bound, REDIST_DESTINATION) / extent, extent))
  source = 1
  do batch = 0, given(2)
    began = MPI_Wtime()
    do move = 1, given(3)
      call redist_run(bound, source, destination)
    end do
    ! The first batch is not counted.
    if (rank == 0 .and. batch > 0) print *, (MPI_Wtime() - began) * 1e9_real64 / given(3)
  end do
  if (any(destination /= 1)) error stop 3
  call redist_free(bound)
  call redist_free(plan)
  call MPI_Finalize()
end program
