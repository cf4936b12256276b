// tl.dot of three axes or more: matrix by matrix, each brought into place through shared memory.
#pragma once

#include "interp/cuda/device/dot/dot.h"
#include "interp/cuda/device/values/movement.h"

namespace tl {

namespace detail {
// The leading axes of SA, before the matrices of M x N.
template <class SA, int M, int N, int... I>
constexpr auto products_shape(Indices<I...>) {
  return Shape<(I < SA::rank - 2 ? SA::at(I) : I == SA::rank - 2 ? M : N)...>{};
}
template <class SA, class SB>
constexpr bool same_leading_axes() {
  bool same = SA::rank == SB::rank;
  for (int i = 0; i < SA::rank - 2; ++i) same = same && SA::at(i) == SB::at(i);
  return same;
}
}  // namespace detail

template <class Cfg, class Precision, class A, class B, class C>
__forceinline__ auto batched_multiply_add(const A& a, const B& b, const C& c) {
  if constexpr (!is_block<A> || !is_block<B>) {
    return batched_multiply_add<Cfg, Precision>(materialize(a), materialize(b), c);
  } else {
    using SA = shape_of<A>;
    using SB = shape_of<B>;
    static_assert(detail::same_leading_axes<SA, SB>(),
                  "a dot of three axes multiplies as many matrices on both sides: give a, b and the accumulator the "
                  "same axes before the last two");
    constexpr int rows = SA::rank - 2, M = SA::at(rows), K = SA::at(rows + 1), N = SB::at(rows + 1);
    static_assert(K == SB::at(rows), "tl.dot: a has as many columns as b has rows: tl.permute turns a block");
    constexpr int count = SA::size / (M * K);
    using S = decltype(detail::products_shape<SA, M, N>(make_indices<SA::rank>{}));
    using R = storage_of<dot_dtype(promote(dtype_of<typename A::element>, dtype_of<typename B::element>))>;
    check_accumulator<R, C>();
    using L = cuda::default_layout<Cfg, S>;
    using LM = cuda::accumulator_layout<Cfg, Shape<M, N>>;
    const auto acc = spread<R, S, L>(c);
    Block<R, S, L> out;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const auto x = detail::moved<Shape<M, K>, cuda::default_layout<Cfg, Shape<M, K>>>(
          a, [i](int flat, int) { return flat + i * M * K; });
      const auto y = detail::moved<Shape<K, N>, cuda::default_layout<Cfg, Shape<K, N>>>(
          b, [i](int flat, int) { return flat + i * K * N; });
      const auto z = detail::moved<Shape<M, N>, LM>(acc, [i](int flat, int) { return flat + i * M * N; });
      const auto product = multiply_add<Cfg, Precision>(x, y, z);
      using Map = detail::ScratchMap<R, Shape<M, N>>;
      const unsigned char* const memory = detail::in_scratch(product);
      const int thread = L::of_thread();
#pragma unroll
      for (int r = 0; r < out.count; ++r) {
        const int flat = thread + L::flats.at[r];
        if (flat / (M * N) == i) out.v[r] = *reinterpret_cast<const R*>(memory + Map::offset(flat % (M * N)));
      }
    }
    return out;
  }
}

}  // namespace tl
