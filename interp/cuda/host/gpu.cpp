#include "interp/cuda/host/gpu.h"

#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/nvrtc_api.h"
#include "interp/lang/print_record.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/unavailable.h"

namespace tl::cuda {

namespace {

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

// 580.159.04 where the kernel module tells; else the CUDA version that the driver serves.
std::string driver_version(const Driver& api) {
  std::ifstream in("/sys/module/nvidia/version");
  std::string version;
  if (in >> version) return version;
  int number = 0;
  api.cuDriverGetVersion(&number);
  return "CUDA " + std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

DeviceInfo read_info(const Driver& api, CUdevice device) {
  DeviceInfo info;
  char name[256] = "";
  api.cuDeviceGetName(name, sizeof name, device);
  info.name = name;
  info.driver = driver_version(api);
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    api.cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  info.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.shared_bytes_per_program = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  std::size_t total = 0;
  api.cuDeviceTotalMem(&total, device);
  info.memory_bytes = static_cast<std::int64_t>(total);
  return info;
}

// What a kernel that failed has done, in words; empty for errors of other kinds.
std::string failure_in_words(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS: return "it accessed memory outside of every tensor";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "it accessed memory at an address that is not a multiple of the access's size";
    case CUDA_ERROR_ILLEGAL_INSTRUCTION: return "it reached an instruction that the chip does not have";
    case CUDA_ERROR_LAUNCH_TIMEOUT: return "it ran longer than the display's driver allows";
    case CUDA_ERROR_LAUNCH_FAILED: return "it stopped with a trap or an access that the hardware refused";
  }
  return "";
}

FaultKind kind_of(CUresult result) {
  return result == CUDA_ERROR_ILLEGAL_ADDRESS ? FaultKind::out_of_bounds : FaultKind::other;
}

// The words are those of the interpreter.
Fault fault_of(const AssertionRecord& record) {
  Fault fault;
  fault.kind = FaultKind::assertion;
  fault.site = {record.file, record.line, 0};
  fault.program = {record.program[0], record.program[1], record.program[2]};
  fault.lane = record.lane;
  if (record.line == 0) {  // not the kernel's own tl.device_assert
    fault.site = {};
    fault.headline = record.file;
    fault.fix = record.text;
    return fault;
  }
  fault.headline = "tl.device_assert: the assertion fails";
  fault.detail = record.text;
  fault.fix = "look at the values it compares";
  return fault;
}

// The GPU writes it at the same address.
AssertionRecord* make_assertion_record(const Gpu& gpu) {
  void* memory = nullptr;
  gpu.check(gpu.api.cuMemHostAlloc(&memory, sizeof(AssertionRecord), CU_MEMHOSTALLOC_DEVICEMAP), "opening the GPU");
  return new (memory) AssertionRecord{};
}

}  // namespace

std::byte* Gpu::print_memory() const {
  void* memory = prints;
  if (!memory)
    check(api.cuMemHostAlloc(&memory, print_buffer_bytes, CU_MEMHOSTALLOC_DEVICEMAP), "making room for prints");
  return prints = static_cast<std::byte*>(memory);
}

namespace {

std::optional<Error> why_unavailable() {
  std::optional<Error> error;
  const Driver* api = driver(&error);
  if (!api || !nvrtc(&error)) return error;
  CUdevice device = 0;
  api->cuDeviceGet(&device, 0);
  const DeviceInfo info = read_info(*api, device);
  if (info.major >= 8) return std::nullopt;
  return Error(info.name + " is too old: kernels need compute capability 8.0 (Ampere) or newer", "use --device cpu");
}

std::unique_ptr<Gpu> open_gpu() {
  if (const auto error = why_unavailable()) throw Unavailable(*error);
  const Driver& api = *driver();
  CUdevice device = 0;
  api.cuDeviceGet(&device, 0);
  auto made = std::make_unique<Gpu>(Gpu{api, read_info(api, device)});
  return made;
}

}  // namespace

std::string DeviceInfo::arch() const {
  // The device code has instructions of the chip's own for Hopper alone.
  return "sm_" + std::to_string(major) + std::to_string(minor) + (major == 9 && minor == 0 ? "a" : "");
}

bool available(std::string* why_not) {
  const auto error = why_unavailable();
  if (error && why_not) *why_not = error->what();
  return !error;
}

DeviceInfo device_info() { return the_gpu().info; }

const Gpu& the_gpu() {
  static std::mutex mutex;
  static std::unique_ptr<Gpu> made;
  static CUcontext primary = nullptr;
  const std::lock_guard lock(mutex);
  if (made) {
    if (made->abandoned) throw Error("the GPU still runs the kernel that was stopped", "start the program again");
    made->api.cuCtxSetCurrent(primary);
    return *made;
  }
  auto fresh = open_gpu();
  fresh->check(fresh->api.cuDevicePrimaryCtxRetain(&primary, 0), "opening the GPU");
  fresh->check(fresh->api.cuCtxSetCurrent(primary), "opening the GPU");
  fresh->assertion = make_assertion_record(*fresh);
  fresh->check(fresh->api.cuStreamCreate(&fresh->stream, CU_STREAM_NON_BLOCKING), "opening the GPU");
  made = std::move(fresh);
  return *made;
}

std::string Gpu::name_of(CUresult result) const {
  const char* name = nullptr;
  api.cuGetErrorName(result, &name);
  return name ? name : "CUDA error " + std::to_string(result);
}

void Gpu::check(CUresult result, const std::string& what) const {
  if (result == CUDA_SUCCESS) return;
  if (assertion && assertion->failed) throw FaultError(fault_of(*assertion));
  if (const auto words = failure_in_words(result); !words.empty()) {
    Fault fault;
    fault.kind = kind_of(result);
    fault.headline = "the GPU stopped " + what + ": " + words + " (" + name_of(result) + ")";
    fault.fix = "run it with --device cpu, where every access is checked and the line is named";
    throw FaultError(fault);
  }
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    throw Error(what + " needs more registers a program than an SM has", "choose smaller blocks, or fewer num_warps");
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU)
    throw Error(what + " was compiled for another chip than " + info.name, "compile it for " + info.arch());
  throw Error(what + " failed: " + name_of(result),
              "look whether another process uses the GPU (nvidia-smi), or use --device cpu");
}

void Gpu::wait(const std::string& what) const {
  // Asks instead of waiting, so that Ctrl-C reaches a kernel that never ends.
  const auto start = std::chrono::steady_clock::now();
  CUresult result = CUDA_SUCCESS;
  while ((result = api.cuStreamQuery(stream)) == CUDA_ERROR_NOT_READY) {
    if (is_stopped()) {
      Fault fault;
      fault.kind = FaultKind::stopped;
      fault.headline = "stopped while the GPU ran " + what;
      fault.fix = "if it never ends, run it with --device cpu, where it can be stepped";
      abandoned = true;
      throw FaultError(fault);
    }
    if (std::chrono::steady_clock::now() - start > std::chrono::milliseconds(10))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  check(result, what);
  check(api.cuStreamSynchronize(stream), what);  // also prints what kernels printed
}

Memory::Memory(const Gpu& gpu, std::int64_t bytes, const std::string& what) : gpu_(&gpu) {
  const auto size = static_cast<std::size_t>(bytes > 0 ? bytes : 1);
  const CUresult result = gpu.api.cuMemAlloc(&address_, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free = 0, total = 0;
    gpu.api.cuMemGetInfo(&free, &total);
    throw Error(what + " of " + gigabytes(static_cast<double>(size)) + " does not fit on the GPU: " +
                    gigabytes(static_cast<double>(free)) + " of " + gigabytes(static_cast<double>(total)) + " are free",
                "choose smaller sizes, or end what else uses the GPU (nvidia-smi)");
  }
  gpu.check(result, "allocating " + what);
}

Memory::~Memory() {
  if (address_ && !gpu_->abandoned) gpu_->api.cuMemFree(address_);
}

Event::Event(const Gpu& gpu) : gpu_(gpu) { gpu.check(gpu.api.cuEventCreate(&event_, 0), "creating an event"); }
Event::~Event() {
  if (event_ && !gpu_.abandoned) gpu_.api.cuEventDestroy(event_);
}
void Event::record() const { gpu_.check(gpu_.api.cuEventRecord(event_, gpu_.stream), "recording an event"); }
double Event::ms_since(const Event& start) const {
  float ms = 0;
  gpu_.check(gpu_.api.cuEventElapsedTime(&ms, start.event_, event_), "reading an event");
  return ms;
}

}  // namespace tl::cuda
