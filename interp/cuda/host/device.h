// The GPU of this machine: whether there is one, and what it is.
#pragma once

#include <cstdint>
#include <string>

namespace tl::cuda {

struct DeviceInfo {
  std::string name;    // NVIDIA H200
  std::string driver;  // 580.159 or, where the driver does not say, the CUDA version it serves
  int major = 0, minor = 0;
  int sm_count = 0;
  std::int64_t memory_bytes = 0, l2_bytes = 0;
  int shared_bytes_per_program = 0;  // the most that a launch may ask for
  std::string arch() const;          // sm_90a
};

// False when there is no driver, no GPU, or one older than sm_80, or no toolkit to compile with; `why_not` says which.
bool available(std::string* why_not = nullptr);

// Throws Error with the same words, and the fix, when none is available.
DeviceInfo device_info();

}  // namespace tl::cuda
