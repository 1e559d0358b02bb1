// Copies, sums, batches, index lists and arrays without dimensions in C++, against loops over all elements. On 1 to 6 ranks.
#include "checks.hpp"

#include <algorithm>
#include <numeric>

namespace {

using redist::Side;

int size = 0;

template <typename Call>
bool is_invalid(Call call, const char *words) {
  try {
    call();
    return false;
  } catch (const std::invalid_argument &error) {
    return std::string(error.what()).find(words) != std::string::npos;
  }
}

/// A view of rows, as std::mdspan<const T, …> has it.
template <typename T>
struct Rows {
  T *handle;
  std::size_t height, width;
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t at) const { return at == 0 ? height : width; }
  std::size_t stride(std::size_t at) const { return at == 0 ? width : 1; }
  T *data_handle() const { return handle; }
};

const std::string all_copies() { return " copies " + std::to_string(size); }
const std::string onto() { return " onto " + std::to_string(size); }

/// Blocks of a line to copies of all of it.
void copies() {
  const redist::Copies plan({5 * size}, "block" + onto(), "*" + all_copies());
  must(plan.dimensions() == 1 && plan.ranks() == size && plan.count(Side::destination) == size && plan.count(Side::source) == 1, __LINE__);
  must(plan.local_extents(Side::source, 0) == std::vector<std::int64_t>{5}, __LINE__);
  must(plan.global_index(Side::source, size - 1, 2)[0] == 5 * size - 3, __LINE__);
  must(plan.explain().find("to copy 0") != std::string::npos, __LINE__);
  redist::Bound<std::int32_t> bound(plan, MPI_COMM_WORLD);
  std::vector<std::int32_t> own = bound.array(Side::source), found = bound.array(Side::destination), expected(found.size());
  std::iota(own.begin(), own.end(), 5 * rank);
  std::iota(expected.begin(), expected.end(), 0);
  must(expected.size() == static_cast<std::size_t>(5 * size), __LINE__);
  bound.run(own, found);
  must(found == expected, __LINE__);
  found.assign(found.size(), -1);
  bound.start(own, found.size());
  while (!bound.test()) continue;
  bound.finish(found);
  must(found == expected, __LINE__);
  own.pop_back();
  must(status_of([&] { bound.run(own, found); }) == REDIST_ARRAY, __LINE__);
  must(status_of([&] { redist::Copies({4}, "*", "*" + all_copies(), static_cast<redist::Combine>(9)); }) == REDIST_ARGUMENT, __LINE__);

  std::vector<std::vector<std::int32_t>> parts = plan.parts<std::int32_t>(Side::source), got = plan.parts<std::int32_t>(Side::destination);
  for (std::size_t of = 0; of < parts.size(); ++of) std::iota(parts[of].begin(), parts[of].end(), static_cast<int>(5 * of));
  plan.simulate(parts, got);
  for (const auto &copy : got) must(copy == expected, __LINE__);
  got[0].pop_back();
  must(is_invalid([&] { plan.simulate(parts, got); }, "destinations[0] has"), __LINE__);
  parts.pop_back();
  must(is_invalid([&] { plan.simulate(parts, got); }, "bring an array for each"), __LINE__);
}

/// Addends of a line on all ranks to blocks of their sum, and of what a function makes of them.
void sums() {
  const redist::Copies sum({3 * size}, "*" + all_copies(), "block" + onto(), redist::Combine::sum);
  const redist::Copies digits({3 * size}, "*" + all_copies(), "block" + onto(), redist::Combine::function);
  redist::Bound<double> bound(sum, MPI_COMM_WORLD);
  std::vector<double> addend = bound.array(Side::source), found = bound.array(Side::destination);
  for (std::size_t at = 0; at < addend.size(); ++at) addend[at] = static_cast<double>(100 * at + static_cast<std::size_t>(rank));
  bound.run(addend, found);
  for (int at = 0; at < 3; ++at) must(found[static_cast<std::size_t>(at)] == size * (100.0 * (3 * rank + at)) + size * (size - 1) / 2, __LINE__);
  must(status_of([&] { bound.run_scaled(1, addend, 0, found); }) == REDIST_ARGUMENT, __LINE__);
  redist::Bound<double> by_function(digits, MPI_COMM_WORLD);
  must(status_of([&] { by_function.run(addend, found); }) == REDIST_UNAVAILABLE, __LINE__);
  auto last_two = [](const double &next, double &result) { result = 1000 * result + next; };
  by_function.run_with(addend, found, last_two);
  auto expected = [&](int element) {
    double result = 100 * element;
    for (int of = 1; of < size; ++of) result = 1000 * result + 100 * element + of;
    return result;
  };
  for (int at = 0; at < 3; ++at) must(found[static_cast<std::size_t>(at)] == expected(3 * rank + at), __LINE__);

  std::vector<std::vector<double>> parts = digits.parts<double>(Side::source), got = digits.parts<double>(Side::destination);
  for (std::size_t of = 0; of < parts.size(); ++of)
    for (std::size_t at = 0; at < parts[of].size(); ++at) parts[of][at] = static_cast<double>(100 * at + of);
  digits.simulate_with(parts, got, last_two);
  must(got[static_cast<std::size_t>(rank)] == found, __LINE__);
  sum.simulate(parts, got);
  bound.run(addend, found);
  must(got[static_cast<std::size_t>(rank)] == found, __LINE__);
  must(status_of([&] { digits.simulate(parts, got); }) == REDIST_UNAVAILABLE, __LINE__);
  try {
    digits.simulate_with(parts, got, [](const double &, double &) { throw 7; });
    must(size == 1, __LINE__);
  } catch (int thrown) {
    must(thrown == 7 && size > 1, __LINE__);
  }
}

/// Rows to columns of bytes, and a table on all ranks: in one exchange.
void batches() {
  const auto all = static_cast<std::size_t>(size);
  redist::Batch batch;
  must(status_of([&] { redist::BoundBatch(batch, MPI_COMM_WORLD); }) == REDIST_ARGUMENT, __LINE__);
  const redist::Plan turn({2 * size, 3 * size}, "(block, *)" + onto(), "(*, block)" + onto());
  {
    const redist::Copies table({7}, "* ranks " + std::to_string(size - 1) + ".." + std::to_string(size), "*" + all_copies());
    batch.add<unsigned char>(turn).add<std::complex<float>>(table);
  }
  must(batch.size() == 2 && batch.ranks() == size && batch.local_len(0, Side::destination, 0) == 6 * size, __LINE__);
  must(status_of([&] { batch.add<double>(redist::Copies({7}, "*", "*", redist::Combine::sum)); }) == REDIST_ARGUMENT, __LINE__);
  redist::BoundBatch bound(batch, MPI_COMM_WORLD);
  auto rows = bound.array<unsigned char>(0, Side::source), columns = bound.array<unsigned char>(0, Side::destination);
  auto table = bound.array<std::complex<float>>(1, Side::source), copy = bound.array<std::complex<float>>(1, Side::destination);
  must(table.size() == (rank == size - 1 ? 7 : 0) && copy.size() == 7, __LINE__);
  auto at_row = [&](std::size_t row, std::size_t column) { return static_cast<unsigned char>(17 * row + column); };
  for (std::size_t at = 0; at < rows.size(); ++at) rows[at] = at_row(2 * static_cast<std::size_t>(rank) + at / (3 * all), at % (3 * all));
  for (std::size_t at = 0; at < table.size(); ++at) table[at] = {static_cast<float>(at), -1};
  auto is_right = [&](std::size_t of, const std::vector<unsigned char> &columns, const std::vector<std::complex<float>> &copy) {
    for (std::size_t at = 0; at < columns.size(); ++at)
      if (columns[at] != at_row(at / 3, 3 * of + at % 3)) return false;
    for (std::size_t at = 0; at < copy.size(); ++at)
      if (copy[at] != std::complex<float>(static_cast<float>(at), -1)) return false;
    return true;
  };
  const auto &held = rows;
  bound.run(std::tie(held, table), std::tie(columns, copy));
  must(is_right(static_cast<std::size_t>(rank), columns, copy), __LINE__);
  columns.assign(columns.size(), 0), copy.assign(copy.size(), 0);
  Rows<unsigned char> view{rows.data(), 2, 3 * all}, turned{rows.data(), 3 * all, 2};
  bound.start(std::tie(view, table), std::tie(columns, copy));
  while (!bound.test()) continue;
  must(status_of([&] { bound.finish(std::tie(columns)); }) == REDIST_ARGUMENT, __LINE__);
  bound.finish(std::tie(columns, copy));
  must(is_right(static_cast<std::size_t>(rank), columns, copy), __LINE__);
  must(bound.explain().find("2 arrays packed") != std::string::npos, __LINE__);
  must(status_of([&] { bound.run(std::tie(turned, table), std::tie(columns, copy)); }) == REDIST_ARRAY, __LINE__);
  must(status_of([&] { bound.run(std::tie(table, rows), std::tie(copy, columns)); }) == REDIST_ARGUMENT, __LINE__);
  must(status_of([&] { bound.run(std::tie(rows), std::tie(columns)); }) == REDIST_ARGUMENT, __LINE__);
  copy.pop_back();
  must(status_of([&] { bound.run(std::tie(rows, table), std::tie(columns, copy)); }) == REDIST_ARRAY, __LINE__);

  // All ranks in this process.
  std::vector<std::vector<std::complex<float>>> tables(all), table_copies(all, std::vector<std::complex<float>>(7));
  std::vector<std::vector<unsigned char>> all_rows = turn.parts<unsigned char>(Side::source), all_columns = turn.parts<unsigned char>(Side::destination);
  for (std::size_t of = 0; of < all; ++of)
    for (std::size_t at = 0; at < all_rows[of].size(); ++at) all_rows[of][at] = at_row(2 * of + at / (3 * all), at % (3 * all));
  for (int at = 0; at < 7; ++at) tables[all - 1].emplace_back(static_cast<float>(at), -1.0f);
  batch.simulate(std::tie(all_rows, tables), std::tie(all_columns, table_copies));
  for (std::size_t of = 0; of < all; ++of) must(is_right(of, all_columns[of], table_copies[of]), __LINE__);
  must(is_invalid([&] { batch.simulate(std::tie(all_rows), std::tie(all_columns)); }, "the batch has 2 arrays"), __LINE__);
  table_copies[0].pop_back();
  must(is_invalid([&] { batch.simulate(std::tie(all_rows, tables), std::tie(all_columns, table_copies)); }, "destinations[1][0] has 6"), __LINE__);
}

/// Each rank has every so many of a line, and gets those of the next rank, backwards.
void lists() {
  std::vector<std::int64_t> own, wanted;
  for (std::int64_t at = 0; at < 30; ++at) {
    own.push_back(at * size + rank);
    wanted.push_back((29 - at) * size + (rank + 1) % size);
  }
  redist_lists lists = REDIST_LISTS_INIT;
  lists.extent = 30 * size;
  lists.source = own.data(), lists.source_len = 30;
  lists.destination = wanted.data(), lists.destination_len = 30;
  redist::Bound<double> bound(lists, MPI_COMM_WORLD);
  std::vector<double> source(own.begin(), own.end()), found = bound.array(Side::destination);
  bound.run(source, found);
  must(found == std::vector<double>(wanted.begin(), wanted.end()), __LINE__);
  found.assign(found.size(), -1);
  bound.start(source, found.size());
  bound.finish(found);
  must(found == std::vector<double>(wanted.begin(), wanted.end()), __LINE__);
  source.pop_back();
  must(status_of([&] { bound.run(source, found); }) == REDIST_ARRAY, __LINE__);
  own[0] = -1;
  must(status_of([&] { redist::Bound<double>(lists, MPI_COMM_WORLD); }) == REDIST_ARGUMENT, __LINE__);
}

/// A single element, from the first rank to the last one.
void without_dimensions() {
  const redist::Plan plan({}, "()", "() ranks " + std::to_string(size - 1) + ".." + std::to_string(size));
  redist::Bound<float> bound(plan, MPI_COMM_WORLD);
  std::vector<float> source = bound.array(Side::source), found = bound.array(Side::destination);
  must(source.size() == (rank == 0) && found.size() == (rank == size - 1), __LINE__);
  source.assign(source.size(), 2.5f);
  bound.run(source, found);
  must(found == std::vector<float>(found.size(), 2.5f), __LINE__);
  must(plan.dimensions() == 0 && plan.local_extents(Side::source, 0).empty() && plan.owner(Side::source, {}) == 0, __LINE__);
  const redist::Messages messages(plan, Side::source, 0);
  must(messages.size() == 1 && messages[0].views == 1 && messages.view(0, 0).shape.empty(), __LINE__);
  std::vector<float> whole{8}, again{0};
  auto parts = plan.scatter(Side::source, whole);
  plan.gather(Side::destination, plan.simulate(parts), again);
  must(again == whole && plan.verify<float>() == 1, __LINE__);
}

/// One array for both sides, whose size changes with its side.
void in_place() {
  const redist::Plan plan({4 * size + 1}, "block" + onto(), "cyclic" + onto());
  redist::Bound<std::int64_t> bound(plan, MPI_COMM_WORLD);
  std::vector<std::int64_t> array = bound.array(Side::source);
  for (std::size_t at = 0; at < array.size(); ++at) array[at] = plan.global_index(Side::source, rank, static_cast<std::int64_t>(at))[0];
  const auto gets = static_cast<std::size_t>(bound.local_len(Side::destination));
  bound.start(array, gets);
  array.resize(gets);
  bound.finish(array);
  for (std::size_t at = 0; at < gets; ++at) must(array[at] == static_cast<std::int64_t>(at) * size + rank, __LINE__);
}

/// Ranks that are threads, and an exception of one.
void threads() {
  const redist::Plan plan({8, 6}, "(block, *) onto 2", "(*, block) onto 2");
  std::mutex own;
  int good = 0;
  redist::run_threads(2, [&](const redist::Ranks &ranks) {
    redist::Bound<double> bound(plan, ranks);
    std::vector<double> source = bound.array(Side::source), found = bound.array(Side::destination);
    for (std::size_t at = 0; at < source.size(); ++at) source[at] = static_cast<double>(24 * ranks.rank()) + static_cast<double>(at);
    bound.run(source, found);
    ranks.barrier();
    const std::lock_guard<std::mutex> lock(own);
    good += ranks.size() == 2 && found[3] == 6 + 3 * static_cast<double>(ranks.rank());
  });
  must(good == 2, __LINE__);
  try {
    redist::run_threads(2, [](const redist::Ranks &ranks) {
      if (ranks.rank() == 1) throw std::out_of_range("a rank's own");
      try {
        ranks.barrier();
      } catch (const redist::Error &error) {
        if (error.status() != REDIST_PEER) throw;
      }
    });
    must(false, __LINE__);
  } catch (const std::out_of_range &error) {
    must(std::string(error.what()) == "a rank's own", __LINE__);
  }
}

/// Two programs of this launch: rank 0, and all others.
void programs() {
  if (size < 2) return;
  const bool is_source = rank == 0;
  const redist::Programs programs(MPI_COMM_WORLD, is_source ? 0 : 1);
  must(programs.count() == 2 && programs.program() == !is_source && programs.size() == (is_source ? 1 : size - 1), __LINE__);
  const redist::Ranks ranks = programs.couple(is_source ? Side::source : Side::destination, is_source ? 1 : 0);
  must(ranks.first_rank() == !is_source && ranks.count(Side::destination) == size - 1 && programs.rank() == ranks.rank() - !is_source,
       __LINE__);
  std::vector<std::int64_t> extents;
  if (is_source) extents = {12};
  const std::string own = is_source ? "(*)" : "block onto " + std::to_string(size - 1) + " ranks 1..";
  const std::string theirs = ranks.handshake(own, 1, extents);
  must(extents == std::vector<std::int64_t>{12}, __LINE__);
  redist::Bound<int> bound(redist::Plan(extents, is_source ? own : theirs, is_source ? theirs : own), ranks);
  std::vector<int> source = bound.array(Side::source), found = bound.array(Side::destination);
  std::iota(source.begin(), source.end(), 0);
  bound.run(source, found);
  const int block = (12 + size - 2) / (size - 1);
  for (std::size_t at = 0; at < found.size(); ++at) must(found[at] == block * (rank - 1) + static_cast<int>(at), __LINE__);
}

/// Parts of one array: rank 0 has the first half, rank 1 the second, and the others want the middle, but for the last of many.
void joined() {
  if (size < 3) return;
  const int program = rank < 2 ? rank : size > 3 && rank == size - 1 ? 3 : 2;
  const redist::Programs programs(MPI_COMM_WORLD, program);
  const redist::Part held{Side::source, {12}, {6 * program}, {6}, "*"};
  const redist::Part wanted{Side::destination, {12}, {3}, {6}, "cyclic onto " + std::to_string(size == 3 ? 1 : size - 3)};
  redist::Bound<float> bound = program == 3 ? redist::Bound<float>(programs, 1) : redist::Bound<float>(programs, program < 2 ? held : wanted);
  std::vector<float> source = bound.array(Side::source), found = bound.array(Side::destination);
  std::iota(source.begin(), source.end(), static_cast<float>(6 * program));
  must(source.size() == (program < 2 ? 6u : 0u), __LINE__);
  const auto is_right = [&] {
    for (std::size_t at = 0; at < found.size(); ++at)
      if (found[at] != static_cast<float>(3 + programs.rank() + static_cast<int>(at) * static_cast<int>(programs.size()))) return false;
    return true;
  };
  bound.run(source, found);
  must(is_right(), __LINE__);
  std::fill(found.begin(), found.end(), -1.0f);
  bound.start(source, found.size());
  bound.finish(found);
  must(is_right(), __LINE__);
  std::vector<float> wrong(source.size() + (rank == 0 ? 1 : 0));
  std::fill(found.begin(), found.end(), -1.0f);
  must(status_of([&] { bound.run(wrong, found); }) == (rank == 0 ? REDIST_ARRAY : REDIST_PEER), __LINE__);
  must(std::all_of(found.begin(), found.end(), [](float value) { return value == -1.0f; }), __LINE__);
  bound.run(source, found);
  must(is_right(), __LINE__);
  const redist::Part overlapping{Side::source, {12}, {5 * program}, {7}, "*"};
  must(status_of([&] {
         if (program == 3) redist::Bound<float>(programs, 1);
         if (program < 3) redist::Bound<float>(programs, program < 2 ? overlapping : wanted);
       }) == REDIST_DIFFERS, __LINE__);
  // One rank's mistake is an error on every rank.
  const redist::Part uneven{Side::source, {12}, {0, 0}, {6}, "*"};
  bool is_refused = false;
  try {
    if (program == 3) redist::Bound<float>(programs, 1);
    if (program < 3) redist::Bound<float>(programs, rank == 0 ? uneven : program == 1 ? held : wanted);
  } catch (const std::invalid_argument &) {
    is_refused = rank == 0;
  } catch (const redist::Error &) {
    is_refused = rank != 0;
  }
  must(is_refused, __LINE__);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  copies();
  sums();
  batches();
  lists();
  without_dimensions();
  threads();
  programs();
  joined();
  in_place();
  int sum = 0;
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("copies, sums, batches and lists in C++ on %d ranks: %d failures\n", size, sum);
  MPI_Finalize();
  return sum != 0;
}
