// Reductions and scans: registers first, then lanes by shuffles, then warps through shared memory, in the order that
// rules/sum_order.h tells the interpreter.
#pragma once

#include "interp/cuda/device/memory/shared.h"
#include "interp/cuda/device/values/tuple.h"
#include "interp/rules/sum_order.h"

namespace tl {

// tl.sum(x, 1_c, tl.keep_dims): the axis stays, of extent 1.
struct KeepDims {};
struct ScanOptions {
  bool reverse = false;
};

namespace detail {

// Any plain struct from the lane whose number differs in `mask`, or from `delta` lanes below.
template <class E, class F>
__forceinline__ E shuffled(const E& x, F shuffle) {
  if constexpr (sizeof(E) % 4 == 0) {
    struct Words {
      unsigned at[sizeof(E) / 4];
    };
    auto w = __builtin_bit_cast(Words, x);
#pragma unroll
    for (unsigned i = 0; i < sizeof(E) / 4; ++i) w.at[i] = shuffle(w.at[i]);
    return __builtin_bit_cast(E, w);
  } else if constexpr (sizeof(E) == 2) {
    return __builtin_bit_cast(
        E, static_cast<unsigned short>(shuffle(static_cast<unsigned>(__builtin_bit_cast(unsigned short, x)))));
  } else {
    return __builtin_bit_cast(
        E, static_cast<unsigned char>(shuffle(static_cast<unsigned>(__builtin_bit_cast(unsigned char, x)))));
  }
}

// A layout's thread bits that run along an axis.
template <class L, class S, int Axis>
struct AxisBits {
  static constexpr int along = rules::bits_along(L::value, S::sizes, Axis);
  static constexpr bool is_along(int bit) { return along >> bit & 1; }
  static constexpr int warp_count() {
    int n = 1;
    for (int i = 5; i < L::thread_bits; ++i)
      if (is_along(i)) n *= 2;
    return n;
  }
  static constexpr int warps = warp_count();
  // This warp's number among those along the axis, in the axis's order.
  static __forceinline__ int warp() {
    int w = 0, n = 0;
#pragma unroll
    for (int i = 5; i < L::thread_bits; ++i)
      if (is_along(i)) w |= (threadIdx.x >> i & 1) << n++;
    return w;
  }
};

// The reduction of v, one element a register of L, along Axis: one element a register of the slice, in every thread
// that holds it. f is associative and commutative. `parity` alternates between two buffers, so that one barrier
// suffices.
template <int Axis, class S, class L, class E, class F>
__forceinline__ auto reduced(const E (&v)[L::register_count], F f, int& parity) {
  using Bits = AxisBits<L, S, Axis>;
  using To = Slice<L, S, Axis>;
  struct Result {
    E v[To::register_count];
  } out;
  constexpr int chains = rules::sum_chains(L::register_count / To::register_count);
  E part[To::register_count][chains];
  int taken[To::register_count] = {};
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) {
    const int to = To::register_of(rules::sliced_index(S::sizes, Axis, L::flats.at[r])), n = taken[to]++;
    part[to][n % chains] = n < chains ? v[r] : f(part[to][n % chains], v[r]);
  }
#pragma unroll
  for (int r = 0; r < To::register_count; ++r) {
#pragma unroll
    for (int n = 1; n < chains; ++n) part[r][0] = f(part[r][0], part[r][n]);
    out.v[r] = part[r][0];
#pragma unroll
    for (int bit = 0; bit < 5; ++bit)
      if (Bits::is_along(bit))
        out.v[r] =
            f(out.v[r], shuffled(out.v[r], [&](unsigned w) { return __shfl_xor_sync(0xffffffffu, w, 1 << bit); }));
  }
  if constexpr (Bits::warps > 1) {
    constexpr int slots = S::size / S::at(Axis);
    __shared__ E buffer[2][slots][Bits::warps];
    auto& mine = buffer[parity];
    parity ^= 1;
    const int thread = To::of_thread();
    constexpr int lanes_held_twice = To::replicated_bits() & 31;
    if ((threadIdx.x & lanes_held_twice) == 0) {
#pragma unroll
      for (int r = 0; r < To::register_count; ++r) mine[thread + To::flats.at[r]][Bits::warp()] = out.v[r];
    }
    cuda::synchronize<L::thread_count>();
#pragma unroll
    for (int r = 0; r < To::register_count; ++r) {
      E total = mine[thread + To::flats.at[r]][0];
#pragma unroll
      for (int w = 1; w < Bits::warps; ++w) total = f(total, mine[thread + To::flats.at[r]][w]);
      out.v[r] = total;
    }
  }
  return out;
}

template <int Axis, class S>
inline constexpr int axis_of = Axis < 0 ? Axis + S::rank : Axis;

template <int Axis, class S>
struct WithoutAxis {
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    using type = Shape<S::at(I < Axis ? I : I + 1)...>;
  };
  using type = typename Make<make_indices<S::rank - 1>>::type;
};

template <class T, int Axis, class S, class L, class R>
__forceinline__ auto reduced_block(const R& values) {
  if constexpr (S::rank == 1) {
    return Scalar<T>{values.v[0]};
  } else {
    using To = Slice<L, S, Axis>;
    Block<T, typename WithoutAxis<Axis, S>::type, To> out;
#pragma unroll
    for (int r = 0; r < out.count; ++r) out.v[r] = values.v[r];
    return out;
  }
}

}  // namespace detail

// f on values of type T, the block converted to it first.
template <class T, int A, class X, class F>
__forceinline__ auto reduce(const X& x, F f, int& parity) {
  if constexpr (!is_block<X>) {
    return reduce<T, A>(materialize(x), f, parity);
  } else {
    using S = typename X::shape_type;
    using L = typename X::layout;
    constexpr int axis = detail::axis_of<A, S>;
    static_assert(axis >= 0 && axis < S::rank, "the block has no such axis: axes count from 0, and -1_c is the last");
    T v[L::register_count];
#pragma unroll
    for (int r = 0; r < L::register_count; ++r) v[r] = convert<T>(x.v[r]);
    return detail::reduced_block<T, axis, S, L>(detail::reduced<axis, S, L>(v, f, parity));
  }
}

namespace detail {
template <class T>
struct Candidate {
  T value;
  int index;
};
}  // namespace detail

// The largest (Sign 1) or smallest (Sign -1) element and its index, the first of equals; NaN is passed over.
template <int A, int Sign, class X>
__forceinline__ auto arg_extreme(const X& x, int& parity) {
  if constexpr (!is_block<X>) {
    return arg_extreme<A, Sign>(materialize(x), parity);
  } else {
    using S = typename X::shape_type;
    using L = typename X::layout;
    using T = storage_of<max_dtype(dtype_of<typename X::element>)>;
    using E = detail::Candidate<T>;
    constexpr int axis = detail::axis_of<A, S>;
    static_assert(axis >= 0 && axis < S::rank, "the block has no such axis: axes count from 0, and -1_c is the last");
    E v[L::register_count];
    const int thread = L::of_thread();
#pragma unroll
    for (int r = 0; r < L::register_count; ++r)
      v[r] = {convert<T>(x.v[r]), coordinates_of<S>(thread + L::flats.at[r]).at[axis]};
    auto better = [](const E& a, const E& b) {
      const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
      const bool beats = Sign > 0 ? a.value > b.value : a.value < b.value;
      const bool ties = a.value == b.value || (a_nan && b_nan);
      return (b_nan && !a_nan) || beats || (ties && a.index < b.index) ? a : b;
    };
    const auto best = detail::reduced<axis, S, L>(v, better, parity);
    constexpr int count = Slice<L, S, axis>::register_count;
    struct Values {
      T v[count];
    } values;
    struct Numbers {
      int v[count];
    } numbers;
#pragma unroll
    for (int r = 0; r < count; ++r) {
      values.v[r] = best.v[r].value;
      numbers.v[r] = best.v[r].index;
    }
    const auto value = detail::reduced_block<T, axis, S, L>(values);
    const auto index = detail::reduced_block<int, axis, S, L>(numbers);
    return Tuple<bare<decltype(value)>, bare<decltype(index)>>{value, index};
  }
}

namespace detail {
template <class S, int Axis, int NumWarps>
struct ScanValue {
  static constexpr rules::Layout value = rules::scan_layout(S::sizes, Axis, NumWarps);
};

// The layout in which a scan along an axis is computed: a thread's registers, then lanes, then warps run along it.
template <class S, int A, int NumWarps>
using scan_layout = to_layout<ScanValue<S, axis_of<A, S>, NumWarps>>;

// Running results along an axis of elements in that layout, in place: y[i] = f(y[i - 1], y[i]).
template <int axis, class S, class L, class E, class F>
__forceinline__ void scan(E (&y)[L::register_count], F f, int& parity) {
  using Bits = AxisBits<L, S, axis>;
  constexpr int stride = S::stride(axis);
  constexpr int run = rules::scan_order(S::sizes, axis, L::warp_count).run;
  constexpr int lanes = [] {
    int n = 1;
    for (int i = 0; i < 5; ++i)
      if (Bits::is_along(i)) n *= 2;
    return n;
  }();
  constexpr int run_bits = L::register_of(stride * (run - 1));
  __shared__ E totals[2][S::size / S::at(axis)][Bits::warps];
  auto& mine = totals[parity];
  if constexpr (Bits::warps > 1) parity ^= 1;
  const int thread = Slice<L, S, axis>::of_thread(), lane = threadIdx.x % 32 % lanes;
  E before[L::register_count];
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) {
    if (r & run_bits) continue;
#pragma unroll
    for (int e = 1; e < run; ++e) {
      E& here = y[r | L::register_of(stride * e)];
      here = f(y[r | L::register_of(stride * (e - 1))], here);
    }
    E total = y[r | run_bits];
#pragma unroll
    for (int d = 1; d < lanes; d *= 2) {
      const E below = shuffled(total, [&](unsigned w) { return __shfl_up_sync(0xffffffffu, w, d, lanes); });
      if (lane >= d) total = f(below, total);
    }
    before[r] = shuffled(total, [&](unsigned w) { return __shfl_up_sync(0xffffffffu, w, 1, lanes); });
    if constexpr (Bits::warps > 1)
      if (lane == lanes - 1) mine[thread + rules::sliced_index(S::sizes, axis, L::flats.at[r])][Bits::warp()] = total;
  }
  if constexpr (Bits::warps > 1) cuda::synchronize<L::thread_count>();
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) {
    if (r & run_bits) continue;
    E offset = before[r];
    bool has_offset = lane > 0;
    if constexpr (Bits::warps > 1) {
      if (Bits::warp() > 0) {
        const auto& slice = mine[thread + rules::sliced_index(S::sizes, axis, L::flats.at[r])];
        E warps = slice[0];
#pragma unroll
        for (int w = 1; w < Bits::warps - 1; ++w)
          if (w < Bits::warp()) warps = f(warps, slice[w]);
        offset = has_offset ? f(warps, offset) : warps;
        has_offset = true;
      }
    }
#pragma unroll
    for (int e = 0; e < run; ++e) {
      E& here = y[r | L::register_of(stride * e)];
      if (has_offset) here = f(offset, here);
    }
  }
}
}  // namespace detail

// Running results of f along an axis, on values of type T.
template <class T, int A, class X, class F>
__forceinline__ auto cumulative(const X& x, F f, int& parity) {
  if constexpr (!is_block<X>) {
    return cumulative<T, A>(materialize(x), f, parity);
  } else {
    using S = typename X::shape_type;
    static_assert(detail::axis_of<A, S> >= 0 && detail::axis_of<A, S> < S::rank,
                  "the block has no such axis: axes count from 0, and -1_c is the last");
    using L = detail::scan_layout<S, A, X::layout::warp_count>;
    const auto from = spread<T, S, L>(x);
    T y[L::register_count];
#pragma unroll
    for (int r = 0; r < L::register_count; ++r) y[r] = from.v[r];
    detail::scan<detail::axis_of<A, S>, S, L>(y, f, parity);
    Block<T, S, L> out;
#pragma unroll
    for (int r = 0; r < L::register_count; ++r) out.v[r] = y[r];
    return out;
  }
}

}  // namespace tl
