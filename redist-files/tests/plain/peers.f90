! peers whole|columns|big|read f8|i4 FILE: writes an array of 23 by 31 elements unformatted, in a record, in one for each column, or
! highest byte first; or reads a record, and fails where an element is another.
program peers
  use iso_fortran_env, only: int32, real64
  implicit none
  integer(int32) :: i4(23, 31), found_i4(23, 31)
  real(real64) :: f8(23, 31), found_f8(23, 31)
  character(len=4096) :: task, element, file
  integer :: i, j, unit
  call get_command_argument(1, task)
  call get_command_argument(2, element)
  call get_command_argument(3, file)
  do j = 1, 31
    do i = 1, 23
      i4(i, j) = mod(((i - 1) * 31 + j - 1) * 7919, 113)
    end do
  end do
  f8 = real(i4, real64)
  select case (trim(task))
  case ("read")
    open (newunit=unit, file=trim(file), form="unformatted", access="sequential", action="read", status="old")
  case ("big")
    open (newunit=unit, file=trim(file), form="unformatted", access="sequential", status="new", convert="big_endian")
  case default
    open (newunit=unit, file=trim(file), form="unformatted", access="sequential", status="new")
  end select
  if (task == "read" .and. element == "f8") then
    read (unit) found_f8
    if (any(found_f8 /= f8)) error stop "another element"
  else if (task == "read") then
    read (unit) found_i4
    if (any(found_i4 /= i4)) error stop "another element"
  else if (task == "columns") then
    do j = 1, 31
      if (element == "f8") write (unit) f8(:, j)
      if (element == "i4") write (unit) i4(:, j)
    end do
  else
    if (element == "f8") write (unit) f8
    if (element == "i4") write (unit) i4
  end if
  close (unit)
end program peers
