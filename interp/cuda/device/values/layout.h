// Linear layouts: which thread holds which element of a block, in which register.
//
// An element's row-major index is the sum of one basis for each bit set in (register, lane, warp). A lane or warp basis
// of 0 means that the element is held twice. Registers are sorted by their basis, so that layouts equal up to register
// order are one type.
#pragma once

#include "interp/cuda/device/values/constant.h"

namespace tl {

struct BasisList {
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
  constexpr int find(int basis) const {
    for (int i = 0; i < count; ++i)
      if (at[i] == basis) return i;
    return -1;
  }
};

template <int... B>
struct Bases {
  static constexpr int count = sizeof...(B);
  static constexpr BasisList list = {count, {B...}};
};

template <class Registers, class Lanes, class Warps>
struct Layout {
  using registers = Registers;
  using lanes = Lanes;
  using warps = Warps;
  static constexpr int register_count = 1 << Registers::count;
  static constexpr int warp_count = 1 << Warps::count;
  static constexpr int thread_count = 32 * warp_count;

  // The register's part of the row-major index.
  static constexpr int of_register(int r) {
    int flat = 0;
    for (int i = 0; i < Registers::count; ++i)
      if (r >> i & 1) flat += Registers::list.at[i];
    return flat;
  }
  static constexpr int register_of(int flat) {
    int r = 0;
    for (int i = 0; i < Registers::count; ++i)
      if (flat & Registers::list.at[i]) r |= 1 << i;
    return r;
  }
  struct Table {
    int at[register_count];
  };
  static constexpr Table make_flats() {
    Table t{};
    for (int r = 0; r < register_count; ++r) t.at[r] = of_register(r);
    return t;
  }
  static constexpr Table flats = make_flats();  // of_register, looked up

  static constexpr int thread_basis(int bit) { return bit < 5 ? Lanes::list.at[bit] : Warps::list.at[bit - 5]; }
  static constexpr int thread_bits = 5 + Warps::count;
  static constexpr int replicated_bits() {
    int mask = 0;
    for (int i = 0; i < thread_bits; ++i)
      if (thread_basis(i) == 0) mask |= 1 << i;
    return mask;
  }
  // The thread's part of the row-major index; runs of bits move together.
  static __forceinline__ int of_thread(int thread) {
    int flat = 0;
#pragma unroll
    for (int i = 0; i < thread_bits; ++i) {
      const int basis = thread_basis(i);
      if (basis == 0 || (i > 0 && thread_basis(i - 1) * 2 == basis && thread_basis(i - 1) != 0)) continue;
      int run = 1;
      while (i + run < thread_bits && thread_basis(i + run) == basis << run) ++run;
      flat |= (thread >> i & ((1 << run) - 1)) * basis;
    }
    return flat;
  }
  static __forceinline__ int of_thread() { return of_thread(threadIdx.x); }
  // Of the threads that hold an element, the one that writes it.
  static __forceinline__ bool is_first_holder() {
    return replicated_bits() == 0 || (threadIdx.x & replicated_bits()) == 0;
  }
};

namespace detail {

struct LayoutLists {
  BasisList registers, lanes, warps;
};

template <class Holder, class I>
struct ToBases;
template <class Holder, int... I>
struct ToBases<Holder, Indices<I...>> {
  using type = Bases<Holder::list.at[I]...>;
};
template <class L>
struct RegistersOf {
  static constexpr BasisList list = L::value.registers;
};
template <class L>
struct LanesOf {
  static constexpr BasisList list = L::value.lanes;
};
template <class L>
struct WarpsOf {
  static constexpr BasisList list = L::value.warps;
};
template <class Holder>
using to_bases = typename ToBases<Holder, make_indices<Holder::list.count>>::type;

// A layout type from a struct whose `value` holds its lists.
template <class L>
using to_layout = Layout<to_bases<RegistersOf<L>>, to_bases<LanesOf<L>>, to_bases<WarpsOf<L>>>;

template <class L>
constexpr LayoutLists lists_of() {
  return {L::registers::list, L::lanes::list, L::warps::list};
}

// Every basis through a function of flat indices; registers that become 0 vanish.
template <class F>
constexpr LayoutLists mapped(LayoutLists from, F f) {
  LayoutLists to;
  for (int i = 0; i < from.registers.count; ++i)
    if (const int b = f(from.registers.at[i]); b != 0) to.registers.add(b);
  for (int i = 0; i < from.lanes.count; ++i) to.lanes.add(f(from.lanes.at[i]));
  for (int i = 0; i < from.warps.count; ++i) to.warps.add(f(from.warps.at[i]));
  to.registers.sort();
  return to;
}

}  // namespace detail

// Contiguous elements along the axis that `Order` names first: `Vector` a thread, then lanes, then warps, then
// registers again.
template <class S, class Order, int Vector, int NumWarps>
struct BlockedLists {
  static constexpr detail::LayoutLists make() {
    detail::LayoutLists l;
    const int per_thread = S::size / (32 * NumWarps);
    int vector = Vector < S::at(Order::at(0)) ? Vector : S::at(Order::at(0));
    if (vector > per_thread) vector = per_thread < 1 ? 1 : per_thread;
    BasisList bits;  // all bits of the index, fastest first
    for (int i = 0; i < S::rank; ++i)
      for (int size = 1; size < S::at(Order::at(i)); size *= 2) bits.add(size * S::stride(Order::at(i)));
    int next = 0;
    for (int v = 1; v < vector; v *= 2) l.registers.add(bits.at[next++]);
    for (int i = 0; i < 5; ++i) l.lanes.add(next < bits.count ? bits.at[next++] : 0);
    for (int w = 1; w < NumWarps; w *= 2) l.warps.add(next < bits.count ? bits.at[next++] : 0);
    while (next < bits.count) l.registers.add(bits.at[next++]);
    l.registers.sort();
    return l;
  }
  static constexpr detail::LayoutLists value = make();
};
template <class S, class Order, int Vector, int NumWarps>
using Blocked = detail::to_layout<BlockedLists<S, Order, Vector, NumWarps>>;

// The accumulator of mma.sync m16n8: warps take 32 rows each as far as there are rows, the rest share the columns.
template <int M, int N, int NumWarps>
struct MmaLists {
  static constexpr int least(int a, int b) { return a < b ? a : b; }
  static constexpr int most(int a, int b) { return a > b ? a : b; }
  static constexpr int warps_m = least(NumWarps, most(1, M / 32));
  static constexpr int warps_n = least(NumWarps / warps_m, most(1, N / 8));
  static constexpr int warp_rows = M / warps_m, warp_cols = N / warps_n;
  static constexpr detail::LayoutLists make() {
    detail::LayoutLists l;
    if (N > 1) l.registers.add(1);
    for (int c = 8; c < warp_cols; c *= 2) l.registers.add(c);
    for (int r = 8; r < warp_rows; r *= 2) l.registers.add(r * N);
    for (int c = 2; c < 8; c *= 2) l.lanes.add(c < N ? c : 0);
    for (int r = 1; r < 8; r *= 2) l.lanes.add(r < M ? r * N : 0);
    for (int w = 1; w < warps_m; w *= 2) l.warps.add(w * warp_rows * N);
    for (int w = 1; w < warps_n; w *= 2) l.warps.add(w * warp_cols);
    for (int w = warps_m * warps_n; w < NumWarps; w *= 2) l.warps.add(0);
    l.registers.sort();
    return l;
  }
  static constexpr detail::LayoutLists value = make();
};
template <int M, int N, int NumWarps>
using MmaSync = detail::to_layout<MmaLists<M, N, NumWarps>>;

// The accumulator of wgmma m64nN: warpgroups stack along M in slabs of 64 rows, those left over share N.
template <int M, int N, int NumWarps>
struct WgmmaLists {
  static constexpr int warpgroups = NumWarps / 4;
  static constexpr int along_m = warpgroups < M / 64 ? warpgroups : M / 64, along_n = warpgroups / along_m;
  static constexpr int cols = N / along_n;
  static constexpr detail::LayoutLists make() {
    detail::LayoutLists l;
    l.registers.add(1);
    for (int c = 8; c < cols; c *= 2) l.registers.add(c);
    l.registers.add(8 * N);
    for (int r = 64 * along_m; r < M; r *= 2) l.registers.add(r * N);
    l.lanes.add(2);
    l.lanes.add(4);
    for (int r = 1; r < 8; r *= 2) l.lanes.add(r * N);
    l.warps.add(16 * N);
    l.warps.add(32 * N);
    for (int w = 1; w < along_m; w *= 2) l.warps.add(w * 64 * N);
    for (int w = 1; w < along_n; w *= 2) l.warps.add(w * cols);
    l.registers.sort();
    return l;
  }
  static constexpr detail::LayoutLists value = make();
};
template <int M, int N, int NumWarps>
using Wgmma64 = detail::to_layout<WgmmaLists<M, N, NumWarps>>;

// Layout `L` of shape `S` seen by a block of shape `Sub`, equal to `S` but with sizes of 1 on some axes (leading ones
// may lack).
template <class L, class S, class Sub>
struct ProjectedLists {
  static constexpr int project(int flat) {
    int to = 0;
    for (int axis = 0; axis < Sub::rank; ++axis)
      if (Sub::at(axis) != 1) to += S::coordinate(flat, axis + S::rank - Sub::rank) * Sub::stride(axis);
    return to;
  }
  static constexpr detail::LayoutLists value = detail::mapped(detail::lists_of<L>(), project);
};
template <class L, class S, class Sub>
using Projected = detail::to_layout<ProjectedLists<L, S, Sub>>;

// Layout `L` of shape `S` without `Axis`: what a reduction leaves.
template <class L, class S, int Axis>
struct SliceLists {
  static constexpr int project(int flat) {
    const int inner = S::stride(Axis);
    return flat / (inner * S::at(Axis)) * inner + flat % inner;
  }
  static constexpr detail::LayoutLists value = detail::mapped(detail::lists_of<L>(), project);
};
template <class L, class S, int Axis>
using Slice = detail::to_layout<SliceLists<L, S, Axis>>;

}  // namespace tl
