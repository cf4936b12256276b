// Shared memory: what a kernel takes of it, barriers, tiles as the copy engine and the tensor cores want them, layout conversion.
//
// From address 0 up lies what lives long (rings of stages: report_shared_bytes), from the top down what lives for one op (scratch).
#pragma once

#include "interp/cuda/device/block.h"

namespace tl {
namespace cuda {

// Tells the host that the kernel uses the first BYTES of dynamic shared memory: a comment in the PTX, no instruction.
template <int BYTES>
__device__ __forceinline__ void report_shared_bytes() {
  asm volatile("// tilescope.shared_bytes %0" ::"n"(BYTES));
}
// The same for the scratch at its end. The host adds both.
template <int BYTES>
__device__ __forceinline__ void report_scratch_bytes() {
  asm volatile("// tilescope.scratch_bytes %0" ::"n"(BYTES));
}

// 32 bits, as instructions on shared memory want them.
using SharedAddress = unsigned;
__forceinline__ SharedAddress shared_address(const void* p) { return static_cast<SharedAddress>(__cvta_generic_to_shared(p)); }

extern __shared__ __align__(1024) unsigned char dynamic_shared[];

// The scratch of one op: all of them share the memory, so threads synchronize before they write to it.
template <int Bytes>
__forceinline__ unsigned char* scratch() {
  constexpr int rounded = (Bytes + 1023) / 1024 * 1024;
  report_scratch_bytes<rounded>();
  unsigned size;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
  return dynamic_shared + (size - rounded);
}

// All threads that hold a layout of so many; where others have roles of their own, they stay out.
template <int Threads>
__forceinline__ void synchronize() {
  asm volatile("barrier.cta.sync.aligned 0, %0;" ::"n"(Threads) : "memory");
}

}  // namespace cuda
}  // namespace tl
