// A compiled kernel on the GPU, and a launch of it with its parameters laid out.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device_tensors.h"
#include "interp/cuda/host/gpu.h"
#include "interp/rules/ring.h"

namespace tl::cuda {

// Refuses an empty grid and one larger than the hardware's.
void check_grid(const Launch& launch);

class LoadedKernel {
 public:
  // Throws Error when the chip cannot hold it.
  LoadedKernel(const Gpu& gpu, std::shared_ptr<const Compiled> compiled);
  LoadedKernel(LoadedKernel&& other) noexcept;
  LoadedKernel& operator=(LoadedKernel&&) = delete;
  ~LoadedKernel();

  // Starts the launch's programs on a stream, on tensors that lie where `address_of` says.
  using AddressOf = std::function<CUdeviceptr(const Tensor&)>;
  void start(const Launch& launch, const AddressOf& address_of, CUstream stream) const;
  void start(const Launch& launch, const DeviceTensors& tensors) const {
    start(launch, [&](const Tensor& t) { return tensors.address(t); }, gpu_.stream);
  }
  int programs_per_sm() const;
  // Writes an address into the module's variable of this symbol, which the kernel must have.
  void set_pointer(const char* symbol, CUdeviceptr address) const;
  const std::shared_ptr<const Compiled>& compiled() const { return compiled_; }
  // A printing kernel's buffer, made empty before a launch; whether it overflowed.
  bool prints() const;
  void clear_prints() const;
  bool lost_prints() const;

 private:
  const Gpu& gpu_;
  std::shared_ptr<const Compiled> compiled_;
  rules::RingPlan plan_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

}  // namespace tl::cuda
