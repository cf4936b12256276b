// How floats are rounded: casts towards zero, products of f32 by parts of tf32.
#pragma once
#include "interp/tl.h"

namespace tl::test {

struct truncating_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + offs);
    tl.store(out + offs, x.to(out.dtype, tl.rtz));
    tl.store(out + N, tl.cast(tl.load(in), out.dtype, tl.rtz));
  }
};

// f32 by tf32 in one part, in two, and beside a sum; by bf16 in two parts and in three.
struct split_dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, constexpr_ auto M, constexpr_ auto N,
                  constexpr_ auto K) const {
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto k = tl.arange(0, K);
    auto a = tl.load(a_ptr + m(_, None) * K + k(None, _));
    auto b = tl.load(b_ptr + k(_, None) * N + n(None, _));
    auto at = out + m(_, None) * N + n(None, _);
    auto zero = tl.zeros(tl.shape(M, N), tl.float32);
    tl.store(at, tl.dot(a, b, zero, tl.tf32));
    tl.store(at + M * N, tl.dot(a, b, zero, tl.tf32x3));
    tl.store(at + 2 * M * N, tl.dot(a, b, zero + 1000, tl.tf32x3));
    tl.store(at + 3 * M * N, tl.dot(a, b, zero, tl.bf16x3));
    tl.store(at + 4 * M * N, tl.dot(a, b, zero, tl.bf16x6));
  }
};

// Each program's row by a divisor of its own.
struct quotient_kernel {
  void operator()(auto& tl, ptr auto out_ptr, ptr auto in_ptr, ptr auto divisor_ptr, constexpr_ auto N) const {
    auto row = tl.program_id(0);
    auto offs = row * N + tl.arange(0, N);
    auto divisor = tl.load(divisor_ptr + row);
    tl.store(out_ptr + offs, tl.load(in_ptr + offs) / divisor);
  }
};

}  // namespace tl::test
