// tl.load, tl.store, tl.atomic_add on pointers.
#include <fmt/format.h>

#include "interp/cpu/absent.h"
#include "interp/cpu/access.h"
#include "interp/cpu/checks.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/replay.h"

namespace tl::cpu {

namespace {

// The mask as a value, null for none; the literals true and false are masks too, and kept in `keep`.
const Value* mask_operand(const Where& w, const OptionalOperand& o, Ref& keep) {
  if (!o.given) return nullptr;
  if (o.operand.block) return o.operand.block->data();
  const Literal& l = o.operand.literal;
  keep = make_bool(w.state, l.kind == LiteralKind::real ? l.real != 0 : l.integer != 0, 0, nullptr);
  return keep.get();
}

// A value of the tensor's dtype, broadcast to the pointers' shape.
Ref stored_value(const Where& w, const Operand& o, const Value& p) {
  const Ref typed = cast_value(w, typed_operand(w.state, o), p.dtype);
  return broadcast(w, *typed, p.rank, p.dims);
}

// The literal as f32, as most fills are; null for what needs a value of its own.
const std::byte* f32_of(const Operand& o, DType t, float& f) {
  if (o.block || t != DType::float32) return nullptr;
  f = static_cast<float>(o.literal.kind == LiteralKind::real ? o.literal.real : static_cast<double>(o.literal.integer));
  return reinterpret_cast<const std::byte*>(&f);
}

Ref load_by(const Where& w, const Value& p, const Value* mask, const LoadOptions& options) {
  Lanes l = lanes_of(w, p, mask);
  if (!options.other.given) return load_lanes(w, l, nullptr, nullptr, {&p, mask, nullptr});
  alignas(8) float fill[2] = {};
  if (const std::byte* bytes = f32_of(options.other.operand, p.dtype, fill[0]);
      bytes && !w.state.next_is_due())  // nobody will ask for the fill as a value
    return load_lanes(w, l, nullptr, bytes, {&p, mask, nullptr});
  if (w.state.replay && options.other.operand.block) w.state.replay->decides(*options.other.operand.block->data());
  const Ref other = stored_value(w, options.other.operand, p);
  return load_lanes(w, l, other.get(), nullptr, {&p, mask, other.get()});
}

Ref load_from(const Where& w, const Pointer& pointer, const LoadOptions& options) {
  const Value& p = *pointer.data();
  Ref keep;
  const Value* mask = mask_operand(w, options.mask, keep);
  Ref r = load_by(w, p, mask, options);
  if (mask && mask->undefined) [[unlikely]] {
    const Ref lanes = broadcast(w, *mask->undefined, r->rank, r->dims), own = Ref::take(r->undefined);
    r->undefined = union_of(w.state, own.get(), lanes.get()).release();
  }
  return r;
}

// *p += v at once; the old value.
template <class T>
T add_atomically(T* p, T v) {
  if constexpr (std::is_integral_v<T>) {
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  } else {
    T old;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    for (T sum = old + v; !__atomic_compare_exchange(p, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
         sum = old + v) {
    }
    return old;
  }
}

// fp16 and bf16: in fp32, rounded once.
std::uint16_t add_atomically_narrow(std::uint16_t* p, std::uint16_t v, DType t) {
  const UnaryLoop widen = loops().cast(t, DType::float32), round = loops().cast(DType::float32, t);
  std::uint16_t old = __atomic_load_n(p, __ATOMIC_RELAXED), sum;
  do {
    float a, b;
    widen(&a, &old, 1, 1);
    widen(&b, &v, 1, 1);
    a += b;
    round(&sum, &a, 1, 1);
  } while (!__atomic_compare_exchange_n(p, &old, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}

// Adds the active lanes; the old values.
Ref added(const Where& w, const Lanes& l, const Value& v) {
  const DType t = l.tensor->dtype;
  Ref old = make_dense(w.state, t, l.rank, l.dims);
  const int bytes = size_in_bytes(t);
  std::memset(old->buffer->bytes(), 0, static_cast<std::size_t>(l.count * bytes));
  const std::byte* lanes = flat(v);
  bool adds = false;  // a program that polls by adding 0 changes nothing
  for_each_active(l, [&](std::int64_t lane, std::int64_t element) {
    std::byte* to = l.tensor->data() + element * bytes;
    const std::byte* from = lanes + lane * bytes;
    std::byte* out = old->buffer->bytes() + lane * bytes;
    for (int i = 0; i < bytes; ++i) adds |= from[i] != std::byte{0};
    const auto add = [&](auto tag) {
      using T = decltype(tag);
      *reinterpret_cast<T*>(out) = add_atomically(reinterpret_cast<T*>(to), *reinterpret_cast<const T*>(from));
    };
    switch (t) {
      case DType::int32:
      case DType::uint32: add(std::uint32_t{}); break;
      case DType::int64: add(std::uint64_t{}); break;
      case DType::float32: add(float{}); break;
      case DType::float64: add(double{}); break;
      default:
        *reinterpret_cast<std::uint16_t*>(out) = add_atomically_narrow(
            reinterpret_cast<std::uint16_t*>(to), *reinterpret_cast<const std::uint16_t*>(from), t);
    }
  });
  if (adds) w.state.progressed();
  else if (l.count == 1 && l.is_tile && !l.none) w.state.polled(w, l.index, l.base);
  return settle(std::move(old));
}

}  // namespace

Block Context::load(const Pointer& pointer, const LoadOptions& options, Location location) {
  return Block(load_from({state_, Op::load, location}, pointer, options).release());
}

void Context::store(const Pointer& pointer, Operand value, const StoreOptions& options, Location location) {
  const Where w{state_, Op::store, location};
  const Value& p = *pointer.data();
  Ref keep;
  const Value* mask = mask_operand(w, options.mask, keep);
  Lanes l = lanes_of(w, p, mask);
  const Ref v = stored_value(w, value, p);
  if (state_.replay && !value.block) [[unlikely]]
    state_.replay->on_literal(1, value.literal);
  if (mask && mask->undefined) [[unlikely]]
    check_undefined_mask(w, l, *mask);
  store_lanes(w, l, *v, {&p, value.block ? value.block->data() : nullptr, mask});
}

Block Context::atomic_add(const Pointer& pointer, Operand value, const StoreOptions& options, Location location) {
  const Where w{state_, Op::atomic_add, location};
  const Value& p = *pointer.data();
  if (p.dtype == DType::int1 || p.dtype == DType::uint8 || is_fp8(p.dtype))
    fail(w, FaultKind::shape, fmt::format("a GPU adds atomically to no {}", name_of(p.dtype)), "",
         "accumulate in a tensor of 16 bits or more");
  Ref keep;
  const Value* mask = mask_operand(w, options.mask, keep);
  Lanes l = lanes_of(w, p, mask);
  const Ref v = stored_value(w, value, p);
  check_bounds(w, l);
  check_history(w, l, trace::AccessKind::atomic);
  if (mask && mask->undefined) [[unlikely]]
    check_undefined_mask(w, l, *mask);
  if (v->undefined) [[unlikely]]
    check_undefined(w, l, *v);
  tell_before_write(state_, l, trace::AccessKind::atomic);
  Ref old = state_.has_data ? added(w, l, *v) : absent_source(w, l.index, p.dtype, p.rank, p.dims);
  old->location = location;
  if (state_.due()) [[unlikely]] {
    const trace::Access access = event_of(l, trace::AccessKind::atomic);
    const Value* operands[] = {&p, value.block ? value.block->data() : nullptr, mask};
    const Value* result = old.get();
    state_.on_op(Op::atomic_add, location, operands, 3, &result, 1, &access, {});
  }
  return Block(old.release());
}

}  // namespace tl::cpu
