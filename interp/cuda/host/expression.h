// The name expression that instantiates the device's entry for a launch: its types are what the launch is specialized
// on.
#pragma once

#include <string>
#include <vector>

#include "interp/lang/launch.h"

namespace tl::cuda {

// Empty when TMA can take the tensor in tiles of this shape; else the reason. Its storage is taken to be aligned, as
// allocations are.
std::string why_no_tensor_map(const DescriptorArgument& argument);

// Whether TMA can take every descriptor of a launch; one alone that it cannot take sends all through pointers. Reasons
// in `notes`.
bool tensor_maps_fit(const Launch& launch, std::vector<std::string>* notes = nullptr);

// Elements in the widest access, 16 bytes, of the narrowest tensor.
int vector_width(const Launch& launch);

struct EntryTraits {
  bool tensor_maps = false;  // the chip has TMA, and all of the launch's descriptors fit it
  bool uses_dot = false;     // the functor or a helper of its calls tl.dot
};

// tl::cuda::entry<tl::kernels::add_kernel, tl::cuda::Config<4, 3, 4, false>, tl::Ptr<float, 16>, ...>
std::string entry_expression(const Launch& launch, const EntryTraits& traits);

}  // namespace tl::cuda
