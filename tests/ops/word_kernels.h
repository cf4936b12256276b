// The vocabulary of Triton's kernels beyond the first ops, a kernel a group.
#pragma once
#include "interp/tl.h"

namespace tl::test {

// The words of accesses change no value.
struct access_words_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto mask = offs < n;
    auto to = out + offs;
    auto a = tl.load(in + offs, {.mask = mask, .other = 0, .eviction_policy = "evict_last"});
    auto b = tl.load(in + offs, {.mask = mask, .other = 0, .cache_modifier = ".cg", .eviction_policy = "evict_first"});
    auto c = tl.load(in + offs, {.mask = mask, .other = 0, .is_volatile = true});
    auto d = tl.load(in + (offs * 7) % N, {.cache_modifier = ".ca", .eviction_policy = ""});
    auto e = tl.load(in + 3, {.eviction_policy = "evict_first"});
    auto f = tl.load(tl.make_block_ptr(in, tl.tuple(N), tl.tuple(1_c), tl.tuple(0), tl.shape(N), tl.axes(0_c)),
                     {.boundary_check = tl.axes(0_c), .cache_modifier = ".cv"});
    tl.store(to, a, {.mask = mask, .eviction_policy = "evict_first"});
    tl.store(to + N, b, {.mask = mask, .cache_modifier = ".wt"});
    tl.store(to + 2 * N, c, {.cache_modifier = ".cs", .eviction_policy = "evict_last"});
    tl.store(to + 3 * N, d + e, {.cache_modifier = ".cg"});
    tl.store(to + 4 * N, f);
  }
};

// Welford's mean and variance by a tuple; the largest with its index; every way to write a sum.
struct tuple_reduce_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto at, ptr auto in, constexpr_ auto M, constexpr_ auto N) const {
    auto rows = tl.arange(0, M);
    auto x = tl.load(in + rows(_, None) * N + tl.arange(0, N)(None, _));
    auto combine = [&](auto mean_a, auto m2_a, auto n_a, auto mean_b, auto m2_b, auto n_b) {
      auto delta = mean_b - mean_a;
      auto n = n_a + n_b;
      return tl.tuple(mean_a + delta * n_b / n, m2_a + m2_b + delta * delta * n_a * n_b / n, n);
    };
    auto zeros = tl.zeros_like(x);
    auto [mean, m2, count] = tl.reduce(tl.tuple(x, zeros, tl.full_like(x, 1)), 1_c, combine);
    tl.store(out + rows, mean);
    tl.store(out + M + rows, m2 / count);
    auto [largest, where_largest] = tl.max_with_index(x, 1_c);
    auto [smallest, where_smallest] = tl.min_with_index(x, 1_c);
    tl.store(out + 2 * M + rows, largest);
    tl.store(out + 3 * M + rows, smallest);
    tl.store(at + rows, where_largest);
    tl.store(at + M + rows, where_smallest);
    tl.store(out + 4 * M + rows, tl.sum(x - tl.max(x, 1_c, tl.keep_dims), 1_c));
    tl.store(out + 5 * M, tl.sum(x));
    tl.store(out + 5 * M + 1, tl.max(x) - tl.min(x));
    tl.store(at + 2 * M, tl.xor_sum(x.to(tl.int32)));
    tl.store(at + 2 * M + 1, tl.argmax(x));
    auto column = tl.sum(x, 0, tl.keep_dims);
    tl.store(out + 5 * M + 2, tl.sum(column));
  }
};

// Scans: forwards and back, products, a recurrence by tuples h = a h + b.
struct scan_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto M, constexpr_ auto N) const {
    auto offs = tl.arange(0, M)(_, None) * N + tl.arange(0, N)(None, _);
    auto x = tl.load(in + offs);
    auto to = out + offs;
    tl.store(to, tl.cumsum(x, 1_c, {.reverse = true}));
    tl.store(to + M * N, tl.cumprod(x, 1_c));
    tl.store(to + 2 * M * N, tl.associative_scan(x, 1_c, [&](auto a, auto b) { return tl.maximum(a, b); }));
    tl.store(to + 3 * M * N,
             tl.associative_scan(x, 0, [&](auto a, auto b) { return tl.minimum(a, b); }, {.reverse = true}));
    auto [a, h] = tl.associative_scan(
        tl.tuple(x, x), 1_c, [&](auto a0, auto b0, auto a1, auto b1) { return tl.tuple(a0 * a1, b0 * a1 + b1); });
    tl.store(to + 4 * M * N, h);
    tl.store(to + 5 * M * N, tl.softmax(x, 1_c));
  }
};

struct function_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(x_ptr + offs);
    auto to = out + offs;
    auto put = [&](auto row, auto y) { tl.store(to + row * N, y); };
    put(0_c, tl.tanh(x));
    put(1_c, tl.log1p(x));
    put(2_c, tl.expm1(x));
    put(3_c, tl.tan(x));
    put(4_c, tl.asin(x));
    put(5_c, tl.acos(x));
    put(6_c, tl.atan(x));
    put(7_c, tl.sinh(x));
    put(8_c, tl.cosh(x));
    put(9_c, tl.asinh(x));
    put(10_c, tl.acosh(x + 1));
    put(11_c, tl.atanh(x));
    put(12_c, tl.cbrt(x));
    put(13_c, tl.exp10(x));
    put(14_c, tl.log10(x));
    put(15_c, tl.erfc(x));
    put(16_c, tl.lgamma(x));
    put(17_c, tl.tgamma(x));
    put(18_c, tl.pow(x, 2.5));
    put(19_c, tl.atan2(x, -0.5));
    put(20_c, tl.libdevice.hypot(x, 0.75));
    put(21_c, tl.libdevice.fast_expf(x));
    put(22_c, tl.libdevice.tanh(x));
    put(23_c, tl.pow(2, x));
    put(24_c, tl.j0(x));
    put(25_c, tl.j1(x));
    put(26_c, tl.y0(x));
    put(27_c, tl.y1(x));
    put(28_c, tl.libdevice.cyl_bessel_i0(x));
    put(29_c, tl.libdevice.cyl_bessel_i1(x));
  }
};

// What rounds, cuts and asks, of halves, zeros of either sign, infinities and NaN.
struct rounding_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(x_ptr + offs);
    auto y = tl.load(y_ptr + offs);
    auto to = out + offs;
    auto put = [&](auto row, auto z) { tl.store(to + row * N, z.to(tl.float32)); };
    put(0_c, tl.round(x));
    put(1_c, tl.rint(x));
    put(2_c, tl.trunc(x));
    put(3_c, tl.fmod(x, y));
    put(4_c, tl.copysign(y, x));
    put(5_c, tl.fdim(x, y));
    put(6_c, tl.isnan(x));
    put(7_c, tl.isinf(x));
    put(8_c, tl.isfinite(x));
    put(9_c, tl.signbit(x));
    put(10_c, tl.div_rn(x, y));
    put(11_c, tl.fdiv(y, 3));
    put(12_c, tl.sqrt_rn(tl.abs(x)));
    put(13_c, tl.nextafter(tl.full(tl.shape(N), 1.0, tl.float32), 2.0));
    put(14_c, tl.div_rn(offs, 4));
    put(15_c, tl.libdevice.isnan(x));
    put(16_c, tl.libdevice.llrint(y - 0.5));
    put(17_c, tl.libdevice.llround(y - 0.5));
  }
};

// Online softmax over chunks with scalars that a loop changes; loops by steps of constants.
struct scalar_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto m = tl.scalar(-inf, tl.float32);
    auto l = tl.scalar(0, tl.float32);
    auto turns = tl.scalar(0, tl.int32);
    for (auto start : tl.range(0, n, N)) {
      auto offs = start + tl.arange(0, N);
      auto x = tl.load(in + offs, {.mask = offs < n, .other = -inf});
      auto next = tl.maximum(m, tl.max(x, 0));
      l = l * tl.exp(m - next) + tl.sum(tl.exp(x - next), 0);
      m = next;
      turns += 1;
    }
    tl.store(out, m);
    tl.store(out + 1, l);
    tl.store(out + 2, turns.to(tl.float32));
    tl.static_for(2_c, 11_c, 3_c, [&](auto i) { tl.store(out + 1 + i, i); });
    tl.static_for(6_c, 0_c, -2_c, [&](auto i) { tl.store(out + 14 - i, i); });
    tl.static_for(20_c, 22_c, [&](auto i) { tl.store(out + i, 1); });
    tl.static_check(N >= 4_c, "a chunk has four lanes at least");
  }
};

struct movement_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, ptr auto index_ptr, constexpr_ auto M,
                  constexpr_ auto N) const {
    auto flat = tl.arange(0, M * N);
    auto offs = tl.arange(0, M)(_, None) * N + tl.arange(0, N)(None, _);
    auto a = tl.load(a_ptr + offs);
    auto b = tl.load(b_ptr + offs);
    auto row = out;
    tl.store(row + flat, tl.ravel(tl.flip(a, 1_c)));
    row += M * N;
    tl.store(row + flat, tl.ravel(tl.flip(a, 0)));
    row += M * N;
    tl.store(row + tl.arange(0, 2_c * M * N), tl.cat(tl.ravel(a), tl.ravel(b)));
    row += 2 * M * N;
    tl.store(row + tl.arange(0, 2_c * M * N), tl.ravel(tl.interleave(a, b)));
    row += 2 * M * N;
    tl.store(row + offs, tl.sort(a));
    row += M * N;
    tl.store(row + offs, tl.sort(a, {.descending = true}));
    row += M * N;
    tl.store(row + tl.arange(0, M)(_, None) * 4 + tl.arange(0, 4_c)(None, _), tl.topk(a, 4_c));
    row += 4 * M;
    tl.store(row + offs, tl.gather(a, tl.load(index_ptr + offs), 1_c));
    row += M * N;
    auto [x, y] = tl.broadcast(tl.arange(0, M)(_, None), a);
    tl.store(row + offs, x.to(a.dtype) + y);
    row += M * N;
    auto [least, most] = tl.broadcast(tl.min(a), tl.max(a));  // of scalars, whose shape is tl.shape()
    tl.store(row, tl.reshape(tl.reshape(least, tl.shape(1_c, 1_c)), tl.shape()));
    tl.store(row + 1, tl.broadcast_to(most, tl.shape()));
    tl.store(row + 2 + tl.arange(0, 1_c), tl.ravel(least));
  }
};

struct histogram_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + offs);
    tl.store(out + tl.arange(0, 8_c), tl.histogram(x, 8_c));
    tl.store(out + 8 + tl.arange(0, 8_c), tl.histogram(x, 8_c, offs < n));
  }
};

// The bits of a float as an int and back; an int8 product.
struct bits_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto back, ptr auto in, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto bits = tl.load(in + offs).to(out.dtype, tl.bitcast);
    tl.store(out + offs, bits);
    tl.store(back + offs, tl.cast(bits, back.dtype, tl.bitcast));
  }
};

// One of two tensors, by a flag of the case and by the program.
struct chosen_pointer_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto flag_ptr, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto N) const {
    auto pid = tl.program_id(0);
    auto offs = tl.arange(0, N);
    auto by_flag = tl.where(tl.load(flag_ptr + pid) > 0, x_ptr, y_ptr + N);
    auto by_program = tl.where(pid % 2 == 0, x_ptr, y_ptr) + offs;
    tl.store(out + pid * 2 * N + offs, tl.load(by_flag + offs));
    tl.store(out + (pid * 2 + 1) * N + offs, tl.load(by_program));
  }
};

struct int8_dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, constexpr_ auto M, constexpr_ auto N,
                  constexpr_ auto K) const {
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto k = tl.arange(0, K);
    auto acc = tl.full(tl.shape(M, N), 5, tl.int32);
    acc = tl.dot(tl.load(a_ptr + m(_, None) * K + k(None, _)), tl.load(b_ptr + k(_, None) * N + n(None, _)), acc);
    tl.store(out + m(_, None) * N + n(None, _), acc);
  }
};

// Of four axes, by what three make of it.
struct four_axes_dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, constexpr_ auto B, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto K) const {
    auto b = tl.arange(0, B)(_, None, None);
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto k = tl.arange(0, K);
    auto x = tl.load(a_ptr + b * (M * K) + m(None, _, None) * K + k(None, None, _));
    auto y = tl.load(b_ptr + b * (K * N) + k(None, _, None) * N + n(None, None, _));
    auto of = tl.shape(2_c, B / 2_c, M, N);
    auto acc = tl.full(of, 2, tl.float32);
    auto left = tl.reshape(x, tl.shape(2_c, B / 2_c, M, K));
    auto right = tl.reshape(y, tl.shape(2_c, B / 2_c, K, N));
    auto both = tl.dot(left, right, acc) + tl.dot(left, right);
    tl.store(out + b * (M * N) + m(None, _, None) * N + n(None, None, _), tl.reshape(both, tl.shape(B, M, N)));
  }
};

// Three products at once, an accumulator beside them, and none.
struct batched_dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, constexpr_ auto B, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto K) const {
    auto b = tl.arange(0, B)(_, None, None);
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto k = tl.arange(0, K);
    auto x = tl.load(a_ptr + b * (M * K) + m(None, _, None) * K + k(None, None, _));
    auto y = tl.load(b_ptr + b * (K * N) + k(None, _, None) * N + n(None, None, _));
    auto to = out + b * (M * N) + m(None, _, None) * N + n(None, None, _);
    auto acc = tl.full(tl.shape(B, M, N), 2, tl.float32);
    tl.store(to, tl.dot(x, y, acc) + tl.dot(x, y));
  }
};

struct philox_kernel {
  void operator()(auto& tl, ptr auto words, ptr auto floats, int_ auto seed, int_ auto big, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto to = words + offs;
    auto [a, b, c, d] = tl.randint4x(seed, offs);
    tl.store(to, a);
    tl.store(to + N, b);
    tl.store(to + 2 * N, c);
    tl.store(to + 3 * N, d);
    auto [e, f, g, h] =
        tl.philox(big, 0x243f6a88u, 0x85a308d3u, 0x13198a2eu, tl.full(tl.shape(N), 0x03707344, tl.uint32));
    tl.store(to + 4 * N, e);
    tl.store(to + 5 * N, f);
    tl.store(to + 6 * N, g);
    tl.store(to + 7 * N, h);
    auto [u, v, w, x] = tl.rand4x(seed, offs);
    auto [p, q, r, s] = tl.randn4x(seed, offs);
    tl.store(floats + offs, u);
    tl.store(floats + N + offs, v + w + x);
    tl.store(floats + 2 * N + offs, p * p + q * q);
    tl.store(floats + 3 * N + offs, r * r + s * s);
  }
};

// Hints that hold.
struct run_hints_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto N) const {
    auto offs = tl.max_contiguous(tl.arange(0, N), N);
    auto pairs = tl.max_constancy(offs / 4, 4_c);
    tl.store(out + offs, pairs);
    tl.debug_barrier();
  }
};
struct false_run_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto N) const {
    auto offs = tl.max_contiguous(tl.arange(0, N) * 2, 4_c);
    tl.store(out + offs / 2, offs);
  }
};

// Every atomic, cell by cell and by lanes; a counter and a lock that every program takes.
struct atomics_kernel {
  void operator()(auto& tl, ptr auto cells, ptr auto old_ptr, ptr auto lock, ptr auto sum, constexpr_ auto N) const {
    auto pid = tl.program_id(0);
    auto offs = tl.arange(0, N);
    auto v = offs + pid;
    auto to = cells + offs;
    tl.atomic_max(to, v);
    tl.atomic_min(to + N, v, {.mask = offs > 2, .sem = "relaxed"});
    tl.atomic_and(to + 2 * N, ~(1 << pid), {.scope = "sys"});
    tl.atomic_or(to + 3 * N, 1 << pid, {.sem = "release", .scope = "cta"});
    tl.atomic_xor(to + 4 * N, 1 << pid, {.sem = "acquire"});
    tl.atomic_xchg(to + 5 * N, 7);
    auto was = tl.atomic_cas(to + 6 * N, 0, pid + 1);
    tl.store(old_ptr + pid * N + offs, was);
    while (tl.atomic_cas(lock, 0, 1) == 1) {
    }
    auto seen = tl.load(sum + offs, {.is_volatile = true});
    tl.store(sum + offs, seen + v);
    tl.debug_barrier();
    tl.atomic_xchg(lock, 0);
  }
};
struct float_atomics_kernel {
  void operator()(auto& tl, ptr auto cells, ptr auto in, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + tl.program_id(0) * N + offs);
    tl.atomic_max(cells + offs, x);
    tl.atomic_min(cells + N + offs, x);
    tl.atomic_xchg(cells + 2 * N, 2.5);
    tl.atomic_cas(cells + 2 * N + 1, 0.0, 1.5);
  }
};

// y = x w + b, either of which may be None, and a mean that may have no place to go.
struct optional_kernel {
  void operator()(auto& tl, ptr auto y_ptr, ptr auto x_ptr, ptr auto w_ptr, ptr auto b_ptr, ptr auto mean_ptr,
                  int_ auto n, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 0});
    if (!tl.is_none(w_ptr)) {
      x *= tl.load(w_ptr + offs, {.mask = mask});
    }
    auto shift = tl.static_if(
        tl.is_none(b_ptr), [&](auto& tl) { return tl.zeros_like(x); },
        [&](auto& tl) { return tl.load(b_ptr + offs, {.mask = mask, .other = 0}); });
    tl.store(y_ptr + offs, x + shift, {.mask = mask});
    if (!tl.is_none(mean_ptr)) {
      tl.store(mean_ptr, tl.sum(x, 0) / n);
    }
  }
};
struct used_none_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, constexpr_ auto N) const {
    tl.store(out + tl.arange(0, N), tl.load(x_ptr + tl.arange(0, N)));
  }
};

// What is refused, each alone.
#define TL_OP(NAME, ...)                                                               \
  struct NAME##_kernel {                                                               \
    void operator()(auto& tl, ptr auto out, ptr auto x_ptr, constexpr_ auto N) const { \
      auto x = tl.load(x_ptr + tl.arange(0, N));                                       \
      tl.store(out + tl.arange(0, N), __VA_ARGS__);                                    \
    }                                                                                  \
  };
TL_OP(narrow_bitcast, x.to(tl.int8, tl.bitcast))
TL_OP(sliced_scalar, x + tl.load(x_ptr)(None))
TL_OP(shifted_bool, x + ((tl.load(x_ptr) > 0) << (N > 3_c)).to(tl.float32))
TL_OP(widening_rtz, x.to(tl.float64, tl.rtz))
TL_OP(integer_rtz, x.to(tl.int16, tl.rtz))
TL_OP(chosen_by_lanes, tl.load(tl.where(x > 0, x_ptr, out) + tl.arange(0, N)))
TL_OP(chosen_late, tl.load(tl.where(tl.load(x_ptr) > 0, x_ptr + tl.arange(0, N), out + tl.arange(0, N))))
TL_OP(no_axis, tl.cumprod(x, 3_c))
TL_OP(uneven_cat, tl.cat(x, tl.arange(0, 4_c).to(x.dtype)))
TL_OP(many_top, tl.sum(tl.topk(x, 32_c), 0))
TL_OP(float_histogram, tl.histogram(x, 8_c).to(tl.float32))
TL_OP(float_xor, tl.xor_sum(x))
TL_OP(bad_axis, tl.flip(x, 2_c))
TL_OP(float_index, tl.gather(x, x, 0))
TL_OP(block_scalar, x* tl.scalar(x, tl.float32))
#undef TL_OP
struct failed_check_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, constexpr_ auto N) const {
    tl.static_check(N > 64_c, "the block is large");
    tl.store(out, tl.load(x_ptr));
  }
};
struct bits_of_floats_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, constexpr_ auto N) const {
    tl.atomic_and(out + tl.arange(0, N), 1);
    tl.store(out, tl.load(x_ptr));
  }
};

}  // namespace tl::test
