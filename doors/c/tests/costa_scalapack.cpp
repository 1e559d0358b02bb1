// ScaLAPACK's matrices moved by COSTA's names, as a program includes them: between all pairs of grids, and transposed, each
// element compared. COSTA 2.3.2 gives wrong values where grids differ. On 4 ranks, or as many as form the grids.
#include <costa/pxgemr2d/prefixed_pxgemr2d.h>
#include <costa/pxtran/prefixed_pxtran.h>
#include <costa/pxtranc/prefixed_pxtranc.h>
#include <costa/pxtranu/prefixed_pxtranu.h>
#include <costa/scalapack.hpp>

#include <cstdio>
#include <cstdlib>

namespace {
int rank, ranks, calls;

void require(bool holds, const char *words) {
  if (holds) return;
  std::fprintf(stderr, "rank %d of %d: %s\n", rank, ranks, words);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

template <typename T>
T number(int i, int j) {
  if constexpr (costa::redist_detail::is_complex<T>::value) return T(static_cast<typename T::value_type>(i), static_cast<typename T::value_type>(j + 1));
  else return static_cast<T>(i * 64 + j);
}

/// A matrix, its descriptor and this process's place in its grid.
template <typename T>
struct Matrix {
  int grid[2], at[2], desc[9];
  std::vector<T> local;
  Matrix(int context, int m, int n, int mb, int nb) {
    costa::blacs::Cblacs_gridinfo(context, &grid[0], &grid[1], &at[0], &at[1]);
    const int rows = costa::scalapack::numroc(m, mb, at[0], 0, grid[0]), leading = std::max(1, rows) + 2;
    const int given[] = {1, context, m, n, mb, nb, 0, 0, leading};
    std::copy(given, given + 9, desc);
    local.assign(static_cast<std::size_t>(costa::scalapack::local_buffer_size(desc)) + 1, number<T>(7, 60));
  }
  template <typename Function>
  void each(Function &&function) {
    for (int i = 0; i < desc[2]; ++i)
      for (int j = 0; j < desc[3]; ++j) {
        if (i / desc[4] % grid[0] != at[0] || j / desc[5] % grid[1] != at[1]) continue;
        const int down = i / desc[4] / grid[0] * desc[4] + i % desc[4], right = j / desc[5] / grid[1] * desc[5] + j % desc[5];
        function(i, j, local[static_cast<std::size_t>(down + right * desc[8])]);
      }
  }
};

/// A section of 13 x 11 elements from row 3 and column 2 on goes to one from row 1 and column 5 on.
template <typename T, typename Plain>
void gemr2d(void (*function)(const int *, const int *, const Plain *, const int *, const int *, const int *, Plain *, const int *, const int *, const int *, const int *),
            const int contexts[2]) {
  Matrix<T> a(contexts[0], 20, 17, 3, 2), c(contexts[1], 18, 19, 4, 5);
  a.each([](int i, int j, T &element) { element = number<T>(i, j); });
  const int m = 13, n = 11, ia = 3, ja = 2, ic = 1, jc = 5;
  function(&m, &n, reinterpret_cast<Plain *>(a.local.data()), &ia, &ja, a.desc, reinterpret_cast<Plain *>(c.local.data()), &ic, &jc, c.desc, &contexts[0]);
  c.each([&](int i, int j, T &element) {
    const bool inside = i < m && j >= 4 && j < 4 + n;
    require(element == (inside ? number<T>(i + 2, j - 3) : number<T>(7, 60)), "an element of p?gemr2d is wrong");
  });
  ++calls;
}

template <typename T, typename Plain>
void tran(void (*function)(const int *, const int *, const Plain *, const Plain *, const int *, const int *, const int *, const Plain *, Plain *, const int *, const int *, const int *),
          int context, bool conjugates) {
  Matrix<T> a(context, 17, 20, 3, 2), c(context, 19, 18, 4, 5);
  a.each([](int i, int j, T &element) { element = number<T>(i, j); });
  const T alpha = number<T>(0, 2), beta = number<T>(0, 3);
  const int m = 12, n = 10, ia = 2, ja = 3, ic = 5, jc = 1;
  const auto plain = [](const T &value) { return reinterpret_cast<const Plain *>(&value); };
  function(&m, &n, plain(alpha), plain(a.local[0]), &ia, &ja, a.desc, plain(beta), reinterpret_cast<Plain *>(c.local.data()), &ic, &jc, c.desc);
  c.each([&](int i, int j, T &element) {
    T must = number<T>(7, 60);
    if (i >= 4 && i < 4 + m && j < n) {
      T arrived = number<T>(j + 1, i - 2);
      if constexpr (costa::redist_detail::is_complex<T>::value)
        if (conjugates) arrived = std::conj(arrived);
      must = alpha * arrived + beta * must;
    }
    require(element == must, "an element of p?tran is wrong");
  });
  ++calls;
}
}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int high = ranks % 2 == 0 ? 2 : 1;
  const int grids[][2] = {{high, ranks / high}, {ranks, 1}, {1, ranks}};
  for (const auto &from : grids)
    for (const auto &to : grids)
      for (const char *order : {"R", "C"}) {
        int contexts[2];
        const int *const both[] = {from, to};
        for (int side = 0; side < 2; ++side) {
          char letter[] = {side == 0 ? 'R' : order[0], '\0'};
          costa::blacs::Cblacs_get(0, 0, &contexts[side]);
          costa::blacs::Cblacs_gridinit(&contexts[side], letter, both[side][0], both[side][1]);
        }
        gemr2d<float, float>(costa_psgemr2d, contexts);
        gemr2d<double, double>(costa_pdgemr2d_, contexts);
        gemr2d<costa::zfloat_t, float>(costa_pcgemr2d__, contexts);
        gemr2d<costa::zdouble_t, double>(COSTA_PZGEMR2D, contexts);
        gemr2d<int, int>(costa_pigemr2d, contexts);
        tran<float, float>(costa_pstran, contexts[1], false);
        tran<double, double>(costa_pdtran, contexts[1], false);
        tran<costa::zfloat_t, float>(costa_pctranu, contexts[1], false);
        tran<costa::zdouble_t, double>(costa_pztranc, contexts[1], true);
        for (const int context : contexts) costa::blacs::Cblacs_gridexit(context);
      }
  MPI_Finalize();
  if (rank == 0) std::printf("%d calls by COSTA's names, each right\n", calls);
  return 0;
}
