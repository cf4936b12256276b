// The tensors of some launches on the GPU, each between guards that reveal a write outside of it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "interp/cuda/host/gpu.h"
#include "interp/lang/launch.h"

namespace tl::cuda {

class DeviceTensors {
 public:
  // Allocates and copies every tensor that the launches name. With `guards` each lies between two zones of a known
  // pattern.
  DeviceTensors(const Gpu& gpu, std::span<const Launch> launches, bool guards);

  CUdeviceptr address(const Tensor& tensor) const;
  // Back into the host's storage.
  void copy_to_host() const;
  // One fault for each tensor with a changed guard.
  std::vector<Fault> check_guards() const;

 private:
  struct Entry {
    Tensor tensor;
    Memory memory;
  };
  void add(const Tensor& tensor);
  void write_addresses(const Launch& launch) const;

  const Gpu& gpu_;
  std::int64_t guard_bytes_;
  std::map<const void*, Entry> entries_;  // by host storage: arguments that share it share the copy
};

}  // namespace tl::cuda
