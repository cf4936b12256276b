// What is compiled once an instruction set, in the namespaces baseline, avx2 and avx512: TL_BEST(name) is the best
// `name` for this machine.
#pragma once

#include "interp/lang/error.h"

namespace tl {

inline bool has_avx2() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

inline bool has_avx512() {
#ifdef __x86_64__
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

// Null: not built.
template <class T>
T* best(T* avx512, T* avx2, T* baseline) {
  if (avx512 && has_avx512()) return avx512;
  if (avx2 && has_avx2()) return avx2;
  if (baseline) return baseline;
  throw Error("this program was built for the instruction set of one machine alone, which this one lacks",
              "build it on this machine: make run; or for every machine: cmake --preset dev "
              "-DTILESCOPE_THIS_MACHINE=OFF && cmake --build build");
}

}  // namespace tl

// The build defines TILESCOPE_BASELINE, TILESCOPE_AVX2 and TILESCOPE_AVX512 for the sets that it builds.
#ifdef TILESCOPE_BASELINE
#define TL_BASELINE(name) &baseline::name
#else
#define TL_BASELINE(name) nullptr
#endif
#ifdef TILESCOPE_AVX2
#define TL_AVX2(name) &avx2::name
#else
#define TL_AVX2(name) nullptr
#endif
#ifdef TILESCOPE_AVX512
#define TL_AVX512(name) &avx512::name
#else
#define TL_AVX512(name) nullptr
#endif
#define TL_BEST(name) ::tl::best<decltype(baseline::name)>(TL_AVX512(name), TL_AVX2(name), TL_BASELINE(name))
