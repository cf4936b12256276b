// All loops, included once a variant: interp/cpu/loops/ has them by family. Nothing of std's templates may be
// instantiated here: the linker would mix the variants.
#include <math.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "interp/cpu/loops.h"
#include "interp/lang/narrow.h"
#include "interp/lang/philox.h"

namespace tl::cpu::TL_LOOPS {
namespace {

using i64 = std::int64_t;
using u32 = std::uint32_t;
using u16 = std::uint16_t;
using u8 = std::uint8_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using u64 = std::uint64_t;
using trace::Op;

template <class T, class U>
constexpr T bits(U v) {
  static_assert(sizeof(T) == sizeof(U));
  return __builtin_bit_cast(T, v);
}

#include "interp/cpu/loops/arithmetic.inl"
#include "interp/cpu/loops/casts.inl"
#include "interp/cpu/loops/math.inl"
#include "interp/cpu/loops/memory.inl"
#include "interp/cpu/loops/random.inl"
#include "interp/cpu/loops/reductions.inl"

}  // namespace

DotLoop find_dot(DType);  // interp/cpu/dot_loops.inl
void chip_dot(float*, i64, const float*, i64, const float*, i64, const float*, i64, i64, i64, i64, const ChipDot&);

extern const Loops table;
const Loops table = {find_binary, find_unary,       find_cast,    find_select,     find_fill,        find_fma,
                     find_reduce, find_ordered_sum, find_dot,     chip_dot,        round_to_tf32,    cut_to_tf32,
                     philox_loop, philox_pair_loop, uniform_loop, copy_rows<true>, copy_rows<false>, transpose32};

}  // namespace tl::cpu::TL_LOOPS
