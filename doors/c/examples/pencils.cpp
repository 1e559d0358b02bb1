// Pencils of a cube along one axis become pencils along another: `mpirun -n 4 pencils`.
#include <algorithm>
#include <cstdio>
#include <redist.hpp>

namespace {

constexpr std::int64_t n = 24;

double element(const std::vector<std::int64_t> &at) { return static_cast<double>((at[0] * n + at[1]) * n + at[2]); }

/// A view of elements that are elsewhere, as `std::span` is in C++20.
struct View {
  double *first;
  std::size_t length;
  double *data() const { return first; }
  std::size_t size() const { return length; }
};

int run() {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string ranks = std::to_string(size);
  const redist::Plan plan({n, n, n}, "(block, *, *) onto " + ranks, "(*, block, *) onto " + ranks);
  // All ranks compare plans and allocate what they need, once.
  redist::Bound<double> bound(plan, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s\n", bound.explain().c_str());

  std::vector<double> source = bound.array(redist::Side::source);
  const std::int64_t each = (n + size - 1) / size, first = rank * each;
  for (std::size_t at = 0; at < source.size(); ++at) source[at] = static_cast<double>(first * n * n) + at;
  std::vector<double> destination = bound.array(redist::Side::destination);
  bound.run(source, destination);

  // The planes of the second axis from `first` on are this rank's now.
  const std::int64_t held = first >= n ? 0 : (first + each > n ? n - first : each);
  long wrong = static_cast<std::int64_t>(destination.size()) != n * held * n;
  for (std::int64_t i = 0; i < n && wrong == 0; ++i)
    for (std::int64_t j = 0; j < held; ++j)
      for (std::int64_t k = 0; k < n; ++k) wrong += destination[(i * held + j) * n + k] != element({i, first + j, k});

  // An error is an exception, or a status.
  try {
    redist::Plan({n}, "blok onto 2", "(*)");
    ++wrong;
  } catch (const redist::Error &error) {
    wrong += error.status() != REDIST_LAYOUT;
    if (rank == 0) std::printf("refused: %s\n", error.what());
  }
  wrong += bound.run(std::nothrow, source.data(), source.size() + 1, destination.data(), destination.size()) == REDIST_OK;

  // The way back, in two calls.
  redist::Bound<double> back(plan.inverse(), MPI_COMM_WORLD);
  std::vector<double> again = back.array(redist::Side::destination);
  back.start(destination, again.size());
  while (!back.test()) {
  }
  back.finish(again);
  wrong += again != source;

  // The same between arrays that the ranks of a node share, each element copied once.
  redist::SharedArray<double> shared = bound.shared_array(redist::Side::source);
  redist::SharedArray<double> moved = bound.shared_array(redist::Side::destination);
  std::copy(source.begin(), source.end(), shared.begin());
  bound.run(shared, moved);
  wrong += !std::equal(moved.begin(), moved.end(), destination.begin(), destination.end());

  // Between views, and in two calls between shared arrays.
  std::fill(moved.begin(), moved.end(), -1.0);
  bound.run(View{source.data(), source.size()}, View{moved.data(), moved.size()});
  wrong += !std::equal(moved.begin(), moved.end(), destination.begin(), destination.end());
  std::fill(moved.begin(), moved.end(), -1.0);
  bound.start(shared, moved.size());
  bound.finish(moved);
  wrong += !std::equal(moved.begin(), moved.end(), destination.begin(), destination.end());

  long all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld wrong on %d ranks\n", all, size);
  return all != 0;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int failed = 1;
  try {
    failed = run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return failed;
}
