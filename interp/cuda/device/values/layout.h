// Layouts as types: rules/layout.h says which thread of a program holds which element, and in which register.
#pragma once

#include "interp/cuda/device/values/constant.h"
#include "interp/rules/layout.h"

namespace tl {

template <int... B>
struct Bases {
  static constexpr int count = sizeof...(B);
  static constexpr rules::Bases list = {count, {B...}};
};

template <class Registers, class Lanes, class Warps>
struct Layout {
  using registers = Registers;
  using lanes = Lanes;
  using warps = Warps;
  static constexpr rules::Layout value = {Registers::list, Lanes::list, Warps::list};
  static constexpr int register_count = value.register_count(), warp_count = value.warp_count();
  static constexpr int thread_count = 32 * warp_count;

  // The register's part of the row-major index.
  static constexpr int of_register(int r) { return value.of_register(r); }
  static constexpr int register_of(int flat) { return value.register_of(flat); }
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
  static constexpr int replicated_bits() { return value.replicated_bits(); }
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

template <class L>
struct LayoutType {
  template <class R, class Lanes, class W>
  struct Make;
  template <int... R, int... I, int... W>
  struct Make<Indices<R...>, Indices<I...>, Indices<W...>> {
    using type =
        Layout<Bases<L::value.registers.at[R]...>, Bases<L::value.lanes.at[I]...>, Bases<L::value.warps.at[W]...>>;
  };
  using type = typename Make<make_indices<L::value.registers.count>, make_indices<L::value.lanes.count>,
                             make_indices<L::value.warps.count>>::type;
};
// A layout type from a struct whose `value` is the layout.
template <class L>
using to_layout = typename LayoutType<L>::type;

template <class S, int First, int Vector, int NumWarps>
struct BlockedValue {
  static constexpr rules::Layout value = rules::blocked(S::sizes, First, Vector, NumWarps);
};
template <int M, int N, int NumWarps>
struct MmaValue {
  static constexpr rules::Layout value = rules::mma_sync(M, N, NumWarps);
};
template <int M, int N, int NumWarps>
struct WgmmaValue {
  static constexpr rules::Layout value = rules::wgmma(M, N, NumWarps);
};
template <class L, class S, class Sub>
struct ProjectedValue {
  static constexpr rules::Layout value = rules::projected(L::value, S::sizes, Sub::sizes);
};
template <class L, class S, int Axis>
struct SlicedValue {
  static constexpr rules::Layout value = rules::sliced(L::value, S::sizes, Axis);
};

}  // namespace detail

// Contiguous elements along axis `First`, then along the others, row-major.
template <class S, int First, int Vector, int NumWarps>
using Blocked = detail::to_layout<detail::BlockedValue<S, First, Vector, NumWarps>>;
// The accumulators of mma.sync and of wgmma.
template <int M, int N, int NumWarps>
using MmaSync = detail::to_layout<detail::MmaValue<M, N, NumWarps>>;
template <int M, int N, int NumWarps>
using Wgmma64 = detail::to_layout<detail::WgmmaValue<M, N, NumWarps>>;
// Layout `L` of shape `S` seen by a block of shape `Sub`, equal to `S` but with sizes of 1 on some axes.
template <class L, class S, class Sub>
using Projected = detail::to_layout<detail::ProjectedValue<L, S, Sub>>;
// Layout `L` of shape `S` without `Axis`: what a reduction leaves.
template <class L, class S, int Axis>
using Slice = detail::to_layout<detail::SlicedValue<L, S, Axis>>;

}  // namespace tl
