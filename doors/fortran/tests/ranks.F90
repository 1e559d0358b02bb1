! Arrays of one to seven dimensions, of all number types: whole, as sections that are copied, and as sections that lie as the plan was bound.
! On 1 or more ranks. The subroutines of ranks.inc are for one type and number of dimensions.
module any_ranks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use mpi_f08
  use redist
  implicit none
  integer :: rank, ranks, wrong = 0
  character(12) :: onto

contains

  subroutine must(is_so, words)
    logical, intent(in) :: is_so
    character(*), intent(in) :: words
    if (is_so) return
    wrong = wrong + 1
    print "(a, i0, 3a)", "rank ", rank, ": not so: ", words, "; last message: " // redist_last_message()
  end subroutine

  ! Components of structs: the distance of neighbours is no multiple of an element, or is one.
  subroutine components()
    type :: point
      complex(real64) :: place
      real(real64) :: weight
    end type
    type(point) :: points(4), found(4)
    type(redist_plan) :: plan
    type(redist_bound) :: bound
    integer :: i
    call redist_parse([4_int64 * ranks], "block" // trim(onto), "cyclic" // trim(onto), plan)
    points%place = [(cmplx(4 * rank + i, 1, real64), i = 0, 3)]
    points%weight = [(real(4 * rank + i, real64), i = 0, 3)]
    found%place = -1
    found%weight = -2
    call redist_bind(plan, "c64", MPI_COMM_WORLD, bound)
    call redist_run(bound, points%place, found%place)
    call redist_free(bound)
    call must(all(found%place == [(cmplx(rank + i * ranks, 1, real64), i = 0, 3)]), "complex components move")
    call must(all(found%weight == -2), "what is beside them stays")
    call redist_bind(plan, "f64", MPI_COMM_WORLD, bound)
    call redist_run(bound, points(4:1:-1)%weight, found%weight)
    call must(sum(found%weight) >= 0 .and. all(modulo(found%weight, 1d0) == 0), "real components move")
    call redist_start(bound, points%weight, found%weight)
    call redist_finish(bound, found%weight)
    call must(all(found%weight == [(real(rank + i * ranks, real64), i = 0, 3)]), "they move in two calls")
    call redist_free(bound)
    call redist_free(plan)
  end subroutine

#define TEST line_r64
#define ELEMENT real(real64)
#define NAME "f64"
#define SHAPE :
#define FROM "block"
#define TO "cyclic"
#define OWN 2
#define WIDE 4
#define GOT 2
#define APART 4
#define EVEN ::2
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST two_r32
#define ELEMENT real(real32)
#define NAME "f32"
#define SHAPE :, :
#define DEEP
#define FROM "(block, *)"
#define TO "(*, block)"
#define OWN 2, 2 * ranks
#define WIDE 4, 2 * ranks
#define GOT 2 * ranks, 2
#define APART 4 * ranks, 2
#define EVEN ::2, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST three_c32
#define ELEMENT complex(real32)
#define NAME "c32"
#define SHAPE :, :, :
#define DEEP
#define FROM "(block, *, *)"
#define TO "(*, block, *)"
#define OWN 2, 2 * ranks, 3
#define WIDE 4, 2 * ranks, 3
#define GOT 2 * ranks, 2, 3
#define APART 4 * ranks, 2, 3
#define EVEN ::2, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST three_i8
#define ELEMENT integer(int8)
#define NAME "i8"
#define SHAPE :, :, :
#define DEEP
#define FROM "(block, *, *)"
#define TO "(*, block, *)"
#define OWN 2, 2 * ranks, 3
#define WIDE 4, 2 * ranks, 3
#define GOT 2 * ranks, 2, 3
#define APART 4 * ranks, 2, 3
#define EVEN ::2, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST four_c64
#define ELEMENT complex(real64)
#define NAME "c64"
#define SHAPE :, :, :, :
#define DEEP
#define FROM "(block, *, *, *)"
#define TO "(*, block, *, *)"
#define OWN 2, 2 * ranks, 3, 2
#define WIDE 4, 2 * ranks, 3, 2
#define GOT 2 * ranks, 2, 3, 2
#define APART 4 * ranks, 2, 3, 2
#define EVEN ::2, :, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST four_i16
#define ELEMENT integer(int16)
#define NAME "i16"
#define SHAPE :, :, :, :
#define DEEP
#define FROM "(block, *, *, *)"
#define TO "(*, block, *, *)"
#define OWN 2, 2 * ranks, 3, 2
#define WIDE 4, 2 * ranks, 3, 2
#define GOT 2 * ranks, 2, 3, 2
#define APART 4 * ranks, 2, 3, 2
#define EVEN ::2, :, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST five_i32
#define ELEMENT integer(int32)
#define NAME "i32"
#define SHAPE :, :, :, :, :
#define DEEP
#define FROM "(block, *, *, *, *)"
#define TO "(*, block, *, *, *)"
#define OWN 2, 2 * ranks, 3, 2, 2
#define WIDE 4, 2 * ranks, 3, 2, 2
#define GOT 2 * ranks, 2, 3, 2, 2
#define APART 4 * ranks, 2, 3, 2, 2
#define EVEN ::2, :, :, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST six_i64
#define ELEMENT integer(int64)
#define NAME "i64"
#define SHAPE :, :, :, :, :, :
#define DEEP
#define FROM "(block, *, *, *, *, *)"
#define TO "(*, block, *, *, *, *)"
#define OWN 2, 2 * ranks, 3, 2, 2, 1
#define WIDE 4, 2 * ranks, 3, 2, 2, 1
#define GOT 2 * ranks, 2, 3, 2, 2, 1
#define APART 4 * ranks, 2, 3, 2, 2, 1
#define EVEN ::2, :, :, :, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST seven_r64
#define ELEMENT real(real64)
#define NAME "f64"
#define SHAPE :, :, :, :, :, :, :
#define DEEP
#define FROM "(block, *, *, *, *, *, *)"
#define TO "(*, block, *, *, *, *, *)"
#define OWN 2, 2 * ranks, 3, 2, 1, 2, 1
#define WIDE 4, 2 * ranks, 3, 2, 1, 2, 1
#define GOT 2 * ranks, 2, 3, 2, 1, 2, 1
#define APART 4 * ranks, 2, 3, 2, 1, 2, 1
#define EVEN ::2, :, :, :, :, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
#define TEST seven_c32
#define ELEMENT complex(real32)
#define NAME "c32"
#define SHAPE :, :, :, :, :, :, :
#define DEEP
#define FROM "(block, *, *, *, *, *, *)"
#define TO "(*, block, *, *, *, *, *)"
#define OWN 2, 2 * ranks, 3, 2, 1, 2, 1
#define WIDE 4, 2 * ranks, 3, 2, 1, 2, 1
#define GOT 2 * ranks, 2, 3, 2, 1, 2, 1
#define APART 4 * ranks, 2, 3, 2, 1, 2, 1
#define EVEN ::2, :, :, :, :, :, :
#include "ranks.inc"
#include "ranks_undefined.inc"
end module

! feature: dimensions of an array = 0 to 7 by its type, 0 to 8 by `c_loc`
program ranks_of_arrays
  use any_ranks
  implicit none
  integer :: code, all_wrong

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  write (onto, "(a, i0)") " onto ", ranks
  call line_r64()
  call two_r32()
  call three_c32()
  call three_i8()
  call four_c64()
  call four_i16()
  call five_i32()
  call six_i64()
  call seven_r64()
  call seven_c32()
  call components()
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0) print "(i0, a, i0, a)", all_wrong, " wrong of any dimensions on ", ranks, " ranks"
  call MPI_Finalize(code)
  if (all_wrong /= 0) error stop 1
end program
