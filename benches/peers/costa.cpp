// Matrices of doubles from one block-cyclic layout to another: by ScaLAPACK's pdgemr2d, by COSTA's C++ interface, by redist in
// place of pdgemr2d, and by a plan of redist. `benches/peers/run --costa` builds and launches it; the ranks of one launch measure
// one row, and rank 0 prints it as JSON.
//
// COSTA's own p?gemr2d takes the grid of its context for both matrices. So its layouts are made by `block_cyclic_layout`.
#include <redist.h>

#include "turns.hpp"

#include <dlfcn.h>

#include <costa/grid2grid/transform.hpp>
#include <costa/layout.hpp>

#include <array>
#include <cstdint>
#include <cstring>

extern "C" {
void Cblacs_get(int, int, int *);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridinfo(int, int *, int *, int *, int *);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void pdgemr2d_(const int *, const int *, const double *, const int *, const int *, const int *, double *, const int *, const int *,
               const int *, const int *);
}

namespace {

using namespace turns;
using Copy = decltype(&pdgemr2d_);

// One side of a row: square matrices in blocks, on a grid in row order that begins with rank 0.
struct Side {
  int n, block[2], grid[2], context = 0, at[2] = {}, len[2] = {}, desc[9] = {};

  void open() {
    const int zero = 0;
    int rows = 0, columns = 0;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", grid[0], grid[1]);
    Cblacs_gridinfo(context, &rows, &columns, &at[0], &at[1]);
    for (int axis = 0; axis < 2; ++axis) len[axis] = at[axis] < 0 ? 0 : numroc_(&n, &block[axis], &at[axis], &zero, &grid[axis]);
    const int made[9] = {1, at[0] < 0 ? -1 : context, n, n, block[0], block[1], 0, 0, lld()};
    std::memcpy(desc, made, sizeof made);
  }
  int lld() const { return std::max(len[0], 1); }
  std::size_t size() const { return static_cast<std::size_t>(len[0]) * len[1]; }
  // Calls `use(place, value)` for each local element: its place here, and a number that no other element has.
  template <typename Use>
  void each(Use &&use) const {
    for (int j = 0; j < len[1]; ++j) {
      for (int i = 0; i < len[0]; ++i) {
        const double row = (i / block[0] * grid[0] + at[0]) * static_cast<double>(block[0]) + i % block[0];
        const double column = (j / block[1] * grid[1] + at[1]) * static_cast<double>(block[1]) + j % block[1];
        use(i + static_cast<std::size_t>(j) * lld(), row * n + column);
      }
    }
  }
  std::string notation() const {
    char text[160];
    std::snprintf(text, sizeof text, "(cyclic(%d), cyclic(%d)) onto (%d, %d) storage fortran", block[0], block[1], grid[0], grid[1]);
    return text;
  }
};

// What is measured, with the arrays that all ways share, so that each finds them in the same place.
struct Case {
  Side from, to;
  int call = 0;
  std::vector<double> source, found;
};

// One way to move a matrix.
struct OfMatrix : Way {
  explicit OfMatrix(Case &row) : row(row) {}
  void plan() override {}
  void forget() override {}
  void spoil() override { std::fill(row.found.begin(), row.found.end(), -1.0); }
  long wrong() override {
    long count = 0;
    // Moves again, because all ways have the same destination.
    spoil();
    move();
    row.to.each([&](std::size_t place, double value) { count += row.found[place] != value; });
    return count;
  }

  Case &row;
};

// A procedure with the interface of pdgemr2d.
struct Procedure : OfMatrix {
  Procedure(Case &row, const char *name, Copy copy) : OfMatrix(row), title(name), copy(copy) {}
  const char *name() const override { return title; }
  void move() override {
    const int one = 1;
    copy(&row.from.n, &row.from.n, row.source.data(), &one, &one, row.from.desc, row.found.data(), &one, &one, row.to.desc, &row.call);
  }

  const char *title;
  Copy copy;
};

struct Costa : OfMatrix {
  using OfMatrix::OfMatrix;
  const char *name() const override { return "COSTA"; }
  void plan() override {
    const auto layout = [](const Side &side, double *array) {
      return std::make_unique<costa::grid_layout<double>>(costa::block_cyclic_layout<double>(
          side.n, side.n, side.block[0], side.block[1], 1, 1, side.n, side.n, side.grid[0], side.grid[1], 'R', 0, 0, array, side.lld(),
          'C', rank));
    };
    from = layout(row.from, row.source.data());
    to = layout(row.to, row.found.data());
  }
  void forget() override {
    from.reset();
    to.reset();
  }
  void move() override { costa::transform<double>(*from, *to, MPI_COMM_WORLD); }

  std::unique_ptr<costa::grid_layout<double>> from, to;
};

struct Planned : OfMatrix {
  using OfMatrix::OfMatrix;
  ~Planned() override { Planned::forget(); }
  const char *name() const override { return "redist, plan"; }
  void plan() override {
    const std::int64_t extents[2] = {row.from.n, row.from.n};
    check(redist_plan_parse(2, extents, row.from.notation().c_str(), row.to.notation().c_str(), &made));
    check(redist_bind(made, "f64", MPI_COMM_WORLD, nullptr, &bound));
  }
  void forget() override {
    redist_bound_free(bound);
    redist_plan_free(made);
    bound = nullptr, made = nullptr;
  }
  void move() override { check(redist_run(bound, row.source.data(), row.source.size(), row.found.data(), row.found.size())); }
  static void check(redist_status status) {
    if (status != REDIST_OK) fail(redist_last_message());
  }

  redist_plan *made = nullptr;
  redist_bound *bound = nullptr;
};

Copy in_place_of_scalapack(const char *library) {
  void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *found = loaded == nullptr ? nullptr : dlsym(loaded, "pdgemr2d_");
  if (found == nullptr) fail(dlerror());
  return reinterpret_cast<Copy>(found);
}

void work(int argc, char **argv) {
  const Options options = read(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Case row;
  Side &from = row.from, &to = row.to;
  const int told = std::sscanf(options.row.c_str(), "%d: %dx%d on %dx%d to %dx%d on %dx%d", &from.n, &from.block[0], &from.block[1],
                               &from.grid[0], &from.grid[1], &to.block[0], &to.block[1], &to.grid[0], &to.grid[1]);
  if (told != 9) fail("there is no row '" + options.row + "'");
  to.n = from.n;
  Cblacs_get(-1, 0, &row.call);
  Cblacs_gridinit(&row.call, "R", ranks, 1);
  from.open();
  to.open();
  row.source.resize(from.size());
  row.found.resize(to.size());
  from.each([&](std::size_t place, double value) { row.source[place] = value; });
  std::vector<std::unique_ptr<Way>> ways;
  ways.push_back(std::make_unique<Planned>(row));
  ways.push_back(std::make_unique<Procedure>(row, "redist, pdgemr2d", in_place_of_scalapack(std::getenv("REDIST_SCALAPACK"))));
  ways.push_back(std::make_unique<Procedure>(row, "ScaLAPACK", &pdgemr2d_));
  ways.push_back(std::make_unique<Costa>(row));
  const std::vector<Samples> all = measured(ways, options);
  if (rank == 0) tell(options, ways, all);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  work(argc, argv);
  MPI_Finalize();
  return 0;
}
