// The name expression that instantiates the device's entry for a launch: its types are what the launch is specialized
// on.
#pragma once

#include <string>
#include <vector>

#include "interp/lang/launch.h"
#include "interp/rules/build.h"
#include "interp/rules/kernel_facts.h"

namespace tl::cuda {

// Empty when TMA can take the tensor in tiles of this shape; else the reason. Its storage is taken to be aligned, as
// allocations are.
std::string why_no_tensor_map(const DescriptorArgument& argument);

// Whether TMA can take every descriptor of a launch; one alone that it cannot take sends all through pointers. Reasons
// in `notes`.
bool tensor_maps_fit(const Launch& launch, std::vector<std::string>* notes = nullptr);

// What a launch fixes for its kernel, on a chip that has TMA or has not.
rules::Config config_of(const Launch& launch, const rules::KernelFacts& facts, bool is_hopper,
                        std::vector<std::string>* notes = nullptr);
inline bool has_roles(const rules::Config& config) { return config.tensor_maps || config.copies_ahead; }
// The same where all warps do the same.
rules::Config in_one_role(rules::Config config);
// Whether warps had roles but for what the kernel does: facts.one_role.
bool would_have_roles(const Launch& launch, const rules::KernelFacts& facts, bool is_hopper);

// What NVRTC reads as cuda/device/build.h.
std::string build_text(const rules::Build& build);

// tl::cuda::entry<::tl::kernels::add_kernel, tl::cuda::Config<4, 3, 4, false>, tl::Ptr<float, 16>, ...>
std::string entry_expression(const Launch& launch, const rules::Config& config);

}  // namespace tl::cuda
