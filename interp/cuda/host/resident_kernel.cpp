#include "interp/cuda/host/resident_kernel.h"

#include <algorithm>

#include "interp/cuda/host/expression.h"
#include "interp/rules/index.h"

namespace tl::cuda {

namespace {

CUdeviceptr address_of(const Tensor& t) { return reinterpret_cast<CUdeviceptr>(t.data()); }

const Tensor* tensor_of(const Argument& argument) {
  if (const auto* t = std::get_if<TensorArgument>(&argument)) return &t->tensor;
  if (const auto* d = std::get_if<DescriptorArgument>(&argument)) return &d->tensor;
  return nullptr;
}

// What is compiled apart: dtypes, constants, what is known of ints, which tensors are one, what TMA can take.
std::string specialization_of(const Launch& launch) {
  const LaunchOptions& o = launch.options;
  std::string key;
  for (const int n : {o.num_warps, o.num_stages, o.max_registers}) key += std::to_string(n) + " ";
  for (const Argument& a : launch.arguments) {
    key += " " + std::to_string(a.index()) + ":";
    if (const Tensor* const t = tensor_of(a)) {
      const auto same = std::ranges::find_if(launch.arguments, [&](const Argument& other) {
        return tensor_of(other) && tensor_of(other)->data() == t->data();
      });
      key += name_of(t->dtype) + ("@" + std::to_string(same - launch.arguments.begin()));
    }
    if (const auto* d = std::get_if<DescriptorArgument>(&a)) {
      for (const int n : d->block_shape) key += "x" + std::to_string(n);
      key += why_no_tensor_map(*d);
    } else if (const auto* i = std::get_if<IntArgument>(&a)) {
      key += name_of(i->dtype) + std::to_string(i->value == 1 ? 0 : rules::known_divisibility(i->value));
    } else if (is_constant(kind_of(a))) {
      key += text_of(a);
    }
  }
  return key;
}

}  // namespace

const std::vector<std::string>& ResidentKernel::start(const Launch& launch, CUstream stream) {
  const Gpu& gpu = the_gpu();
  check_grid(launch);
  for (const Argument& a : launch.arguments)
    if (const Tensor* const t = tensor_of(a); t && address_of(*t) % 16 != 0)
      throw Error(t->name + " begins at an address that is not a multiple of 16 bytes, as allocations do",
                  "pass a copy of it, or the whole tensor and an offset");
  const std::lock_guard lock(mutex_);
  const std::string key = specialization_of(launch);
  auto it = loaded_.find(key);
  if (it == loaded_.end())
    it = loaded_.emplace(key, LoadedKernel(gpu, compile(launch, {.arch = gpu.info.arch()}))).first;
  it->second.start(launch, address_of, stream);
  return it->second.compiled()->notes;
}

}  // namespace tl::cuda
