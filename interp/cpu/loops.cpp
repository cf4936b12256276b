// Picks the loops that this machine runs best.
#include "interp/cpu/loops.h"

namespace tl::cpu {

namespace {

const Loops* best() {
#ifdef TILESCOPE_X86_LOOPS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return &avx512::table;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2::table;
#endif
  return &baseline::table;
}

}  // namespace

const Loops& loops() {
  static const Loops* const chosen = best();
  return *chosen;
}

}  // namespace tl::cpu
