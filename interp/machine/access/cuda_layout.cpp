#include "interp/machine/access/cuda_layout.h"

#include <algorithm>

namespace tl::machine {

namespace {

int at(const Sizes& s, int axis) { return s[static_cast<std::size_t>(axis)]; }
int rank_of(const Sizes& s) { return static_cast<int>(s.size()); }

// Every basis through a function of flat indices; registers that become 0 vanish.
template <class F>
ThreadLayout mapped(const ThreadLayout& from, F f) {
  ThreadLayout to;
  for (int i = 0; i < from.registers.count; ++i)
    if (const int b = f(from.registers.at[static_cast<std::size_t>(i)]); b != 0) to.registers.add(b);
  for (int i = 0; i < from.lanes.count; ++i) to.lanes.add(f(from.lanes.at[static_cast<std::size_t>(i)]));
  for (int i = 0; i < from.warps.count; ++i) to.warps.add(f(from.warps.at[static_cast<std::size_t>(i)]));
  to.registers.sort();
  return to;
}

// Whether whole warpgroups can share an M x N accumulator.
bool fits_wgmma(const CudaConfig& c, int m, int n) { return m >= 64 && n * (m / 64) >= 8 * c.num_warps / 4 && n >= 8; }

}  // namespace

int size_of(const Sizes& s) {
  int size = 1;
  for (const int n : s) size *= n;
  return size;
}

int stride_of(const Sizes& s, int axis) {
  int stride = 1;
  for (int i = rank_of(s) - 1; i > axis; --i) stride *= at(s, i);
  return stride;
}

int coordinate(const Sizes& s, int flat, int axis) { return flat / stride_of(s, axis) % at(s, axis); }

void Bases::sort() { std::sort(at.begin(), at.begin() + count); }
bool Bases::has(int basis) const { return std::find(at.begin(), at.begin() + count, basis) != at.begin() + count; }
int Bases::of(int number) const {
  int flat = 0;
  for (int i = 0; i < count; ++i)
    if (number >> i & 1) flat += at[static_cast<std::size_t>(i)];
  return flat;
}

int ThreadLayout::register_of(int flat) const {
  int r = 0;
  for (int i = 0; i < registers.count; ++i)
    if (flat & registers.at[static_cast<std::size_t>(i)]) r |= 1 << i;
  return r;
}

bool ThreadLayout::is_first_holder(int thread) const {
  for (int i = 0; i < lanes.count + warps.count; ++i) {
    const int basis =
        i < lanes.count ? lanes.at[static_cast<std::size_t>(i)] : warps.at[static_cast<std::size_t>(i - lanes.count)];
    if (basis == 0 && (thread >> i & 1)) return false;
  }
  return true;
}

Sizes row_major(int rank) {
  Sizes order;
  for (int i = rank - 1; i >= 0; --i) order.push_back(i);
  return order;
}

Sizes first_order(int rank, int first) {
  Sizes order{first};
  for (int i = rank - 1; i >= 0; --i)
    if (i != first) order.push_back(i);
  return order;
}

ThreadLayout blocked(const Sizes& shape, const Sizes& order, int vector, int num_warps) {
  if (shape.empty()) {
    ThreadLayout l;
    for (int i = 0; i < 5; ++i) l.lanes.add(0);
    for (int w = 1; w < num_warps; w *= 2) l.warps.add(0);
    return l;
  }
  ThreadLayout l;
  const int per_thread = size_of(shape) / (32 * num_warps);
  vector = std::min(vector, at(shape, order[0]));
  if (vector > per_thread) vector = per_thread < 1 ? 1 : per_thread;
  Bases bits;  // all bits of the index, fastest first
  for (const int axis : order)
    for (int size = 1; size < at(shape, axis); size *= 2) bits.add(size * stride_of(shape, axis));
  int next = 0;
  const auto take = [&] { return next < bits.count ? bits.at[static_cast<std::size_t>(next++)] : 0; };
  for (int v = 1; v < vector; v *= 2) l.registers.add(take());
  for (int i = 0; i < 5; ++i) l.lanes.add(take());
  for (int w = 1; w < num_warps; w *= 2) l.warps.add(take());
  while (next < bits.count) l.registers.add(take());
  l.registers.sort();
  return l;
}

// mma.sync m16n8: warps take 32 rows each as far as there are rows, the rest share the columns.
ThreadLayout mma_sync(int m, int n, int num_warps) {
  const int warps_m = std::min(num_warps, std::max(1, m / 32));
  const int warps_n = std::min(num_warps / warps_m, std::max(1, n / 8));
  const int rows = m / warps_m, cols = n / warps_n;
  ThreadLayout l;
  if (n > 1) l.registers.add(1);
  for (int c = 8; c < cols; c *= 2) l.registers.add(c);
  for (int r = 8; r < rows; r *= 2) l.registers.add(r * n);
  for (int c = 2; c < 8; c *= 2) l.lanes.add(c < n ? c : 0);
  for (int r = 1; r < 8; r *= 2) l.lanes.add(r < m ? r * n : 0);
  for (int w = 1; w < warps_m; w *= 2) l.warps.add(w * rows * n);
  for (int w = 1; w < warps_n; w *= 2) l.warps.add(w * cols);
  for (int w = warps_m * warps_n; w < num_warps; w *= 2) l.warps.add(0);
  l.registers.sort();
  return l;
}

// wgmma m64nN: warpgroups stack along M in slabs of 64 rows, those left over share N.
ThreadLayout wgmma(int m, int n, int num_warps) {
  const int warpgroups = num_warps / 4, along_m = std::min(warpgroups, m / 64), along_n = warpgroups / along_m,
            cols = n / along_n;
  ThreadLayout l;
  l.registers.add(1);
  for (int c = 8; c < cols; c *= 2) l.registers.add(c);
  l.registers.add(8 * n);
  for (int r = 64 * along_m; r < m; r *= 2) l.registers.add(r * n);
  l.lanes.add(2);
  l.lanes.add(4);
  for (int r = 1; r < 8; r *= 2) l.lanes.add(r * n);
  l.warps.add(16 * n);
  l.warps.add(32 * n);
  for (int w = 1; w < along_m; w *= 2) l.warps.add(w * 64 * n);
  for (int w = 1; w < along_n; w *= 2) l.warps.add(w * cols);
  l.registers.sort();
  return l;
}

ThreadLayout accumulator_layout(const CudaConfig& c, const Sizes& shape) {
  const int m = at(shape, 0), n = at(shape, 1);
  if (c.matrix == Matrix::wgmma && fits_wgmma(c, m, n)) return wgmma(m, n, c.num_warps);
  return mma_sync(m, n, c.num_warps);
}

DotReaders dot_readers(const CudaConfig& c, int m, int n) {
  if (c.matrix == Matrix::wgmma && fits_wgmma(c, m, n)) {
    const int warpgroups = c.num_warps / 4, along_m = std::min(warpgroups, m / 64);
    return {warpgroups / along_m, m / 64};  // each slab of 64 rows reads all of b
  }
  const int warps_m = std::min(c.num_warps, std::max(1, m / 32));
  return {std::min(c.num_warps / warps_m, std::max(1, n / 8)), warps_m};
}

ThreadLayout default_layout(const CudaConfig& c, const Sizes& shape) {
  if (c.matrix != Matrix::none && shape.size() == 2) return accumulator_layout(c, shape);
  if (c.matrix != Matrix::none && shape.size() == 1) {
    // Row slices of an accumulator; any number of columns gives the same rows.
    const Sizes accumulator{at(shape, 0), 8 * c.num_warps};
    return sliced(accumulator_layout(c, accumulator), accumulator, 1);
  }
  return blocked(shape, row_major(rank_of(shape)), c.vector, c.num_warps);
}

ThreadLayout projected(const ThreadLayout& l, const Sizes& shape, const Sizes& sub) {
  const int lead = rank_of(shape) - rank_of(sub);
  return mapped(l, [&](int flat) {
    int to = 0;
    for (int axis = 0; axis < rank_of(sub); ++axis)
      if (at(sub, axis) != 1) to += coordinate(shape, flat, axis + lead) * stride_of(sub, axis);
    return to;
  });
}

ThreadLayout sliced(const ThreadLayout& l, const Sizes& shape, int axis) {
  const int inner = stride_of(shape, axis);
  return mapped(l, [&](int flat) { return flat / (inner * at(shape, axis)) * inner + flat % inner; });
}

ThreadLayout permuted(const ThreadLayout& l, const Sizes& shape, const Sizes& order) {
  Sizes to;
  for (const int axis : order) to.push_back(at(shape, axis));
  return mapped(l, [&](int flat) {
    int index = 0;
    for (int i = 0; i < rank_of(shape); ++i) index += coordinate(shape, flat, at(order, i)) * stride_of(to, i);
    return index;
  });
}

ThreadLayout merged(const ThreadLayout& layout_a, const Sizes& shape_a, const ThreadLayout& layout_b,
                    const Sizes& shape_b, const Sizes& shape) {
  const auto lifted = [&](const ThreadLayout& l, const Sizes& sub) {
    const int lead = rank_of(shape) - rank_of(sub);
    return mapped(l, [&](int flat) {
      int to = 0;
      for (int axis = 0; axis < rank_of(sub); ++axis)
        if (at(sub, axis) != 1) to += coordinate(sub, flat, axis) * stride_of(shape, axis + lead);
      return to;
    });
  };
  ThreadLayout a = lifted(layout_a, shape_a);
  const ThreadLayout b = lifted(layout_b, shape_b);
  for (int i = 0; i < b.registers.count; ++i)
    if (const int basis = b.registers.at[static_cast<std::size_t>(i)]; !a.registers.has(basis)) a.registers.add(basis);
  for (std::size_t i = 0; i < 5; ++i) a.lanes.at[i] |= b.lanes.at[i];
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.warps.count); ++i) a.warps.at[i] |= b.warps.at[i];
  a.registers.sort();
  // Every bit of the index once, alone in its basis?
  int seen = 0;
  bool alone = true;
  for (const Bases* bases : {&a.registers, &a.lanes, &a.warps})
    for (int i = 0; i < bases->count; ++i) {
      const int basis = bases->at[static_cast<std::size_t>(i)];
      if (basis == 0) continue;
      alone = alone && (basis & (basis - 1)) == 0 && !(seen & basis);
      seen |= basis;
    }
  if (alone && seen == size_of(shape) - 1) return a;
  return blocked(shape, row_major(rank_of(shape)), 4, layout_a.warp_count());
}

ThreadLayout halved(const ThreadLayout& l) {
  return mapped(l, [](int flat) { return flat / 2; });
}

ThreadLayout doubled(const ThreadLayout& l) {
  ThreadLayout to = mapped(l, [](int flat) { return flat * 2; });
  to.registers.add(1);
  to.registers.sort();
  return to;
}

// Row-major, both elements of the last axis in one thread however small the block.
ThreadLayout paired(const Sizes& shape, int num_warps) {
  ThreadLayout l;
  int next = 2;
  const int size = size_of(shape);
  const auto take = [&] {
    const int bit = next < size ? next : 0;
    next *= 2;
    return bit;
  };
  l.registers.add(1);
  for (int i = 0; i < 5; ++i) l.lanes.add(take());
  for (int w = 1; w < num_warps; w *= 2) l.warps.add(take());
  while (next < size) l.registers.add(take());
  return l;
}

}  // namespace tl::machine
