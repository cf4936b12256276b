// A libcuda.so.1 that computes nothing: stands for machines that the tests do not have. FAKE_GPU says which: none, or
// its capability.
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
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? capability / 10 : capability % 10;
  return CUDA_SUCCESS;
}
}
