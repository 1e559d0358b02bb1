// Matrices moved by the names of COSTA (layouts, `transform`, `transformer`), for C++17, over redist.hpp. Programs that include
// COSTA's own files find this one by `-I PREFIX/include/redist/costa`. The guide is docs/c.md, which says what is not served.
#ifndef REDIST_COSTA_HPP
#define REDIST_COSTA_HPP

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../redist.hpp"

namespace costa {

/// A block of this rank's, as `custom_layout` takes it.
struct block_t {
  /// Its first element.
  void *data;
  /// Elements from a column to the next one, or from a row to the next one where blocks lie row by row.
  int ld;
  /// The number of its rows among the matrix's parts of rows, from 0 on.
  int row;
  /// The number of its columns among the matrix's parts of columns, from 0 on.
  int col;
};

/// Places at which a matrix is cut into parts of rows and of columns; each list begins with 0 and ends with the extent.
struct grid2D {
  std::vector<int> rows_split;
  std::vector<int> cols_split;
  grid2D() = default;
  grid2D(std::vector<int> &&rows, std::vector<int> &&cols) : rows_split(std::move(rows)), cols_split(std::move(cols)) {}
};

namespace redist_detail {
/// Joins numbers for the notation.
inline std::string listed(const std::vector<int> &numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

/// Returns a letter of a list as a capital one, or throws.
inline char letter(char given, const char *letters, const char *name) {
  const char found = static_cast<char>(std::toupper(static_cast<unsigned char>(given)));
  if (found == '\0' || std::string(letters).find(found) == std::string::npos)
    throw std::invalid_argument(std::string(name) + " is '" + given + "'; bring a letter of " + letters);
  return found;
}

/// Gives equal lists equal numbers, from 0 on in the order of their first place.
inline std::vector<int> numbered(const std::vector<std::vector<int>> &lists) {
  std::map<std::vector<int>, int> known;
  std::vector<int> numbers;
  for (const std::vector<int> &list : lists) numbers.push_back(known.emplace(list, static_cast<int>(known.size())).first->second);
  return numbers;
}

template <typename T>
struct is_complex : std::false_type {};
template <typename T>
struct is_complex<std::complex<T>> : std::true_type {};

template <typename...>
inline constexpr bool no = false;
}  // namespace redist_detail

/// A matrix cut into blocks, each on a rank of its own choice. Owners that are a process grid of two axes are kept as such.
class assigned_grid2D {
 public:
  assigned_grid2D() = default;
  /// `owners[i][j]` has the block of the `i`-th part of rows and the `j`-th part of columns.
  assigned_grid2D(grid2D &&grid, std::vector<std::vector<int>> &&owners, int ranks) : grid_(std::move(grid)), ranks_(ranks) {
    check(owners);
    find_cells(owners);
    if (!is_grid()) owners_ = std::move(owners);
  }
  int owner(int row, int col) const {
    const std::size_t i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(col);
    return reordered_rank(is_grid() ? cells_[cell(row_cells_.at(i), col_cells_.at(j))] : owners_.at(i).at(j));
  }
  const grid2D &grid() const noexcept { return grid_; }
  int num_ranks() const noexcept { return ranks_; }
  int num_blocks_row() const noexcept { return parts(grid_.rows_split); }
  int num_blocks_col() const noexcept { return parts(grid_.cols_split); }
  int num_rows() const noexcept { return grid_.rows_split.empty() ? 0 : grid_.rows_split.back(); }
  int num_cols() const noexcept { return grid_.cols_split.empty() ? 0 : grid_.cols_split.back(); }
  /// Puts the blocks of rank `r` on rank `reordering[r]`.
  void reorder_ranks(std::vector<int> &reordering) { reordering_ = reordering; }
  int reordered_rank(int rank) const { return ranks_reordered() ? reordering_.at(static_cast<std::size_t>(rank)) : rank; }
  bool ranks_reordered() const noexcept { return !reordering_.empty(); }

  /// Returns true if the owners are a process grid, and a layout of redist says them.
  bool is_grid() const noexcept { return !cells_.empty(); }
  /// Returns the layout in redist's notation, of a matrix that is stored so.
  std::string notation(char ordering) const {
    std::string text = "(" + dist(0) + ", " + dist(1) + ") onto (" + std::to_string(cells_.size() / grid_cols_) + ", " +
                       std::to_string(grid_cols_) + ")";
    if (stored_.is_cyclic)
      text += " first (" + std::to_string(stored_.first[0]) + ", " + std::to_string(stored_.first[1]) + ")";
    std::vector<int> on(cells_.size());
    std::transform(cells_.begin(), cells_.end(), on.begin(), [this](int rank) { return reordered_rank(rank); });
    std::vector<int> in_turn(on.size());
    std::iota(in_turn.begin(), in_turn.end(), 0);
    if (on != in_turn) text += " ranks " + redist_detail::listed(on);
    if (ordering == 'C') text += " storage fortran";
    if (stored_.is_cyclic)
      text += " of [" + std::to_string(stored_.extents[0]) + ", " + std::to_string(stored_.extents[1]) + "] at [" +
              std::to_string(stored_.at[0]) + ", " + std::to_string(stored_.at[1]) + "]";
    return text;
  }
  /// Returns the number of blocks of a rank.
  std::size_t blocks_of(int rank) const {
    std::size_t found = 0;
    if (!is_grid()) {
      for (const std::vector<int> &row : owners_)
        for (const int owner : row) found += reordered_rank(owner) == rank;
      return found;
    }
    for (std::size_t at = 0; at < cells_.size(); ++at)
      if (reordered_rank(cells_[at]) == rank)
        found += static_cast<std::size_t>(std::count(row_cells_.begin(), row_cells_.end(), at / grid_cols_) *
                                          std::count(col_cells_.begin(), col_cells_.end(), at % grid_cols_));
    return found;
  }

 private:
  /// Blocks dealt in turn, of a stored matrix of which this one is a section.
  struct Stored {
    bool is_cyclic = false;
    int extents[2] = {0, 0};
    int blocks[2] = {0, 0};
    int first[2] = {0, 0};
    /// The section's first row and column, from 0 on.
    int at[2] = {0, 0};
  };
  static int parts(const std::vector<int> &split) noexcept { return split.empty() ? 0 : static_cast<int>(split.size()) - 1; }
  std::size_t cell(std::size_t row, std::size_t col) const noexcept { return row * grid_cols_ + col; }
  std::string dist(int axis) const {
    if (stored_.is_cyclic) return "cyclic(" + std::to_string(stored_.blocks[axis]) + ")";
    const std::vector<int> &split = axis == 0 ? grid_.rows_split : grid_.cols_split;
    const std::vector<std::size_t> &cells = axis == 0 ? row_cells_ : col_cells_;
    return "blocks(" + redist_detail::listed(std::vector<int>(split.begin() + 1, split.end() - 1)) + ", " +
           redist_detail::listed(std::vector<int>(cells.begin(), cells.end())) + ")";
  }
  void check(const std::vector<std::vector<int>> &owners) const {
    for (const std::vector<int> *split : {&grid_.rows_split, &grid_.cols_split})
      if (split->size() < 2 || split->front() != 0 || !std::is_sorted(split->begin(), split->end()))
        throw std::invalid_argument("a matrix is cut at " + redist_detail::listed(*split) + "; cuts begin with 0, and do not fall");
    bool fits = owners.size() == static_cast<std::size_t>(num_blocks_row());
    for (const std::vector<int> &row : owners) fits = fits && row.size() == static_cast<std::size_t>(num_blocks_col());
    if (!fits)
      throw std::invalid_argument("bring owners for " + std::to_string(num_blocks_row()) + " x " + std::to_string(num_blocks_col()) + " blocks");
    for (const std::vector<int> &row : owners)
      for (const int owner : row)
        if (owner < 0 || owner >= ranks_)
          throw std::invalid_argument("a block is on rank " + std::to_string(owner) + " of " + std::to_string(ranks_));
  }
  /// Finds the process grid whose rows and columns the owners are, if they are one: parts of rows with the same owners are on
  /// one row of it, and each of its cells has a rank of its own.
  void find_cells(const std::vector<std::vector<int>> &owners) {
    std::vector<std::vector<int>> columns(owners[0].size());
    for (const std::vector<int> &row : owners)
      for (std::size_t j = 0; j < row.size(); ++j) columns[j].push_back(row[j]);
    const std::vector<int> rows = redist_detail::numbered(owners), cols = redist_detail::numbered(columns);
    const int height = 1 + *std::max_element(rows.begin(), rows.end()), width = 1 + *std::max_element(cols.begin(), cols.end());
    std::vector<int> cells(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < cols.size(); ++j) cells[static_cast<std::size_t>(rows[i] * width + cols[j])] = owners[i][j];
    std::vector<int> sorted(cells);
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return;
    cells_ = std::move(cells);
    grid_cols_ = static_cast<std::size_t>(width);
    row_cells_.assign(rows.begin(), rows.end());
    col_cells_.assign(cols.begin(), cols.end());
  }
  friend assigned_grid2D block_cyclic_grid(int, int, int, int, int, int, int, int, int, int, char, int, int);
  grid2D grid_;
  /// The row of the process grid for each part of rows, and the column for each part of columns.
  std::vector<std::size_t> row_cells_, col_cells_;
  /// The rank of each cell, row by row; empty if the owners are no grid.
  std::vector<int> cells_;
  /// Columns of the process grid.
  std::size_t grid_cols_ = 1;
  /// The owners, where they are no grid.
  std::vector<std::vector<int>> owners_;
  std::vector<int> reordering_;
  Stored stored_;
  /// One more than the highest rank.
  int ranks_ = 0;
};

/// A matrix cut into blocks, and this rank's blocks in memory.
template <typename T>
class grid_layout {
 public:
  /// A block of this rank's.
  struct block {
    /// Its place among the parts of rows and of columns.
    int row, col;
    T *data;
    /// Elements from a row to the next one, and from a column to the next one.
    std::ptrdiff_t row_stride, col_stride;
  };
  grid_layout() = default;
  grid_layout(assigned_grid2D &&cut, std::vector<block> &&own, char order)
      : grid(std::move(cut)), blocks(std::move(own)), ordering(order) {}

  int num_ranks() const noexcept { return grid.num_ranks(); }
  int num_rows() const noexcept { return grid.num_rows(); }
  int num_cols() const noexcept { return grid.num_cols(); }
  int num_blocks_row() const noexcept { return grid.num_blocks_row(); }
  int num_blocks_col() const noexcept { return grid.num_blocks_col(); }
  void reorder_ranks(std::vector<int> &reordering) { grid.reorder_ranks(reordering); }
  int reordered_rank(int rank) const { return grid.reordered_rank(rank); }
  bool ranks_reordered() const noexcept { return grid.ranks_reordered(); }

  /// Calls `function(row, column, element)` for each element of this rank.
  template <typename Function>
  void each(Function &&function) const {
    const std::vector<int> &rows = grid.grid().rows_split, &cols = grid.grid().cols_split;
    for (const block &own : blocks) {
      const int i0 = rows[static_cast<std::size_t>(own.row)], i1 = rows[static_cast<std::size_t>(own.row) + 1];
      const int j0 = cols[static_cast<std::size_t>(own.col)], j1 = cols[static_cast<std::size_t>(own.col) + 1];
      for (int i = i0; i < i1; ++i)
        for (int j = j0; j < j1; ++j) function(i, j, own.data[(i - i0) * own.row_stride + (j - j0) * own.col_stride]);
    }
  }
  template <typename Function>
  void initialize(Function f) {
    each([&f](int i, int j, T &element) { element = static_cast<T>(f(i, j)); });
  }
  template <typename Function>
  void apply(Function f) {
    each([&f](int i, int j, T &element) { element = static_cast<T>(f(i, j, element)); });
  }
  /// Compares each element with `f(row, column)`, and tells the first that differs.
  template <typename Function>
  bool validate(Function f, double tolerance = 1e-12) {
    bool is_right = true;
    each([&](int i, int j, T &element) {
      const T must = static_cast<T>(f(i, j));
      if (std::abs(element - must) <= tolerance) return;
      if (is_right) std::cout << "[ERROR] mat(" << i << ", " << j << ") = " << element << " instead of " << must << std::endl;
      is_right = false;
    });
    return is_right;
  }
  template <typename Function>
  T accumulate(Function f, T initial_value) {
    each([&](int, int, T &element) { initial_value = f(initial_value, element); });
    return initial_value;
  }
  void scale_by(T beta) {
    each([beta](int, int, T &element) { element = beta == T{0} ? T{0} : element * beta; });
  }
  void fill(T value) {
    each([value](int, int, T &element) { element = value; });
  }

  assigned_grid2D grid;
  std::vector<block> blocks;
  /// 'C' if columns lie together, 'R' if rows do.
  char ordering = 'C';
  /// The stored matrix of which the blocks are parts, and its leading dimension; NULL if each block lies on its own.
  T *stored = nullptr;
  std::int64_t leading = 0;
};

template <typename T>
using layout_ref = std::reference_wrapper<grid_layout<T>>;

/// Cuts a matrix by lists: `owners[i * colblocks + j]` has block (i, j).
inline assigned_grid2D custom_grid(const int rowblocks, const int colblocks, const int *rowsplit, const int *colsplit,
                                   const int *owners) {
  if (rowblocks < 1 || colblocks < 1) throw std::invalid_argument("a matrix has a part of rows and a part of columns, or more");
  std::vector<std::vector<int>> of(static_cast<std::size_t>(rowblocks));
  int ranks = 1;
  for (int i = 0; i < rowblocks; ++i) {
    of[static_cast<std::size_t>(i)].assign(owners + i * colblocks, owners + (i + 1) * colblocks);
    ranks = std::max(ranks, 1 + *std::max_element(of[static_cast<std::size_t>(i)].begin(), of[static_cast<std::size_t>(i)].end()));
  }
  return assigned_grid2D({std::vector<int>(rowsplit, rowsplit + rowblocks + 1), std::vector<int>(colsplit, colsplit + colblocks + 1)},
                         std::move(of), ranks);
}

/// Describes a matrix that is cut by lists, of which this rank has some blocks, each in memory of its own.
template <typename T>
grid_layout<T> custom_layout(const int rowblocks, const int colblocks, const int *rowsplit, const int *colsplit, const int *owners,
                             const int nlocalblocks, const block_t *localblocks, const char ordering) {
  const char order = redist_detail::letter(ordering, "RC", "ordering");
  assigned_grid2D grid = custom_grid(rowblocks, colblocks, rowsplit, colsplit, owners);
  std::vector<typename grid_layout<T>::block> own;
  for (int at = 0; at < nlocalblocks; ++at) {
    const block_t &given = localblocks[at];
    if (given.row < 0 || given.row >= rowblocks || given.col < 0 || given.col >= colblocks)
      throw std::invalid_argument("there is no block (" + std::to_string(given.row) + ", " + std::to_string(given.col) + ")");
    own.push_back({given.row, given.col, static_cast<T *>(given.data), order == 'R' ? given.ld : 1, order == 'R' ? 1 : given.ld});
  }
  return grid_layout<T>(std::move(grid), std::move(own), order);
}

/// Cuts a section of a matrix of ScaLAPACK's: `i` and `j` count from 1. The stored matrix is m x n, in blocks of bm x bn.
inline assigned_grid2D block_cyclic_grid(int m, int n, int bm, int bn, int i, int j, int sub_m, int sub_n, int p_m, int p_n,
                                         char rank_order, int rsrc, int csrc) {
  const char order = redist_detail::letter(rank_order, "RC", "the order of ranks");
  const int extents[] = {m, n}, blocks[] = {bm, bn}, at[] = {i - 1, j - 1}, sub[] = {sub_m, sub_n}, grid[] = {p_m, p_n}, first[] = {rsrc, csrc};
  assigned_grid2D made;
  for (int axis = 0; axis < 2; ++axis) {
    const bool fits = blocks[axis] > 0 && at[axis] >= 0 && sub[axis] >= 0 && at[axis] + sub[axis] <= extents[axis] && grid[axis] > 0 &&
                      0 <= first[axis] && first[axis] < grid[axis];
    if (!fits) {
      const std::string name = axis == 0 ? "rows: " : "columns: ";
      throw std::invalid_argument(name + std::to_string(sub[axis]) + " from number " + std::to_string(at[axis] + 1) + " on, of " +
                                  std::to_string(extents[axis]) + " in blocks of " + std::to_string(blocks[axis]) + " on " +
                                  std::to_string(grid[axis]) + " ranks from coordinate " + std::to_string(first[axis]) + " on, are no section");
    }
    std::vector<int> &split = axis == 0 ? made.grid_.rows_split : made.grid_.cols_split;
    std::vector<std::size_t> &cells = axis == 0 ? made.row_cells_ : made.col_cells_;
    split = {0};
    for (int from = at[axis]; from < at[axis] + sub[axis];) {
      const int number = from / blocks[axis], next = std::min((number + 1) * blocks[axis], at[axis] + sub[axis]);
      split.push_back(next - at[axis]);
      cells.push_back(static_cast<std::size_t>((number + first[axis]) % grid[axis]));
      from = next;
    }
    made.stored_.extents[axis] = extents[axis], made.stored_.blocks[axis] = blocks[axis], made.stored_.first[axis] = first[axis];
    made.stored_.at[axis] = at[axis];
  }
  made.stored_.is_cyclic = true;
  made.grid_cols_ = static_cast<std::size_t>(p_n);
  made.ranks_ = p_m * p_n;
  for (int rank = 0; rank < p_m * p_n; ++rank) made.cells_.push_back(order == 'R' ? rank : rank % p_n * p_m + rank / p_n);
  return made;
}

/// Describes a section of a matrix of ScaLAPACK's, and this rank's part of the stored matrix: see `block_cyclic_grid`.
template <typename T>
grid_layout<T> block_cyclic_layout(const int m, const int n, const int block_m, const int block_n, const int i, const int j, const int sub_m,
                                   const int sub_n, const int p_m, const int p_n, const char order, const int rsrc, const int csrc, T *ptr,
                                   const int lld, const char ordering, const int rank) {
  const char data_order = redist_detail::letter(ordering, "RC", "ordering");
  assigned_grid2D grid = block_cyclic_grid(m, n, block_m, block_n, i, j, sub_m, sub_n, p_m, p_n, order, rsrc, csrc);
  const std::ptrdiff_t row_stride = data_order == 'R' ? lld : 1, col_stride = data_order == 'R' ? 1 : lld;
  // The place of a part in the local array: whole blocks before its own on this rank, and what is before it in its block.
  const auto place = [](int part, int start, int at, int block, int ranks) {
    const int number = at / block + part;
    return static_cast<std::ptrdiff_t>(number / ranks) * block + (at + start - number * block);
  };
  const bool by_rows = redist_detail::letter(order, "RC", "the order of ranks") == 'R';
  const int row_of_rank = by_rows ? rank / p_n : rank % p_m, col_of_rank = by_rows ? rank % p_n : rank / p_m;
  std::vector<typename grid_layout<T>::block> own;
  if (0 <= rank && rank < p_m * p_n)
    for (int row = 0; row < grid.num_blocks_row(); ++row) {
      if (((i - 1) / block_m + row + rsrc) % p_m != row_of_rank) continue;
      const std::ptrdiff_t down = place(row, grid.grid().rows_split[static_cast<std::size_t>(row)], i - 1, block_m, p_m);
      for (int col = 0; col < grid.num_blocks_col(); ++col) {
        if (((j - 1) / block_n + col + csrc) % p_n != col_of_rank) continue;
        const std::ptrdiff_t right = place(col, grid.grid().cols_split[static_cast<std::size_t>(col)], j - 1, block_n, p_n);
        own.push_back({row, col, ptr + down * row_stride + right * col_stride, row_stride, col_stride});
      }
    }
  grid_layout<T> made(std::move(grid), std::move(own), data_order);
  made.stored = ptr;
  made.leading = lld;
  return made;
}

namespace redist_detail {
/// This rank's part of one side of a move, as one array: the stored matrix, or a copy of the blocks one after the other.
template <typename T>
class Side {
 public:
  Side(grid_layout<T> &layout, bool by_lists) : layout_(layout), is_copied_(by_lists || !layout.stored) {
    if (is_copied_ && !by_lists) sort();
  }
  /// Copies the blocks, where they do not lie in one array.
  void read() {
    if (!is_copied_) return;
    copy_.clear();
    visit([this](T &element) { copy_.push_back(element); });
  }
  /// Makes room for the blocks.
  void make_room() {
    std::size_t len = 0;
    visit([&len](T &) { ++len; });
    copy_.assign(is_copied_ ? len : 0, T{});
  }
  /// Copies back to the blocks.
  void write() {
    if (!is_copied_) return;
    std::size_t at = 0;
    visit([this, &at](T &element) { element = copy_[at++]; });
  }
  T *data() { return is_copied_ ? copy_.data() : layout_.stored; }
  bool is_copied() const noexcept { return is_copied_; }
  std::int64_t leading() const noexcept { return layout_.leading; }
  /// Returns the indices of the elements, in the order of the copy; `width` is the columns of the matrix after the move.
  std::vector<std::int64_t> indices(bool transposed, std::int64_t width) {
    std::vector<std::int64_t> found;
    layout_.each([&](int i, int j, T &) { found.push_back(transposed ? j * width + i : i * width + j); });
    return found;
  }

 private:
  /// Finds the order of this rank's blocks in a dense local array: parts of rows and of columns in the order of their indices.
  void sort() {
    std::sort(layout_.blocks.begin(), layout_.blocks.end(),
              [](const auto &a, const auto &b) { return std::tie(a.row, a.col) < std::tie(b.row, b.col); });
    is_sorted_ = true;
  }
  /// Calls a function for each element, in the order of the copy.
  template <typename Function>
  void visit(Function &&function) {
    if (!is_sorted_) return layout_.each([&](int, int, T &element) { function(element); });
    const std::vector<int> &rows = layout_.grid.grid().rows_split, &cols = layout_.grid.grid().cols_split;
    const bool by_rows = layout_.ordering == 'R';
    // All blocks of a part of rows follow each other, as many as there are parts of columns on this rank.
    std::size_t width = 0;
    while (width < layout_.blocks.size() && layout_.blocks[width].row == layout_.blocks[0].row) ++width;
    const std::size_t height = width == 0 ? 0 : layout_.blocks.size() / width;
    for (std::size_t outer = 0; outer < (by_rows ? height : width); ++outer) {
      const auto &first = layout_.blocks[by_rows ? outer * width : outer];
      const int lines = by_rows ? length(rows, first.row) : length(cols, first.col);
      for (int line = 0; line < lines; ++line)
        for (std::size_t inner = 0; inner < (by_rows ? width : height); ++inner) {
          const auto &block = layout_.blocks[by_rows ? outer * width + inner : inner * width + outer];
          T *place = block.data + line * (by_rows ? block.row_stride : block.col_stride);
          const int len = by_rows ? length(cols, block.col) : length(rows, block.row);
          for (int at = 0; at < len; ++at) function(place[at * (by_rows ? block.col_stride : block.row_stride)]);
        }
    }
  }
  static int length(const std::vector<int> &split, int part) {
    return split[static_cast<std::size_t>(part) + 1] - split[static_cast<std::size_t>(part)];
  }
  grid_layout<T> &layout_;
  bool is_copied_;
  bool is_sorted_ = false;
  std::vector<T> copy_;
};

/// Throws, and has all ranks that wait in `redist_bind` fail.
[[noreturn]] inline void refuse(MPI_Comm comm, const std::string &words) {
  redist_bound *none = nullptr;
  redist_bind(nullptr, "f64", comm, nullptr, &none);
  throw std::invalid_argument(words);
}

/// Compares the two layouts, and this rank's blocks with their owners.
template <typename T>
void check(const grid_layout<T> &from, const grid_layout<T> &to, bool transposed, MPI_Comm comm) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto shape = [](const auto &layout) { return std::to_string(layout.num_rows()) + " x " + std::to_string(layout.num_cols()); };
  const int rows = transposed ? from.num_cols() : from.num_rows(), cols = transposed ? from.num_rows() : from.num_cols();
  if (rows != to.num_rows() || cols != to.num_cols())
    refuse(comm, "a matrix of " + shape(from) + (transposed ? ", transposed," : "") + " does not fit one of " + shape(to));
  for (const grid_layout<T> *side : {&from, &to}) {
    const char *name = side == &from ? "initial" : "final";
    if (side->grid.blocks_of(rank) != side->blocks.size())
      refuse(comm, std::string("the ") + name + " layout has " + std::to_string(side->grid.blocks_of(rank)) + " blocks on rank " +
                       std::to_string(rank) + " of " + std::to_string(ranks) + ", which brings " + std::to_string(side->blocks.size()));
    for (const auto &own : side->blocks)
      if (side->grid.owner(own.row, own.col) != rank)
        refuse(comm, std::string("block (") + std::to_string(own.row) + ", " + std::to_string(own.col) + ") of the " + name +
                         " layout is on rank " + std::to_string(side->grid.owner(own.row, own.col)) + ", and rank " + std::to_string(rank) +
                         " brings it");
  }
}

/// Binds a move between two process grids.
template <typename T>
redist::Bound<T> bound_by_grids(const grid_layout<T> &from, const grid_layout<T> &to, Side<T> sides[2], bool transposed, MPI_Comm comm) {
  redist_options options = REDIST_OPTIONS_INIT;
  for (int at = 0; at < 2; ++at)
    if (!sides[at].is_copied()) {
      options.padding[at].kind = REDIST_PADDING_LEADING;
      options.padding[at].leading = sides[at].leading();
    }
  std::string words;
  try {
    const redist::Plan plan({from.num_rows(), from.num_cols()}, from.grid.notation(from.ordering),
                            to.grid.notation(to.ordering) + (transposed ? " transposed" : ""));
    return redist::Bound<T>(plan, comm, &options);
  } catch (const redist::Error &error) {
    if (error.status() != REDIST_LAYOUT && error.status() != REDIST_ARGUMENT) throw;
    words = error.what();
  }
  refuse(comm, words);
}

/// Binds a move whose owners on a side are no grid: each rank lists its elements.
template <typename T>
redist::Bound<T> bound_by_lists(const grid_layout<T> &to, Side<T> sides[2], bool transposed, MPI_Comm comm) {
  const std::vector<std::int64_t> before = sides[0].indices(transposed, to.num_cols()), after = sides[1].indices(false, to.num_cols());
  redist_lists lists = REDIST_LISTS_INIT;
  lists.extent = static_cast<std::int64_t>(to.num_rows()) * to.num_cols();
  lists.source = before.data(), lists.source_len = static_cast<std::int64_t>(before.size());
  lists.destination = after.data(), lists.destination_len = static_cast<std::int64_t>(after.size());
  return redist::Bound<T>(lists, comm);
}

/// Moves one matrix: the final one becomes alpha op(initial) + beta final.
template <typename T>
void moved(grid_layout<T> &from, grid_layout<T> &to, char op, T alpha, T beta, MPI_Comm comm) {
  const bool transposed = op != 'N', conjugates = op == 'C' && is_complex<T>::value;
  check(from, to, transposed, comm);
  if (to.num_rows() == 0 || to.num_cols() == 0) return;
  const bool by_lists = !from.grid.is_grid() || !to.grid.is_grid();
  Side<T> sides[] = {Side<T>(from, by_lists), Side<T>(to, by_lists)};
  redist::Bound<T> bound = by_lists ? bound_by_lists(to, sides, transposed, comm) : bound_by_grids(from, to, sides, transposed, comm);
  sides[0].read();
  if (beta == T{0}) sides[1].make_room();
  else sides[1].read();
  redist_array source = REDIST_ARRAY_INIT, destination = REDIST_ARRAY_INIT;
  source.data = sides[0].data(), source.len = bound.local_len(redist::Side::source);
  destination.data = sides[1].data(), destination.len = bound.local_len(redist::Side::destination);
  if (alpha == T{1} && beta == T{0} && !conjugates) redist::check(redist_run_arrays(bound.get(), &source, &destination));
  else redist::check(redist_run_scaled(bound.get(), &alpha, &source, &beta, &destination, conjugates));
  sides[1].write();
}
}  // namespace redist_detail

/// Moves a matrix to another layout. Collective over `comm`, which has all ranks of both.
template <typename T>
void transform(grid_layout<T> &initial_layout, grid_layout<T> &final_layout, MPI_Comm comm) {
  redist_detail::moved(initial_layout, final_layout, 'N', T{1}, T{0}, comm);
}

/// The final matrix becomes alpha op(initial) + beta final; `trans` is 'N', 'T' for the transposed matrix, or 'C' for its
/// conjugate, too. Collective.
template <typename T>
void transform(grid_layout<T> &initial_layout, grid_layout<T> &final_layout, const char trans, const T alpha, const T beta, MPI_Comm comm) {
  redist_detail::moved(initial_layout, final_layout, redist_detail::letter(trans, "NTC", "trans"), alpha, beta, comm);
}

/// Moves several matrices, one after the other.
template <typename T>
void transform(std::vector<layout_ref<T>> &initial_layouts, std::vector<layout_ref<T>> &final_layouts, MPI_Comm comm) {
  for (std::size_t at = 0; at < initial_layouts.size(); ++at) transform(initial_layouts[at].get(), final_layouts.at(at).get(), comm);
}

/// Moves several matrices, one after the other, each with an operation and factors of its own.
template <typename T>
void transform(std::vector<layout_ref<T>> &initial_layouts, std::vector<layout_ref<T>> &final_layouts, const char *trans, const T *alpha,
               const T *beta, MPI_Comm comm) {
  for (std::size_t at = 0; at < initial_layouts.size(); ++at)
    transform(initial_layouts[at].get(), final_layouts.at(at).get(), trans[at], alpha[at], beta[at], comm);
}

/// Moves that wait for `transform`.
template <typename T>
struct transformer {
  transformer() = default;
  explicit transformer(MPI_Comm communicator) : comm(communicator) {}
  void schedule(grid_layout<T> &from_layout, grid_layout<T> &to_layout) { schedule(from_layout, to_layout, 'N', T{1}, T{0}); }
  void schedule(grid_layout<T> &from_layout, grid_layout<T> &to_layout, const char trans, const T by_alpha, const T by_beta) {
    from.push_back(from_layout), to.push_back(to_layout);
    transpose.push_back(trans), alpha.push_back(by_alpha), beta.push_back(by_beta);
  }
  void transform() {
    costa::transform<T>(from, to, transpose.data(), alpha.data(), beta.data(), comm);
    clear();
  }
  void clear() { from.clear(), to.clear(), alpha.clear(), beta.clear(), transpose.clear(); }

  std::vector<layout_ref<T>> from, to;
  std::vector<T> alpha, beta;
  std::vector<char> transpose;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Not served: `redist_plan_relabelled` finds the ranks that let most elements stay, and `redist_plan_volume` tells volumes.
template <typename... Arguments>
int communication_volume(Arguments &&...) {
  static_assert(redist_detail::no<Arguments...>, "redist has no costa::communication_volume; use redist_plan_volume of redist.h");
  return 0;
}
template <typename... Arguments>
int optimal_reordering(Arguments &&...) {
  static_assert(redist_detail::no<Arguments...>, "redist has no costa::optimal_reordering; use redist_plan_relabelled of redist.h");
  return 0;
}
}  // namespace costa

#endif  // REDIST_COSTA_HPP
