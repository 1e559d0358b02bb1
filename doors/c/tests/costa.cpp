// Matrices moved by COSTA's names, as a program includes them: layouts of every kind to each other, by every operation, each
// element compared. On any number of ranks. The last line tells the number of moves.
#include <costa/grid2grid/transform.hpp>
#include <costa/grid2grid/transformer.hpp>
#include <costa/layout.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {
int rank, ranks, moves;

void require(bool holds, const std::string &words) {
  if (holds) return;
  std::fprintf(stderr, "rank %d of %d: %s\n", rank, ranks, words.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// A layout and the memory of its blocks.
template <typename T>
struct Held {
  std::vector<std::vector<T>> memory;
  costa::grid_layout<T> layout;
};

/// A number of a pair, for owners that follow no rule.
int drawn(int i, int j, int below) { return static_cast<int>((static_cast<unsigned>(i) * 2654435761u + static_cast<unsigned>(j) * 40503u) >> 7) % below; }

/// How a matrix is cut.
enum class Kind { cyclic, columns_of_ranks, section, rows, grid, any };
constexpr Kind kinds[] = {Kind::cyclic, Kind::columns_of_ranks, Kind::section, Kind::rows, Kind::grid, Kind::any};

/// The extents of a process grid.
int height() { return ranks == 4 ? 2 : 1; }
int width() { return ranks / height(); }

template <typename T>
Held<T> cyclic(int m, int n, Kind kind, const T &kept) {
  const bool section = kind == Kind::section;
  const int above = section ? 5 : 0, left = section ? 3 : 0, rows = m + 2 * above, cols = n + 2 * left, lld = std::max(rows, cols) + 1;
  Held<T> held;
  held.memory.emplace_back(static_cast<std::size_t>(lld) * static_cast<std::size_t>(lld), kept);
  const char order = kind == Kind::columns_of_ranks ? 'c' : 'R', data = kind == Kind::rows ? 'R' : 'C';
  const int p = kind == Kind::columns_of_ranks ? width() : height(), q = ranks / p, b = kind == Kind::rows ? 4 : 3;
  held.layout = costa::block_cyclic_layout<T>(rows, cols, b, 2, 1 + above, 1 + left, m, n, p, q, order, p - 1, q / 2, held.memory[0].data(), lld, data, rank);
  return held;
}

template <typename T>
Held<T> custom(int m, int n, Kind kind, const T &kept) {
  const std::vector<int> rows = {0, 1, std::min(m, 4), std::min(m, 4), std::min(m, 7), m}, cols = {0, n / 3, n / 2, n};
  const char order = kind == Kind::any ? 'R' : 'C';
  std::vector<int> owners;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j) owners.push_back(kind == Kind::any ? drawn(i, j, ranks) : (i * 3 + 1) % height() * width() + (j + 1) % width());
  Held<T> held;
  held.memory.reserve(15);
  std::vector<costa::block_t> blocks;
  for (int at = 14; at >= 0; --at) {
    const int i = at / 3, j = at % 3, h = rows[i + 1] - rows[i], w = cols[j + 1] - cols[j], ld = (order == 'R' ? w : h) + 2;
    if (owners[at] != rank) continue;
    held.memory.emplace_back(static_cast<std::size_t>(ld) * static_cast<std::size_t>((order == 'R' ? h : w) + 1), kept);
    blocks.push_back({held.memory.back().data(), ld, i, j});
  }
  held.layout = costa::custom_layout<T>(5, 3, rows.data(), cols.data(), owners.data(), static_cast<int>(blocks.size()), blocks.data(), order);
  for (int at = 0; at < 15; ++at) require(held.layout.grid.owner(at / 3, at % 3) == owners[at], "another owner");
  return held;
}

template <typename T>
Held<T> held(int m, int n, Kind kind, const T &kept) {
  return kind == Kind::grid || kind == Kind::any ? custom<T>(m, n, kind, kept) : cyclic<T>(m, n, kind, kept);
}

template <typename T>
T number(int i, int j) {
  if constexpr (costa::redist_detail::is_complex<T>::value) return T(static_cast<typename T::value_type>(i), static_cast<typename T::value_type>(j + 1));
  else return static_cast<T>(i * 64 + j);
}

template <typename T>
T conjugate(const T &element) {
  if constexpr (costa::redist_detail::is_complex<T>::value) return std::conj(element);
  else return element;
}

template <typename T>
void one(int m, int n, Kind from, Kind to, char op, T alpha, T beta) {
  const T beside = number<T>(1, 60);
  const bool turned = op != 'N';
  Held<T> a = held<T>(turned ? n : m, turned ? m : n, from, beside), b = held<T>(m, n, to, beside);
  a.layout.initialize(number<T>);
  b.layout.initialize([](int i, int j) { return number<T>(j, i); });
  // Elements beside the matrix keep their value: leading dimensions, and a section's surroundings.
  std::vector<std::vector<T>> before = b.memory;
  costa::transform<T>(a.layout, b.layout, op, alpha, beta, MPI_COMM_WORLD);
  const auto must = [&](int i, int j) {
    T arrived = turned ? number<T>(j, i) : number<T>(i, j);
    if (op == 'C') arrived = conjugate(arrived);
    return alpha * arrived + (beta == T{0} ? T{0} : beta * number<T>(j, i));
  };
  const std::string name = std::to_string(static_cast<int>(from)) + " to " + std::to_string(static_cast<int>(to)) + " by " + op;
  require(b.layout.validate(must, 0), name);
  require(a.layout.validate(number<T>, 0), name + " changes what it reads");
  b.layout.initialize([](int i, int j) { return number<T>(j, i); });
  require(b.memory == before, name + " writes beside the matrix");
  ++moves;
}

template <typename T>
void all(T alpha, T beta) {
  for (const Kind from : kinds)
    for (const Kind to : kinds)
      for (const char op : {'N', 'T', 'C'}) {
        one<T>(11, 17, from, to, op, T{1}, T{0});
        one<T>(11, 17, from, to, op, alpha, beta);
      }
}

void several() {
  Held<double> a = held<double>(9, 8, Kind::cyclic, 0), b = held<double>(9, 8, Kind::grid, 0), c = held<double>(8, 9, Kind::any, 0);
  a.layout.initialize(number<double>);
  c.layout.fill(2);
  costa::transformer<double> both(MPI_COMM_WORLD);
  both.schedule(a.layout, b.layout);
  both.schedule(a.layout, c.layout, 't', 2.0, 3.0);
  both.transform();
  require(b.layout.validate(number<double>, 0), "the first of two");
  require(c.layout.validate([](int i, int j) { return 2 * number<double>(j, i) + 6; }, 0), "the second of two");
  const double own = b.layout.accumulate([](double sum, double element) { return sum + element; }, 0.0);
  double sum = 0, expected = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 8; ++j) expected += number<double>(i, j);
  require(sum == expected, "a sum of all elements");
  // Ranks of a grid in another order.
  std::vector<int> turned(static_cast<std::size_t>(ranks));
  for (int at = 0; at < ranks; ++at) turned[static_cast<std::size_t>(at)] = ranks - 1 - at;
  std::vector<double> memory(200);
  costa::grid_layout<double> reversed = costa::block_cyclic_layout<double>(9, 8, 2, 2, 1, 1, 9, 8, height(), width(), 'R', 0, 0, memory.data(), 11, 'C', ranks - 1 - rank);
  reversed.reorder_ranks(turned);
  costa::transform<double>(a.layout, reversed, MPI_COMM_WORLD);
  require(reversed.validate(number<double>, 0), "a grid with other ranks");
}

template <typename Function>
std::string refused(Function &&function) {
  try {
    function();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "nothing";
}

void has(const std::string &said, const std::string &words) { require(said.find(words) != std::string::npos, words + ", but: " + said); }

void mistakes() {
  Held<double> a = held<double>(9, 8, Kind::cyclic, 0), b = held<double>(9, 8, Kind::grid, 0), other = held<double>(8, 9, Kind::grid, 0);
  has(refused([&] { costa::transform<double>(a.layout, other.layout, MPI_COMM_WORLD); }), "9 x 8 does not fit one of 8 x 9");
  has(refused([&] { costa::transform<double>(a.layout, b.layout, 'X', 1, 0, MPI_COMM_WORLD); }), "trans is 'X'");
  has(refused([&] { costa::block_cyclic_grid(9, 8, 2, 2, 3, 1, 9, 8, 1, ranks, 'R', 0, 0); }), "9 from number 3 on, of 9");
  const int rows[] = {0, 9}, cols[] = {0, 8}, wrong[] = {3, 8}, nobody[] = {-1};
  has(refused([&] { costa::custom_grid(1, 1, wrong, cols, nobody); }), "cuts begin with 0");
  has(refused([&] { costa::custom_grid(1, 1, rows, cols, nobody); }), "on rank -1");
  // A rank that brings too few blocks is an error of all, and no hang: of plans, and of lists.
  for (const Kind kind : {Kind::grid, Kind::any}) {
    Held<double> less = held<double>(9, 8, kind, 0);
    const int at = less.layout.grid.owner(0, 0);
    if (rank == at) less.layout.blocks.pop_back();
    const std::string said = refused([&] { costa::transform<double>(a.layout, less.layout, MPI_COMM_WORLD); });
    if (rank == at) has(said, "blocks on rank");
    else require(said != "nothing", "a rank's missing block is no error of another rank");
    // The next move works.
    costa::transform<double>(a.layout, b.layout, MPI_COMM_WORLD);
  }
}
}  // namespace

/* feature: names of other libraries = COSTA's, by headers of C++ */
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  all<double>(2, -3);
  all<float>(0.5f, 4);
  all<std::complex<double>>({2, 1}, {0, -1});
  all<std::complex<float>>({0, 1}, {3, 2});
  several();
  mistakes();
  MPI_Finalize();
  if (rank == 0) std::printf("%d moves by COSTA's names, each right\n", moves);
  return 0;
}
