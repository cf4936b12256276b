// A libcuda.so.1 that computes nothing: stands for machines that the tests do not have. FAKE_GPU says which: none, or
// its capability. What is launched is written to the file that FAKE_LAUNCHES names, a line each: grid, threads, stream,
// and the address that the kernel is given first.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "interp/cuda/host/driver_api.h"

using namespace tl::cuda;

namespace {
std::string gpu() {
  const char* value = std::getenv("FAKE_GPU");
  return value ? value : "none";
}
}  // namespace

extern "C" {
CUresult cuInit(unsigned) { return gpu() == "none" ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) { return *count = gpu() == "none" ? 0 : 1, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int, CUdevice) { return std::strcpy(name, "Fake GPU"), CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  const int capability = std::atoi(gpu().c_str());
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR            ? capability / 10
           : attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN ? 232448
                                                                                : capability % 10;
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  return *address = std::calloc(1, bytes), CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned, unsigned,
                        CUstream stream, void** parameters, void**) {
  const char* const name = std::getenv("FAKE_LAUNCHES");
  if (std::FILE* const file = name ? std::fopen(name, "a") : nullptr) {
    CUdeviceptr first = 0;
    std::memcpy(&first, parameters[1], sizeof first);  // behind the ring plan
    std::fprintf(file, "%u %u %u %u %llu %llu\n", x, y, z, threads, reinterpret_cast<unsigned long long>(stream),
                 first);
    std::fclose(file);
  }
  return CUDA_SUCCESS;
}
}
