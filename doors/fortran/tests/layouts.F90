! Layouts as numbers, of ScaLAPACK, of MPI and of meshes; figures of plans, relabelled ranks, and plans as JSON. In each process by itself.
program layouts
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use mpi_f08
  use redist
  implicit none
  integer :: wrong, code
  character(:), allocatable :: text

  call MPI_Init(code)
  wrong = 0
  call numbers()
  call scalapack()
  call darray()
  call meshes()
  call figures()
  call explained()
  call json()
  print "(i0, a)", wrong, " wrong of layouts in other words"
  call MPI_Finalize(code)
  if (wrong /= 0) error stop 1

contains

  subroutine must(is_so, words)
    logical, intent(in) :: is_so
    character(*), intent(in) :: words
    if (is_so) return
    wrong = wrong + 1
    print "(4a)", "not so: ", words, "; last message: ", redist_last_message()
  end subroutine

  subroutine is(expected)
    character(*), intent(in) :: expected
    if (.not. allocated(text)) text = ""
    call must(text == expected, expected // ", found " // text)
  end subroutine

  subroutine expect(status, expected, words)
    integer, intent(in) :: status
    integer(int32), intent(in) :: expected
    character(*), intent(in) :: words
    call must(status == expected .and. index(redist_last_message(), words) > 0, words)
  end subroutine

  ! feature: layouts = texts; numbers
  subroutine numbers()
    type(redist_layout_numbers) :: from, to
    type(redist_plan) :: plan
    integer(int64) :: moved
    integer :: status
    from%blocks = [REDIST_GEN_BLOCK, REDIST_GEN_BLOCK]
    from%grid = [2_int64, 3_int64]
    from%sizes = [3_int64, 4_int64, 1_int64, 2_int64, 7_int64]
    from%fortran = .false.
    call redist_layout_text(from, text)
    call is("(gen_block([3, 4]), gen_block([1, 2, 7])) onto (2, 3)")
    to%blocks = [2_int64, REDIST_BLOCK]
    to%grid = [2_int64, 3_int64]
    to%axes = [1_int64, 0_int64]
    to%of = [12_int64, 9_int64]
    to%at = [2_int64, 1_int64]
    call redist_layout_text(to, text)
    call is("(cyclic(2), block) onto (2, 3) storage fortran of [12, 9] at [2, 1] axes (1, 0)")
    call redist_parse([7_int64, 10_int64], from, to, plan)
    call redist_plan_layout(plan, REDIST_SOURCE, text)
    call is("(gen_block([3, 4]), gen_block([1, 2, 7])) onto (2, 3)")
    call redist_plan_verify(plan, "f64", moved)
    call must(moved == 70, "numbers move")
    call redist_free(plan)
    from%sizes = [3_int64]
    call redist_parse([7_int64, 10_int64], from, to, plan, status)
    call expect(status, REDIST_LAYOUT, "sizes has 1, but the grid has 5")
    from%grid = [2_int64]
    call redist_layout_text(from, text, status)
    call must(status == REDIST_ARGUMENT, "short lists are refused")
  end subroutine

  ! feature: descriptors of ScaLAPACK, MPI_Type_create_darray, meshes = the same
  subroutine scalapack()
    integer(int32) :: desc(9), found(9)
    type(redist_plan) :: plan
    integer :: status
    desc = [1, 0, 100, 60, 8, 4, 1, 0, 52]
    call redist_layout_scalapack(desc, 100_int32, 60_int32, 1_int32, 1_int32, 2_int32, 3_int32, text)
    call is("(cyclic(8), cyclic(4)) onto (2, 3) first (1, 0) storage fortran")
    call redist_parse([100_int64, 60_int64], text, "(block, *) onto 6", plan)
    call redist_plan_scalapack(plan, REDIST_SOURCE, 0_int32, 0_int64, found)
    call must(all(found(:8) == desc(:8)) .and. found(9) == 48, "descriptors come back")
    call redist_plan_scalapack(plan, REDIST_DESTINATION, 0_int32, 0_int64, found, status)
    call expect(status, REDIST_LAYOUT, "stored column by column there")
    call redist_free(plan)
    call redist_layout_scalapack(int(desc, int64), 30_int64, 20_int64, 5_int64, 9_int64, 2_int64, 3_int64, text)
    call is("(cyclic(8), cyclic(4)) onto (2, 3) first (1, 0) storage fortran of [100, 60] at [4, 8]")
    call redist_layout_scalapack(desc, 30_int32, 20_int32, 72_int32, 1_int32, 2_int32, 3_int32, text, status)
    call expect(status, REDIST_ARGUMENT, "m is 30, and the submatrix ends behind its matrix")
  end subroutine

  subroutine darray()
    integer(int32) :: dargs(3)
    integer :: status
    dargs = [2, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG]
    call redist_layout_darray([10_int32, 9_int32, 8_int32], [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK], &
                              dargs, [2_int32, 1_int32, 3_int32], MPI_ORDER_FORTRAN, text)
    call is("(cyclic(2), *, block) onto (2, 3) storage fortran")
    call redist_layout_darray([10_int32, 9_int32, 8_int32], [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK], &
                              dargs, [2_int32, 3_int32, 1_int32], MPI_ORDER_C, text, status)
    call expect(status, REDIST_ARGUMENT, "psize is 3")
    call redist_layout_darray([10_int32, 9_int32], [MPI_DISTRIBUTE_CYCLIC], dargs, [2_int32, 3_int32], MPI_ORDER_C, text, status)
    call expect(status, REDIST_ARGUMENT, "`dimensions` is -1")
    call again()
  end subroutine

  ! Layouts of a plan in the words of MPI and of meshes.
  subroutine again()
    type(redist_plan) :: plan
    type(redist_mesh) :: mesh
    integer(int32), allocatable :: gsizes(:), distribs(:), dargs(:), psizes(:)
    integer(int32) :: order
    integer :: status
    call redist_parse([10_int64, 8_int64], "(cyclic(2), block) onto (2, 3) storage fortran", "(*, cyclic(2)) onto 2", plan)
    call redist_plan_darray(plan, REDIST_SOURCE, gsizes, distribs, dargs, psizes, order)
    call redist_layout_darray(gsizes, distribs, dargs, psizes, order, text)
    call is("(cyclic(2), block) onto (2, 3) storage fortran")
    call redist_plan_mesh(plan, REDIST_DESTINATION, mesh)
    call redist_layout_mesh([10_int64, 8_int64], mesh, text)
    call is("(*, cyclic(2)) onto 2")
    call redist_plan_mesh(plan, REDIST_SOURCE, mesh, status)
    call expect(status, REDIST_LAYOUT, "row by row")
    call redist_free(plan)
  end subroutine

  subroutine meshes()
    type(redist_mesh) :: tiles, copied
    type(redist_copies) :: copies
    integer(int64) :: ranks, from, to
    integer :: status
    tiles%extents = [2_int64, 2_int64]
    tiles%placements = [1_int32, 0_int32]
    call redist_layout_mesh([9_int64, 8_int64], tiles, text)
    call is("(block, block) onto (2, 2) ranks [0, 2, 1, 3]")
    copied = tiles
    copied%placements = [REDIST_REPLICATE, 0_int32]
    call redist_layout_mesh([9_int64, 8_int64], copied, text, status)
    call expect(status, REDIST_LAYOUT, "copies")
    call redist_copies_meshes([9_int64, 8_int64], tiles, copied, copies)
    call redist_copies_size(copies, ranks, from, to)
    call must(ranks == 4 .and. from == 1 .and. to == 2, "meshes have copies")
    call redist_free(copies)
    copied%placements = [REDIST_PARTIAL, 0_int32]
    call redist_copies_meshes([9_int64, 8_int64], copied, tiles, copies, REDIST_COMBINE_SUM)
    call redist_copies_size(copies, ranks, from, to)
    call must(from == 2 .and. to == 1, "partial meshes have addends")
    call redist_free(copies)
    copied%placements = [0_int32]
    call redist_layout_mesh([9_int64, 8_int64], copied, text, status)
    call expect(status, REDIST_ARGUMENT, "`mesh.dimensions` is -1")
  end subroutine

  ! feature: ranks in other cells, with their table = `redist_plan_relabelling`
  ! feature: steps, elements that stay, memory = `redist_plan_figures`
  subroutine figures()
    type(redist_figures) :: found
    type(redist_plan) :: plan, best
    integer(int64), allocatable :: table(:)
    integer(int64) :: stayed, stays
    call redist_parse([12_int64], "block onto 4", "gen_block([4, 2, 3, 3]) onto 4 first 1", plan)
    call redist_plan_figures(plan, "f64", found)
    call must(found%stays == 1 .and. found%steps >= 1 .and. found%stays_is_exact, "plans have figures")
    call redist_plan_relabelling(plan, best, table, stayed, stays)
    call must(all(table == [3, 0, 1, 2]) .and. lbound(table, 1) == 0 .and. stayed == 1 .and. stays == 11, "ranks are relabelled")
    call redist_free(best)
    call redist_free(plan)
  end subroutine

  ! feature: plans explained, as text and JSON = `redist_explain`, `redist_plan_explain_json`
  subroutine explained()
    type(redist_plan) :: plan
    character(:), allocatable :: one
    integer :: status
    call redist_parse([12_int64], "block onto 4", "cyclic onto 3", plan)
    call redist_explain(plan, text)
    call must(index(text, "cyclic onto 3") > 0, "plans are explained")
    call redist_plan_explain_json(plan, "f64", text)
    call must(index(text, '"counts":[[1,1,1],[1,1,1],[1,1,1],[1,1,1]]') > 0, "plans are explained as JSON")
    call redist_plan_explain_json(plan, "f64", one, rank=3_int64, counts=11_int64)
    call must(index(one, '"counts":null') > 0 .and. index(one, '"rank":{"rank":3,') > 0, "ranks are explained")
    call redist_plan_explain_json(plan, "f64", one, rank=4_int64, status=status)
    call expect(status, REDIST_ARGUMENT, "`rank` is 4")
    call redist_free(plan)
  end subroutine

  ! feature: plans in files = `redist_plan_json`
  subroutine json()
    type(redist_plan) :: plan, again
    character(:), allocatable :: other
    integer :: status
    call redist_parse([100_int64, 60_int64], "scalapack(8, 8, 2, 2)", "(block, *) onto 4", plan)
    call redist_plan_json(plan, text)
    call redist_plan_from_json(text, again)
    call redist_plan_json(again, other)
    call is(other)
    call redist_free(again)
    call redist_plan_from_json("[]", again, status)
    call expect(status, REDIST_LAYOUT, "no list `extents`")
    call redist_free(plan)
  end subroutine
end program
