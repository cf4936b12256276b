#include "interp/cuda/host/tensor_map.h"

#include <algorithm>
#include <array>

namespace tl::cuda {

namespace {

CUtensorMapDataType data_type(DType dtype) {
  switch (dtype) {
    case DType::int32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case DType::int64: return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case DType::uint32: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case DType::uint64: return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case DType::int16:  // 16 bits, whatever they mean
    case DType::uint16: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case DType::float16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DType::bfloat16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DType::float32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DType::float64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    default: return CU_TENSOR_MAP_DATA_TYPE_UINT8;  // bool, uint8 and fp8: bytes
  }
}

CUtensorMapSwizzle swizzle_of(int row_bytes) {
  switch (row_bytes) {
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

constexpr int longest_row_bytes = 128;  // the widest swizzle
constexpr int longest_axis = 256;       // TMA's limit
constexpr int sector_bytes = 32;        // of L2

// What L2 fetches at a miss. Where rows begin within a sector, asking for 256 bytes makes every row cost L2 more: a
// product of 5000 x 3000 x 2056 took 145 us, and takes 126 with 128 bytes or less.
int promotion_of(const Tensor& t) {
  const std::int64_t pitch = t.strides.size() < 2 ? 0 : t.strides[t.strides.size() - 2] * size_in_bytes(t.dtype);
  return pitch % sector_bytes == 0 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
}

}  // namespace

int box_row_bytes(const DescriptorArgument& argument) {
  return std::min(argument.block_shape.back() * size_in_bytes(argument.tensor.dtype), longest_row_bytes);
}

CUtensorMap make_tensor_map(const Gpu& gpu, const DescriptorArgument& argument, CUdeviceptr address) {
  const Tensor& t = argument.tensor;
  const std::size_t rank = t.shape.size();
  const int size = size_in_bytes(t.dtype);
  std::array<std::uint64_t, 5> extents{}, strides_bytes{};
  std::array<std::uint32_t, 5> box{}, element_strides{};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = rank - 1 - i;  // TMA counts axes from the fastest
    extents[i] = static_cast<std::uint64_t>(t.shape[axis]);
    box[i] = static_cast<std::uint32_t>(i == 0 ? box_row_bytes(argument) / size
                                               : std::min(argument.block_shape[axis], longest_axis));
    element_strides[i] = 1;
    if (i > 0) strides_bytes[i - 1] = static_cast<std::uint64_t>(t.strides[axis] * size);
  }
  CUtensorMap map{};
  gpu.check(gpu.api.cuTensorMapEncodeTiled(&map, data_type(t.dtype), static_cast<std::uint32_t>(rank),
                                           reinterpret_cast<void*>(address), extents.data(), strides_bytes.data(),
                                           box.data(), element_strides.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                           swizzle_of(box_row_bytes(argument)), promotion_of(t),
                                           argument.pads_with_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                                                  : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "describing tensor \"" + t.name + "\" to TMA");
  return map;
}

}  // namespace tl::cuda
