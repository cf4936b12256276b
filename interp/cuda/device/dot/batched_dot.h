// tl.dot of three axes: matrix by matrix, each brought into place through shared memory.
#pragma once

#include "interp/cuda/device/dot/dot.h"
#include "interp/cuda/device/values/movement.h"

namespace tl {

template <class Cfg, class Precision, class A, class B, class C>
__forceinline__ auto batched_multiply_add(const A& a, const B& b, const C& c) {
  if constexpr (!is_block<A> || !is_block<B>) {
    return batched_multiply_add<Cfg, Precision>(materialize(a), materialize(b), c);
  } else {
    using SA = shape_of<A>;
    using SB = shape_of<B>;
    static_assert(SB::rank == 3 && SA::at(0) == SB::at(0),
                  "a dot of three axes multiplies as many matrices on both sides: give a, b and the accumulator one "
                  "first axis");
    static_assert(SA::at(2) == SB::at(1), "tl.dot: a has as many columns as b has rows: tl.permute turns a block");
    constexpr int count = SA::at(0), M = SA::at(1), K = SA::at(2), N = SB::at(2);
    using S = Shape<count, M, N>;
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
