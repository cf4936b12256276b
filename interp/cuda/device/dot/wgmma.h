// Hopper's wgmma: d[64 x N] = a[64 x K] b[K x N] (+ d) by a warpgroup, one struct a size N. PTX ISA, "wgmma.mma_async".
//
// A comes from shared memory (`ss`) or from registers (`rs`), B from shared memory; K is 32 bytes of it. Each text is
// made once by the macros below: inline assembly needs its operand numbers as literals, and C++ has no other way to
// count inside a string.
#pragma once

#include "interp/lang/dtype.h"

namespace tl::cuda {

// Registers that wgmma will touch are as the program left them.
__forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Pending>
__forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

// How many elements of K an instruction takes.
template <DType A>
inline constexpr int wgmma_k = 32 / size_in_bytes(A);

template <int N>
struct Wgmma;

#define TL_10(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define TL_D4 "%0, %1, %2, %3"
#define TL_D8 TL_D4 ", %4, %5, %6, %7"
#define TL_D16 TL_10() ", %10, %11, %12, %13, %14, %15"
#define TL_D32 TL_10() ", " TL_10(1) ", " TL_10(2) ", %30, %31"
#define TL_D64 TL_10() ", " TL_10(1) ", " TL_10(2) ", " TL_10(3) ", " TL_10(4) ", " TL_10(5) ", %60, %61, %62, %63"
#define TL_D128                                                                                                 \
  TL_10()                                                                                                       \
  ", " TL_10(1) ", " TL_10(2) ", " TL_10(3) ", " TL_10(4) ", " TL_10(5) ", " TL_10(6) ", " TL_10(7) ", " TL_10( \
      8) ", " TL_10(9) ", " TL_10(10) ", " TL_10(11) ", %120, %121, %122, %123, %124, %125, %126, %127"

#define TL_R4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define TL_R8(i) TL_R4(i), TL_R4(i + 4)
#define TL_R16(i) TL_R8(i), TL_R8(i + 8)
#define TL_R32(i) TL_R16(i), TL_R16(i + 16)
#define TL_R64(i) TL_R32(i), TL_R32(i + 32)
#define TL_R128(i) TL_R64(i), TL_R64(i + 64)

// `p` is the number of the first operand after d's; only 16-bit inputs may be stored the other way round (a_mn, b_mn).
#define TL_SS(N, R, SHAPE, TYPES, p0, p1, p2)                                                              \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #p2 ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N SHAPE \
               ".f32" TYPES " {" TL_D##R "}, %" #p0 ", %" #p1 ", p, 1, 1;\n}"                              \
               : TL_R##R(0)                                                                                \
               : "l"(a), "l"(b), "r"(accumulate))
#define TL_SS16(N, R, TYPES, p0, p1, p2, p3, p4)                                                                     \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #p2 ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N "k16.f32" TYPES \
               " {" TL_D##R "}, %" #p0 ", %" #p1 ", p, 1, 1, %" #p3 ", %" #p4 ";\n}"                                 \
               : TL_R##R(0)                                                                                          \
               : "l"(a), "l"(b), "r"(accumulate), "n"(int(AMn)), "n"(int(BMn)))
#define TL_RS(N, R, SHAPE, TYPES, p0, p1, p2, p3, p4, p5)                                                     \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #p5 ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N SHAPE    \
               ".f32" TYPES " {" TL_D##R "}, {%" #p0 ", %" #p1 ", %" #p2 ", %" #p3 "}, %" #p4 ", p, 1, 1;\n}" \
               : TL_R##R(0)                                                                                   \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(accumulate))
#define TL_RS16(N, R, TYPES, p0, p1, p2, p3, p4, p5, p6)                                                             \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #p5 ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N "k16.f32" TYPES \
               " {" TL_D##R "}, {%" #p0 ", %" #p1 ", %" #p2 ", %" #p3 "}, %" #p4 ", p, 1, 1, %" #p6 ";\n}"           \
               : TL_R##R(0)                                                                                          \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(accumulate), "n"(int(BMn)))

#define TL_WGMMA(N, R, p0, p1, p2, p3, p4, p5, p6)                                                              \
  template <>                                                                                                   \
  struct Wgmma<N> {                                                                                             \
    template <DType A, DType B, bool AMn, bool BMn>                                                             \
    static __forceinline__ void ss(float (&d)[R], unsigned long long a, unsigned long long b, int accumulate) { \
      constexpr bool e4 = A == DType::float8e4nv, e4b = B == DType::float8e4nv;                                 \
      if constexpr (A == DType::float16) TL_SS16(N, R, ".f16.f16", p0, p1, p2, p3, p4);                         \
      else if constexpr (A == DType::bfloat16) TL_SS16(N, R, ".bf16.bf16", p0, p1, p2, p3, p4);                 \
      else if constexpr (A == DType::float32) TL_SS(N, R, "k8", ".tf32.tf32", p0, p1, p2);                      \
      else if constexpr (e4 && e4b) TL_SS(N, R, "k32", ".e4m3.e4m3", p0, p1, p2);                               \
      else if constexpr (e4) TL_SS(N, R, "k32", ".e4m3.e5m2", p0, p1, p2);                                      \
      else if constexpr (e4b) TL_SS(N, R, "k32", ".e5m2.e4m3", p0, p1, p2);                                     \
      else TL_SS(N, R, "k32", ".e5m2.e5m2", p0, p1, p2);                                                        \
    }                                                                                                           \
    template <DType A, DType B, bool BMn>                                                                       \
    static __forceinline__ void rs(float (&d)[R], unsigned a0, unsigned a1, unsigned a2, unsigned a3,           \
                                   unsigned long long b, int accumulate) {                                      \
      constexpr bool e4 = A == DType::float8e4nv, e4b = B == DType::float8e4nv;                                 \
      if constexpr (A == DType::float16) TL_RS16(N, R, ".f16.f16", p0, p1, p2, p3, p4, p5, p6);                 \
      else if constexpr (A == DType::bfloat16) TL_RS16(N, R, ".bf16.bf16", p0, p1, p2, p3, p4, p5, p6);         \
      else if constexpr (A == DType::float32) TL_RS(N, R, "k8", ".tf32.tf32", p0, p1, p2, p3, p4, p5);          \
      else if constexpr (e4 && e4b) TL_RS(N, R, "k32", ".e4m3.e4m3", p0, p1, p2, p3, p4, p5);                   \
      else if constexpr (e4) TL_RS(N, R, "k32", ".e4m3.e5m2", p0, p1, p2, p3, p4, p5);                          \
      else if constexpr (e4b) TL_RS(N, R, "k32", ".e5m2.e4m3", p0, p1, p2, p3, p4, p5);                         \
      else TL_RS(N, R, "k32", ".e5m2.e5m2", p0, p1, p2, p3, p4, p5);                                            \
    }                                                                                                           \
  };

TL_WGMMA(8, 4, 4, 5, 6, 7, 8, 9, 10)
TL_WGMMA(16, 8, 8, 9, 10, 11, 12, 13, 14)
TL_WGMMA(32, 16, 16, 17, 18, 19, 20, 21, 22)
TL_WGMMA(64, 32, 32, 33, 34, 35, 36, 37, 38)
TL_WGMMA(128, 64, 64, 65, 66, 67, 68, 69, 70)
TL_WGMMA(256, 128, 128, 129, 130, 131, 132, 133, 134)

#undef TL_WGMMA
#undef TL_RS16
#undef TL_RS
#undef TL_SS16
#undef TL_SS
#undef TL_R128
#undef TL_R64
#undef TL_R32
#undef TL_R16
#undef TL_R8
#undef TL_R4
#undef TL_D128
#undef TL_D64
#undef TL_D32
#undef TL_D16
#undef TL_D8
#undef TL_D4
#undef TL_10

}  // namespace tl::cuda
