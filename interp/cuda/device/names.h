// What an executor names: dtypes, paddings, precisions.
#pragma once

#include "interp/cuda/device/dot/dot.h"
#include "interp/cuda/device/memory/block_pointer.h"

namespace tl::cuda {

struct Names {
  static constexpr Dtype<DType::int1> int1{};
  static constexpr Dtype<DType::int32> int32{};
  static constexpr Dtype<DType::int64> int64{};
  static constexpr Dtype<DType::uint8> uint8{};
  static constexpr Dtype<DType::uint32> uint32{};
  static constexpr Dtype<DType::float16> float16{};
  static constexpr Dtype<DType::bfloat16> bfloat16{};
  static constexpr Dtype<DType::float32> float32{};
  static constexpr Dtype<DType::float64> float64{};
  static constexpr Dtype<DType::float8e4nv> float8e4nv{};
  static constexpr Dtype<DType::float8e5> float8e5{};
  static constexpr float inf = tl::inf;
  static constexpr Padding zero = Padding::zero, nan = Padding::nan;
  static constexpr Tf32 tf32{};
  static constexpr Ieee ieee{};
};

}  // namespace tl::cuda
