#include "interp/cuda/host/resident_kernel.h"

#include "interp/lang/error.h"

namespace tl::cuda {

namespace {

CUdeviceptr address_of(const Tensor& t) { return reinterpret_cast<CUdeviceptr>(t.data()); }

}  // namespace

const std::vector<std::string>& ResidentKernel::start(const Launch& launch, const FactsOf& facts_of, CUstream stream) {
  const Gpu& gpu = the_gpu();
  check_grid(launch);
  for (const Argument& a : launch.arguments)
    if (const Tensor* const t = tensor_of(a); t && address_of(*t) % 16 != 0)
      throw Error(t->name + " begins at an address that is not a multiple of 16 bytes, as allocations do",
                  "pass a copy of it, or the whole tensor and an offset");
  const std::lock_guard lock(mutex_);
  const auto& [key, facts] = facts_.of(launch, facts_of);
  auto it = loaded_.find(key);
  if (it == loaded_.end())
    it = loaded_.emplace(key, LoadedKernel(gpu, compile(launch, facts, {.arch = gpu.info.arch()}))).first;
  it->second.start(launch, address_of, stream);
  return it->second.compiled()->notes;
}

}  // namespace tl::cuda
