// The contract between the host, which compiles and launches, and the device, which is compiled: the entry and its
// parameters.
//
// The host asks NVRTC for one name expression:
//   tl::cuda::entry<tl::kernels::softmax_kernel, tl::cuda::Config<WARPS, STAGES, VECTOR, USES_DOT, EXACT>, ARGUMENT...>
// with one ARGUMENT for each of the functor's parameters, in order:
//
//   argument of the launch   ARGUMENT                                         passed as
//   tensor                   tl::Ptr<T, D>: D = 16 when the address is a      T*
//                            multiple of 16 bytes, else 1
//   tensor that is None      tl::NonePtr                                      float*, null
//   int                      tl::Int<int or long long, D>: tl::is_one when    int or long long
//                            the value is 1; 16 when it is a multiple of
//                            16, else 1, or, where warps copy by pointers,
//                            the power of two that divides it
//   float                    tl::Float                                        float
//   constant                 tl::constant<V>, V an int, a long long, a bool,  the empty constant
//                            a double, a tl::FixedText
//   constant that is a dtype tl::Dtype<tl::DType::float32>                    the empty dtype
//   descriptor               tl::Descriptor<T, tl::Shape<...>, tl::Tma>       CUtensorMap, __grid_constant__
//                            tl::Descriptor<T, tl::Shape<...>, tl::Pointers>  tl::cuda::TensorPointers<RANK>
//
// Before them all the entry takes a rules::RingPlan.
//
// T is bool, int, long long, unsigned char, unsigned, __half, __nv_bfloat16, float, double, __nv_fp8_e4m3,
// __nv_fp8_e5m2. VECTOR = 16 / the smallest element size among the tensors and descriptors (at least 1; 16 / 4 without
// any). USES_DOT: the functor's text, or that of a helper it names, calls .dot( (default false). EXACT: and all of them
// multiply fp32 or wider as it is (default false).
//
// A tensor map's box is the descriptor's block with its last axis cut to at most 128 bytes, and every other axis to at
// most 256. Its swizzle is as wide as the box's last axis: 128, 64 or 32 bytes, or none. Elements outside read 0. A
// tensor that TMA cannot take (address or strides no multiple of 16 bytes, a last stride other than 1, other than 2
// axes) comes as Pointers, and so do all of the launch's: a program has either a producer or none.
//
// What the launch needs comes back through the compiled code:
// - threads: the entry's __launch_bounds__, exactly (before sm_90 with a limit of registers: those of its warps);
// - dynamic shared memory: the largest Report::scratch_bytes plus the largest Report::ring of each level, whose
//   places are the RingPlan.
//
// A kernel with a dot and whole warpgroups runs in two roles (pipeline/warp_specialized.h). Where that text does not
// compile, or reports no ring, the host compiles it again for one role.
//
// What else the host decides stands in build.h, which it writes anew for every compilation: rules::Build.
#pragma once

#include "interp/cuda/device/config.h"
#include "interp/cuda/device/timeline.h"
#include "interp/cuda/device/values/pointer.h"
#include "interp/rules/ring.h"

namespace tl {

struct Tma;
struct Pointers;
template <class T, class S, class Access>
struct Descriptor;
template <class Cfg, class T, class S>
struct PointerDescriptor;

namespace cuda {

// A CUtensorMap.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

// What a descriptor without TMA is made of. Strides count elements.
template <int RANK>
struct TensorPointers {
  void* address;
  long long extents[RANK];
  long long strides[RANK];
};

// The entry's parameter for an argument, and the argument made of it.
template <class A>
struct Parameter;
template <class T, int D>
struct Parameter<Ptr<T, D>> {
  using type = T*;
  static __forceinline__ auto bind(const type& p) { return Ptr<T, least(D, most_divisible)>{p}; }
};
template <>
struct Parameter<NonePtr> {
  using type = float*;
  static __forceinline__ NonePtr bind(const type& p) { return NonePtr{{p}}; }
};
template <class T, int D>
struct Parameter<Scalar<T, D>> {
  using type = T;
  static __forceinline__ auto bind(const type& v) { return Scalar<T, least(D, most_divisible)>{v}; }
};
template <class T>
struct Parameter<Scalar<T, is_one>> {
  using type = T;
  static __forceinline__ auto bind(const type& v) {
    if constexpr (formulas) return Scalar<T, is_one>{1};
    else return Scalar<T>{v};
  }
};
template <auto V>
struct Parameter<constant<V>> {
  using type = constant<V>;
  static __forceinline__ constant<V> bind(const type&) { return {}; }
};
template <DType D>
struct Parameter<Dtype<D>> {
  using type = Dtype<D>;
  static __forceinline__ Dtype<D> bind(const type&) { return {}; }
};
template <class T, class S>
struct Parameter<Descriptor<T, S, Tma>> {
  using type = TensorMap;
  static __forceinline__ Descriptor<T, S, Tma> bind(const type& map) { return {&map}; }
};
template <class T, class S>
struct Parameter<Descriptor<T, S, Pointers>> {
  using type = TensorPointers<S::rank>;
  static __forceinline__ Descriptor<T, S, Pointers> bind(const type& tensor) { return {&tensor}; }
};

template <class Cfg>
struct Context;

// An argument as the kernel sees it: descriptors learn the kernel's configuration.
template <class Cfg, class A>
__forceinline__ auto bound(const A& argument) {
  return argument;
}
template <class Cfg, class T, class S>
__forceinline__ auto bound(const Descriptor<T, S, Pointers>& d) {
  return PointerDescriptor<Cfg, T, S>{d.tensor};
}

// How a kernel runs: how many threads, and which executor they pass it. Specialized where warps have roles of their
// own.
template <class Kernel, class Cfg, class... A>
struct Launcher {
  static constexpr int threads = 32 * Cfg::num_warps, programs_per_sm = 0;
  template <class... B>
  static __forceinline__ void run(const rules::RingPlan&, B... arguments) {
    Context<Cfg> tl{};
    Kernel{}(tl, bound<Cfg>(arguments)...);
    record_end();
  }
};

template <class Kernel, class Cfg, class... A>
  requires(build.max_registers == 0)
__global__ void __launch_bounds__(Launcher<Kernel, Cfg, A...>::threads, Launcher<Kernel, Cfg, A...>::programs_per_sm)
    entry(const __grid_constant__ rules::RingPlan plan,
          const __grid_constant__ typename Parameter<A>::type... parameters) {
  record_start();
  Launcher<Kernel, Cfg, A...>::run(plan, Parameter<A>::bind(parameters)...);
}

// No kernel takes both __launch_bounds__ and __maxnreg__, and before sm_90 none says its block's size otherwise.
#if __CUDA_ARCH__ >= 900
#define TL_THREADS(...) __block_size__((__VA_ARGS__, 1, 1))
#else
#define TL_THREADS(...)
#endif
template <class Kernel, class Cfg, class... A>
  requires(build.max_registers > 0)
__global__ void TL_THREADS(Launcher<Kernel, Cfg, A...>::threads)
    __maxnreg__(build.max_registers > 0 ? build.max_registers : 255)
        entry(const __grid_constant__ rules::RingPlan plan,
              const __grid_constant__ typename Parameter<A>::type... parameters) {
  record_start();
  Launcher<Kernel, Cfg, A...>::run(plan, Parameter<A>::bind(parameters)...);
}
#undef TL_THREADS

}  // namespace cuda
}  // namespace tl
