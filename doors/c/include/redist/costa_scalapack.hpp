// ScaLAPACK's matrices moved by the names of COSTA: `costa_p?gemr2d`, `costa_p?tran`, `costa_p?tranu`, `costa_p?tranc`, for
// C++17. Programs are linked with libredist_scalapack, libredist and ScaLAPACK, in this order. The guide is docs/c.md.
#ifndef REDIST_COSTA_SCALAPACK_HPP
#define REDIST_COSTA_SCALAPACK_HPP

#include "costa.hpp"

namespace costa {
using zdouble_t = std::complex<double>;
using zfloat_t = std::complex<float>;

/// The functions of BLACS that programs of COSTA call.
namespace blacs {
extern "C" {
void Cblacs_pinfo(int *mypnum, int *nprocs);
void Cblacs_setup(int *mypnum, int *nprocs);
void Cblacs_set(int ictxt, int what, int *val);
void Cblacs_get(int ictxt, int what, int *val);
void Cblacs_gridinit(int *ictxt, char *order, int nprow, int npcol);
void Cblacs_gridmap(int *ictxt, int *usermap, int ldup, int nprow, int npcol);
void Cblacs_freebuff(int ictxt, int wait);
void Cblacs_gridexit(int ictxt);
void Cblacs_exit(int not_done);
void Cblacs_abort(int ictxt, int error);
void Cblacs_gridinfo(int ictxt, int *nprow, int *npcol, int *myrow, int *mycol);
int Cblacs_pnum(int ictxt, int prow, int pcol);
void Cblacs_pcoord(int ictxt, int nodenum, int *prow, int *pcol);
void Cblacs_barrier(int ictxt, char *scope);
MPI_Comm Cblacs2sys_handle(int ictxt);
int Csys2blacs_handle(MPI_Comm communicator);
void Cfree_blacs_system_handle(int handle);
}
}  // namespace blacs

namespace redist_detail {
// ScaLAPACK's own names, under which the program may have declared them with other types.
extern "C" {
using Gemr2d = void(const int *, const int *, const void *, const int *, const int *, const int *, void *, const int *, const int *,
                    const int *, const int *);
Gemr2d redist_psgemr2d __asm__("psgemr2d_");
Gemr2d redist_pdgemr2d __asm__("pdgemr2d_");
Gemr2d redist_pcgemr2d __asm__("pcgemr2d_");
Gemr2d redist_pzgemr2d __asm__("pzgemr2d_");
Gemr2d redist_pigemr2d __asm__("pigemr2d_");
void redist_blacs_get(const int *context, const int *what, int *value) __asm__("blacs_get_");
}

/// The entries of an array descriptor.
enum Entry { context = 1, rows, cols, row_block, col_block, first_row, first_col, leading };

/// Describes a section of one of ScaLAPACK's matrices, on the communicator of its context, whose ranks fill the grid row by row.
template <typename T>
grid_layout<T> section(T *local, int i, int j, const int *desc, int m, int n) {
  int grid[2] = {0, 0}, at[2] = {-1, -1};
  blacs::Cblacs_gridinfo(desc[context], &grid[0], &grid[1], &at[0], &at[1]);
  return block_cyclic_layout<T>(desc[rows], desc[cols], desc[row_block], desc[col_block], i, j, m, n, grid[0], grid[1], 'R', desc[first_row],
                                desc[first_col], local, desc[leading], 'C', at[0] * grid[1] + at[1]);
}
}  // namespace redist_detail

/// Moves a section of a matrix to a section of another, as p?gemr2d does. The two may have different grids.
template <typename T>
void pxgemr2d(const int m, const int n, const T *a, const int ia, const int ja, const int *desca, T *b, const int ib, const int jb,
              const int *descb, const int ictxt) {
  const auto call = [&](redist_detail::Gemr2d &function) { function(&m, &n, a, &ia, &ja, desca, b, &ib, &jb, descb, &ictxt); };
  if constexpr (std::is_same_v<T, float>) call(redist_detail::redist_psgemr2d);
  else if constexpr (std::is_same_v<T, double>) call(redist_detail::redist_pdgemr2d);
  else if constexpr (std::is_same_v<T, zfloat_t>) call(redist_detail::redist_pcgemr2d);
  else if constexpr (std::is_same_v<T, zdouble_t>) call(redist_detail::redist_pzgemr2d);
  else if constexpr (std::is_same_v<T, int>) call(redist_detail::redist_pigemr2d);
  else static_assert(redist_detail::no<T>, "p?gemr2d moves float, double, int and complex numbers");
}

/// C becomes beta C + alpha op(A), where C is m x n, A is n x m, and both have one context: 'T' transposes, and 'C' takes the
/// conjugate, too.
template <typename T>
void pxtran_op(const int m, const int n, const T alpha, const T *a, const int ia, const int ja, const int *desca, const T beta, T *c,
               const int ic, const int jc, const int *descc, char op) {
  const int number = desca[redist_detail::context], communicator = 10;
  if (number != descc[redist_detail::context])
    throw std::invalid_argument("A has the BLACS context " + std::to_string(number) + " and C the context " +
                                std::to_string(descc[redist_detail::context]) + "; p?tran takes matrices of one");
  grid_layout<T> from = redist_detail::section(const_cast<T *>(a), ia, ja, desca, n, m), to = redist_detail::section(c, ic, jc, descc, m, n);
  int handle = 0;
  redist_detail::redist_blacs_get(&number, &communicator, &handle);
  transform<T>(from, to, op, alpha, beta, MPI_Comm_f2c(handle));
}

/// Numbers of array descriptors, as programs of COSTA compute them.
namespace scalapack {
/// Elements of a dimension that a process holds.
inline int numroc(int n, int nb, int coordinate, int first, int processes) {
  const int turn = (processes + coordinate - first) % processes, whole = n / nb, more = whole % processes;
  return whole / processes * nb + (turn < more ? nb : turn == more ? n % nb : 0);
}
/// The fewest rows that a process may hold, but for the last block.
inline int min_leading_dimension(int n, int nb, int processes) { return n / nb / processes * nb; }
/// The most rows that a process may hold.
inline int max_leading_dimension(int n, int nb, int processes) {
  return min_leading_dimension(n, nb, processes) + (n / nb % processes == 0 ? n % nb : nb);
}
inline int leading_dimension(const int *desc) { return desc[redist_detail::leading]; }
/// Elements of this process's part of a matrix.
inline int local_buffer_size(const int *desc) {
  int grid[2] = {0, 0}, at[2] = {-1, -1};
  blacs::Cblacs_gridinfo(desc[redist_detail::context], &grid[0], &grid[1], &at[0], &at[1]);
  const int columns = numroc(desc[redist_detail::cols], desc[redist_detail::col_block], at[1], desc[redist_detail::first_col], grid[1]);
  return leading_dimension(desc) * columns;
}
}  // namespace scalapack
}  // namespace costa

// COSTA's functions in their four spellings. Complex numbers are passed by the place of their real part.
#define REDIST_COSTA_GEMR2D(name, plain, T)                                                                                        \
  inline void name(const int *m, const int *n, const plain *a, const int *ia, const int *ja, const int *desca, plain *b, const int *ib, \
                   const int *jb, const int *descb, const int *ictxt) {                                                            \
    costa::pxgemr2d<T>(*m, *n, reinterpret_cast<const T *>(a), *ia, *ja, desca, reinterpret_cast<T *>(b), *ib, *jb, descb, *ictxt);  \
  }
#define REDIST_COSTA_TRAN(name, plain, T, op)                                                                                      \
  inline void name(const int *m, const int *n, const plain *alpha, const plain *a, const int *ia, const int *ja, const int *desca, \
                   const plain *beta, plain *c, const int *ic, const int *jc, const int *descc) {                                  \
    costa::pxtran_op<T>(*m, *n, *reinterpret_cast<const T *>(alpha), reinterpret_cast<const T *>(a), *ia, *ja, desca,              \
                        *reinterpret_cast<const T *>(beta), reinterpret_cast<T *>(c), *ic, *jc, descc, op);                        \
  }
#define REDIST_COSTA_SPELLED(macro, small, capital, ...) \
  macro(small, __VA_ARGS__) macro(small##_, __VA_ARGS__) macro(small##__, __VA_ARGS__) macro(capital, __VA_ARGS__)

REDIST_COSTA_SPELLED(REDIST_COSTA_GEMR2D, costa_psgemr2d, COSTA_PSGEMR2D, float, float)
REDIST_COSTA_SPELLED(REDIST_COSTA_GEMR2D, costa_pdgemr2d, COSTA_PDGEMR2D, double, double)
REDIST_COSTA_SPELLED(REDIST_COSTA_GEMR2D, costa_pcgemr2d, COSTA_PCGEMR2D, float, costa::zfloat_t)
REDIST_COSTA_SPELLED(REDIST_COSTA_GEMR2D, costa_pzgemr2d, COSTA_PZGEMR2D, double, costa::zdouble_t)
REDIST_COSTA_SPELLED(REDIST_COSTA_GEMR2D, costa_pigemr2d, COSTA_PIGEMR2D, int, int)
REDIST_COSTA_SPELLED(REDIST_COSTA_TRAN, costa_pstran, COSTA_PSTRAN, float, float, 'T')
REDIST_COSTA_SPELLED(REDIST_COSTA_TRAN, costa_pdtran, COSTA_PDTRAN, double, double, 'T')
REDIST_COSTA_SPELLED(REDIST_COSTA_TRAN, costa_pctranu, COSTA_PCTRANU, float, costa::zfloat_t, 'T')
REDIST_COSTA_SPELLED(REDIST_COSTA_TRAN, costa_pztranu, COSTA_PZTRANU, double, costa::zdouble_t, 'T')
REDIST_COSTA_SPELLED(REDIST_COSTA_TRAN, costa_pctranc, COSTA_PCTRANC, float, costa::zfloat_t, 'C')
REDIST_COSTA_SPELLED(REDIST_COSTA_TRAN, costa_pztranc, COSTA_PZTRANC, double, costa::zdouble_t, 'C')

#endif  // REDIST_COSTA_SCALAPACK_HPP
