// Index and mask arithmetic without lanes: affine ints and boxes in, affine ints and boxes out, in O(rank).
#pragma once

#include "interp/cpu/state.h"

namespace tl::cpu {

// Each returns null where the result has no such form; then lanes are computed one by one.
// `t` is the promoted dtype, the shape that of the result.
Ref affine_arithmetic(State&, Op, DType t, const Data& a, const Data& b, int rank, const std::int64_t* dims);
Ref affine_comparison(State&, Op, DType t, const Data& a, const Data& b, int rank, const std::int64_t* dims);
Ref box_logic(State&, Op, const Data& a, const Data& b, int rank, const std::int64_t* dims);
Ref box_not(State&, const Data&);

// What index and mask expressions mostly are, without further ado: + - * and comparisons of affine ints of one dtype or with a literal, & of boxes.
// Where `a` or `b` is null, the literal stands there.
Ref common_case(const Where&, const Data* a, const Data* b, const Literal* literal);
Ref affine_pointer(State&, const Data& pointer, const Data& offsets, int sign);

}  // namespace tl::cpu
