// One access of up to 16 bytes, as PTX spells it.
#pragma once

#include "interp/cuda/device/values/storage.h"
#include "interp/lang/access_words.h"

namespace tl::cuda {

// What PTX calls an access of so many bytes. A lane that is off keeps what `pack` holds. One function a mnemonic.
#define TL_LOAD(NAME, FIRST, LD, LAST)                                                                              \
  template <class P>                                                                                                \
  __forceinline__ void NAME(P& pack, const void* from, bool on) {                                                   \
    constexpr int bytes = sizeof(P);                                                                                \
    const int p = on;                                                                                               \
    if constexpr (bytes == 16) {                                                                                    \
      auto w = __builtin_bit_cast(uint4, pack);                                                                     \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %5, 0;\n@p " LD ".v4.b32 {%0, %1, %2, %3}, [%4]" LAST \
                   ";\n}"                                                                                           \
                   : "+r"(w.x), "+r"(w.y), "+r"(w.z), "+r"(w.w)                                                     \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else if constexpr (bytes == 8) {                                                                              \
      auto w = __builtin_bit_cast(uint2, pack);                                                                     \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %3, 0;\n@p " LD ".v2.b32 {%0, %1}, [%2]" LAST ";\n}"  \
                   : "+r"(w.x), "+r"(w.y)                                                                           \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else if constexpr (bytes == 4) {                                                                              \
      auto w = __builtin_bit_cast(unsigned, pack);                                                                  \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " LD ".b32 %0, [%1]" LAST ";\n}"           \
                   : "+r"(w)                                                                                        \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else if constexpr (bytes == 2) {                                                                              \
      auto w = __builtin_bit_cast(unsigned short, pack);                                                            \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " LD ".b16 %0, [%1]" LAST ";\n}"           \
                   : "+h"(w)                                                                                        \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else {                                                                                                        \
      unsigned w = __builtin_bit_cast(unsigned char, pack);                                                         \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " LD ".u8 %0, [%1]" LAST ";\n}"            \
                   : "+r"(w)                                                                                        \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, static_cast<unsigned char>(w));                                                  \
    }                                                                                                               \
  }
#define TL_POLICY(WHICH) ".reg .b64 policy;\ncreatepolicy.fractional.L2::" WHICH ".b64 policy, 1.0;\n"
TL_LOAD(load_global, "", "ld.global", "")
TL_LOAD(load_ca, "", "ld.global.ca", "")
TL_LOAD(load_cg, "", "ld.global.cg", "")
TL_LOAD(load_cs, "", "ld.global.cs", "")
TL_LOAD(load_cv, "", "ld.global.cv", "")
TL_LOAD(load_volatile, "", "ld.volatile.global", "")
TL_LOAD(load_evict_first, TL_POLICY("evict_first"), "ld.global.L1::evict_first.L2::cache_hint", ", policy")
TL_LOAD(load_evict_last, TL_POLICY("evict_last"), "ld.global.L1::evict_last.L2::cache_hint", ", policy")
#undef TL_LOAD

#define TL_STORE(NAME, FIRST, ST, LAST)                                                                             \
  template <class P>                                                                                                \
  __forceinline__ void NAME(void* to, const P& pack, bool on) {                                                     \
    constexpr int bytes = sizeof(P);                                                                                \
    const int p = on;                                                                                               \
    if constexpr (bytes == 16) {                                                                                    \
      const auto w = __builtin_bit_cast(uint4, pack);                                                               \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %5, 0;\n@p " ST ".v4.b32 [%4], {%0, %1, %2, %3}" LAST \
                   ";\n}" ::"r"(w.x),                                                                               \
                   "r"(w.y), "r"(w.z), "r"(w.w), "l"(to), "r"(p)                                                    \
                   : "memory");                                                                                     \
    } else if constexpr (bytes == 8) {                                                                              \
      const auto w = __builtin_bit_cast(uint2, pack);                                                               \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %3, 0;\n@p " ST ".v2.b32 [%2], {%0, %1}" LAST         \
                   ";\n}" ::"r"(w.x),                                                                               \
                   "r"(w.y), "l"(to), "r"(p)                                                                        \
                   : "memory");                                                                                     \
    } else if constexpr (bytes == 4) {                                                                              \
      const auto w = __builtin_bit_cast(unsigned, pack);                                                            \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " ST ".b32 [%1], %0" LAST ";\n}" ::"r"(w), \
                   "l"(to), "r"(p)                                                                                  \
                   : "memory");                                                                                     \
    } else if constexpr (bytes == 2) {                                                                              \
      const auto w = __builtin_bit_cast(unsigned short, pack);                                                      \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " ST ".b16 [%1], %0" LAST ";\n}" ::"h"(w), \
                   "l"(to), "r"(p)                                                                                  \
                   : "memory");                                                                                     \
    } else {                                                                                                        \
      const unsigned w = __builtin_bit_cast(unsigned char, pack);                                                   \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " ST ".u8 [%1], %0" LAST ";\n}" ::"r"(w),  \
                   "l"(to), "r"(p)                                                                                  \
                   : "memory");                                                                                     \
    }                                                                                                               \
  }
TL_STORE(store_global, "", "st.global", "")
TL_STORE(store_wb, "", "st.global.wb", "")
TL_STORE(store_cg, "", "st.global.cg", "")
TL_STORE(store_cs, "", "st.global.cs", "")
TL_STORE(store_wt, "", "st.global.wt", "")
TL_STORE(store_evict_first, TL_POLICY("evict_first"), "st.global.L1::evict_first.L2::cache_hint", ", policy")
TL_STORE(store_evict_last, TL_POLICY("evict_last"), "st.global.L1::evict_last.L2::cache_hint", ", policy")
#undef TL_STORE
#undef TL_POLICY

// The words of an access. PTX takes one of them: volatile before the cache operator, that before the eviction policy.
struct AccessWords {
  CacheOperator cache = CacheOperator::standard;
  Eviction eviction = Eviction::normal;
  bool is_volatile = false;
};
template <class P>
__forceinline__ void load_by(const AccessWords& words, P& pack, const void* from, bool on) {
  if (words.is_volatile) load_volatile(pack, from, on);
  else if (words.cache == CacheOperator::ca) load_ca(pack, from, on);
  else if (words.cache == CacheOperator::cg) load_cg(pack, from, on);
  else if (words.cache == CacheOperator::cs) load_cs(pack, from, on);
  else if (words.cache == CacheOperator::cv) load_cv(pack, from, on);
  else if (words.eviction == Eviction::first) load_evict_first(pack, from, on);
  else if (words.eviction == Eviction::last) load_evict_last(pack, from, on);
  else load_global(pack, from, on);
}
template <class P>
__forceinline__ void store_by(const AccessWords& words, void* to, const P& pack, bool on) {
  if (words.cache == CacheOperator::wb) store_wb(to, pack, on);
  else if (words.cache == CacheOperator::cg) store_cg(to, pack, on);
  else if (words.cache == CacheOperator::cs) store_cs(to, pack, on);
  else if (words.cache == CacheOperator::wt) store_wt(to, pack, on);
  else if (words.eviction == Eviction::first) store_evict_first(to, pack, on);
  else if (words.eviction == Eviction::last) store_evict_last(to, pack, on);
  else store_global(to, pack, on);
}

}  // namespace tl::cuda
