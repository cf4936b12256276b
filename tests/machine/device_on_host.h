// The device headers for a host compiler, to compare types: CUDA's words mean nothing here, intrinsics are declared and
// never called, and inline PTX is emptied: `asm volatile(...)` becomes `asm ("")`.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#define __CUDA_ARCH__ 800
#define __forceinline__ inline
#define __noinline__
#define __device__
#define __global__
#define __shared__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n)
#define __grid_constant__
#define volatile(...) ("")

struct DeviceIndex {
  unsigned x, y, z;
};
inline DeviceIndex threadIdx, blockIdx, gridDim;
struct uint4 {
  unsigned x, y, z, w;
};
struct uint2 {
  unsigned x, y;
};
unsigned __float_as_uint(float);
float __uint_as_float(unsigned);
float __double2float_rz(double);
float __ll2float_rz(long long);
float __ull2float_rz(unsigned long long);
int __float2int_rz(float);
unsigned __float2uint_rz(float);
long long __float2ll_rz(float);
unsigned long long __float2ull_rz(float);
unsigned long long __double2ull_rz(double);
int __float_as_int(float);
long long __double_as_longlong(double);
int __double2int_rz(double);
unsigned __double2uint_rz(double);
long long __double2ll_rz(double);
std::size_t __cvta_generic_to_shared(const void*);
