// TMA's description of a tensor: extents, strides and the box that one instruction copies.
#pragma once

#include "interp/cuda/host/gpu.h"
#include "interp/lang/launch.h"

namespace tl::cuda {

// As device/entry.h promises. The tensor must be one that expression.h's why_no_tensor_map finds no fault with.
CUtensorMap make_tensor_map(const Gpu& gpu, const DescriptorArgument& argument, CUdeviceptr address);

// Bytes of the box's last axis: the block's, at most 128. It is also the swizzle's width.
int box_row_bytes(const DescriptorArgument& argument);

}  // namespace tl::cuda
