// Views of two dimensions, as std::mdspan has them: their shapes are compared. On 2 to 6 ranks.
#include <array>
#include <cstdio>
#include <redist.hpp>

namespace {

int failures = 0;

void must(bool is_so, int line) {
  if (is_so) return;
  ++failures;
  std::fprintf(stderr, "line %d; last message: %s\n", line, redist_last_message());
}

/// As std::mdspan<double, std::dextents<std::size_t, 2>> with a layout of its own.
struct View {
  double *handle;
  std::array<std::size_t, 2> extents, strides;
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t at) const { return extents[at]; }
  std::size_t stride(std::size_t at) const { return strides[at]; }
  double *data_handle() const { return handle; }
};

View rows(std::vector<double> &array, std::size_t rows, std::size_t columns) { return {array.data(), {rows, columns}, {columns, 1}}; }
View columns(std::vector<double> &array, std::size_t rows, std::size_t columns) { return {array.data(), {rows, columns}, {1, rows}}; }

template <typename Call>
redist_status status_of(Call call) {
  try {
    call();
    return REDIST_OK;
  } catch (const redist::Error &error) {
    return error.status();
  }
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string onto = " onto " + std::to_string(size);
  const std::size_t all = 4 * static_cast<std::size_t>(size), here = 3 * static_cast<std::size_t>(size);
  {
    const redist::Plan plan({3 * size, 4 * size}, "(block, *)" + onto, "(*, block)" + onto);
    redist::Bound<double> bound(plan, MPI_COMM_WORLD);
    std::vector<double> source = bound.array(redist::Side::source), destination = bound.array(redist::Side::destination);
    for (std::size_t at = 0; at < source.size(); ++at) source[at] = static_cast<double>(1000 * (3 * rank + at / all) + at % all);
    auto is_right = [&] {
      for (std::size_t at = 0; at < destination.size(); ++at)
        if (destination[at] != static_cast<double>(1000 * (at / 4) + 4 * rank + at % 4)) return false;
      return true;
    };
    bound.run(rows(source, 3, all), rows(destination, here, 4));
    must(is_right(), __LINE__);
    destination.assign(destination.size(), -1.0);
    bound.start(rows(source, 3, all), destination.size());
    must(status_of([&] { bound.finish(columns(destination, here, 4)); }) == REDIST_ARRAY, __LINE__);
    bound.finish(rows(destination, here, 4));
    must(is_right(), __LINE__);
    destination.assign(destination.size(), -1.0);
    must(status_of([&] { bound.run(columns(source, 3, all), destination); }) == REDIST_ARRAY, __LINE__);
    must(status_of([&] { bound.run(rows(source, all, 3), destination); }) == REDIST_ARRAY, __LINE__);
    must(status_of([&] { bound.run(source, columns(destination, here, 4)); }) == REDIST_ARRAY, __LINE__);
    must(bound.run(std::nothrow, columns(source, 3, all), destination) == REDIST_ARRAY, __LINE__);
    must(destination[0] == -1.0, __LINE__);
    bound.run(source, destination);
    must(is_right(), __LINE__);
    // Scaled, and through functions.
    bound.run_scaled(2.0, rows(source, 3, all), 1.0, rows(destination, here, 4));
    for (double &element : destination) element /= 3;
    must(is_right(), __LINE__);
    must(status_of([&] { bound.run_scaled(2.0, columns(source, 3, all), 1.0, destination); }) == REDIST_ARRAY, __LINE__);
    std::vector<float> rounded(destination.size());
    bound.run_with(source, rounded, [](double arrived, float &kept) { kept = static_cast<float>(arrived); });
    destination.assign(rounded.begin(), rounded.end());
    must(is_right(), __LINE__);
    try {
      bound.run_with(source, rounded, [](double, float &) { throw 7; });
      must(rounded.empty(), __LINE__);
    } catch (int thrown) {
      must(thrown == 7, __LINE__);
    }
    bound.run(source, destination);
    must(is_right(), __LINE__);
    must(plan.owner(redist::Side::destination, {0, 4 * size - 1}) == size - 1 && plan.volume(0, size - 1) == 12, __LINE__);
    // Messages packed by the library, of all ranks in this process.
    std::vector<double> arrived(destination.size(), -1.0);
    for (int sender = 0; sender < size; ++sender) {
      const redist::Packing<double> packing(plan, sender), own(plan, rank);
      std::vector<double> theirs = packing.array(redist::Side::source), buffer(12);
      for (std::size_t at = 0; at < theirs.size(); ++at) theirs[at] = static_cast<double>(1000 * (3 * sender + at / all) + at % all);
      packing.pack(theirs, rank, buffer);
      must(packing.messages(redist::Side::source)[static_cast<std::size_t>(rank)].elements == 12, __LINE__);
      own.unpack(buffer, sender, arrived);
      buffer.pop_back();
      must(status_of([&] { own.unpack(buffer, sender, arrived); }) == REDIST_ARRAY, __LINE__);
    }
    must(arrived == destination, __LINE__);
    try {
      plan.local_extents(redist::Side::source, size);
      must(false, __LINE__);
    } catch (const redist::Error &error) {
      must(error.status() == REDIST_ARGUMENT, __LINE__);
    }
  }
  int sum = 0;
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("views in C++ on %d ranks: %d failures\n", size, sum);
  MPI_Finalize();
  return sum != 0;
}
