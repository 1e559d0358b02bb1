! Arrays in files of one layout become files of another, by a manifest, in one process that never calls MPI. Files are in a folder
! of the test's own.
program files
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use redist
  implicit none
  character(:), allocatable :: folder
  integer :: wrong

  wrong = 0
  call make_folder()
  call converted()
  call execute_command_line("rm -r " // folder)
  print "(i0, a)", wrong, " wrong with arrays in files"
  if (wrong /= 0) error stop 1

contains

  subroutine make_folder()
    character(40) :: digits
    integer(int64) :: count
    call system_clock(count)
    write (digits, "(i0)") count
    folder = "/tmp/redist-files-f08-" // trim(digits)
    call execute_command_line("mkdir " // folder)
  end subroutine

  ! feature: arrays in files, to other layouts = the same
  subroutine converted()
    real(real64) :: numbers(10), found(10)
    character(:), allocatable :: text
    integer :: status, at
    logical :: is_there
    numbers = [(at + 0.5_real64, at = 1, 10)]
    call write_numbers("in.0.raw", numbers(:5))
    call write_manifest()
    call redist_convert(folder // "/m.toml", status=status)
    call expect(status, int(REDIST_FILE), "in.1.raw")
    inquire (file=folder // "/out.raw", exist=is_there)
    call must(.not. is_there, "nothing is left")
    call write_numbers("in.1.raw", numbers(6:))
    call redist_convert(folder // "/m.toml", text, memory_bytes=65536_int64, threads=1_int64, check=.true., status=status)
    call expect(status, int(REDIST_OK))
    if (status == REDIST_OK) call must(index(text, '"bytes":80') > 0 .and. text(len(text):) == "}", "the text tells the bytes")
    call read_numbers("out.raw", found)
    call must(all(found == numbers), "the numbers are in one file")
    call redist_verify_files(folder // "/m.toml", status=status)
    call expect(status, int(REDIST_OK))
    call redist_convert(folder // "/m.toml", status=status)
    call expect(status, int(REDIST_FILE), "`force` replaces it")
    call redist_convert(folder // "/m.toml", force=.true., no_sync=.true., status=status)
    call expect(status, int(REDIST_OK))
    call redist_convert(folder // "/m.toml", memory_bytes=1_int64, status=status)
    call expect(status, int(REDIST_ARGUMENT), "memory is at least 65536")
  end subroutine

  subroutine write_manifest()
    integer :: unit
    open (newunit=unit, file=folder // "/m.toml", action="write")
    write (unit, "(a)") '[[array]]', 'name = "line"', 'element = "f64"', 'extents = [10]', 'from = "block onto 2"', &
      'in = "in.{rank}.raw"', 'out = "out.raw"'
    close (unit)
  end subroutine

  subroutine write_numbers(name, numbers)
    character(*), intent(in) :: name
    real(real64), intent(in) :: numbers(:)
    integer :: unit
    open (newunit=unit, file=folder // "/" // name, access="stream", form="unformatted", action="write")
    write (unit) numbers
    close (unit)
  end subroutine

  subroutine read_numbers(name, numbers)
    character(*), intent(in) :: name
    real(real64), intent(out) :: numbers(:)
    integer :: unit, failure
    numbers = -1
    open (newunit=unit, file=folder // "/" // name, access="stream", form="unformatted", action="read", iostat=failure)
    if (failure /= 0) return
    read (unit, iostat=failure) numbers
    close (unit)
  end subroutine

  include "checks.inc"
end program
