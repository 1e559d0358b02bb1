// Views of two dimensions, as std::mdspan has them: their shapes are compared. On 2 to 6 ranks.
#include "checks.hpp"

#include <array>

namespace {

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

/// All ranks in this process. A whole array of Fortran's order is dealt, too.
void simulated(const redist::Plan &plan, int rank, int size, const std::vector<double> &expected) {
  const std::size_t height = 3 * static_cast<std::size_t>(size), width = 4 * static_cast<std::size_t>(size);
  std::vector<double> whole(height * width), turned(whole.size()), again(whole.size()), turned_again(whole.size());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    whole[at] = static_cast<double>(1000 * (at / width) + at % width);
    turned[at % width * height + at / width] = whole[at];
  }
  const auto held = plan.scatter(redist::Side::source, whole);
  must(held == plan.scatter(redist::Side::source, columns(turned, height, width)), __LINE__);
  auto got = plan.simulate(held);
  must(got[static_cast<std::size_t>(rank)] == expected, __LINE__);
  plan.gather(redist::Side::destination, got, again);
  plan.gather(redist::Side::destination, got, columns(turned_again, height, width));
  must(again == whole && turned_again == turned, __LINE__);
  plan.simulate_scaled(2.0, held, -1.0, got);
  must(got[static_cast<std::size_t>(rank)] == expected, __LINE__);
  std::vector<std::vector<float>> halves(got.size(), std::vector<float>(expected.size(), 1.0F));
  plan.simulate_with(held, halves, [](double arrived, float &kept) { kept += static_cast<float>(arrived / 2); });
  must(halves[static_cast<std::size_t>(rank)].back() == static_cast<float>(expected.back() / 2) + 1.0F, __LINE__);
  try {
    plan.simulate_with(held, halves, [](double, float &) { throw 7; });
    must(false, __LINE__);
  } catch (int thrown) {
    must(thrown == 7, __LINE__);
  }
  halves[0].pop_back();
  try {
    plan.simulate_with(held, halves, [](double, float &) {});
    must(false, __LINE__);
  } catch (const std::invalid_argument &) {
  }
  must(plan.verify<double>() == 12 * size * size && plan.verify<char>() == 12 * size * size, __LINE__);
  must(status_of([&] { plan.scatter(redist::Side::source, rows(whole, height, width - 1)); }) == REDIST_ARRAY, __LINE__);
  got[0].pop_back();
  try {
    plan.simulate(held, got);
    must(false, __LINE__);
  } catch (const std::invalid_argument &error) {
    must(std::string(error.what()).find("destinations[0] has") == 0, __LINE__);
  }
}

/// Layouts in the words of other libraries, figures, relabelled ranks, and plans as JSON.
void in_other_words() {
  const std::int32_t desc[] = {1, 0, 100, 60, 8, 4, 1, 0, 52};
  const std::string tiles = redist::layout_scalapack(desc, 100, 60, 1, 1, 2, 3);
  must(tiles == "(cyclic(8), cyclic(4)) onto (2, 3) first (1, 0) storage fortran", __LINE__);
  const int dflt = MPI_DISTRIBUTE_DFLT_DARG;
  const std::string rows = redist::layout_darray({100, 60}, {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, {dflt, dflt}, {6, 1}, MPI_ORDER_C);
  must(rows == "(block, *) onto 6", __LINE__);
  const redist::Plan plan({100, 60}, tiles, rows);
  must(plan.scalapack(redist::Side::source, 0, 0)[8] == 48, __LINE__);
  must(status_of([&] { plan.scalapack(redist::Side::destination, 0, 0); }) == REDIST_LAYOUT, __LINE__);
  must(redist::Plan::from_json(plan.json()).json() == plan.json(), __LINE__);
  must(status_of([&] { redist::Plan::from_json("[]"); }) == REDIST_LAYOUT, __LINE__);
  must(plan.figures<double>().stays > 0 && plan.figures<double>().steps > 0, __LINE__);
  must(plan.explain_json<double>().find("\"element\":\"f64\"") != std::string::npos, __LINE__);
  must(plan.explain_json<float>(0, 0).find("\"rank\":{\"rank\":0,") != std::string::npos, __LINE__);
  std::vector<std::int64_t> table;
  const redist::Plan best = plan.relabelled(table);
  must(table.size() == 6 && best.figures<double>().stays >= plan.figures<double>().stays, __LINE__);
  for (std::int64_t row = 0; row < 100; ++row)
    must(table[static_cast<std::size_t>(plan.owner(redist::Side::destination, {row, 0}))] ==
             best.owner(redist::Side::destination, {row, 0}), __LINE__);
  const std::int64_t devices[] = {2, 3};
  const std::int32_t shards[] = {1, 0}, copied[] = {REDIST_REPLICATE, 0};
  redist_mesh mesh = REDIST_MESH_INIT, copies = REDIST_MESH_INIT;
  mesh.dimensions = copies.dimensions = 2, mesh.extents = copies.extents = devices;
  mesh.placements = shards, copies.placements = copied;
  must(redist::layout_mesh({9, 8}, mesh) == "(block, block) onto (3, 2) ranks [0, 3, 1, 4, 2, 5]", __LINE__);
  must(redist::Copies({9, 8}, mesh, copies).count(redist::Side::destination) == 2, __LINE__);
  // And back: what the layouts were made of.
  const redist::Darray darray = plan.darray(redist::Side::destination);
  must(darray.gsizes == std::vector<int>{100, 60} && darray.psizes == std::vector<int>{6, 1} && darray.order == MPI_ORDER_C, __LINE__);
  must(darray.distribs[0] == MPI_DISTRIBUTE_BLOCK && darray.distribs[1] == MPI_DISTRIBUTE_NONE && darray.dargs[0] == dflt, __LINE__);
  must(redist::layout_darray(darray.gsizes, darray.distribs, darray.dargs, darray.psizes, darray.order) == rows, __LINE__);
  must(status_of([&] { plan.darray(redist::Side::source); }) == REDIST_LAYOUT, __LINE__);
  const redist::Plan meshed({9, 8}, redist::layout_mesh({9, 8}, mesh), "(gen_block([4, 5]), *) onto 2");
  const redist::Mesh found = meshed.mesh(redist::Side::source);
  must(found.extents == std::vector<std::int64_t>{3, 2} && found.placements == std::vector<std::int32_t>{0, 1}, __LINE__);
  must(found.ranks == std::vector<std::int64_t>{0, 3, 1, 4, 2, 5} && found.split_factors == std::vector<std::int64_t>{0, 0}, __LINE__);
  must(redist::layout_mesh({9, 8}, found.get()) == meshed.layout(redist::Side::source), __LINE__);
  must(status_of([&] { meshed.mesh(redist::Side::destination); }) == REDIST_LAYOUT, __LINE__);
}

/// Elements of a box in the order of a view.
void offsets(const redist::Messages::View &view, const std::vector<std::int64_t> &strides, std::size_t axis, std::int64_t from,
             std::vector<std::size_t> &found) {
  if (axis == view.shape.size()) return found.push_back(static_cast<std::size_t>(from));
  for (std::int64_t turn = 0; turn < view.shape[axis]; ++turn) offsets(view, strides, axis + 1, from + turn * strides[axis], found);
}

/// This rank's messages copied by their views.
void as_views(const redist::Plan &plan, int rank, const std::vector<double> &expected) {
  const redist::Messages messages(plan, redist::Side::destination, rank);
  std::vector<double> arrived(expected.size(), -1.0);
  for (std::int64_t at = 0; at < messages.size(); ++at) {
    const redist::Messages::Message message = messages[at];
    std::int64_t elements = 0;
    for (std::int64_t number = 0; number < message.views; ++number) {
      const redist::Messages::View view = messages.view(at, number);
      std::vector<std::size_t> from, to;
      offsets(view, view.source_strides, 0, view.source_offset, from);
      offsets(view, view.destination_strides, 0, view.destination_offset, to);
      elements += static_cast<std::int64_t>(from.size());
      for (std::size_t each = 0; each < from.size(); ++each) {
        const auto index = plan.global_index(redist::Side::source, message.peer, static_cast<std::int64_t>(from[each]));
        arrived[to[each]] = static_cast<double>(1000 * index[0] + index[1]);
      }
    }
    must(elements == message.elements && elements == plan.volume(message.peer, rank), __LINE__);
    must(status_of([&] { messages.view(at, message.views); }) == REDIST_ARGUMENT, __LINE__);
  }
  must(arrived == expected, __LINE__);
  must(status_of([&] { messages[messages.size()]; }) == REDIST_ARGUMENT, __LINE__);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
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
    std::vector<double> arrived(destination.size(), -1.0), joined(destination.size(), -1.0), all_messages;
    for (int sender = 0; sender < size; ++sender) {
      const redist::Packing<double> packing(plan, sender), own(plan, rank);
      std::vector<double> theirs = packing.array(redist::Side::source), buffer(12);
      for (std::size_t at = 0; at < theirs.size(); ++at) theirs[at] = static_cast<double>(1000 * (3 * sender + at / all) + at % all);
      packing.pack(rows(theirs, 3, all), rank, buffer);
      must(packing.messages(redist::Side::source)[static_cast<std::size_t>(rank)].elements == 12, __LINE__);
      own.unpack(buffer, sender, rows(arrived, here, 4));
      const std::vector<double> at_once = packing.pack_all(theirs);
      must(at_once.size() == theirs.size(), __LINE__);
      all_messages.insert(all_messages.end(), at_once.begin() + 12 * rank, at_once.begin() + 12 * (rank + 1));
      must(status_of([&] { packing.pack(columns(theirs, 3, all), rank, buffer); }) == REDIST_ARRAY, __LINE__);
      must(status_of([&] { own.unpack(buffer, sender, columns(arrived, here, 4)); }) == REDIST_ARRAY, __LINE__);
      buffer.pop_back();
      must(status_of([&] { own.unpack(buffer, sender, arrived); }) == REDIST_ARRAY, __LINE__);
    }
    const redist::Packing<double> own(plan, rank);
    own.unpack_all(all_messages, joined);
    must(joined == destination, __LINE__);
    all_messages.push_back(0);
    must(status_of([&] { own.unpack_all(all_messages, joined); }) == REDIST_ARRAY, __LINE__);
    must(arrived == destination, __LINE__);
    simulated(plan, rank, size, destination);
    as_views(plan, rank, destination);
    in_other_words();
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
