// Lanes to other places, through shared memory: flip, gather, sort, topk; and histogram, which counts them there.
#pragma once

#include "interp/cuda/device/values/shape_ops.h"

namespace tl {

struct SortOptions {
  bool descending = false;
};

namespace detail {

// All of a block's elements in scratch, row-major; threads have met.
template <class T, class S, class L>
__forceinline__ unsigned char* in_scratch(const Block<T, S, L>& x) {
  using Map = ScratchMap<T, S>;
  auto* const memory = cuda::scratch<Map::bytes>();
  cuda::synchronize<L::thread_count>();
  write_scratch<Map>(memory, x);
  cuda::synchronize<L::thread_count>();
  return memory;
}

// out[i] = x[from(i)] of row-major lanes; `from` takes a lane's number and its register.
template <class To, class L, class T, class S, class LX, class F>
__forceinline__ auto moved(const Block<T, S, LX>& x, F from) {
  using Map = ScratchMap<T, S>;
  const unsigned char* const memory = in_scratch(x);
  Block<T, To, L> out;
  const int thread = L::of_thread();
#pragma unroll
  for (int r = 0; r < out.count; ++r)
    out.v[r] = *reinterpret_cast<const T*>(memory + Map::offset(from(thread + L::flats.at[r], r)));
  return out;
}

// Whether a stands before b in rising order; NaN counts as the largest.
template <class T>
__forceinline__ bool is_before(T a, T b) {
  if constexpr (is_narrow_storage<T>) return is_before(to_float(a), to_float(b));
  else if constexpr (same<T, float> || same<T, double>) return a < b || (b != b && a == a);
  else return a < b;
}

}  // namespace detail

template <int A, class X>
__forceinline__ auto flipped(const X& x) {
  if constexpr (!is_block<X>) {
    return flipped<A>(materialize(x));
  } else {
    using S = typename X::shape_type;
    constexpr int axis = A < 0 ? A + S::rank : A;
    static_assert(axis >= 0 && axis < S::rank, "the block has no such axis: axes count from 0, and -1_c is the last");
    constexpr int n = S::at(axis), inner = S::stride(axis);
    return detail::moved<S, typename X::layout>(
        x, [](int flat, int) { return flat + (n - 1 - 2 * (flat / inner % n)) * inner; });
  }
}

template <int A, class X, class I>
__forceinline__ auto gathered(const X& x, const I& index) {
  if constexpr (!is_block<X> || !is_block<I>) {
    return gathered<A>(materialize(x), materialize(index));
  } else {
    using S = typename X::shape_type;
    using To = typename I::shape_type;
    using L = typename I::layout;
    constexpr int axis = A < 0 ? A + S::rank : A;
    static_assert(is_integer_storage<typename I::element>,
                  "tl.gather: the indices are integers: cast with .to(tl.int32)");
    static_assert(axis >= 0 && axis < S::rank, "the block has no such axis: axes count from 0, and -1_c is the last");
    static_assert(
        [] {
          for (int i = 0; i < S::rank; ++i)
            if (i != axis && S::at(i) != To::at(i)) return false;
          return S::rank == To::rank;
        }(),
        "tl.gather: the indices have the block's shape but for the axis: tl.broadcast_to gives them the other axes");
    constexpr int n = S::at(axis), own = To::at(axis), inner = S::stride(axis);
    return detail::moved<To, L>(x, [&](int flat, int r) {
      const int at = convert<int>(typename I::element(index.v[r])) & (n - 1);  // never beyond the block
      return (flat / (own * inner) * n + at) * inner + flat % inner;
    });
  }
}

namespace detail {

// Each row in order: a lane's place is the number of those before it, the first of equals first.
template <int K, class Cfg, class T, class S, class L>
__forceinline__ auto in_order(const Block<T, S, L>& x, bool descending) {
  using Map = ScratchMap<T, S>;
  constexpr int n = S::at(S::rank - 1);
  auto* const memory = in_scratch(x);
  const int thread = L::of_thread();
  int place[L::register_count];
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) place[r] = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int r = 0; r < L::register_count; ++r) {
      const int flat = thread + L::flats.at[r], row = flat / n * n;
      const T other = *reinterpret_cast<const T*>(memory + Map::offset(row + i)), own = x.v[r];
      const bool first = descending ? is_before(own, other) : is_before(other, own);
      const bool last = descending ? is_before(other, own) : is_before(own, other);
      place[r] += first || (!last && row + i < flat);
    }
  }
  cuda::synchronize<L::thread_count>();
  if (L::is_first_holder()) {
#pragma unroll
    for (int r = 0; r < L::register_count; ++r) {
      const int flat = thread + L::flats.at[r];
      *reinterpret_cast<T*>(memory + Map::offset(flat / n * n + place[r])) = x.v[r];
    }
  }
  cuda::synchronize<L::thread_count>();
  using To = typename WithLast<typename WithoutLast<S>::type, K>::type;
  using LTo = cuda::default_layout<Cfg, To>;
  Block<T, To, LTo> out;
#pragma unroll
  for (int r = 0; r < out.count; ++r) {
    const int flat = LTo::of_thread() + LTo::flats.at[r];
    out.v[r] = *reinterpret_cast<const T*>(memory + Map::offset(flat / K * n + flat % K));
  }
  return out;
}

}  // namespace detail

template <class Cfg, class X>
__forceinline__ auto sorted(const X& x, bool descending) {
  static_assert(shape_of<X>::rank > 0, "tl.sort: a scalar is in order already: pass a block");
  if constexpr (!is_block<X>) return sorted<Cfg>(materialize(x), descending);
  else return detail::in_order<X::shape_type::at(X::shape_type::rank - 1), Cfg>(x, descending);
}
template <int K, class Cfg, class X>
__forceinline__ auto largest(const X& x) {
  using S = shape_of<X>;
  static_assert(S::rank > 0 && is_power_of_two(K) && K <= S::at(S::rank - 1),
                "tl.topk: as many as a power of two, and no more than the last axis has");
  if constexpr (!is_block<X>) return largest<K, Cfg>(materialize(x));
  else return detail::in_order<K, Cfg>(x, true);
}

// How many lanes hold 0, 1, .., Bins - 1. Others are the interpreter's to refuse; here they are not counted.
template <int Bins, class Cfg, class X, class M>
__forceinline__ auto counted(const X& x, const M& mask) {
  static_assert(is_power_of_two(Bins), "tl.histogram: the number of bins is not a power of two: round it up");
  if constexpr (!is_block<X>) {
    return counted<Bins, Cfg>(materialize(x), mask);
  } else {
    using S = typename X::shape_type;
    using L = typename X::layout;
    static_assert(S::rank == 1 && is_integer_storage<typename X::element>,
                  "tl.histogram counts the integers of a block of one axis: cast or reshape it");
    const auto on = spread<bool, S, L>(mask);
    int* const counts = reinterpret_cast<int*>(cuda::scratch<Bins * 4>());
    cuda::synchronize<L::thread_count>();
    for (int i = threadIdx.x % L::thread_count; i < Bins; i += L::thread_count) counts[i] = 0;
    cuda::synchronize<L::thread_count>();
    if (L::is_first_holder()) {
#pragma unroll
      for (int r = 0; r < L::register_count; ++r) {
        const long long v = convert<long long>(typename X::element(x.v[r]));
        if (on.v[r] && v >= 0 && v < Bins) atomicAdd(counts + v, 1);
      }
    }
    cuda::synchronize<L::thread_count>();
    using To = Shape<Bins>;
    using LTo = cuda::default_layout<Cfg, To>;
    Block<int, To, LTo> out;
#pragma unroll
    for (int r = 0; r < out.count; ++r) out.v[r] = counts[LTo::of_thread() + LTo::flats.at[r]];
    return out;
  }
}

// Two blocks of one shape: after each other, or lane by lane in turn. Only registers move.
template <class Cfg, class A, class B>
__forceinline__ auto concatenated(const A& a, const B& b) {
  using S = shape_of<A>;
  static_assert(S::rank == 1 && same<shape_of<B>, S>,
                "tl.cat takes two blocks of one axis and one size: reshape or broadcast one of them");
  return reshaped<Shape<2 * S::size>>(transposed(join<Cfg>(a, b)));
}
template <class Cfg, class A, class B>
__forceinline__ auto interleaved(const A& a, const B& b) {
  using S = shape_of<A>;
  static_assert(S::rank > 0 && same<shape_of<B>, S>,
                "tl.interleave takes two blocks of one shape: reshape or broadcast one of them");
  using To = typename detail::WithLast<typename detail::WithoutLast<S>::type, 2 * S::at(S::rank - 1)>::type;
  return reshaped<To>(join<Cfg>(a, b));
}

}  // namespace tl
