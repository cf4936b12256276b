// A block's sizes as a value: at run time what Shape<...> is as a type.
#pragma once

namespace tl::rules {

inline constexpr int max_rank = 8;

constexpr int least(int a, int b) { return a < b ? a : b; }
constexpr int most(int a, int b) { return a > b ? a : b; }

struct Sizes {
  int rank = 0;
  int at[max_rank] = {};

  constexpr Sizes() = default;
  template <class... Int>
  constexpr Sizes(int first, Int... rest) : rank(1 + static_cast<int>(sizeof...(rest))), at{first, rest...} {}

  constexpr int operator[](int axis) const { return at[axis]; }
  constexpr const int* begin() const { return at; }
  constexpr const int* end() const { return at + rank; }
  constexpr bool empty() const { return rank == 0; }
  constexpr void add(int size) { at[rank++] = size; }
  constexpr int count() const {
    int n = 1;
    for (int i = 0; i < rank; ++i) n *= at[i];
    return n;
  }
  // Elements from one index of the axis to the next, row-major.
  constexpr int stride(int axis) const {
    int n = 1;
    for (int i = rank - 1; i > axis; --i) n *= at[i];
    return n;
  }
  constexpr int coordinate(int flat, int axis) const { return flat / stride(axis) % at[axis]; }
  friend constexpr bool operator==(const Sizes& a, const Sizes& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.at[i] != b.at[i]) return false;
    return true;
  }
};

// Axis `i` of shape `to` in a smaller shape that broadcasts to it: -1 where it has none, or only one index.
constexpr int source_axis(const Sizes& from, const Sizes& to, int i) {
  const int j = i - (to.rank - from.rank);
  return j < 0 || from[j] == 1 ? -1 : j;
}

// Each axis equal, or 1.
constexpr Sizes broadcast(const Sizes& a, const Sizes& b) {
  Sizes to = a.rank >= b.rank ? a : b;
  const Sizes& other = a.rank >= b.rank ? b : a;
  for (int i = 0; i < other.rank; ++i)
    if (int& size = to.at[i + to.rank - other.rank]; size == 1) size = other[i];
  return to;
}

constexpr Sizes permuted(const Sizes& shape, const Sizes& order) {
  Sizes to;
  for (const int axis : order) to.add(shape[axis]);
  return to;
}
constexpr Sizes inverse(const Sizes& order) {
  Sizes to = order;
  for (int i = 0; i < order.rank; ++i) to.at[order[i]] = i;
  return to;
}
// Rows and columns change places.
constexpr Sizes transposing(int rank) {
  Sizes order;
  for (int i = 0; i < rank; ++i) order.add(i < rank - 2 ? i : 2 * rank - 3 - i);
  return order;
}

}  // namespace tl::rules
