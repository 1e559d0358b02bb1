// redist for C++17, over redist.h: handles that free themselves, and exceptions. Members that may fail have a twin with
// `std::nothrow` that returns the status instead. The guide is docs/c.md.
#ifndef REDIST_HPP
#define REDIST_HPP

#include <array>
#include <complex>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The C++ bindings of MPI, which the standard has given up, are not needed.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include "redist.h"

namespace redist {

/// The error of a failed call: a status of redist.h, and its message.
class Error : public std::runtime_error {
 public:
  explicit Error(redist_status status) : std::runtime_error(redist_last_message()), status_(status) {}
  redist_status status() const noexcept { return status_; }

 private:
  redist_status status_;
};

/// Throws an `Error` unless the status is `REDIST_OK`.
inline void check(redist_status status) {
  if (status != REDIST_OK) throw Error(status);
}

enum class Side : std::int32_t { source = REDIST_SOURCE, destination = REDIST_DESTINATION };

namespace detail {
inline std::string taken(char *text) {
  std::unique_ptr<char, decltype(&redist_text_free)> owner(text, redist_text_free);
  return std::string(text);
}

/// Views of several dimensions, as `std::mdspan` and Kokkos' `View`: with `extent`, `stride` and a static `rank()`.
template <typename View, typename = void>
struct HasShape : std::false_type {};
template <typename View>
struct HasShape<View, std::void_t<decltype(std::declval<const View &>().extent(0)),
                                  decltype(std::declval<const View &>().stride(0)), decltype(std::size_t{View::rank()})>>
    : std::true_type {};

template <typename View, typename = void>
struct HasHandle : std::false_type {};
template <typename View>
struct HasHandle<View, std::void_t<decltype(std::declval<const View &>().data_handle())>> : std::true_type {};

template <typename View>
auto *place_of(View &&view) {
  if constexpr (HasHandle<std::decay_t<View>>::value) return view.data_handle();
  else return view.data();
}

struct Lists {
  std::int64_t extents[8];
  std::int64_t strides[8];
};

/// Describes a view or a container of elements of `T`; `lists` lives as long as the description.
template <typename T, typename View>
redist_array described(View &&view, Lists &lists) {
  redist_array array = REDIST_ARRAY_INIT;
  const T *place = place_of(view);
  array.data = const_cast<void *>(static_cast<const void *>(place));
  if constexpr (HasShape<std::decay_t<View>>::value) {
    constexpr std::size_t rank = std::decay_t<View>::rank();
    static_assert(rank <= 8, "arrays have 0 to 8 dimensions");
    array.dimensions = static_cast<std::int32_t>(rank);
    array.shape = lists.extents;
    array.strides = lists.strides;
    array.len = 1;
    bool is_empty = false;
    for (std::size_t at = 0; at < rank; ++at) {
      lists.extents[at] = static_cast<std::int64_t>(view.extent(at));
      lists.strides[at] = static_cast<std::int64_t>(view.stride(at));
      array.len += (lists.extents[at] - 1) * lists.strides[at];
      is_empty = is_empty || lists.extents[at] == 0;
    }
    if (is_empty) array.len = 0;
  } else {
    array.len = static_cast<std::int64_t>(view.size());
  }
  return array;
}
}  // namespace detail

/// The library's name of an element type: numbers as such, any other trivially copyable type as its bytes.
template <typename T>
std::string element_name() {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved byte for byte");
  if constexpr (std::is_same_v<T, std::complex<float>>) return "c32";
  else if constexpr (std::is_same_v<T, std::complex<double>>) return "c64";
  else if constexpr (std::is_floating_point_v<T> && (sizeof(T) == 4 || sizeof(T) == 8))
    return "f" + std::to_string(8 * sizeof(T));
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
  else
    return "[u8; " + std::to_string(sizeof(T)) + "]";
}

namespace detail {
template <typename T>
std::vector<const void *> places(const std::vector<std::vector<T>> &parts) {
  std::vector<const void *> found;
  for (const std::vector<T> &part : parts) found.push_back(part.data());
  return found;
}
template <typename T>
std::vector<void *> places(std::vector<std::vector<T>> &parts) {
  std::vector<void *> found;
  for (std::vector<T> &part : parts) found.push_back(part.data());
  return found;
}

/// Checks the arrays of all ranks on a side, whose lengths the library is not told. `local_len` returns that of a rank.
template <typename T, typename Length>
void check_parts(const std::vector<std::vector<T>> &parts, std::int64_t ranks, const std::string &name, Length &&local_len) {
  const std::size_t all = static_cast<std::size_t>(ranks);
  if (parts.size() != all)
    throw std::invalid_argument(name + " has " + std::to_string(parts.size()) + " arrays, but the plan has " + std::to_string(all) +
                                " ranks; bring an array for each");
  for (std::size_t rank = 0; rank < all; ++rank)
    if (const std::int64_t must = local_len(static_cast<std::int64_t>(rank)); parts[rank].size() != static_cast<std::size_t>(must))
      throw std::invalid_argument(name + "[" + std::to_string(rank) + "] has " + std::to_string(parts[rank].size()) +
                                  " elements, but must have " + std::to_string(must) + "; Plan::parts and Copies::parts make such");
}

/// A caller's function of elements, which runs of elements are passed to, perhaps on several threads. If it throws, it is called
/// no more.
template <typename T, typename Kept, typename Function>
struct OfElements {
  Function &function;
  std::mutex own;
  std::exception_ptr thrown;
  static void call(void *state, const void *arrived, void *kept, std::int64_t elements) noexcept {
    OfElements &self = *static_cast<OfElements *>(state);
    const T *from = static_cast<const T *>(arrived);
    Kept *to = static_cast<Kept *>(kept);
    {
      const std::lock_guard<std::mutex> lock(self.own);
      if (self.thrown) return;
    }
    try {
      for (std::int64_t at = 0; at < elements; ++at) self.function(from[at], to[at]);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(self.own);
      if (!self.thrown) self.thrown = std::current_exception();
    }
  }
};

/// A caller's function of ranks, which threads call.
template <typename Function>
struct OfRanks {
  Function &function;
  std::mutex own;
  std::exception_ptr thrown;
  static std::int32_t call(const redist_ranks *ranks, void *state) noexcept;
};
}  // namespace detail

/// The layout of a submatrix of ScaLAPACK as a text in the notation: see redist_layout_scalapack.
inline std::string layout_scalapack(const std::int32_t *desc, std::int64_t m, std::int64_t n, std::int64_t ia, std::int64_t ja,
                                    std::int64_t rows, std::int64_t columns) {
  char *text = nullptr;
  check(redist_layout_scalapack(desc, m, n, ia, ja, rows, columns, &text));
  return detail::taken(text);
}
/// The layout of MPI_Type_create_darray's arguments as a text in the notation: see redist_layout_darray.
inline std::string layout_darray(const std::vector<int> &gsizes, const std::vector<int> &distribs, const std::vector<int> &dargs,
                                 const std::vector<int> &psizes, int order) {
  if (distribs.size() != gsizes.size() || dargs.size() != gsizes.size() || psizes.size() != gsizes.size())
    throw std::invalid_argument("gsizes, distribs, dargs and psizes have an entry for each dimension");
  char *text = nullptr;
  check(redist_layout_darray(static_cast<int>(gsizes.size()), gsizes.data(), distribs.data(), dargs.data(), psizes.data(), order, &text));
  return detail::taken(text);
}
/// The layout of a tensor on a mesh of devices as a text in the notation: see redist_layout_mesh.
inline std::string layout_mesh(const std::vector<std::int64_t> &extents, const redist_mesh &mesh) {
  char *text = nullptr;
  check(redist_layout_mesh(static_cast<std::int32_t>(extents.size()), extents.data(), &mesh, &text));
  return detail::taken(text);
}

/// Converts the arrays of a manifest, and returns JSON on what was done: see redist_convert.
inline std::string convert(const std::string &manifest, const redist_file_options &options = REDIST_FILE_OPTIONS_INIT) {
  char *text = nullptr;
  check(redist_convert(manifest.c_str(), &options, &text));
  return detail::taken(text);
}
/// Compares the arrays of a manifest on both sides: see redist_verify_files.
inline std::string verify_files(const std::string &manifest, const redist_file_options &options = REDIST_FILE_OPTIONS_INIT) {
  char *text = nullptr;
  check(redist_verify_files(manifest.c_str(), &options, &text));
  return detail::taken(text);
}

/// The arguments of MPI_Type_create_darray that are equal on all processes, with an entry for each dimension.
struct Darray {
  std::vector<int> gsizes, distribs, dargs, psizes;
  /// MPI_ORDER_C or MPI_ORDER_FORTRAN.
  int order;
};

/// A mesh of devices, with the placement of a tensor along each of its dimensions: see redist_mesh.
struct Mesh {
  /// Devices along each dimension of the mesh.
  std::vector<std::int64_t> extents;
  /// The dimension of the tensor that each of them cuts, from 0 on.
  std::vector<std::int32_t> placements;
  /// The split factor along each of them, or 0.
  std::vector<std::int64_t> split_factors;
  /// The ranks of the devices, in row-major order.
  std::vector<std::int64_t> ranks;
  /// Returns the mesh for functions that take it, for as long as this value stays as it is.
  redist_mesh get() const noexcept {
    redist_mesh mesh = REDIST_MESH_INIT;
    mesh.dimensions = static_cast<std::int32_t>(extents.size());
    mesh.extents = extents.data();
    mesh.ranks = ranks.data();
    mesh.placements = placements.data();
    mesh.split_factors = split_factors.data();
    return mesh;
  }
};

/// The messages of a move: senders, receivers, elements.
class Plan {
 public:
  /// Plans between layouts in the notation.
  Plan(const std::vector<std::int64_t> &extents, const std::string &from, const std::string &to) {
    redist_plan *made = nullptr;
    check(redist_plan_parse(static_cast<std::int32_t>(extents.size()), extents.data(), from.c_str(), to.c_str(), &made));
    handle_.reset(made);
  }
  /// Plans between layouts as numbers.
  Plan(const std::vector<std::int64_t> &extents, const redist_layout &from, const redist_layout &to) {
    redist_plan *made = nullptr;
    check(redist_plan_numbers(static_cast<std::int32_t>(extents.size()), extents.data(), &from, &to, &made));
    handle_.reset(made);
  }

  /// Reads a plan of `json`, or one that was written by hand, which may have no digest.
  static Plan from_json(const std::string &text) {
    redist_plan *made = nullptr;
    check(redist_plan_from_json(text.c_str(), &made));
    return Plan(made);
  }
  /// Returns the plan as JSON: its extents, both layouts, and the digest that ranks compare.
  std::string json() const {
    char *text = nullptr;
    check(redist_plan_json(get(), &text));
    return detail::taken(text);
  }
  /// Reports a move of elements of type `T` as JSON, as `redist explain --json` writes it. With a `rank` that is not -1,
  /// its messages are listed, too. Elements are listed for `counts` pairs of ranks at most, for 2^20 if that is -1.
  template <typename T>
  std::string explain_json(std::int64_t rank = -1, std::int64_t counts = -1) const {
    char *text = nullptr;
    check(redist_plan_explain_json(get(), element_name<T>().c_str(), rank, counts, &text));
    return detail::taken(text);
  }
  /// Returns the least steps, the elements that stay, and the memory of a move of elements of type `T`.
  template <typename T>
  redist_figures figures() const {
    redist_figures found = REDIST_FIGURES_INIT;
    check(redist_plan_figures(get(), element_name<T>().c_str(), &found));
    return found;
  }
  /// Returns the arguments of MPI_Type_create_darray for the stored array of a side: see redist_plan_darray.
  Darray darray(Side side) const {
    std::int32_t dimensions = 0;
    check(redist_plan_size(get(), &dimensions, nullptr));
    const std::vector<int> list(static_cast<std::size_t>(dimensions));
    Darray found{list, list, list, list, 0};
    check(redist_plan_darray(get(), static_cast<std::int32_t>(side), found.gsizes.data(), found.distribs.data(), found.dargs.data(),
                             found.psizes.data(), &found.order));
    return found;
  }
  /// Returns the mesh of devices of a side, with its placements: see redist_plan_mesh.
  Mesh mesh(Side side) const {
    // A mesh has at most 16 dimensions, and at most as many devices as the plan has ranks.
    std::int32_t dimensions = 0;
    std::int64_t ranks = 0;
    check(redist_plan_size(get(), nullptr, &ranks));
    Mesh found{std::vector<std::int64_t>(16), std::vector<std::int32_t>(16), std::vector<std::int64_t>(16),
               std::vector<std::int64_t>(static_cast<std::size_t>(ranks))};
    check(redist_plan_mesh(get(), static_cast<std::int32_t>(side), &dimensions, found.extents.data(), found.placements.data(),
                           found.split_factors.data(), found.ranks.data()));
    std::size_t devices = 1;
    for (std::int32_t at = 0; at < dimensions; ++at) devices *= static_cast<std::size_t>(found.extents[static_cast<std::size_t>(at)]);
    found.extents.resize(static_cast<std::size_t>(dimensions));
    found.placements.resize(static_cast<std::size_t>(dimensions));
    found.split_factors.resize(static_cast<std::size_t>(dimensions));
    found.ranks.resize(devices);
    return found;
  }
  /// Returns the array descriptor of ScaLAPACK of a side, as DESCINIT fills it on a rank, with the least LLD.
  std::array<std::int32_t, 9> scalapack(Side side, std::int32_t context, std::int64_t rank) const {
    std::array<std::int32_t, 9> desc{};
    check(redist_plan_scalapack(get(), static_cast<std::int32_t>(side), context, rank, desc.data()));
    return desc;
  }

  Plan inverse() const {
    redist_plan *made = nullptr;
    check(redist_plan_inverse(get(), &made));
    return Plan(made);
  }
  Plan relabelled() const {
    redist_plan *made = nullptr;
    check(redist_plan_relabelled(get(), &made));
    return Plan(made);
  }
  /// As `relabelled`, with a table: by rank, the rank that now has its cell of the destination's grid.
  Plan relabelled(std::vector<std::int64_t> &table) const {
    redist_plan *made = nullptr;
    table.assign(static_cast<std::size_t>(ranks()), -1);
    check(redist_plan_relabelling(get(), &made, table.data(), nullptr, nullptr));
    return Plan(made);
  }
  std::string explain() const {
    char *text = nullptr;
    check(redist_plan_explain(get(), &text));
    return detail::taken(text);
  }
  std::string layout(Side side) const {
    char *text = nullptr;
    check(redist_plan_layout(get(), static_cast<std::int32_t>(side), &text));
    return detail::taken(text);
  }
  std::int32_t dimensions() const {
    std::int32_t found = 0;
    check(redist_plan_size(get(), &found, nullptr));
    return found;
  }
  /// Returns one past the highest rank that takes part.
  std::int64_t ranks() const {
    std::int64_t found = 0;
    check(redist_plan_size(get(), nullptr, &found));
    return found;
  }
  /// Returns the extents of a rank's dense local array, in the order of its axes, whichever is stored fastest.
  std::vector<std::int64_t> local_extents(Side side, std::int64_t rank) const {
    std::vector<std::int64_t> found(static_cast<std::size_t>(dimensions()));
    check(redist_plan_local(get(), static_cast<std::int32_t>(side), rank, found.data(), nullptr, nullptr));
    return found;
  }
  /// Returns the elements of a rank's dense local array.
  std::int64_t local_len(Side side, std::int64_t rank) const {
    std::int64_t len = 0;
    check(redist_plan_local(get(), static_cast<std::int32_t>(side), rank, nullptr, nullptr, &len));
    return len;
  }
  /// Returns the global index of an element of a rank's dense local array.
  std::vector<std::int64_t> global_index(Side side, std::int64_t rank, std::int64_t offset) const {
    std::vector<std::int64_t> found(static_cast<std::size_t>(dimensions()));
    check(redist_plan_global_index(get(), static_cast<std::int32_t>(side), rank, offset, found.data()));
    return found;
  }
  /// Returns the rank that holds an element.
  std::int64_t owner(Side side, const std::vector<std::int64_t> &index) const {
    if (index.size() != static_cast<std::size_t>(dimensions())) throw std::invalid_argument("an index has an entry for each dimension");
    std::int64_t rank = 0;
    check(redist_plan_owner(get(), static_cast<std::int32_t>(side), index.data(), &rank));
    return rank;
  }
  /// Returns the elements that one rank sends another; those that stay, if both are one rank.
  std::int64_t volume(std::int64_t source_rank, std::int64_t destination_rank) const {
    std::int64_t elements = 0;
    check(redist_plan_volume(get(), source_rank, destination_rank, &elements));
    return elements;
  }
  /// Makes the dense local arrays of all ranks on a side, of zeros.
  template <typename T>
  std::vector<std::vector<T>> parts(Side side) const {
    std::vector<std::vector<T>> made(static_cast<std::size_t>(ranks()));
    for (std::size_t rank = 0; rank < made.size(); ++rank)
      made[rank].resize(static_cast<std::size_t>(local_len(side, static_cast<std::int64_t>(rank))));
    return made;
  }
  /// Deals a whole array to the local arrays of all ranks on a side. It has the shape of the side's stored array, of which a
  /// section is a part: a view like `std::mdspan`, of any layout, or a container, which lies row by row.
  template <typename Whole>
  auto scatter(Side side, const Whole &whole) const {
    using T = std::remove_cv_t<std::remove_reference_t<decltype(*detail::place_of(whole))>>;
    std::vector<std::vector<T>> made = parts<T>(side);
    const std::string name = element_name<T>();
    detail::Lists lists;
    redist_array array = detail::described<T>(whole, lists);
    array.element = name.c_str();
    check(redist_plan_scatter_array(get(), static_cast<std::int32_t>(side), &array, static_cast<std::int64_t>(made.size()),
                                    detail::places(made).data()));
    return made;
  }
  /// Puts the local arrays of all ranks on a side together, into an array as for `scatter`.
  template <typename T, typename Whole>
  void gather(Side side, const std::vector<std::vector<T>> &parts, Whole &&whole) const {
    check_parts(side, parts, "parts");
    const std::string name = element_name<T>();
    detail::Lists lists;
    T *place = detail::place_of(whole);
    redist_array array = detail::described<T>(whole, lists);
    array.data = place;
    array.element = name.c_str();
    check(redist_plan_gather_array(get(), static_cast<std::int32_t>(side), static_cast<std::int64_t>(parts.size()),
                                   detail::places(parts).data(), &array));
  }
  /// Moves an array between all ranks, which are threads of this process: neither MPI nor a communicator is needed. Each list
  /// has the rank's dense local array for each rank. Elements for which nothing arrives stay as they are.
  template <typename T>
  void simulate(const std::vector<std::vector<T>> &sources, std::vector<std::vector<T>> &destinations) const {
    check_parts(Side::source, sources, "sources");
    check_parts(Side::destination, destinations, "destinations");
    check(redist_plan_simulate(get(), element_name<T>().c_str(), static_cast<std::int64_t>(sources.size()),
                               detail::places(sources).data(), detail::places(destinations).data()));
  }
  /// Moves into new arrays.
  template <typename T>
  std::vector<std::vector<T>> simulate(const std::vector<std::vector<T>> &sources) const {
    std::vector<std::vector<T>> made = parts<T>(Side::destination);
    simulate(sources, made);
    return made;
  }
  /// As `simulate`, but that each destination becomes `alpha` times what arrives, or its conjugate, plus `beta` times what it
  /// had: see `Bound::run_scaled`.
  template <typename T>
  void simulate_scaled(T alpha, const std::vector<std::vector<T>> &sources, T beta, std::vector<std::vector<T>> &destinations,
                       bool conjugates = false) const {
    check_parts(Side::source, sources, "sources");
    check_parts(Side::destination, destinations, "destinations");
    check(redist_plan_simulate_scaled(get(), element_name<T>().c_str(), static_cast<std::int64_t>(sources.size()), &alpha,
                                      detail::places(sources).data(), &beta, detail::places(destinations).data(), conjugates));
  }
  /// As `simulate`, but that `function(const T &arrived, U &kept)` is called for each element that arrives, as in
  /// `Bound::run_with`: destinations may have elements of another type. Several threads may call it at a time, each for a rank of
  /// its own.
  template <typename T, typename U, typename Function>
  void simulate_with(const std::vector<std::vector<T>> &sources, std::vector<std::vector<U>> &destinations, Function &&function) const {
    check_parts(Side::source, sources, "sources");
    check_parts(Side::destination, destinations, "destinations");
    detail::OfElements<T, U, std::remove_reference_t<Function>> state{function, {}, nullptr};
    const redist_status status = redist_plan_simulate_with(
        get(), element_name<T>().c_str(), static_cast<std::int64_t>(sources.size()), detail::places(sources).data(),
        detail::places(destinations).data(), sizeof(U), state.call, &state);
    if (state.thrown) std::rethrow_exception(state.thrown);
    check(status);
  }
  /// Moves elements that tell all apart, of the size of `T`, and compares each that arrives. Returns their number.
  template <typename T>
  std::int64_t verify() const {
    std::int64_t moved = 0;
    check(redist_plan_verify(get(), element_name<T>().c_str(), &moved));
    return moved;
  }
  const redist_plan *get() const noexcept { return handle_.get(); }

 private:
  template <typename T>
  void check_parts(Side side, const std::vector<std::vector<T>> &parts, const char *name) const {
    detail::check_parts(parts, ranks(), name, [&](std::int64_t rank) { return local_len(side, rank); });
  }
  explicit Plan(redist_plan *made) : handle_(made, redist_plan_free) {}
  std::unique_ptr<redist_plan, decltype(&redist_plan_free)> handle_{nullptr, redist_plan_free};
};

/// The meaning of a source's copies.
enum class Combine : std::int32_t {
  /// Equal copies of the array.
  none = REDIST_COMBINE_NONE,
  /// Addends, whose sum the destination becomes.
  sum = REDIST_COMBINE_SUM,
  /// Addends, whose least the destination becomes.
  min = REDIST_COMBINE_MIN,
  /// Addends, whose greatest the destination becomes.
  max = REDIST_COMBINE_MAX,
  /// Addends, which a function combines: of `Bound::run_with` or `Copies::simulate_with`.
  function = REDIST_COMBINE_FUNCTION,
};

/// A plan between copies of one array, or a sum of addends: broadcasts, all-gathers, all-reduces, and others. `copies k` behind a
/// layout stands for `k` copies, as redist_copies_parse says.
class Copies {
 public:
  Copies(const std::vector<std::int64_t> &extents, const std::string &from, const std::string &to, Combine combine = Combine::none) {
    redist_copies *made = nullptr;
    check(redist_copies_parse(static_cast<std::int32_t>(extents.size()), extents.data(), from.c_str(), to.c_str(),
                              static_cast<std::int32_t>(combine), &made));
    handle_.reset(made);
  }
  /// Plans the move of a tensor between meshes: see redist_copies_meshes.
  Copies(const std::vector<std::int64_t> &extents, const redist_mesh &from, const redist_mesh &to, Combine combine = Combine::none) {
    redist_copies *made = nullptr;
    check(redist_copies_meshes(static_cast<std::int32_t>(extents.size()), extents.data(), &from, &to, static_cast<std::int32_t>(combine),
                               &made));
    handle_.reset(made);
  }
  std::int32_t dimensions() const {
    std::int32_t found = 0;
    check(redist_copies_size(get(), &found, nullptr, nullptr, nullptr));
    return found;
  }
  /// Returns one past the highest rank that has a copy.
  std::int64_t ranks() const {
    std::int64_t found = 0;
    check(redist_copies_size(get(), nullptr, &found, nullptr, nullptr));
    return found;
  }
  /// Returns the number of copies of a side; those of a sum's source are its addends.
  std::int64_t count(Side side) const {
    std::int64_t found[2] = {0, 0};
    check(redist_copies_size(get(), nullptr, nullptr, &found[0], &found[1]));
    return found[static_cast<std::size_t>(side)];
  }
  /// Returns the extents of a rank's part of its copy; zeros without one.
  std::vector<std::int64_t> local_extents(Side side, std::int64_t rank) const {
    std::vector<std::int64_t> found(static_cast<std::size_t>(dimensions()));
    check(redist_copies_local(get(), static_cast<std::int32_t>(side), rank, found.data(), nullptr, nullptr));
    return found;
  }
  /// Returns the elements of a rank's part of its copy.
  std::int64_t local_len(Side side, std::int64_t rank) const {
    std::int64_t len = 0;
    check(redist_copies_local(get(), static_cast<std::int32_t>(side), rank, nullptr, nullptr, &len));
    return len;
  }
  /// Returns the global index of an element of a rank's part.
  std::vector<std::int64_t> global_index(Side side, std::int64_t rank, std::int64_t offset) const {
    std::vector<std::int64_t> found(static_cast<std::size_t>(dimensions()));
    check(redist_copies_global_index(get(), static_cast<std::int32_t>(side), rank, offset, found.data()));
    return found;
  }
  /// Lists the source's copy of each of the destination's copies, or the addends.
  std::string explain() const {
    char *text = nullptr;
    check(redist_copies_explain(get(), &text));
    return detail::taken(text);
  }
  /// Makes the dense local arrays of all ranks on a side, of zeros.
  template <typename T>
  std::vector<std::vector<T>> parts(Side side) const {
    std::vector<std::vector<T>> made(static_cast<std::size_t>(ranks()));
    for (std::size_t rank = 0; rank < made.size(); ++rank)
      made[rank].resize(static_cast<std::size_t>(local_len(side, static_cast<std::int64_t>(rank))));
    return made;
  }
  /// Moves copies, or makes sums, between all ranks, which are threads of this process: see `Plan::simulate`.
  template <typename T>
  void simulate(const std::vector<std::vector<T>> &sources, std::vector<std::vector<T>> &destinations) const {
    check_parts(sources, destinations);
    check(redist_copies_simulate(get(), element_name<T>().c_str(), static_cast<std::int64_t>(sources.size()),
                                 detail::places(sources).data(), detail::places(destinations).data()));
  }
  /// As `simulate`, but that `function(const T &addend, T &result)` combines addends, as in `Bound::run_with`. Several threads
  /// may call it at a time.
  template <typename T, typename Function>
  void simulate_with(const std::vector<std::vector<T>> &sources, std::vector<std::vector<T>> &destinations, Function &&function) const {
    check_parts(sources, destinations);
    detail::OfElements<T, T, std::remove_reference_t<Function>> state{function, {}, nullptr};
    const redist_status status = redist_copies_simulate_with(
        get(), element_name<T>().c_str(), static_cast<std::int64_t>(sources.size()), detail::places(sources).data(),
        detail::places(destinations).data(), state.call, &state);
    if (state.thrown) std::rethrow_exception(state.thrown);
    check(status);
  }
  const redist_copies *get() const noexcept { return handle_.get(); }

 private:
  template <typename T>
  void check_parts(const std::vector<std::vector<T>> &sources, const std::vector<std::vector<T>> &destinations) const {
    detail::check_parts(sources, ranks(), "sources", [&](std::int64_t rank) { return local_len(Side::source, rank); });
    detail::check_parts(destinations, ranks(), "destinations", [&](std::int64_t rank) { return local_len(Side::destination, rank); });
  }
  std::unique_ptr<redist_copies, decltype(&redist_copies_free)> handle_{nullptr, redist_copies_free};
};

/// The messages that one rank sends, or those that it receives, for a transport of the caller's own. Sorted by the other rank;
/// elements that stay are a message of the rank to itself. They outlive the plan, and any thread may use them.
class Messages {
 public:
  struct Message {
    /// The other rank.
    std::int64_t peer;
    /// Elements of the message.
    std::int64_t elements;
    /// Number of its views.
    std::int64_t views;
  };
  /// A strided box of the sender's and of the receiver's dense local array, which list the same elements in the same order.
  /// Lists begin with the slowest axis.
  struct View {
    /// Elements along each axis.
    std::vector<std::int64_t> shape;
    /// Elements before the first one in the sender's array.
    std::int64_t source_offset;
    /// Elements from neighbour to neighbour in the sender's array.
    std::vector<std::int64_t> source_strides;
    /// Elements before the first one in the receiver's array.
    std::int64_t destination_offset;
    /// Elements from neighbour to neighbour in the receiver's array.
    std::vector<std::int64_t> destination_strides;
  };
  Messages(const Plan &plan, Side side, std::int64_t rank) {
    redist_messages *made = nullptr;
    check(redist_plan_messages(plan.get(), static_cast<std::int32_t>(side), rank, &made));
    handle_.reset(made);
  }
  std::int64_t size() const {
    std::int64_t count = 0;
    check(redist_messages_size(get(), &count));
    return count;
  }
  Message operator[](std::int64_t at) const {
    Message found{};
    check(redist_message_views(get(), at, &found.peer, &found.elements, &found.views));
    return found;
  }
  /// Returns one view of a message, both numbered from 0 on.
  View view(std::int64_t message, std::int64_t number) const {
    redist_view made{};
    // The lists have no room yet, so that the call tells the axes, and fails if there is any.
    const redist_status status = redist_message_view(get(), message, number, &made);
    if (made.axes == 0) check(status);
    const std::size_t axes = static_cast<std::size_t>(made.axes);
    View found{std::vector<std::int64_t>(axes), 0, std::vector<std::int64_t>(axes), 0, std::vector<std::int64_t>(axes)};
    made.room = made.axes;
    made.shape = found.shape.data();
    made.source_strides = found.source_strides.data();
    made.destination_strides = found.destination_strides.data();
    check(redist_message_view(get(), message, number, &made));
    found.source_offset = made.source_offset;
    found.destination_offset = made.destination_offset;
    return found;
  }
  const redist_messages *get() const noexcept { return handle_.get(); }

 private:
  std::unique_ptr<redist_messages, decltype(&redist_messages_free)> handle_{nullptr, redist_messages_free};
};

/// The messages of one rank, packed and unpacked for a transport of the caller's own. Elements are of type `T`, and arrays are
/// as for `Bound::run`. Neither MPI nor a communicator is needed. Any thread may use it.
template <typename T>
class Packing {
 public:
  /// A message with another rank, or with this one, of elements that stay.
  struct Message {
    /// The other rank.
    std::int64_t peer;
    /// Elements of the message.
    std::int64_t elements;
  };
  Packing(const Plan &plan, std::int64_t rank, const redist_options *options = nullptr) {
    redist_packing *made = nullptr;
    check(redist_plan_packing(plan.get(), element_name<T>().c_str(), rank, options, &made));
    handle_.reset(made);
  }
  /// Returns the messages that the rank sends (source) or receives (destination), sorted by the other rank.
  std::vector<Message> messages(Side side) const {
    std::int64_t count = 0;
    check(redist_packing_size(get(), static_cast<std::int32_t>(side), &count, nullptr));
    std::vector<Message> found(static_cast<std::size_t>(count));
    for (std::int64_t at = 0; at < count; ++at) {
      Message &message = found[static_cast<std::size_t>(at)];
      check(redist_packing_message(get(), static_cast<std::int32_t>(side), at, &message.peer, &message.elements));
    }
    return found;
  }
  /// Makes an array for one side, of zeros.
  std::vector<T> array(Side side) const {
    std::int64_t len = 0;
    check(redist_packing_size(get(), static_cast<std::int32_t>(side), nullptr, &len));
    return std::vector<T>(static_cast<std::size_t>(len));
  }
  /// Packs the message to `peer` into a buffer of its elements.
  template <typename Source>
  void pack(const Source &array, std::int64_t peer, std::vector<T> &buffer) const {
    const std::int64_t len = checked(Side::source, array);
    check(redist_pack(get(), detail::place_of(array), len, peer, buffer.data(), signed_len(buffer.size())));
  }
  /// Unpacks the message from `peer` into the array. Elements of no message stay as they are.
  template <typename Destination>
  void unpack(const std::vector<T> &buffer, std::int64_t peer, Destination &&array) const {
    const std::int64_t len = checked(Side::destination, array);
    T *place = detail::place_of(array);
    check(redist_unpack(get(), buffer.data(), signed_len(buffer.size()), peer, place, len));
  }
  /// Packs all messages by the kernels of `Bound::run`, one after the other in the order of `messages`.
  template <typename Source>
  std::vector<T> pack_all(const Source &array) const {
    const std::int64_t len = checked(Side::source, array);
    std::int64_t elements = 0;
    for (const Message &message : messages(Side::source)) elements += message.elements;
    std::vector<T> buffer(static_cast<std::size_t>(elements));
    check(redist_pack_joined(get(), detail::place_of(array), len, buffer.data(), elements));
    return buffer;
  }
  /// Unpacks all messages, which a buffer has one after the other, by the kernels of `Bound::run`.
  template <typename Destination>
  void unpack_all(const std::vector<T> &buffer, Destination &&array) const {
    const std::int64_t len = checked(Side::destination, array);
    T *place = detail::place_of(array);
    check(redist_unpack_joined(get(), buffer.data(), signed_len(buffer.size()), place, len));
  }
  const redist_packing *get() const noexcept { return handle_.get(); }

 private:
  /// Checks an array, and returns the elements of it that packing takes.
  template <typename Array>
  std::int64_t checked(Side side, const Array &array) const {
    detail::Lists lists;
    const redist_array described = detail::described<T>(array, lists);
    check(redist_packing_check(get(), static_cast<std::int32_t>(side), &described));
    std::int64_t len = 0;
    check(redist_packing_size(get(), static_cast<std::int32_t>(side), nullptr, &len));
    return len;
  }
  static std::int64_t signed_len(std::size_t len) noexcept { return static_cast<std::int64_t>(len); }
  std::unique_ptr<redist_packing, decltype(&redist_packing_free)> handle_{nullptr, redist_packing_free};
};

/// A rank's local array in memory that the ranks of its node share: elements of `T`, at first zero. If all ranks are on one
/// node and pass such sources, `Bound::run` copies each element once. Destroyed on the thread that made it, before MPI is
/// finalised.
template <typename T>
class SharedArray {
 public:
  T *data() noexcept { return handle_.get(); }
  const T *data() const noexcept { return handle_.get(); }
  std::size_t size() const noexcept { return size_; }
  T *begin() noexcept { return data(); }
  T *end() noexcept { return data() + size_; }
  const T *begin() const noexcept { return data(); }
  const T *end() const noexcept { return data() + size_; }
  T &operator[](std::size_t at) noexcept { return data()[at]; }
  const T &operator[](std::size_t at) const noexcept { return data()[at]; }

 private:
  template <typename U>
  friend class Bound;
  SharedArray(void *array, std::size_t size) : handle_(static_cast<T *>(array)), size_(size) {}
  struct Free {
    void operator()(T *array) const noexcept { redist_shared_free(array); }
  };
  std::unique_ptr<T[], Free> handle_;
  std::size_t size_;
};

/// The ranks that plans are bound to, where they are no MPI communicator: threads, of `run_threads`, or the ranks of two programs,
/// of `Programs::couple` and `Ranks::rendezvous`. Used on one thread.
class Ranks {
 public:
  /// Couples two programs of different launches by a file: see redist_rendezvous. Collective over this program's ranks.
  static Ranks rendezvous(MPI_Comm communicator, Side side, const std::string &file, double seconds) {
    redist_ranks *made = nullptr;
    check(redist_rendezvous(communicator, static_cast<std::int32_t>(side), file.c_str(), seconds, &made));
    return Ranks(made, made);
  }
  /// Returns this rank's number.
  std::int64_t rank() const {
    std::int64_t rank = 0;
    check(redist_ranks_size(get(), &rank, nullptr));
    return rank;
  }
  /// Returns the number of ranks.
  std::int64_t size() const {
    std::int64_t size = 0;
    check(redist_ranks_size(get(), nullptr, &size));
    return size;
  }
  /// Waits until all ranks have called it. Collective.
  void barrier() const { check(redist_ranks_barrier(get())); }
  /// Of two programs: returns the number of this one's rank 0 among the ranks of both.
  std::int64_t first_rank() const {
    std::int64_t first = 0;
    check(redist_ranks_programs(get(), nullptr, &first, nullptr, nullptr));
    return first;
  }
  /// Of two programs: returns the number of ranks of the program that is this side.
  std::int64_t count(Side side) const {
    std::int64_t counts[2] = {0, 0};
    check(redist_ranks_programs(get(), nullptr, nullptr, &counts[0], &counts[1]));
    return counts[static_cast<std::int32_t>(side)];
  }
  /// Of two programs: exchanges layouts, and the extents, which one of both knows at least. Returns the other program's layout,
  /// and stores the extents, which are empty where this program does not know them. Collective over both.
  std::string handshake(const std::string &layout, std::int32_t dimensions, std::vector<std::int64_t> &extents) const {
    if (!extents.empty() && extents.size() != static_cast<std::size_t>(dimensions))
      throw std::invalid_argument("extents have an entry for each dimension");
    std::vector<std::int64_t> found(static_cast<std::size_t>(dimensions));
    char *other = nullptr;
    check(redist_ranks_handshake(get(), layout.c_str(), dimensions, extents.empty() ? nullptr : extents.data(), &other, found.data()));
    extents = std::move(found);
    return detail::taken(other);
  }
  const redist_ranks *get() const noexcept { return ranks_; }

 private:
  template <typename Function>
  friend struct detail::OfRanks;
  friend class Programs;
  /// The ranks, and the same if this value frees them.
  Ranks(const redist_ranks *ranks, redist_ranks *owned) : ranks_(ranks), owned_(owned) {}
  struct Free {
    void operator()(redist_ranks *ranks) const noexcept { redist_ranks_free(ranks); }
  };
  const redist_ranks *ranks_;
  std::unique_ptr<redist_ranks, Free> owned_;
};

template <typename Function>
std::int32_t detail::OfRanks<Function>::call(const redist_ranks *ranks, void *state) noexcept {
  OfRanks &self = *static_cast<OfRanks *>(state);
  try {
    self.function(Ranks(ranks, nullptr));
    return 0;
  } catch (...) {
    const std::lock_guard<std::mutex> lock(self.own);
    if (!self.thrown) self.thrown = std::current_exception();
    return 1;
  }
}

/// Calls `function(const Ranks &)` on a thread for each of `ranks` ranks: see redist_threads_run. If it throws, the first exception
/// is thrown when all ranks have ended. Plans that it has bound end before it returns.
template <typename Function>
void run_threads(std::int64_t ranks, Function &&function) {
  detail::OfRanks<std::remove_reference_t<Function>> state{function, {}, nullptr};
  const redist_status status = redist_threads_run(ranks, state.call, &state);
  if (state.thrown) std::rethrow_exception(state.thrown);
  check(status);
}

/// The programs of one launch, by their numbers: see redist_programs_new. Used on one thread.
class Programs {
 public:
  /// Collective over all ranks of all programs. With a `number`, programs are those of equal numbers.
  explicit Programs(MPI_Comm communicator, std::int64_t number = -1) {
    redist_programs *made = nullptr;
    check(redist_programs_new(communicator, number, &made));
    handle_.reset(made);
    check(redist_programs_size(made, &program_, &count_, &rank_, &size_));
  }
  /// Returns this program's number.
  std::int64_t program() const noexcept { return program_; }
  /// Returns the number of programs.
  std::int64_t count() const noexcept { return count_; }
  /// Returns this rank's number in its program.
  std::int64_t rank() const noexcept { return rank_; }
  /// Returns the number of ranks of this program.
  std::int64_t size() const noexcept { return size_; }
  /// Couples this program, which is the side, with another one, which is the other side. Collective over both.
  Ranks couple(Side side, std::int64_t program) const {
    redist_ranks *made = nullptr;
    check(redist_programs_couple(handle_.get(), static_cast<std::int32_t>(side), program, &made));
    return Ranks(made, made);
  }
  const redist_programs *get() const noexcept { return handle_.get(); }

 private:
  struct Free {
    void operator()(redist_programs *programs) const noexcept { redist_programs_free(programs); }
  };
  std::unique_ptr<redist_programs, Free> handle_;
  std::int64_t program_ = 0, count_ = 0, rank_ = 0, size_ = 0;
};

/// A part of one array that a program holds, as the source, or wants: see redist_programs_join. Lists have an entry for each
/// dimension.
struct Part {
  Side side;
  /// Extents of the whole array, in elements.
  std::vector<std::int64_t> whole;
  /// First index of the part in the whole array, from 0 on.
  std::vector<std::int64_t> at;
  /// Extents of the part, in elements.
  std::vector<std::int64_t> extents;
  /// Layout of the part on the program's ranks, which are numbered from 0.
  std::string layout;
};

/// A plan bound to the ranks of a communicator, for elements of type `T`; used, and destroyed, on one thread.
template <typename T>
class Bound {
 public:
  /// Collective.
  Bound(const Plan &plan, MPI_Comm communicator, const redist_options *options = nullptr) {
    redist_bound *made = nullptr;
    check(redist_bind(plan.get(), element_name<T>().c_str(), communicator, options, &made));
    handle_.reset(made);
  }
  /// Binds the plan for local arrays that lie as these two views do, on this rank: with their strides, such as those of
  /// `std::layout_stride` or of a submdspan. Of the views only the strides are used; moves bring such views. Collective.
  template <typename Source, typename Destination, typename = std::enable_if_t<detail::HasShape<std::decay_t<Source>>::value &&
                                                                               detail::HasShape<std::decay_t<Destination>>::value>>
  Bound(const Plan &plan, MPI_Comm communicator, const Source &source, const Destination &destination,
        redist_options options = REDIST_OPTIONS_INIT) {
    detail::Lists lists[2];
    const redist_array lies[2] = {detail::described<T>(source, lists[0]), detail::described<T>(destination, lists[1])};
    for (int side = 0; side < 2; ++side) {
      if (lies[side].dimensions == 0) continue;
      options.padding[side].kind = REDIST_PADDING_STRIDES;
      options.padding[side].strides = lists[side].strides;
    }
    redist_bound *made = nullptr;
    check(redist_bind(plan.get(), element_name<T>().c_str(), communicator, &options, &made));
    handle_.reset(made);
  }
  /// Plans a move by the indices of this rank's elements, before and after, of which no other rank has to know. Collective.
  Bound(const redist_lists &lists, MPI_Comm communicator) {
    redist_bound *made = nullptr;
    check(redist_bind_lists(&lists, element_name<T>().c_str(), communicator, &made));
    handle_.reset(made);
  }

  /// Binds copies of an array, or a sum; a rank's array is its part of its copy. Collective.
  Bound(const Copies &copies, MPI_Comm communicator) {
    redist_bound *made = nullptr;
    check(redist_bind_copies(copies.get(), element_name<T>().c_str(), communicator, &made));
    handle_.reset(made);
  }

  /// The same, for ranks that are threads, or of two programs. Collective.
  Bound(const Plan &plan, const Ranks &ranks, const redist_options *options = nullptr) {
    redist_bound *made = nullptr;
    check(redist_bind_ranks(plan.get(), element_name<T>().c_str(), ranks.get(), options, &made));
    handle_.reset(made);
  }
  Bound(const redist_lists &lists, const Ranks &ranks) {
    redist_bound *made = nullptr;
    check(redist_bind_lists_ranks(&lists, element_name<T>().c_str(), ranks.get(), &made));
    handle_.reset(made);
  }
  Bound(const Copies &copies, const Ranks &ranks) {
    redist_bound *made = nullptr;
    check(redist_bind_copies_ranks(copies.get(), element_name<T>().c_str(), ranks.get(), &made));
    handle_.reset(made);
  }

  /// Joins parts of one array that programs hold and want. Collective over all ranks of all programs.
  Bound(const Programs &programs, const Part &part) {
    // Lists of different lengths are of no array; the other ranks wait for this one.
    const bool fits = part.at.size() == part.whole.size() && part.extents.size() == part.whole.size();
    redist_bound *made = nullptr;
    const auto status = redist_programs_join(programs.get(), element_name<T>().c_str(), static_cast<std::int32_t>(part.side),
                                             fits ? static_cast<std::int32_t>(part.whole.size()) : -1, part.whole.data(),
                                             part.at.data(), part.extents.data(), part.layout.c_str(), &made);
    if (!fits) throw std::invalid_argument("lists of a part have an entry for each dimension");
    check(status);
    handle_.reset(made);
  }
  /// The same for a program that takes no part of an array with so many dimensions.
  Bound(const Programs &programs, std::int32_t dimensions) {
    redist_bound *made = nullptr;
    check(redist_programs_join(programs.get(), element_name<T>().c_str(), 0, dimensions, nullptr, nullptr, nullptr, nullptr, &made));
    handle_.reset(made);
  }

  /// Returns the length of this rank's local array, in elements.
  std::int64_t local_len(Side side) const {
    std::int64_t len = 0;
    check(redist_local(get(), static_cast<std::int32_t>(side), &len, nullptr, nullptr));
    return len;
  }
  /// Makes an array for one side, of zeros.
  std::vector<T> array(Side side) const { return std::vector<T>(static_cast<std::size_t>(local_len(side))); }

  /// Makes an array for one side, of zeros, that ranks of this node share. Collective.
  SharedArray<T> shared_array(Side side) {
    void *array = nullptr;
    check(redist_shared_alloc(get(), static_cast<std::int32_t>(side), &array));
    return SharedArray<T>(array, static_cast<std::size_t>(local_len(side)));
  }

  /// Moves the array. Collective, like all moves. A wrong array on one rank is an error of that rank and of all ranks that
  /// receive from it. All others move. Ranks that bound the plan `collectively` all get the error, and none moves.
  void run(const T *source, std::size_t source_len, T *destination, std::size_t destination_len) {
    check(run(std::nothrow, source, source_len, destination, destination_len));
  }
  redist_status run(std::nothrow_t, const T *source, std::size_t source_len, T *destination,
                    std::size_t destination_len) noexcept {
    return redist_run(get(), source, signed_len(source_len), destination, signed_len(destination_len));
  }
  /// Moves between vectors, `SharedArray`s or any containers with elements at `data()`, also temporary views. The shape and
  /// the strides of an `std::mdspan`, or of a view like that, are compared with the plan's.
  template <typename Source, typename Destination>
  void run(const Source &source, Destination &&destination) {
    check(run(std::nothrow, source, destination));
  }
  template <typename Source, typename Destination>
  redist_status run(std::nothrow_t, const Source &source, Destination &&destination) noexcept {
    detail::Lists lists[2];
    T *place = detail::place_of(destination);
    redist_array from = detail::described<T>(source, lists[0]), to = detail::described<T>(destination, lists[1]);
    to.data = place;
    return redist_run_arrays(get(), &from, &to);
  }

  /// As `run`, but that the destination becomes `alpha` times what arrives, or its conjugate, plus `beta` times what it had.
  /// `T` is `float`, `double`, a complex number of these, or an integer of 32 or 64 bits with a sign.
  template <typename Source, typename Destination>
  void run_scaled(T alpha, const Source &source, T beta, Destination &&destination, bool conjugates = false) {
    detail::Lists lists[2];
    T *place = detail::place_of(destination);
    redist_array from = detail::described<T>(source, lists[0]), to = detail::described<T>(destination, lists[1]);
    to.data = place;
    check(redist_run_scaled(get(), &alpha, &from, &beta, &to, conjugates));
  }

  /// As `run`, but that `function(const T &arrived, U &kept)` is called for each element that arrives, with its place in the
  /// destination, whose elements may be of another type. It calls neither this library nor MPI. If it throws, it is called
  /// no more, and the exception goes on when the move has ended. Of the addends of a sum the first one is stored, and `function`
  /// receives each further one with the result so far.
  template <typename Source, typename Destination, typename Function>
  void run_with(const Source &source, Destination &&destination, Function &&function) {
    auto *to = detail::place_of(destination);
    using Kept = std::remove_reference_t<decltype(*to)>;
    detail::Lists lists[2];
    const redist_array lies[2] = {detail::described<T>(source, lists[0]), detail::described<Kept>(destination, lists[1])};
    detail::OfElements<T, Kept, std::remove_reference_t<Function>> state{function, {}, nullptr};
    const redist_status status = redist_run_with(get(), lies[0].data, lies[0].len, to, lies[1].len, sizeof(Kept), state.call, &state);
    if (state.thrown) std::rethrow_exception(state.thrown);
    check(status);
  }

  redist_status start(std::nothrow_t, const T *source, std::size_t source_len, std::size_t destination_len) noexcept {
    return redist_start(get(), source, signed_len(source_len), signed_len(destination_len));
  }
  /// Begins a move of a source as for `run`. The source may be written to when this returns.
  template <typename Source>
  void start(const Source &source, std::size_t destination_len) {
    detail::Lists lists;
    redist_array from = detail::described<T>(source, lists), to = REDIST_ARRAY_INIT;
    to.len = signed_len(destination_len);
    check(redist_start_arrays(get(), &from, &to));
  }
  /// Returns true if `finish` would not wait.
  bool test() {
    std::int32_t done = 0;
    check(redist_test(get(), &done));
    return done != 0;
  }
  redist_status finish(std::nothrow_t, T *destination, std::size_t destination_len) noexcept {
    return redist_finish(get(), destination, signed_len(destination_len));
  }
  /// Ends the move, into a destination as for `run`.
  template <typename Destination>
  void finish(Destination &&destination) {
    detail::Lists lists;
    T *place = detail::place_of(destination);
    redist_array to = detail::described<T>(destination, lists);
    to.data = place;
    check(redist_finish_array(get(), &to));
  }

  std::string explain() const {
    char *text = nullptr;
    check(redist_explain(get(), &text));
    return detail::taken(text);
  }
  redist_bound *get() const noexcept { return handle_.get(); }

 private:
  struct Free {
    void operator()(redist_bound *bound) const noexcept { redist_bound_free(bound); }
  };
  static std::int64_t signed_len(std::size_t len) noexcept { return static_cast<std::int64_t>(len); }
  std::unique_ptr<redist_bound, Free> handle_;
};

}  // namespace redist

#include "redist_batch.hpp"
#include "redist_mdspan.hpp"

#endif  // REDIST_HPP
