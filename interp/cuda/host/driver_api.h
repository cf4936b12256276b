// The types, numbers and functions of the CUDA driver that we use, by their original names: no header of CUDA's is
// needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "interp/lang/error.h"

namespace tl::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
struct alignas(64) CUtensorMap {
  std::uint64_t opaque[16];
};

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_LAUNCH_FAILED = 719,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};
inline constexpr int CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1, CU_MEMHOSTALLOC_DEVICEMAP = 2;
inline constexpr int CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1;

enum CUtensorMapDataType : int {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
  CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
  CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
};
enum CUtensorMapSwizzle : int {
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
};
inline constexpr int CU_TENSOR_MAP_INTERLEAVE_NONE = 0, CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
                     CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1;

// FUNCTION(name, its symbol in the library, its parameters)
#define TILESCOPE_DRIVER_FUNCTIONS(FUNCTION)                                                                          \
  FUNCTION(cuInit, "cuInit", (unsigned flags))                                                                        \
  FUNCTION(cuDriverGetVersion, "cuDriverGetVersion", (int* version))                                                  \
  FUNCTION(cuGetErrorName, "cuGetErrorName", (CUresult, const char** name))                                           \
  FUNCTION(cuDeviceGetCount, "cuDeviceGetCount", (int* count))                                                        \
  FUNCTION(cuDeviceGet, "cuDeviceGet", (CUdevice*, int ordinal))                                                      \
  FUNCTION(cuDeviceGetName, "cuDeviceGetName", (char* name, int length, CUdevice))                                    \
  FUNCTION(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int* value, CUdevice_attribute, CUdevice))                  \
  FUNCTION(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t* bytes, CUdevice))                                   \
  FUNCTION(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext*, CUdevice))                              \
  FUNCTION(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext))                                                           \
  FUNCTION(cuCtxSynchronize, "cuCtxSynchronize", ())                                                                  \
  FUNCTION(cuMemGetInfo, "cuMemGetInfo_v2", (std::size_t* free, std::size_t* total))                                  \
  FUNCTION(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr*, std::size_t bytes))                                            \
  FUNCTION(cuMemFree, "cuMemFree_v2", (CUdeviceptr))                                                                  \
  FUNCTION(cuMemHostAlloc, "cuMemHostAlloc", (void** address, std::size_t bytes, unsigned flags))                     \
  FUNCTION(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (CUdeviceptr, const void*, std::size_t bytes))                            \
  FUNCTION(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void*, CUdeviceptr, std::size_t bytes))                                  \
  FUNCTION(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, std::size_t bytes, CUstream))        \
  FUNCTION(cuMemsetD8Async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, std::size_t bytes, CUstream))             \
  FUNCTION(cuModuleLoadData, "cuModuleLoadData", (CUmodule*, const void* image))                                      \
  FUNCTION(cuModuleGetGlobal, "cuModuleGetGlobal_v2", (CUdeviceptr*, std::size_t* bytes, CUmodule, const char* name)) \
  FUNCTION(cuModuleUnload, "cuModuleUnload", (CUmodule))                                                              \
  FUNCTION(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction*, CUmodule, const char* name))                     \
  FUNCTION(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int attribute, int value))                          \
  FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                \
           (int* blocks, CUfunction, int threads, std::size_t dynamic_shared_bytes))                                  \
  FUNCTION(cuLaunchKernel, "cuLaunchKernel",                                                                          \
           (CUfunction, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,        \
            unsigned block_z, unsigned dynamic_shared_bytes, CUstream, void** parameters, void** extra))              \
  FUNCTION(cuStreamCreate, "cuStreamCreate", (CUstream*, unsigned flags))                                             \
  FUNCTION(cuStreamQuery, "cuStreamQuery", (CUstream))                                                                \
  FUNCTION(cuStreamSynchronize, "cuStreamSynchronize", (CUstream))                                                    \
  FUNCTION(cuEventCreate, "cuEventCreate", (CUevent*, unsigned flags))                                                \
  FUNCTION(cuEventDestroy, "cuEventDestroy_v2", (CUevent))                                                            \
  FUNCTION(cuEventRecord, "cuEventRecord", (CUevent, CUstream))                                                       \
  FUNCTION(cuEventElapsedTime, "cuEventElapsedTime", (float* ms, CUevent, CUevent))                                   \
  FUNCTION(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (CUstream, int mode))                                     \
  FUNCTION(cuStreamEndCapture, "cuStreamEndCapture", (CUstream, CUgraph*))                                            \
  FUNCTION(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags",                                                \
           (CUgraphExec*, CUgraph, unsigned long long flags))                                                         \
  FUNCTION(cuGraphLaunch, "cuGraphLaunch", (CUgraphExec, CUstream))                                                   \
  FUNCTION(cuGraphDestroy, "cuGraphDestroy", (CUgraph))                                                               \
  FUNCTION(cuGraphExecDestroy, "cuGraphExecDestroy", (CUgraphExec))                                                   \
  FUNCTION(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                                          \
           (CUtensorMap*, CUtensorMapDataType, std::uint32_t rank, void* address, const std::uint64_t* extents,       \
            const std::uint64_t* strides_bytes, const std::uint32_t* box, const std::uint32_t* element_strides,       \
            int interleave, CUtensorMapSwizzle, int l2_promotion, int out_of_bounds_fill))

struct Driver {
#define TILESCOPE_DECLARE(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_DECLARE)
#undef TILESCOPE_DECLARE
};

// Null when there is no driver or no GPU; `why_not` then says so. Opened once; TILESCOPE_LIBCUDA names the library.
const Driver* driver(std::optional<Error>* why_not = nullptr);

}  // namespace tl::cuda
