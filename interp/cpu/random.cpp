// tl.randint, tl.rand, tl.randn: Philox4x32-10 keyed by the seed, counted by the offset.
#include <fmt/format.h>

#include <vector>

#include "interp/cpu/absent.h"
#include "interp/cpu/loops.h"
#include "interp/lang/philox.h"

namespace tl::cpu {

namespace {

struct Counters {
  std::uint64_t seed;
  Ref low, high;  // high: null for offsets of 32 bits
  const std::uint32_t* low_words() const { return reinterpret_cast<const std::uint32_t*>(flat(*low)); }
  const std::uint32_t* high_words() const {
    return high ? reinterpret_cast<const std::uint32_t*>(flat(*high)) : nullptr;
  }
};

Counters counters(const Where& w, const Operand& seed, const Value& offsets) {
  Counters c;
  const TypedOperand v = typed_operand(w.state, seed);
  if (v.weak ? v.literal.kind == LiteralKind::real : is_float(v.data->dtype) || v.data->count != 1)
    fail(w, FaultKind::shape, "the seed is one integer", "", "pass an int_ parameter or a literal");
  if (is_float(offsets.dtype))
    fail(w, FaultKind::shape, fmt::format("offsets are integers, not {}", name_of(offsets.dtype)), "",
         "pass what the pointers are made of");
  c.seed = static_cast<std::uint64_t>(v.weak ? v.literal.integer : int_of(*v.data));
  if (offsets.dtype == DType::int64) {
    const Where shift{w.state, Op::shr, w.location};
    c.high = cast(w, *binary(shift, {Ref::share(&offsets)}, {{}, true, Literal(32)}), DType::uint32);
  }
  c.low = cast(w, offsets, DType::uint32);
  return c;
}

// Words of the offsets' shape.
Ref draw(const Where& w, const Operand& seed, const Value& offsets, DType t) {
  const Counters c = counters(w, seed, offsets);
  Ref r = make_dense(w.state, t, offsets.rank, offsets.dims);
  loops().philox(reinterpret_cast<std::uint32_t*>(r->buffer->bytes()), c.seed, c.low_words(), c.high_words(),
                 offsets.count);
  return r;
}

// An address run draws nothing.
Block undrawn(const Where& w, const Operand& seed, const Value& offsets, DType t) {
  return Block(finish(w, {seed.block ? seed.block->data() : nullptr, &offsets},
                      absent_source(w, -1, t, offsets.rank, offsets.dims))
                   .release());
}

Block done(const Where& w, const Operand& seed, const Value& offsets, Ref r) {
  r = settle(std::move(r));
  if (offsets.undefined) r->undefined = Ref::share(offsets.undefined).release();
  return Block(finish(w, {seed.block ? seed.block->data() : nullptr, &offsets}, std::move(r)).release());
}

}  // namespace

Block Context::randint(Operand seed, const Block& offsets, Location location) {
  const Where w{state_, Op::randint, location};
  if (!state_.has_data) return undrawn(w, seed, *offsets.data(), DType::int32);
  return done(w, seed, *offsets.data(), draw(w, seed, *offsets.data(), DType::int32));
}

Block Context::rand(Operand seed, const Block& offsets, Location location) {
  const Where w{state_, Op::rand, location};
  const Value& o = *offsets.data();
  if (!state_.has_data) return undrawn(w, seed, o, DType::float32);
  const Ref words = draw(w, seed, o, DType::int32);
  Ref r = make_dense(state_, DType::float32, o.rank, o.dims);
  const auto* in = reinterpret_cast<const std::uint32_t*>(words->buffer->bytes());
  auto* out = reinterpret_cast<float*>(r->buffer->bytes());
  loops().uniform(out, in, o.count);
  return done(w, seed, o, std::move(r));
}

// sqrt(-2 log u1) cos(2 pi u2)
Block Context::randn(Operand seed, const Block& offsets, Location location) {
  const Where w{state_, Op::randn, location};
  const Value& o = *offsets.data();
  if (!state_.has_data) return undrawn(w, seed, o, DType::float32);
  const Counters c = counters(w, seed, o);
  const auto n = static_cast<std::size_t>(o.count);
  std::vector<std::uint32_t> first(n), second(n);
  loops().philox_pair(first.data(), second.data(), c.seed, c.low_words(), c.high_words(), o.count);
  Ref r = make_dense(state_, DType::float32, o.rank, o.dims);
  auto* out = reinterpret_cast<float*>(r->buffer->bytes());
  std::vector<float> u1(n), u2(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float u = uniform_of(first[i]);
    u1[i] = u > smallest_uniform ? u : smallest_uniform;
    u2[i] = two_pi * uniform_of(second[i]);
  }
  loops().unary(Op::log, DType::float32)(u1.data(), u1.data(), 1, o.count);
  loops().unary(Op::cos, DType::float32)(u2.data(), u2.data(), 1, o.count);
  for (std::size_t i = 0; i < n; ++i) out[i] = __builtin_sqrtf(-2.0f * u1[i]) * u2[i];
  return done(w, seed, o, std::move(r));
}

}  // namespace tl::cpu
