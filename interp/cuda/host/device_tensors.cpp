#include "interp/cuda/host/device_tensors.h"

#include <algorithm>

namespace tl::cuda {

namespace {

constexpr std::int64_t guard_zone_bytes = 4096;  // keeps the alignment of the next tensor
constexpr unsigned char guard_pattern = 0xC5;

std::string quoted(const Tensor& t) { return "tensor \"" + t.name + "\""; }

}  // namespace

DeviceTensors::DeviceTensors(const Gpu& gpu, std::span<const Launch> launches, bool guards)
    : gpu_(gpu), guard_bytes_(guards ? guard_zone_bytes : 0) {
  for (const auto& launch : launches) {
    for (const Tensor& t : tensors_of(launch)) add(t);
    write_addresses(launch);
  }
}

// What stands for addresses becomes those of this GPU.
void DeviceTensors::write_addresses(const Launch& launch) const {
  const std::vector<Tensor> all = tensors_of(launch);
  for (const Tensor& t : all) {
    if (!t.holds_addresses) continue;
    std::vector<std::int64_t> addresses(t.as<std::int64_t>(), t.as<std::int64_t>() + t.storage_elems);
    for (std::int64_t& a : addresses)
      if (const Addressed at = addressed_by(a); at.tensor >= 0 && at.tensor < static_cast<int>(all.size()))
        a = static_cast<std::int64_t>(address(all[static_cast<std::size_t>(at.tensor)])) + at.byte;
    gpu_.check(gpu_.api.cuMemcpyHtoD(address(t), addresses.data(), addresses.size() * sizeof addresses[0]),
               "copying " + quoted(t) + " to the GPU");
    gpu_.check(gpu_.api.cuCtxSynchronize(), "copying " + quoted(t) + " to the GPU");
  }
}

void DeviceTensors::add(const Tensor& t) {
  if (entries_.contains(t.data())) return;
  const std::int64_t bytes = t.storage_bytes();
  Memory memory(gpu_, bytes + 2 * guard_bytes_, quoted(t));
  const auto& api = gpu_.api;
  const auto copying = "copying " + quoted(t) + " to the GPU";
  if (guard_bytes_) {
    const auto guard = static_cast<std::size_t>(guard_bytes_);
    gpu_.check(api.cuMemsetD8Async(memory.address(), guard_pattern, guard, gpu_.stream), copying);
    gpu_.check(api.cuMemsetD8Async(memory.address() + guard + static_cast<std::size_t>(bytes), guard_pattern, guard,
                                   gpu_.stream),
               copying);
  }
  gpu_.check(api.cuMemcpyHtoD(memory.address() + static_cast<CUdeviceptr>(guard_bytes_), t.data(),
                              static_cast<std::size_t>(bytes)),
             copying);
  // The stream does not wait for the default stream that copied.
  gpu_.check(api.cuCtxSynchronize(), copying);
  entries_.emplace(t.data(), Entry{t, std::move(memory)});
}

CUdeviceptr DeviceTensors::address(const Tensor& tensor) const {
  return entries_.at(tensor.data()).memory.address() + static_cast<CUdeviceptr>(guard_bytes_);
}

void DeviceTensors::copy_to_host() const {
  for (const auto& [storage, entry] : entries_)
    if (!entry.tensor.holds_addresses)
      gpu_.check(gpu_.api.cuMemcpyDtoH(entry.tensor.data(), address(entry.tensor),
                                       static_cast<std::size_t>(entry.tensor.storage_bytes())),
                 "copying " + quoted(entry.tensor) + " from the GPU");
}

std::vector<Fault> DeviceTensors::check_guards() const {
  std::vector<Fault> faults;
  std::vector<unsigned char> zone(static_cast<std::size_t>(guard_bytes_));
  if (guard_bytes_ == 0) return faults;
  for (const auto& [storage, entry] : entries_) {
    const Tensor& t = entry.tensor;
    const int size = size_in_bytes(t.dtype);
    // Offsets of the two zones from the tensor's first element.
    for (const std::int64_t start : {-guard_bytes_, t.storage_bytes()}) {
      gpu_.check(gpu_.api.cuMemcpyDtoH(zone.data(), address(t) + static_cast<CUdeviceptr>(start), zone.size()),
                 "checking " + quoted(t));
      const auto changed = std::find_if(zone.begin(), zone.end(), [](unsigned char c) { return c != guard_pattern; });
      if (changed == zone.end()) continue;
      const std::int64_t byte = start + (changed - zone.begin());
      Fault fault;
      fault.kind = FaultKind::out_of_bounds;
      fault.tensor = t.name;
      fault.element = byte >= 0 ? byte / size : -((-byte + size - 1) / size);
      fault.headline = "a program wrote outside of " + quoted(t) + ", at element " + std::to_string(fault.element) +
                       "; it holds " + std::to_string(t.storage_elems);
      fault.fix = "run it with --device cpu, which names the line, the program and the lane";
      faults.push_back(fault);
      break;
    }
  }
  return faults;
}

}  // namespace tl::cuda
