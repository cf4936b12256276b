// The contract between the host, which compiles and launches, and the device, which is compiled: the entry and its parameters.
//
// The host asks NVRTC for one name expression:
//   tl::cuda::entry<tl::kernels::softmax_kernel, tl::cuda::Config<WARPS, STAGES, VECTOR>, ARGUMENT...>
// with one ARGUMENT for each of the functor's parameters, in order:
//
//   argument of the launch   ARGUMENT                                         passed as
//   tensor                   tl::Ptr<T, D>: D = 16 when the address is a      T*
//                            multiple of 16 bytes, else 1
//   int                      tl::Int<int or long long, D>: D = 16 when the    int or long long
//                            value is a multiple of 16, else 1;
//                            tl::constant<1> when it is 1                     the empty constant
//   float                    tl::Float                                        float
//   constant                 tl::constant<V>, V an int, a long long, a bool   the empty constant
//   descriptor               tl::Descriptor<T, tl::Shape<...>, tl::Tma>       CUtensorMap, __grid_constant__
//                            tl::Descriptor<T, tl::Shape<...>, tl::Pointers>  tl::cuda::TensorPointers<RANK>
//
// T is bool, int, long long, unsigned char, unsigned, __half, __nv_bfloat16, float, double, __nv_fp8_e4m3, __nv_fp8_e5m2.
// VECTOR = 16 / the smallest element size among the tensors and descriptors (at least 1; 16 / 4 without any).
//
// A tensor map's box is the descriptor's block with its last axis cut to at most 128 bytes, and every other axis to at most 256.
// Its swizzle is as wide as the box's last axis: 128, 64 or 32 bytes, or none. Elements outside read 0. A tensor that TMA cannot
// take (address or strides no multiple of 16 bytes, a last stride other than 1, more than 5 axes) comes as Pointers.
//
// What the launch needs comes back through the compiled code:
//   threads               the entry's __launch_bounds__, exactly
//   dynamic shared memory the largest report_shared_bytes<N>() that was compiled in
//
// Macros the host may define: TILESCOPE_GENERIC (use nothing newer than sm_80, to test that path on a newer chip).
#pragma once

namespace tl {

struct Tma;
struct Pointers;

namespace cuda {

template <int NUM_WARPS, int NUM_STAGES, int VECTOR>
struct Config {
  static constexpr int num_warps = NUM_WARPS, num_stages = NUM_STAGES, vector = VECTOR;
};

// What a descriptor without TMA is made of. Strides count elements.
template <int RANK>
struct TensorPointers {
  void* address;
  long long extents[RANK];
  long long strides[RANK];
};

// Tells the host that the kernel uses the first BYTES of dynamic shared memory: a comment in the PTX, no instruction.
template <int BYTES>
__device__ void report_shared_bytes() {
  asm volatile("// tilescope.shared_bytes %0" ::"n"(BYTES));
}

}  // namespace cuda
}  // namespace tl
