// redist for C++17: local arrays as `std::mdspan`, or as the reference implementation's (namespace Kokkos). `redist.hpp` includes this
// file. It defines REDIST_HAS_MDSPAN if the compiler or the include path has one of them.
#ifndef REDIST_MDSPAN_HPP
#define REDIST_MDSPAN_HPP

#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#define REDIST_HAS_MDSPAN 1
namespace redist {
namespace md = std;
}
#elif defined(MDSPAN_IMPL_STANDARD_NAMESPACE)
// The program has included the reference implementation, perhaps in a namespace of its own.
#define REDIST_HAS_MDSPAN 1
namespace redist {
namespace md = MDSPAN_IMPL_STANDARD_NAMESPACE;
}
#elif defined(__has_include)
#if __has_include(<mdspan/mdspan.hpp>)
#include <mdspan/mdspan.hpp>
#define REDIST_HAS_MDSPAN 1
namespace redist {
namespace md = MDSPAN_IMPL_STANDARD_NAMESPACE;
}
#endif
#endif

#ifdef REDIST_HAS_MDSPAN

#include <array>

#include "redist.hpp"

namespace redist {

/// A local array, with the strides that its plan was bound for.
template <typename T, std::size_t Rank>
using LocalView = md::mdspan<T, md::dextents<std::int64_t, Rank>, md::layout_stride>;

/// Returns the memory of this rank's local array on one side as a view, in the order of that side's axes. `data` has
/// `bound.local_len(side)` elements. Of an array with a leading dimension or a halo the view has the extents of the memory. `Rank`
/// is the plan's number of dimensions; any other throws `std::invalid_argument`.
template <std::size_t Rank, typename T, typename Element>
LocalView<T, Rank> local_view(const Bound<Element> &bound, Side side, T *data) {
  static_assert(std::is_same_v<std::remove_const_t<T>, Element>, "the memory has elements of the plan");
  static_assert(Rank >= 1 && Rank <= 8, "views have 1 to 8 dimensions");
  std::array<std::int64_t, 9> shape, strides;
  shape.fill(-1);
  check(redist_local(bound.get(), static_cast<std::int32_t>(side), nullptr, shape.data(), strides.data()));
  if (shape[Rank - 1] < 0 || shape[Rank] >= 0)
    throw std::invalid_argument("the plan has another number of dimensions than the view");
  std::array<std::int64_t, Rank> own_shape, own_strides;
  for (std::size_t at = 0; at < Rank; ++at) {
    own_shape[at] = shape[at];
    // Strides of views are at least 1; that of a single index is never used.
    own_strides[at] = strides[at] > 0 ? strides[at] : 1;
  }
  using Extents = md::dextents<std::int64_t, Rank>;
  return LocalView<T, Rank>(data, md::layout_stride::mapping<Extents>(Extents(own_shape), own_strides));
}

}  // namespace redist

#endif  // REDIST_HAS_MDSPAN

#endif  // REDIST_MDSPAN_HPP
