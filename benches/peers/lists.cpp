// Moves by lists of indices beside what others have for them, on the ranks of one launch. `benches/peers/lists` builds and
// launches it; the ranks of one launch measure one row, and rank 0 prints it as JSON.
//
// The array lies in blocks before the move. Each rank wants as many elements, whose indices the row's name tells.
#include <redist.h>

#include "turns.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#ifdef WITH_PETSC
#include <petscvec.h>
#endif
#ifdef WITH_TPETRA
#include <Tpetra_Core.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_Vector.hpp>
#endif

namespace {

using namespace turns;

// What is measured: a row's array, and the indices that this rank wants. Element i is the number i.
struct Case {
  std::int64_t extent;
  std::int64_t each;
  std::vector<std::int64_t> own, wanted;
  std::vector<double> source;
};

// Deals runs of so many indices, in random order, to the ranks; 0 deals single indices in turn.
Case drawn(std::int64_t extent, std::int64_t run) {
  Case made;
  made.extent = extent;
  made.each = extent / ranks;
  for (std::int64_t at = 0; at < made.each; ++at) {
    made.own.push_back(rank * made.each + at);
    made.source.push_back(static_cast<double>(made.own.back()));
    if (run == 0) made.wanted.push_back(at * ranks + rank);
  }
  if (run > 0) {
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start < extent; start += run) starts.push_back(start);
    std::mt19937_64 random(7);
    std::shuffle(starts.begin(), starts.end(), random);
    const std::int64_t begin = rank * made.each, end = begin + made.each;
    for (std::int64_t place = begin; place < end; ++place) made.wanted.push_back(starts[place / run] + place % run);
  }
  return made;
}

// One way to move by lists.
struct ByLists : Way {
  explicit ByLists(const Case &row) : row(row), found(row.wanted.size(), -1.0) {}
  void spoil() override { std::fill(found.begin(), found.end(), -1.0); }
  long wrong() override {
    long count = 0;
    for (std::size_t at = 0; at < found.size(); ++at) count += found[at] != static_cast<double>(row.wanted[at]);
    return count;
  }

  const Case &row;
  std::vector<double> found;
};

// A loop by index over an array in memory that all ranks share: nothing is planned, and no message goes.
struct Gather : ByLists {
  explicit Gather(const Case &row) : ByLists(row) {
    double *part = nullptr;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(row.each * 8, 8, MPI_INFO_NULL, node, &part, &window);
    std::copy(row.source.begin(), row.source.end(), part);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window, 0, &bytes, &unit, &whole);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Gather() override {
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
  }
  const char *name() const override { return "gather"; }
  void plan() override {}
  void forget() override {}
  void move() override {
    const std::int64_t *index = row.wanted.data();
    for (std::size_t at = 0; at < found.size(); ++at) found[at] = whole[index[at]];
  }

  MPI_Comm node;
  MPI_Win window;
  double *whole = nullptr;
};

struct Redist : ByLists {
  using ByLists::ByLists;
  ~Redist() override { Redist::forget(); }
  const char *name() const override { return "redist"; }
  void plan() override {
    redist_lists lists = REDIST_LISTS_INIT;
    lists.extent = row.extent;
    lists.source = row.own.data(), lists.source_len = row.each;
    lists.destination = row.wanted.data(), lists.destination_len = row.each;
    check(redist_bind_lists(&lists, "f64", MPI_COMM_WORLD, &bound));
  }
  void forget() override {
    redist_bound_free(bound);
    bound = nullptr;
  }
  void move() override { check(redist_run(bound, row.source.data(), row.each, found.data(), row.each)); }
  static void check(redist_status status) {
    if (status != REDIST_OK) fail(redist_last_message());
  }

  redist_bound *bound = nullptr;
};

#ifdef WITH_PETSC
struct Petsc : ByLists {
  explicit Petsc(const Case &row) : ByLists(row), indices(row.wanted.begin(), row.wanted.end()) {
    VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, row.each, row.extent, row.source.data(), &x);
    VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, row.each, row.extent, found.data(), &y);
  }
  ~Petsc() override {
    Petsc::forget();
    VecDestroy(&x);
    VecDestroy(&y);
  }
  const char *name() const override { return "PETSc VecScatter"; }
  void plan() override {
    IS from, to;
    ISCreateGeneral(PETSC_COMM_WORLD, row.each, indices.data(), PETSC_USE_POINTER, &from);
    ISCreateStride(PETSC_COMM_WORLD, row.each, rank * row.each, 1, &to);
    if (VecScatterCreate(x, from, y, to, &scatter) != 0) fail("VecScatterCreate");
    ISDestroy(&from);
    ISDestroy(&to);
  }
  void forget() override { VecScatterDestroy(&scatter); }
  void move() override {
    VecScatterBegin(scatter, x, y, INSERT_VALUES, SCATTER_FORWARD);
    VecScatterEnd(scatter, x, y, INSERT_VALUES, SCATTER_FORWARD);
  }

  std::vector<PetscInt> indices;
  Vec x = nullptr, y = nullptr;
  VecScatter scatter = nullptr;
};
#endif

#ifdef WITH_TPETRA
struct Trilinos : ByLists {
  using Map = Tpetra::Map<>;
  using Vector = Tpetra::Vector<double>;
  explicit Trilinos(const Case &row) : ByLists(row), indices(row.wanted.begin(), row.wanted.end()) {
    before = Teuchos::rcp(new Map(row.extent, row.each, 0, Tpetra::getDefaultComm()));
    x = Teuchos::rcp(new Vector(before));
    auto place = x->getDataNonConst();
    std::copy(row.source.begin(), row.source.end(), place.begin());
  }
  const char *name() const override { return "Tpetra Import"; }
  void plan() override {
    Teuchos::ArrayView<const Map::global_ordinal_type> list(indices.data(), indices.size());
    auto after = Teuchos::rcp(new Map(row.extent, list, 0, Tpetra::getDefaultComm()));
    importer = Teuchos::rcp(new Tpetra::Import<>(before, after));
    y = Teuchos::rcp(new Vector(after));
  }
  void forget() override {
    importer = Teuchos::null;
    y = Teuchos::null;
  }
  void move() override { y->doImport(*x, *importer, Tpetra::INSERT); }
  long wrong() override {
    auto place = y->getData();
    std::copy(place.begin(), place.end(), found.begin());
    return ByLists::wrong();
  }

  std::vector<Map::global_ordinal_type> indices;
  Teuchos::RCP<const Map> before;
  Teuchos::RCP<Vector> x, y;
  Teuchos::RCP<Tpetra::Import<>> importer;
};
#endif

std::int64_t run_of(const std::string &row) {
  if (row == "strided") return 0;
  if (row == "random") return 1;
  if (row.rfind("runs of ", 0) == 0) return std::atoll(row.c_str() + 8);
  fail("there is no row '" + row + "'");
}

void work(int argc, char **argv) {
  const Options options = read(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::int64_t run = run_of(options.row), unit = std::max<std::int64_t>(run, 1) * ranks;
  const Case row = drawn(std::atoll(options.extent.c_str()) / unit * unit, run);
  std::vector<std::unique_ptr<Way>> ways;
  ways.push_back(std::make_unique<Gather>(row));
  ways.push_back(std::make_unique<Redist>(row));
#ifdef WITH_PETSC
  ways.push_back(std::make_unique<Petsc>(row));
#endif
#ifdef WITH_TPETRA
  ways.push_back(std::make_unique<Trilinos>(row));
#endif
  const std::vector<Samples> all = measured(ways, options);
  if (rank == 0) tell(options, ways, all);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
#ifdef WITH_PETSC
  PetscInitializeNoArguments();
#endif
#ifdef WITH_TPETRA
  Tpetra::initialize(&argc, &argv);
#endif
  work(argc, argv);
#ifdef WITH_TPETRA
  Tpetra::finalize();
#endif
#ifdef WITH_PETSC
  PetscFinalize();
#endif
  MPI_Finalize();
  return 0;
}
