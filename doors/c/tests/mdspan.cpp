// std::mdspan, or the reference implementation's, of every layout that has strides: moved, in two calls, scaled, in batches, packed, dealt
// and put together. On 1 to 6 ranks. It needs a header of mdspan.
#include <redist.hpp>

#ifndef REDIST_HAS_MDSPAN
#error "no header has mdspan: compile with `-std=c++23`, or name a folder of the reference implementation"
#endif
#include "checks.hpp"

#include <numeric>

namespace {

namespace md = redist::md;
using Rows = md::mdspan<double, md::dextents<std::size_t, 2>>;
using Columns = md::mdspan<double, md::dextents<std::size_t, 2>, md::layout_left>;
using Strided = md::mdspan<double, md::dextents<std::size_t, 2>, md::layout_stride>;

int size = 0;

template <typename View>
auto &at(const View &view, std::size_t i, std::size_t j) {
  return view.data_handle()[view.mapping()(i, j)];
}

Strided strided(std::vector<double> &memory, std::size_t rows, std::size_t columns, std::size_t along, std::size_t across) {
  using Extents = md::dextents<std::size_t, 2>;
  return Strided(memory.data(), md::layout_stride::mapping<Extents>(Extents(rows, columns), std::array<std::size_t, 2>{along, across}));
}

double element(std::size_t i, std::size_t j) { return static_cast<double>(1000 * i + j); }

/// Rows of each rank, and the columns that they become.
template <typename View>
void fill(const View &view) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(view.extent(0)); ++i)
    for (std::size_t j = 0; j < static_cast<std::size_t>(view.extent(1)); ++j) at(view, i, j) = element(i + 3 * static_cast<std::size_t>(rank), j);
}
template <typename View>
bool is_right(const View &view, double factor = 1) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(view.extent(0)); ++i)
    for (std::size_t j = 0; j < static_cast<std::size_t>(view.extent(1)); ++j)
      if (at(view, i, j) != factor * element(i, j + 4 * static_cast<std::size_t>(rank))) return false;
  return true;
}

/// Moves between views that lie as the plan says, by each call.
template <typename From, typename To>
void moves(redist::Bound<double> &bound, const From &from, const To &to, std::vector<double> &memory) {
  fill(from);
  memory.assign(memory.size(), -1.0);
  bound.run(from, to);
  must(is_right(to), __LINE__);
  memory.assign(memory.size(), -1.0);
  bound.start(from, static_cast<std::size_t>(bound.local_len(redist::Side::destination)));
  bound.finish(to);
  must(is_right(to), __LINE__);
  bound.run_scaled(2.0, from, 1.0, to);
  must(is_right(to, 3), __LINE__);
  bound.run_with(from, to, [](double arrived, double &kept) { kept = arrived; });
  must(is_right(to), __LINE__);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string onto = " onto " + std::to_string(size);
  const std::size_t all = 4 * static_cast<std::size_t>(size), here = 3 * static_cast<std::size_t>(size);
  {
    const redist::Plan plan({3 * size, 4 * size}, "(block, *)" + onto, "(*, block)" + onto + " storage fortran");
    redist::Bound<double> bound(plan, MPI_COMM_WORLD);
    std::vector<double> source(3 * all), destination(4 * here);
    const Rows rows(source.data(), 3, all);
    const Columns columns(destination.data(), here, 4);
    moves(bound, rows, columns, destination);
    must(status_of([&] { bound.run(Columns(source.data(), 3, all), columns); }) == REDIST_ARRAY, __LINE__);
    must(status_of([&] { bound.run(rows, Rows(destination.data(), here, 4)); }) == REDIST_ARRAY, __LINE__);
    bound.run(rows, columns);
    // The memory as the plan has it.
    const auto view = redist::local_view<2>(bound, redist::Side::destination, destination.data());
    must(view.extent(0) == 3 * size && view.extent(1) == 4 && is_right(view), __LINE__);
    moves(bound, redist::local_view<2>(bound, redist::Side::source, source.data()), view, destination);
    try {
      redist::local_view<3>(bound, redist::Side::source, source.data());
      must(false, __LINE__);
    } catch (const std::invalid_argument &) {
    }
    // Every other element of wider rows, and columns that are apart.
    std::vector<double> wide(3 * (2 * all + 1)), apart(4 * (here + 2));
    const Strided from = strided(wide, 3, all, 2 * all + 1, 2), to = strided(apart, here, 4, 1, here + 2);
    redist::Bound<double> as_they_lie(plan, MPI_COMM_WORLD, from, to);
    moves(as_they_lie, from, to, apart);
    must(apart[here] == -1.0, __LINE__);
    // Elements of constant type, of static extents, and a batch of both.
    const md::mdspan<const double, md::dextents<std::size_t, 2>> constant(source.data(), 3, all);
    redist::Batch batch;
    batch.add<double>(plan).add<double>(plan);
    redist::BoundBatch bound_batch(batch, MPI_COMM_WORLD);
    std::vector<double> second(destination.size(), -1.0);
    const Columns other(second.data(), here, 4);
    destination.assign(destination.size(), -1.0);
    fill(rows);
    bound_batch.run(std::tie(constant, rows), std::tie(columns, other));
    must(is_right(columns) && is_right(other), __LINE__);
    // Packed, dealt and put together.
    const redist::Packing<double> packing(plan, rank);
    const std::vector<double> mail = packing.pack_all(rows);
    must(mail.size() == source.size(), __LINE__);
    must(status_of([&] { packing.pack_all(Columns(source.data(), 3, all)); }) == REDIST_ARRAY, __LINE__);
    std::vector<double> whole(here * all), again(here * all, -1.0);
    std::iota(whole.begin(), whole.end(), 0.0);
    const Columns whole_view(whole.data(), here, all);
    const auto parts = plan.scatter(redist::Side::source, whole_view);
    plan.gather(redist::Side::source, parts, Columns(again.data(), here, all));
    must(again == whole, __LINE__);
    std::vector<std::vector<float>> halves(static_cast<std::size_t>(size), std::vector<float>(destination.size()));
    plan.simulate_with(parts, halves, [](double arrived, float &kept) { kept = static_cast<float>(arrived / 2); });
    must(halves[0][1] == static_cast<float>(whole[1] / 2), __LINE__);
  }
  int sum = 0;
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("mdspan in C++ on %d ranks: %d failures\n", size, sum);
  MPI_Finalize();
  return sum != 0;
}
