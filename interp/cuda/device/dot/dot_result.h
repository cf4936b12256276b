// The result of a wgmma that may still run. It acts as a block, and whoever reads it waits: so dots that are issued one
// after the other, and what is computed between, overlap. Given to a variable that is a block it is read at once.
#pragma once

#include "interp/cuda/device/dot/dots_in_flight.h"
#include "interp/cuda/device/values/elementwise.h"

namespace tl::cuda {

template <class S, class L>
struct DotResult {
  using element = float;
  using shape_type = S;
  using layout = L;
  using Values = Block<float, S, L>;
  static constexpr Dtype<DType::float32> dtype{};
  static constexpr S shape{};

  mutable Values values;
  DotsInFlight* dots;
  int number;  // 0: has ended

  __forceinline__ DotResult(const Values& v, DotsInFlight& d, int n) : values(v), dots(&d), number(n) {}
  __forceinline__ DotResult(const DotResult& other) : values(other.to_block()), dots(other.dots), number(0) {}
  __forceinline__ DotResult& operator=(const DotResult& other) { return *this = other.to_block(); }
  template <class U>
    requires(!same<U, DotResult>)
  __forceinline__ DotResult& operator=(const U& other) {
    to_block();  // wgmma must not write over what is assigned
    values = other;
    number = 0;
    return *this;
  }

  __forceinline__ const Values& to_block() const {
    dots->wait_for(number);
    // The values are those after the wait: no use of them may move before it.
#pragma unroll
    for (int r = 0; r < Values::count; ++r) asm volatile("" : "+f"(values.v[r])::"memory");
    return values;
  }
  template <DType D>
  __forceinline__ auto to(Dtype<D> d) const {
    return to_block().to(d);
  }
  template <DType D, cast_way W>
  __forceinline__ auto to(Dtype<D> d, W way) const {
    return to_block().to(d, way);
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks... marks) const {
    return to_block()(marks...);
  }
};

}  // namespace tl::cuda

template <class S, class L>
inline constexpr bool tl::is_deferred<tl::cuda::DotResult<S, L>> = true;
