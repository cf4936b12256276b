// tl.randint, tl.rand, tl.randn, their 4x and tl.philox: Philox4x32-10 keyed by the seed, counted by the offset.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
    fail(w, FaultKind::shape, "the seed is one integer", "", "pass a parameter that is one integer, or a literal");
  if (is_float(offsets.dtype))
    fail(w, FaultKind::shape, fmt::format("offsets are integers, not {}", name_of(offsets.dtype)), "",
         "pass what the pointers are made of");
  c.seed = static_cast<std::uint64_t>(v.weak ? v.literal.integer : int_of(*v.data));
  if (size_in_bytes(offsets.dtype) == 8) {
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
  if (!state_.has_data) return undrawn(w, seed, *offsets.data(), DType::uint32);
  return done(w, seed, *offsets.data(), draw(w, seed, *offsets.data(), DType::uint32));
}

Block Context::rand(Operand seed, const Block& offsets, Location location) {
  const Where w{state_, Op::rand, location};
  const Value& o = *offsets.data();
  if (!state_.has_data) return undrawn(w, seed, o, DType::float32);
  const Ref words = draw(w, seed, o, DType::uint32);
  Ref r = make_dense(state_, DType::float32, o.rank, o.dims);
  const auto* in = reinterpret_cast<const std::uint32_t*>(words->buffer->bytes());
  auto* out = reinterpret_cast<float*>(r->buffer->bytes());
  loops().uniform(out, in, o.count);
  return done(w, seed, o, std::move(r));
}

namespace {

// The four words of each counter, in uint32; c[i] null: 0.
void four_words(const Where& w, std::uint64_t seed, const Ref (&c)[4], std::int64_t count, Ref (&out)[4], int rank,
                const std::int64_t* dims) {
  std::uint32_t* words[4];
  for (int i = 0; i < 4; ++i) {
    out[i] = make_dense(w.state, DType::uint32, rank, dims);
    words[i] = reinterpret_cast<std::uint32_t*>(out[i]->buffer->bytes());
  }
  const std::uint32_t* in[4] = {};
  for (int i = 0; i < 4; ++i)
    if (c[i]) in[i] = reinterpret_cast<const std::uint32_t*>(flat(*c[i]));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = [&](int k) { return in[k] ? in[k][i] : 0u; };
    const PhiloxCounter r = tl::philox(PhiloxCounter{at(0), at(1), at(2), at(3)}, static_cast<PhiloxWord>(seed),
                                       static_cast<PhiloxWord>(seed >> 32));
    words[0][i] = r.c0;
    words[1][i] = r.c1;
    words[2][i] = r.c2;
    words[3][i] = r.c3;
  }
}

using Four = std::tuple<Block, Block, Block, Block>;

Four done_four(const Where& w, const Operand& seed, std::initializer_list<const Value*> counters, Ref (&r)[4]) {
  const Value* out[4];
  for (int i = 0; i < 4; ++i) {
    r[i] = settle(std::move(r[i]));
    r[i]->location = w.location;
    out[i] = r[i].get();
  }
  if (w.state.due(w.op, w.location)) {
    const Value* in[5] = {seed.block ? seed.block->data() : nullptr};
    int n = 1;
    for (const Value* c : counters) in[n++] = c;
    w.state.on_op(w.op, w.location, in, n, out, 4, nullptr, {});
  }
  return {Block(r[0].release()), Block(r[1].release()), Block(r[2].release()), Block(r[3].release())};
}

// The counter's four words made into floats by `f`, which takes and fills four arrays.
template <class F>
Four draw_four(const Where& w, const Operand& seed, const Block& offsets, DType t, F f) {
  const Value& o = *offsets.data();
  Ref r[4];
  if (!w.state.has_data) {
    for (Ref& each : r) each = absent_source(w, -1, t, o.rank, o.dims);
    return done_four(w, seed, {&o}, r);
  }
  const Counters c = counters(w, seed, o);
  four_words(w, c.seed, {c.low, c.high, Ref(), Ref()}, o.count, r, o.rank, o.dims);
  if (t == DType::float32) {
    Ref made[4];
    for (Ref& each : made) each = make_dense(w.state, t, o.rank, o.dims);
    const auto word = [&](int k, std::int64_t i) {
      return reinterpret_cast<const std::uint32_t*>(r[k]->buffer->bytes())[i];
    };
    for (std::int64_t i = 0; i < o.count; ++i) {
      float u[4], out[4];
      for (int k = 0; k < 4; ++k) u[k] = uniform_of(word(k, i));
      f(u, out);
      for (int k = 0; k < 4; ++k) reinterpret_cast<float*>(made[k]->buffer->bytes())[i] = out[k];
    }
    for (int k = 0; k < 4; ++k) r[k] = std::move(made[k]);
  }
  if (o.undefined)
    for (Ref& each : r) each->undefined = Ref::share(o.undefined).release();
  return done_four(w, seed, {&o}, r);
}

}  // namespace

std::tuple<Block, Block, Block, Block> Context::randint4x(Operand seed, const Block& offsets, Location p) {
  return draw_four({state_, Op::randint4x, p}, seed, offsets, DType::uint32, [](const float*, float*) {});
}
std::tuple<Block, Block, Block, Block> Context::rand4x(Operand seed, const Block& offsets, Location p) {
  return draw_four({state_, Op::rand4x, p}, seed, offsets, DType::float32,
                   [](const float* u, float* out) { std::copy_n(u, 4, out); });
}
// Box-Muller of the first two words, and of the last two: the cosine and the sine of each.
std::tuple<Block, Block, Block, Block> Context::randn4x(Operand seed, const Block& offsets, Location p) {
  return draw_four({state_, Op::randn4x, p}, seed, offsets, DType::float32, [](const float* u, float* out) {
    for (int k = 0; k < 4; k += 2) {
      const float radius = std::sqrt(-2.0f * std::log(std::max(smallest_uniform, u[k]))), angle = two_pi * u[k + 1];
      out[k] = radius * std::cos(angle);
      out[k + 1] = radius * std::sin(angle);
    }
  });
}

// The generator itself: the counter's four words, encrypted by the seed.
std::tuple<Block, Block, Block, Block> Context::philox(Operand seed, Operand c0, Operand c1, Operand c2, Operand c3,
                                                       Location location) {
  const Where w{state_, Op::philox, location};
  const Operand* all[4] = {&c0, &c1, &c2, &c3};
  int rank = 0;
  std::int64_t dims[max_rank] = {};
  Ref like = make_bool(state_, true, 0, nullptr), words[4], r[4];
  for (int i = 0; i < 4; ++i) {
    words[i] = cast_value(w, typed_operand(state_, *all[i]), DType::uint32);
    if (all[i]->block && is_float(all[i]->block->dtype.value))
      fail(w, FaultKind::shape, "the counter's words are integers", "", "cast with .to(tl.uint32)");
    if (!broadcast_shape(*like, *words[i], rank, dims))
      fail(w, FaultKind::shape, "shapes do not broadcast", "", "give the four words one shape");
    like = make_bool(state_, true, rank, dims);
  }
  const Value* in[4];
  for (int i = 0; i < 4; ++i) in[i] = all[i]->block ? all[i]->block->data() : nullptr;
  if (!state_.has_data) {
    for (Ref& each : r) each = absent_source(w, -1, DType::uint32, rank, dims);
    return done_four(w, seed, {in[0], in[1], in[2], in[3]}, r);
  }
  for (Ref& each : words) each = cpu::broadcast(w, *each, rank, dims);
  const Ref none = make_int(state_, DType::int32, 0);
  four_words(w, counters(w, seed, *none).seed, words, like->count, r, rank, dims);
  return done_four(w, seed, {in[0], in[1], in[2], in[3]}, r);
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
