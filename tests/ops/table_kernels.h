// Every op that any dtype may meet, a row each: the test reads the same list, so that no row goes unexpected.
#pragma once
#include "interp/tl.h"

// ROW(name, what it computes of x and y)
#define TL_ROWS_OF_ANY_DTYPE(ROW)                                                                              \
  ROW(add, x + y)                                                                                              \
  ROW(subtract, y - x)                                                                                         \
  ROW(multiply, x* y)                                                                                          \
  ROW(negative, -x)                                                                                            \
  ROW(logical_not, !x)                                                                                         \
  ROW(less, x < y)                                                                                             \
  ROW(equal, x == y)                                                                                           \
  ROW(literal, x + 1)                                                                                          \
  ROW(real_literal, 0.5 * x)                                                                                   \
  ROW(where, tl.where(x < y, x, y))                                                                            \
  ROW(where_literal, tl.where(x < y, x, 0))                                                                    \
  ROW(minimum, tl.minimum(x, y))                                                                               \
  ROW(maximum, tl.maximum(x, y))                                                                               \
  ROW(abs, tl.abs(x))                                                                                          \
  ROW(exp, tl.exp(x))                                                                                          \
  ROW(exp2, tl.exp2(x))                                                                                        \
  ROW(log, tl.log(y))                                                                                          \
  ROW(log2, tl.log2(y))                                                                                        \
  ROW(sqrt, tl.sqrt(y))                                                                                        \
  ROW(rsqrt, tl.rsqrt(y))                                                                                      \
  ROW(sin, tl.sin(x))                                                                                          \
  ROW(cos, tl.cos(x))                                                                                          \
  ROW(sigmoid, tl.sigmoid(x))                                                                                  \
  ROW(erf, tl.erf(x))                                                                                          \
  ROW(floor, tl.floor(x))                                                                                      \
  ROW(ceil, tl.ceil(x))                                                                                        \
  ROW(exp_of_scalar, tl.broadcast_to(tl.exp(tl.load(x_ptr + 1)), tl.shape(N)))                                 \
  ROW(exp_of_mask, tl.exp(lanes < 5))                                                                          \
  ROW(sum, tl.broadcast_to(tl.sum(x, 0), tl.shape(N)))                                                         \
  ROW(max, tl.broadcast_to(tl.max(x, 0), tl.shape(N)))                                                         \
  ROW(min, tl.broadcast_to(tl.min(x, 0), tl.shape(N)))                                                         \
  ROW(argmax, tl.broadcast_to(tl.argmax(x, 0), tl.shape(N)))                                                   \
  ROW(argmin, tl.broadcast_to(tl.argmin(x, 0), tl.shape(N)))                                                   \
  ROW(reduce, tl.broadcast_to(tl.reduce(x, 0, [&](auto a, auto b) { return tl.maximum(a, b); }), tl.shape(N))) \
  ROW(cumsum, tl.cumsum(x, 0))                                                                                 \
  ROW(zeros, tl.zeros(tl.shape(N), x.dtype))                                                                   \
  ROW(full, tl.full(tl.shape(N), tl.load(x_ptr + 1), x.dtype))                                                 \
  ROW(full_of_real, tl.full(tl.shape(N), 1.5, x.dtype))                                                        \
  ROW(expand_dims, tl.max(tl.broadcast_to(tl.expand_dims(y, 1_c), tl.shape(N, 2_c)), 1_c))                     \
  ROW(none_slice, tl.max(tl.zeros(tl.shape(N, 2_c), x.dtype) + y(_, None), 1_c))                               \
  ROW(reshape, tl.reshape(tl.reshape(x, tl.shape(N / 4_c, 4_c)), tl.shape(N)))                                 \
  ROW(permute, tl.reshape(tl.permute(tl.reshape(x, tl.shape(N / 4_c, 4_c)), tl.axes(1_c, 0_c)), tl.shape(N)))  \
  ROW(trans, tl.reshape(tl.trans(tl.reshape(x, tl.shape(N / 4_c, 4_c))), tl.shape(N)))                         \
  ROW(join, tl.max(tl.join(x, y), 1_c))                                                                        \
  ROW(convert_layout, tl.convert_layout(x))                                                                    \
  ROW(other_block, tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = y}))                                    \
  ROW(other_literal, tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = 1}))                                  \
  ROW(other_real, tl.load(x_ptr + lanes, {.mask = lanes < 5, .other = 1.5}))                                   \
  ROW(block_pointer,                                                                                           \
      tl.load(tl.make_block_ptr(x_ptr, tl.tuple(n), tl.tuple(1_c), tl.tuple(2), tl.shape(N), tl.axes(0_c)),    \
              {.boundary_check = tl.axes(0_c)}))                                                               \
  ROW(with_bool, x + tl.full(tl.shape(N), 1, tl.int1))                                                         \
  ROW(with_fp8e4nv, x + tl.full(tl.shape(N), 1, tl.float8e4nv))                                                \
  ROW(to_bool, x.to(tl.int1))                                                                                  \
  ROW(to_int32, x.to(tl.int32))                                                                                \
  ROW(to_int64, x.to(tl.int64))                                                                                \
  ROW(to_uint8, y.to(tl.uint8))                                                                                \
  ROW(to_uint32, y.to(tl.uint32))                                                                              \
  ROW(to_fp16, x.to(tl.float16))                                                                               \
  ROW(to_bf16, x.to(tl.bfloat16))                                                                              \
  ROW(to_fp32, x.to(tl.float32))                                                                               \
  ROW(to_fp8e4nv, x.to(tl.float8e4nv))                                                                         \
  ROW(to_fp8e5, x.to(tl.float8e5))

namespace tl::test {

struct any_dtype_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto stored, ptr auto x_ptr, ptr auto y_ptr, int_ auto n,
                  constexpr_ auto N) const {
    auto lanes = tl.arange(0, N);
    auto x = tl.load(x_ptr + lanes);
    auto y = tl.load(y_ptr + lanes);
    auto to = out + lanes;
#define TL_PUT(NAME, ...) tl.store(to, (__VA_ARGS__).to(tl.float64)), to += N;
    TL_ROWS_OF_ANY_DTYPE(TL_PUT)
#undef TL_PUT
    auto [even, odd] = tl.split(tl.reshape(x, tl.shape(N / 2_c, 2_c)));
    tl.store(stored + tl.arange(0, N / 2_c), odd);
    tl.store(stored + N / 2_c + tl.arange(0, N / 2_c), even);
    tl.store(stored + N + lanes, 1.5);
    auto largest = x;
    for (auto start : tl.range(0, n, N))
      largest = tl.maximum(largest, tl.load(y_ptr + start + lanes, {.mask = start + lanes < n, .other = 0}));
    tl.store(stored + 2 * N + lanes, largest);
  }
};

// What not every dtype takes, each alone.
#define TL_OP(NAME, ...)                                                                               \
  struct NAME##_kernel {                                                                               \
    void operator()(auto& tl, ptr auto out, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto N) const { \
      auto lanes = tl.arange(0, N);                                                                    \
      auto x = tl.load(x_ptr + lanes);                                                                 \
      auto y = tl.load(y_ptr + lanes);                                                                 \
      tl.store(out + lanes, (__VA_ARGS__).to(tl.float64));                                             \
    }                                                                                                  \
  };
TL_OP(divided, x / y)
TL_OP(remainder, x % y)
TL_OP(shifted, x << y)
TL_OP(both_bits, x& y)
TL_OP(inverse, ~x)
TL_OP(mixed_signs, x / y.to(tl.int64))
TL_OP(ceiling, tl.cdiv(x, y))
TL_OP(mixed_ceiling, tl.cdiv(x, y.to(tl.int64)))
TL_OP(high_word, tl.umulhi(x, y))
TL_OP(fused, tl.fma(x, y, x))
TL_OP(drawn, tl.rand(7, x))
TL_OP(drawn_normal, tl.randn(7, x))
TL_OP(multiple, tl.multiple_of(x, 1_c))
#undef TL_OP
struct accumulating_dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, ptr auto acc_ptr) const {
    auto offs = tl.arange(0, 16_c)(_, None) * 16 + tl.arange(0, 16_c)(None, _);
    tl.store(out + offs, tl.dot(tl.load(a_ptr + offs), tl.load(b_ptr + offs), tl.load(acc_ptr + offs)));
  }
};

}  // namespace tl::test
