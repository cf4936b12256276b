// The GPU in use: the driver, its primary context, one stream; its memory and events with owners; its errors as
// sentences.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "interp/cuda/host/device.h"
#include "interp/cuda/host/driver_api.h"
#include "interp/lang/assertion.h"
#include "interp/lang/error.h"

namespace tl::cuda {

struct Gpu {
  const Driver& api;
  DeviceInfo info;
  CUstream stream = nullptr;
  AssertionRecord* assertion = nullptr;  // what a tl.device_assert that fails writes; it lives as long as the process
  mutable std::byte* prints = nullptr;   // what programs print, print_buffer_bytes of it; made when one does
  mutable bool abandoned = false;  // a kernel that never ends was left running: freeing what it uses would wait for it

  // Throws when `result` is an error: Error for a call that cannot be served, FaultError for a kernel that failed.
  // `what` names the operation.
  void check(CUresult result, const std::string& what) const;
  // Waits for the stream. Throws FaultError when a kernel failed (`what` names it), or this thread's StopScope ends.
  void wait(const std::string& what) const;
  std::byte* print_memory() const;
  // "CUDA_ERROR_ILLEGAL_ADDRESS"
  std::string name_of(CUresult result) const;
};

// Made at the first call, current on the calling thread after each. Throws Error when no GPU is available.
const Gpu& the_gpu();

// Device memory with one owner.
class Memory {
 public:
  Memory() = default;
  // `what` names the user in the error when the GPU has no room.
  Memory(const Gpu& gpu, std::int64_t bytes, const std::string& what);
  Memory(Memory&& other) noexcept : gpu_(other.gpu_), address_(std::exchange(other.address_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    return std::swap(gpu_, other.gpu_), std::swap(address_, other.address_), *this;
  }
  ~Memory();
  CUdeviceptr address() const { return address_; }

 private:
  const Gpu* gpu_ = nullptr;
  CUdeviceptr address_ = 0;
};

class Event {
 public:
  explicit Event(const Gpu& gpu);
  Event(Event&& other) noexcept : gpu_(other.gpu_), event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event();
  void record() const;
  double ms_since(const Event& start) const;

 private:
  const Gpu& gpu_;
  CUevent event_ = nullptr;
};

}  // namespace tl::cuda
