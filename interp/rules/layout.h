// Linear layouts as values: which thread of a program holds which element of a block, in which register.
//
// An element's row-major index is the sum of one basis for each bit set in (register, lane, warp). A lane or warp basis
// of 0 means that the element is held twice. Registers are sorted by their basis, so that layouts equal up to register
// order are equal.
#pragma once

#include "interp/rules/shape.h"

namespace tl::rules {

struct Bases {
  int count = 0;
  int at[20] = {};

  constexpr void add(int basis) { at[count++] = basis; }
  constexpr void sort() {
    for (int i = 1; i < count; ++i)
      for (int j = i; j > 0 && at[j] < at[j - 1]; --j) {
        const int t = at[j];
        at[j] = at[j - 1];
        at[j - 1] = t;
      }
  }
  constexpr bool has(int basis) const {
    for (int i = 0; i < count; ++i)
      if (at[i] == basis) return true;
    return false;
  }
  constexpr int of(int number) const {
    int flat = 0;
    for (int i = 0; i < count; ++i)
      if (number >> i & 1) flat += at[i];
    return flat;
  }
  friend constexpr bool operator==(const Bases& a, const Bases& b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; ++i)
      if (a.at[i] != b.at[i]) return false;
    return true;
  }
};

struct Layout {
  Bases registers, lanes, warps;

  constexpr int register_count() const { return 1 << registers.count; }
  constexpr int warp_count() const { return 1 << warps.count; }
  // The register's and the thread's part of the row-major index.
  constexpr int of_register(int r) const { return registers.of(r); }
  constexpr int of_thread(int thread) const { return lanes.of(thread & 31) | warps.of(thread >> 5); }
  constexpr int register_of(int flat) const {
    int r = 0;
    for (int i = 0; i < registers.count; ++i)
      if (flat & registers.at[i]) r |= 1 << i;
    return r;
  }
  constexpr int thread_basis(int bit) const { return bit < 5 ? lanes.at[bit] : warps.at[bit - 5]; }
  // The bits of a thread's number on which its elements do not depend.
  constexpr int replicated_bits() const {
    int mask = 0;
    for (int i = 0; i < 5 + warps.count; ++i)
      if (thread_basis(i) == 0) mask |= 1 << i;
    return mask;
  }
  // The one that writes an element among the threads that hold it.
  constexpr bool is_first_holder(int thread) const { return (thread & replicated_bits()) == 0; }
  friend constexpr bool operator==(const Layout& a, const Layout& b) {
    return a.registers == b.registers && a.lanes == b.lanes && a.warps == b.warps;
  }
};

// Every basis through a function of flat indices; registers that become 0 vanish.
template <class F>
constexpr Layout mapped(const Layout& from, F f) {
  Layout to;
  for (int i = 0; i < from.registers.count; ++i)
    if (const int b = f(from.registers.at[i]); b != 0) to.registers.add(b);
  for (int i = 0; i < from.lanes.count; ++i) to.lanes.add(f(from.lanes.at[i]));
  for (int i = 0; i < from.warps.count; ++i) to.warps.add(f(from.warps.at[i]));
  to.registers.sort();
  return to;
}

// The next index bit for each register, lane or warp; none is left: it holds the same as others.
struct BitsInTurn {
  Bases bits;
  int next = 0;
  constexpr bool left() const { return next < bits.count; }
  constexpr int take() { return left() ? bits.at[next++] : 0; }
};
constexpr Layout in_turn(BitsInTurn bits, int registers, int num_warps) {
  Layout l;
  for (int r = 1; r < registers; r *= 2) l.registers.add(bits.take());
  for (int i = 0; i < 5; ++i) l.lanes.add(bits.take());
  for (int w = 1; w < num_warps; w *= 2) l.warps.add(bits.take());
  while (bits.left()) l.registers.add(bits.take());
  l.registers.sort();
  return l;
}

// How many neighbours each thread takes first: no more than there are for all of them.
constexpr int neighbours_of_thread(int vector, int along, int elements, int num_warps) {
  return least(least(vector, along), most(1, elements / (32 * num_warps)));
}

// Elements contiguous along axis `first`, then along the others, row-major: `vector` a thread, then lanes, then warps,
// then registers again.
constexpr Layout blocked(const Sizes& shape, int first, int vector, int num_warps) {
  BitsInTurn turn;  // all bits of the index, fastest first
  for (int i = 0; i < shape.rank; ++i) {
    const int axis = i == 0 ? first : i <= shape.rank - 1 - first ? shape.rank - i : shape.rank - 1 - i;
    for (int size = 1; size < shape[axis]; size *= 2) turn.bits.add(size * shape.stride(axis));
  }
  const int along = shape.empty() ? 1 : shape[first];
  return in_turn(turn, neighbours_of_thread(vector, along, shape.count(), num_warps), num_warps);
}
constexpr Layout row_major(const Sizes& shape, int vector, int num_warps) {
  return blocked(shape, shape.rank - 1, vector, num_warps);
}

// Row-major, both elements of the last axis in one thread however small the block.
constexpr Layout paired(const Sizes& shape, int num_warps) {
  BitsInTurn turn;
  for (int bit = 1; bit < shape.count(); bit *= 2) turn.bits.add(bit);
  return in_turn(turn, 2, num_warps);
}
// Two elements, both in every thread.
constexpr Layout whole_pair(int num_warps) {
  Layout l = row_major({}, 1, num_warps);
  l.registers.add(1);
  return l;
}

// A tile in shared memory, read into registers by accesses of 16 bytes along the stored rows.
constexpr Layout tile_layout(const Sizes& shape, bool transposed, int element_bytes, int num_warps) {
  return blocked(shape, transposed ? 0 : 1, 16 / element_bytes, num_warps);
}
// Running sums: a thread's registers, then lanes, then warps run along the axis.
constexpr Layout scan_layout(const Sizes& shape, int axis, int num_warps) {
  return blocked(shape, axis, most(1, shape.count() / (32 * num_warps)), num_warps);
}

// mma.sync m16n8: warps take 32 rows each as far as there are rows, the rest share the columns.
struct MmaPlan {
  int warps_m, warps_n, rows, cols;  // of the program; of a warp
  constexpr MmaPlan(int m, int n, int num_warps)
      : warps_m(least(num_warps, most(1, m / 32))),
        warps_n(least(num_warps / warps_m, most(1, n / 8))),
        rows(m / warps_m),
        cols(n / warps_n) {}
};
constexpr Layout mma_sync(int m, int n, int num_warps) {
  const MmaPlan plan(m, n, num_warps);
  Layout l;
  if (n > 1) l.registers.add(1);
  for (int c = 8; c < plan.cols; c *= 2) l.registers.add(c);
  for (int r = 8; r < plan.rows; r *= 2) l.registers.add(r * n);
  for (int c = 2; c < 8; c *= 2) l.lanes.add(c < n ? c : 0);
  for (int r = 1; r < 8; r *= 2) l.lanes.add(r < m ? r * n : 0);
  for (int w = 1; w < plan.warps_m; w *= 2) l.warps.add(w * plan.rows * n);
  for (int w = 1; w < plan.warps_n; w *= 2) l.warps.add(w * plan.cols);
  for (int w = plan.warps_m * plan.warps_n; w < num_warps; w *= 2) l.warps.add(0);
  l.registers.sort();
  return l;
}

// Multiply-adds: a warp's share as for mma.sync; in it 8 lanes take 4 columns each, 4 lanes a row each, and again, so
// that a thread multiplies about as many rows as columns.
constexpr Layout multiply_add(int m, int n, int num_warps) {
  const MmaPlan plan(m, n, num_warps);
  Bases rows, cols;  // of the warp's share, fastest first
  for (int c = 1; c < plan.cols; c *= 2) cols.add(c);
  for (int r = 1; r < plan.rows; r *= 2) rows.add(r * n);
  Layout l;
  int col = 0, row = 0;
  const auto next = [](const Bases& bits, int& i) { return i < bits.count ? bits.at[i++] : 0; };
  for (int i = 0; i < 2 && col < cols.count; ++i) l.registers.add(next(cols, col));
  for (int i = 0; i < 3; ++i) l.lanes.add(col < cols.count ? next(cols, col) : next(rows, row));
  for (int i = 0; i < 2; ++i) l.lanes.add(row < rows.count ? next(rows, row) : next(cols, col));
  while (col < cols.count) l.registers.add(next(cols, col));
  while (row < rows.count) l.registers.add(next(rows, row));
  for (int w = 1; w < plan.warps_m; w *= 2) l.warps.add(w * plan.rows * n);
  for (int w = 1; w < plan.warps_n; w *= 2) l.warps.add(w * plan.cols);
  for (int w = plan.warps_m * plan.warps_n; w < num_warps; w *= 2) l.warps.add(0);
  l.registers.sort();
  return l;
}

// wgmma m64nN: warpgroups stack along M in slabs of 64 rows, those left over share N.
struct WgmmaPlan {
  int along_m, along_n, cols;  // warpgroups; columns of one
  constexpr WgmmaPlan(int m, int n, int num_warps)
      : along_m(least(num_warps / 4, m / 64)), along_n(num_warps / 4 / along_m), cols(n / along_n) {}
};
constexpr Layout wgmma(int m, int n, int num_warps) {
  const WgmmaPlan plan(m, n, num_warps);
  Layout l;
  l.registers.add(1);
  for (int c = 8; c < plan.cols; c *= 2) l.registers.add(c);
  l.registers.add(8 * n);
  for (int r = 64 * plan.along_m; r < m; r *= 2) l.registers.add(r * n);
  l.lanes.add(2);
  l.lanes.add(4);
  for (int r = 1; r < 8; r *= 2) l.lanes.add(r * n);
  l.warps.add(16 * n);
  l.warps.add(32 * n);
  for (int w = 1; w < plan.along_m; w *= 2) l.warps.add(w * 64 * n);
  for (int w = 1; w < plan.along_n; w *= 2) l.warps.add(w * plan.cols);
  l.registers.sort();
  return l;
}

// The index of an element in a block with sizes of 1 on some axes of `shape` (leading axes may be missing); and back,
// for a block of such sizes.
constexpr int projected_index(const Sizes& shape, const Sizes& sub, int flat) {
  int to = 0;
  for (int axis = 0; axis < sub.rank; ++axis)
    if (sub[axis] != 1) to += shape.coordinate(flat, axis + shape.rank - sub.rank) * sub.stride(axis);
  return to;
}
constexpr int lifted_index(const Sizes& sub, const Sizes& shape, int flat) {
  int to = 0;
  for (int axis = 0; axis < sub.rank; ++axis)
    if (sub[axis] != 1) to += sub.coordinate(flat, axis) * shape.stride(axis + shape.rank - sub.rank);
  return to;
}
constexpr Layout projected(const Layout& l, const Sizes& shape, const Sizes& sub) {
  return mapped(l, [&](int flat) { return projected_index(shape, sub, flat); });
}

// Without an axis: what a reduction leaves.
constexpr int sliced_index(const Sizes& shape, int axis, int flat) {
  const int inner = shape.stride(axis);
  return flat / (inner * shape[axis]) * inner + flat % inner;
}
constexpr Layout sliced(const Layout& l, const Sizes& shape, int axis) {
  return mapped(l, [&](int flat) { return sliced_index(shape, axis, flat); });
}

// The bits of a thread's number that move it along an axis.
constexpr int bits_along(const Layout& l, const Sizes& shape, int axis) {
  int bits = 0;
  for (int i = 0; i < 5 + l.warps.count; ++i)
    if (l.thread_basis(i) != 0 && sliced_index(shape, axis, l.thread_basis(i)) == 0) bits |= 1 << i;
  return bits;
}

// Axis i of the result is axis order[i].
constexpr int permuted_index(const Sizes& shape, const Sizes& order, int flat) {
  const Sizes to = permuted(shape, order);
  int index = 0;
  for (int i = 0; i < shape.rank; ++i) index += shape.coordinate(flat, order[i]) * to.stride(i);
  return index;
}
constexpr Layout permuted(const Layout& l, const Sizes& shape, const Sizes& order) {
  return mapped(l, [&](int flat) { return permuted_index(shape, order, flat); });
}

// The layouts of split's results, and of join's.
constexpr Layout halved(const Layout& l) {
  return mapped(l, [](int flat) { return flat / 2; });
}
constexpr Layout doubled(const Layout& l) {
  Layout to = mapped(l, [](int flat) { return flat * 2; });
  to.registers.add(1);
  to.registers.sort();
  return to;
}

// Every bit of the index once, alone in its basis.
constexpr bool covers(const Layout& l, int elements) {
  int seen = 0;
  bool alone = true;
  const auto add = [&](const Bases& bases) {
    for (int i = 0; i < bases.count; ++i) {
      const int basis = bases.at[i];
      alone = alone && (basis & (basis - 1)) == 0 && (seen & basis) == 0;
      seen |= basis;
    }
  };
  add(l.registers);
  add(l.lanes);
  add(l.warps);
  return alone && seen == elements - 1;
}

// The layout of (M, 1) and (1, N) together, where they are slices of one; else row-major.
constexpr Layout merged(const Layout& layout_a, const Sizes& shape_a, const Layout& layout_b, const Sizes& shape_b,
                        const Sizes& shape) {
  Layout a = mapped(layout_a, [&](int flat) { return lifted_index(shape_a, shape, flat); });
  const Layout b = mapped(layout_b, [&](int flat) { return lifted_index(shape_b, shape, flat); });
  for (int i = 0; i < b.registers.count; ++i)
    if (!a.registers.has(b.registers.at[i])) a.registers.add(b.registers.at[i]);
  for (int i = 0; i < 5; ++i) a.lanes.at[i] |= b.lanes.at[i];
  for (int i = 0; i < a.warps.count; ++i) a.warps.at[i] |= b.warps.at[i];
  a.registers.sort();
  return covers(a, shape.count()) ? a : row_major(shape, 4, layout_a.warp_count());
}

}  // namespace tl::rules
