// What an executor names: dtypes, paddings, precisions.
#pragma once

#include "interp/cuda/device/dot/dot.h"
#include "interp/cuda/device/memory/block_pointer.h"
#include "interp/cuda/device/values/libdevice.h"
#include "interp/cuda/device/values/reduce.h"

namespace tl::cuda {

struct Names {
  static constexpr Dtype<DType::int1> int1{};
  static constexpr Dtype<DType::int32> int32{};
  static constexpr Dtype<DType::int64> int64{};
  static constexpr Dtype<DType::int8> int8{};
  static constexpr Dtype<DType::int16> int16{};
  static constexpr Dtype<DType::uint8> uint8{};
  static constexpr Dtype<DType::uint16> uint16{};
  static constexpr Dtype<DType::uint64> uint64{};
  static constexpr Dtype<DType::uint32> uint32{};
  static constexpr Dtype<DType::float16> float16{};
  static constexpr Dtype<DType::bfloat16> bfloat16{};
  static constexpr Dtype<DType::float32> float32{};
  static constexpr Dtype<DType::float64> float64{};
  static constexpr Dtype<DType::float8e4nv> float8e4nv{};
  static constexpr Dtype<DType::float8e5> float8e5{};
  static constexpr float inf = tl::inf;
  static constexpr Padding zero = Padding::zero;
  static constexpr NanPadding nan{};
  static constexpr Tf32 tf32{};
  static constexpr Ieee ieee{};
  static constexpr Tf32x3 tf32x3{};
  static constexpr Bf16x3 bf16x3{};
  static constexpr Bf16x6 bf16x6{};
  static constexpr Bitcast bitcast{};
  static constexpr TowardZero rtz{};
  static constexpr KeepDims keep_dims{};
  static constexpr Libdevice libdevice{};
  template <DType D>
  static constexpr PointerTo<D> pointer_type(Dtype<D>) {
    return {};
  }
};

}  // namespace tl::cuda
