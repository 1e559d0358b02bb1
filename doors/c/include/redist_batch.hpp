// redist for C++17: several arrays in one exchange. `redist.hpp` includes this file.
#ifndef REDIST_BATCH_HPP
#define REDIST_BATCH_HPP

#include <array>
#include <string>
#include <tuple>

#include "redist.hpp"

namespace redist {

namespace detail {
/// Descriptions of arrays of a tuple, for as long as this lives.
template <std::size_t Count>
struct Described {
  std::array<std::string, Count> names;
  std::array<Lists, Count> lists;
  std::array<redist_array, Count> arrays;

  template <typename... Arrays>
  explicit Described(const std::tuple<Arrays...> &all) {
    describe(all, std::make_index_sequence<Count>());
  }
  Described(const Described &) = delete;
  Described &operator=(const Described &) = delete;

 private:
  template <typename Tuple, std::size_t... At>
  void describe(const Tuple &all, std::index_sequence<At...>) {
    (describe_one<At>(std::get<At>(all)), ...);
  }
  template <std::size_t At, typename View>
  void describe_one(View &&view) {
    using T = std::remove_cv_t<std::remove_reference_t<decltype(*place_of(view))>>;
    names[At] = element_name<T>();
    arrays[At] = described<T>(view, lists[At]);
    arrays[At].element = names[At].c_str();
  }
};
template <typename... Arrays>
Described(const std::tuple<Arrays...> &) -> Described<sizeof...(Arrays)>;

template <typename Array>
constexpr bool is_written_to = !std::is_const_v<std::remove_reference_t<decltype(*place_of(std::declval<Array &>()))>>;
}  // namespace detail

/// Arrays that move in one exchange: at most one message from a rank to another, with its parts of all arrays. Layouts, types and
/// numbers of dimensions may differ.
class Batch {
 public:
  Batch() {
    redist_batch *made = nullptr;
    check(redist_batch_new(&made));
    handle_.reset(made);
  }
  /// Adds an array of elements of type `T`; all ranks add them in the same order. The plan may go afterwards.
  template <typename T>
  Batch &add(const Plan &plan) {
    check(redist_batch_add(handle_.get(), plan.get(), element_name<T>().c_str()));
    return *this;
  }
  /// Adds copies of an array; sums are refused.
  template <typename T>
  Batch &add(const Copies &copies) {
    check(redist_batch_add_copies(handle_.get(), copies.get(), element_name<T>().c_str()));
    return *this;
  }
  /// Returns the number of arrays.
  std::int64_t size() const {
    std::int64_t found = 0;
    check(redist_batch_size(get(), &found, nullptr));
    return found;
  }
  /// Returns one past the highest rank that takes part.
  std::int64_t ranks() const {
    std::int64_t found = 0;
    check(redist_batch_size(get(), nullptr, &found));
    return found;
  }
  /// Returns the elements of a rank's dense local array of an array of the batch.
  std::int64_t local_len(std::int64_t array, Side side, std::int64_t rank) const {
    std::int64_t len = 0;
    check(redist_batch_part(get(), array, static_cast<std::int32_t>(side), rank, nullptr, nullptr, &len));
    return len;
  }
  /// Moves all arrays between all ranks, which are threads of this process. `std::tie` makes both tuples: for each array of the
  /// batch, a vector with the dense local array of each rank, all of them elements of its type.
  template <typename... Sources, typename... Destinations>
  void simulate(const std::tuple<Sources...> &sources, const std::tuple<Destinations...> &destinations) const {
    static_assert(sizeof...(Sources) == sizeof...(Destinations), "a destination for each source");
    if (size() != static_cast<std::int64_t>(sizeof...(Sources)))
      throw std::invalid_argument("the batch has " + std::to_string(size()) + " arrays; bring each, in the order of Batch::add");
    std::vector<const void *> from;
    std::vector<void *> to;
    collect(Side::source, "sources", sources, from, std::index_sequence_for<Sources...>());
    collect(Side::destination, "destinations", destinations, to, std::index_sequence_for<Destinations...>());
    check(redist_batch_simulate(get(), size(), ranks(), from.data(), to.data()));
  }
  const redist_batch *get() const noexcept { return handle_.get(); }

 private:
  template <typename Tuple, typename Place, std::size_t... At>
  void collect(Side side, const char *name, const Tuple &all, std::vector<Place> &places, std::index_sequence<At...>) const {
    (collect_one(side, name + ("[" + std::to_string(At) + "]"), At, std::get<At>(all), places), ...);
  }
  template <typename Parts, typename Place>
  void collect_one(Side side, const std::string &name, std::size_t array, Parts &&parts, std::vector<Place> &places) const {
    const auto number = static_cast<std::int64_t>(array);
    detail::check_parts(parts, ranks(), name, [&](std::int64_t rank) { return local_len(number, side, rank); });
    for (Place place : detail::places(parts)) places.push_back(place);
  }
  std::unique_ptr<redist_batch, decltype(&redist_batch_free)> handle_{nullptr, redist_batch_free};
};

/// A batch bound to the ranks of a communicator; used, and destroyed, on one thread. `std::tie` makes the tuples of arrays: one for
/// each of the batch's, in order, of containers or views as for `Bound::run`. Types and shapes are compared.
class BoundBatch {
 public:
  /// Collective.
  BoundBatch(const Batch &batch, MPI_Comm communicator) {
    redist_bound_batch *made = nullptr;
    check(redist_batch_bind(batch.get(), communicator, &made));
    handle_.reset(made);
  }
  /// The same, for ranks that are threads, or of two programs. Collective.
  BoundBatch(const Batch &batch, const Ranks &ranks) {
    redist_bound_batch *made = nullptr;
    check(redist_batch_bind_ranks(batch.get(), ranks.get(), &made));
    handle_.reset(made);
  }
  /// Returns the length of this rank's local array of an array of the batch, in elements.
  std::int64_t local_len(std::int64_t array, Side side) const {
    std::int64_t len = 0;
    check(redist_batch_local(get(), array, static_cast<std::int32_t>(side), &len, nullptr, nullptr));
    return len;
  }
  /// Makes an array of zeros for one side of an array of the batch.
  template <typename T>
  std::vector<T> array(std::int64_t array, Side side) const {
    return std::vector<T>(static_cast<std::size_t>(local_len(array, side)));
  }
  /// Moves all arrays. Collective. A wrong array has the effect that `Bound::run` tells of.
  template <typename... Sources, typename... Destinations>
  void run(const std::tuple<Sources...> &sources, const std::tuple<Destinations...> &destinations) {
    static_assert((detail::is_written_to<Destinations> && ...), "destinations are written to");
    detail::Described from(sources), to(destinations);
    check(redist_batch_run(get(), one_count(from, to), from.arrays.data(), to.arrays.data()));
  }
  /// Begins a move, which `finish` ends. The sources may be written to when this returns; of the destinations only types, shapes
  /// and lengths are used.
  template <typename... Sources, typename... Destinations>
  void start(const std::tuple<Sources...> &sources, const std::tuple<Destinations...> &destinations) {
    detail::Described from(sources), to(destinations);
    check(redist_batch_start(get(), one_count(from, to), from.arrays.data(), to.arrays.data()));
  }
  /// Returns true if `finish` would not wait.
  bool test() {
    std::int32_t done = 0;
    check(redist_batch_test(get(), &done));
    return done != 0;
  }
  /// Ends the move, into destinations as for `start`.
  template <typename... Destinations>
  void finish(const std::tuple<Destinations...> &destinations) {
    static_assert((detail::is_written_to<Destinations> && ...), "destinations are written to");
    detail::Described to(destinations);
    check(redist_batch_finish(get(), static_cast<std::int64_t>(sizeof...(Destinations)), to.arrays.data()));
  }
  std::string explain() const {
    char *text = nullptr;
    check(redist_batch_explain(get(), &text));
    return detail::taken(text);
  }
  redist_bound_batch *get() const noexcept { return handle_.get(); }

 private:
  template <std::size_t Count>
  static std::int64_t one_count(const detail::Described<Count> &, const detail::Described<Count> &) noexcept {
    return static_cast<std::int64_t>(Count);
  }
  struct Free {
    void operator()(redist_bound_batch *bound) const noexcept { redist_bound_batch_free(bound); }
  };
  std::unique_ptr<redist_bound_batch, Free> handle_;
};

}  // namespace redist

#endif  // REDIST_BATCH_HPP
