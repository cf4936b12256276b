// Index and mask arithmetic without lanes, in O(rank): affine ints and boxes in, affine ints and boxes out
// (interp/cpu/value.h says what they are). Each returns null where the result has no such form; then lanes are computed
// one by one.
#pragma once

#include "interp/cpu/state.h"

namespace tl::cpu {

// `t` is the promoted dtype, the shape that of the result.
Ref affine_arithmetic(State&, Op, DType t, const Value& a, const Value& b, int rank, const std::int64_t* dims);
Ref affine_comparison(State&, Op, DType t, const Value& a, const Value& b, int rank, const std::int64_t* dims);
Ref box_logic(State&, Op, const Value& a, const Value& b, int rank, const std::int64_t* dims);
Ref box_not(State&, const Value&);

}  // namespace tl::cpu
