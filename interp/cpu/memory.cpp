// tl.load, tl.store and the atomics on pointers.
#include <fmt/format.h>

#include <utility>

#include "interp/cpu/absent.h"
#include "interp/cpu/access.h"
#include "interp/cpu/checks.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/memory.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/undefined.h"

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

// The literal as f32, as most fills are; null: it needs a value of its own.
const std::byte* f32_of(const Operand& o, DType t, float& f) {
  if (o.block || t != DType::float32) return nullptr;
  f = static_cast<float>(o.literal.kind == LiteralKind::real ? o.literal.real : static_cast<double>(o.literal.integer));
  return reinterpret_cast<const std::byte*>(&f);
}

Ref load_by(const Where& w, const Value& p, const Value* mask, const LoadOptions& options) {
  Lanes l = lanes_of(w, p, mask);
  w.state.goes_by(p);
  if (mask) w.state.goes_by(*mask);
  if (p.undefined) [[unlikely]]
    check_undefined_pointer(w, l, p);
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

// *p = f(*p, v) at once; the old value. Every atomic here is acq_rel among all programs, which is at least what was
// asked for.
template <class T, class F>
T swap_atomically(T* p, F f) {
  T old;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  for (T next = f(old); !__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
       next = f(old)) {
  }
  return old;
}

// What an op makes of the old value and the new one, in the dtype's own numbers; narrow floats in fp32, rounded once.
template <class T>
T combined(Op op, T old, T v) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    switch (op) {
      case Op::atomic_add: return static_cast<T>(static_cast<U>(old) + static_cast<U>(v));
      case Op::atomic_and: return old & v;
      case Op::atomic_or: return old | v;
      case Op::atomic_xor: return old ^ v;
      case Op::atomic_max: return std::max(old, v);
      case Op::atomic_min: return std::min(old, v);
      default: return v;
    }
  } else {
    switch (op) {
      case Op::atomic_add: return old + v;
      case Op::atomic_max: return old >= v || v != v ? old : v;  // as fmax: NaN is dropped
      case Op::atomic_min: return old <= v || v != v ? old : v;
      default: return v;
    }
  }
}

std::uint16_t combined_narrow(Op op, std::uint16_t old, std::uint16_t v, DType t) {
  if (op != Op::atomic_add) return v;
  const UnaryLoop widen = loops().cast(t, DType::float32), round = loops().cast(DType::float32, t);
  float a, b;
  widen(&a, &old, 1, 1);
  widen(&b, &v, 1, 1);
  a += b;
  std::uint16_t sum;
  round(&sum, &a, 1, 1);
  return sum;
}

// f(a null pointer of the C++ type that holds the dtype)
template <class F>
void with_type(DType t, F f) {
  switch (t) {
    case DType::int32: return f(static_cast<std::int32_t*>(nullptr));
    case DType::uint32: return f(static_cast<std::uint32_t*>(nullptr));
    case DType::int64: return f(static_cast<std::int64_t*>(nullptr));
    case DType::uint64: return f(static_cast<std::uint64_t*>(nullptr));
    case DType::float32: return f(static_cast<float*>(nullptr));
    case DType::float64: return f(static_cast<double*>(nullptr));
    default: return f(static_cast<std::uint16_t*>(nullptr));
  }
}

// Changes the active lanes; the old values, and whether any has changed: a program that polls by adding 0, or by a swap
// that fails, changes nothing. `expected`, of atomic_cas, decides by bits whether a lane is changed.
std::pair<Ref, bool> exchanged(const Where& w, const Lanes& l, const Value& v, const Value* expected) {
  const DType t = l.memory->dtype;
  Ref old = make_dense(w.state, t, l.shape.rank, l.dims());
  const int bytes = size_in_bytes(t);
  std::memset(old->buffer->bytes(), 0, static_cast<std::size_t>(l.count * bytes));
  const std::byte *lanes = flat(v), *wanted = expected ? flat(*expected) : nullptr;
  bool changes = false;
  for_each_active_lane(l, [&](std::int64_t lane, std::int64_t element) {
    with_type(t, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      T* const to = reinterpret_cast<T*>(l.memory->data()) + element;
      T next, want{};
      std::memcpy(&next, lanes + lane * bytes, sizeof next);
      if (wanted) std::memcpy(&want, wanted + lane * bytes, sizeof want);
      const T was = swap_atomically(to, [&](T value) {
        if (wanted) return std::memcmp(&value, &want, sizeof value) == 0 ? next : value;
        if constexpr (std::is_same_v<T, std::uint16_t>)
          if (is_float(t)) return combined_narrow(w.op, value, next, t);
        return combined(w.op, value, next);
      });
      T is;
      __atomic_load(to, &is, __ATOMIC_RELAXED);
      if (wanted) changes |= std::memcmp(&was, &want, sizeof was) == 0 && std::memcmp(&next, &want, sizeof was) != 0;
      else if (w.op == Op::atomic_add) changes |= next != T{};
      else changes |= std::memcmp(&was, &is, sizeof was) != 0;
      std::memcpy(old->buffer->bytes() + lane * bytes, &was, sizeof was);
    });
  });
  return {settle(std::move(old)), changes};
}

// The dtypes that a GPU has the atomic for: PTX's atom, and what Triton makes of it.
void check_atomic_dtype(const Where& w, DType t) {
  const bool wide = size_in_bytes(t) >= 4, half = t == DType::float16 || t == DType::bfloat16;
  const bool is_bits = w.op == Op::atomic_and || w.op == Op::atomic_or || w.op == Op::atomic_xor;
  const bool swaps = w.op == Op::atomic_cas || w.op == Op::atomic_xchg;
  const bool right = w.op == Op::atomic_add ? wide || half
                     : is_bits              ? wide && is_integer(t)
                     : swaps                ? wide || (w.op == Op::atomic_cas && size_in_bytes(t) == 2)
                                            : wide;
  if (right) return;
  if (w.op == Op::atomic_add)
    fail(w, FaultKind::shape, fmt::format("a GPU adds atomically to no {}", name_of(t)), "",
         "accumulate in a tensor of 16 bits or more");
  fail(w, FaultKind::shape, fmt::format("a GPU has no {} of {}", trace::text_of(w.op), name_of(t)), "",
       is_bits ? "its bits are those of an int32, uint32, int64 or uint64 tensor"
               : "keep it in a tensor of 32 or 64 bits");
}

Block atomic(State& s, Op op, Location location, const Pointer& pointer, const Operand& value,
             const OptionalOperand& mask_option, AtomicOrder order, AtomicReach reach,
             const Operand* expected = nullptr) {
  const Where w{s, op, location};
  const Value& p = *pointer.data();
  check_atomic_dtype(w, p.dtype);
  Ref keep;
  const Value* mask = mask_operand(w, mask_option, keep);
  Lanes l = lanes_of(w, p, mask);
  w.state.goes_by(p);
  if (mask) w.state.goes_by(*mask);
  const Ref v = stored_value(w, value, p), want = expected ? stored_value(w, *expected, p) : Ref();
  if (p.undefined) [[unlikely]]
    check_undefined_pointer(w, l, p);
  if (mask && mask->undefined) [[unlikely]]
    check_undefined_mask(w, l, *mask);
  const auto data = [](const Operand* o) { return o && o->block ? o->block->data() : nullptr; };
  return Block(atomic_lanes(w, l, *v, {&p, expected ? data(expected) : data(&value), expected ? data(&value) : mask},
                            want.get(), order, reach)
                   .release());
}

}  // namespace

Ref atomic_lanes(const Where& w, Lanes& l, const Value& value, std::initializer_list<const Value*> operands,
                 const Value* expected, AtomicOrder order, AtomicReach reach) {
  State& s = w.state;
  const DType t = l.memory->dtype;
  check_atomic_dtype(w, t);
  l.kind = trace::AccessKind::atomic;
  check_bounds(w, l);
  check_history(w, l);
  const bool meets = s.launch.shadow && l.count == 1 && l.is_tile && !l.none;
  const std::size_t reading = meets ? s.launch.shadow->synchronize(w, l, order, reach) : 0;
  if (value.undefined) [[unlikely]]
    check_undefined(w, l, value);
  tell_before_write(s, l);
  auto [old, changes] = s.has_data ? exchanged(w, l, value, expected)
                                   : std::pair(absent_source(w, l.tensor, t, l.shape.rank, l.dims()), false);
  old->location = w.location;
  if (meets) [[unlikely]]
    s.launch.shadow->follow(s, *old, reading);
  if (s.due(w.op, w.location)) [[unlikely]] {
    const Value* result = old.get();
    s.on_op(w.op, w.location, operands.begin(), static_cast<int>(operands.size()), &result, 1, &l, {});
  }
  if (changes) s.progressed();
  else if (s.has_data && l.count == 1 && l.is_tile && !l.none) s.read(w, l.tensor, l.base, false);
  return std::move(old);
}

Block Context::load(const Pointer& pointer, const LoadOptions& options, Location location) {
  return Block(load_from({state_, Op::load, location}, pointer, options).release());
}

void Context::store(const Pointer& pointer, Operand value, const StoreOptions& options, Location location) {
  const Where w{state_, Op::store, location};
  const Value& p = *pointer.data();
  Ref keep;
  const Value* mask = mask_operand(w, options.mask, keep);
  Lanes l = lanes_of(w, p, mask);
  state_.goes_by(p);
  if (mask) state_.goes_by(*mask);
  const Ref v = stored_value(w, value, p);
  if (state_.replay && !value.block) [[unlikely]]
    state_.replay->on_literal(1, value.literal);
  if (p.undefined) [[unlikely]]
    check_undefined_pointer(w, l, p);
  if (mask && mask->undefined) [[unlikely]]
    check_undefined_mask(w, l, *mask);
  store_lanes(w, l, *v, {&p, value.block ? value.block->data() : nullptr, mask});
}

#define TL_ATOMIC(NAME)                                                                                        \
  Block Context::NAME(const Pointer& p, Operand value, const AtomicOptions& options, Location location) {      \
    return atomic(state_, Op::NAME, location, p, value, options.mask, options.sem.value, options.scope.value); \
  }
TL_ATOMIC(atomic_add)
TL_ATOMIC(atomic_max)
TL_ATOMIC(atomic_min)
TL_ATOMIC(atomic_and)
TL_ATOMIC(atomic_or)
TL_ATOMIC(atomic_xor)
TL_ATOMIC(atomic_xchg)
#undef TL_ATOMIC
Block Context::atomic_cas(const Pointer& p, Operand expected, Operand value, const SwapOptions& options,
                          Location location) {
  return atomic(state_, Op::atomic_cas, location, p, value, {}, options.sem.value, options.scope.value, &expected);
}

}  // namespace tl::cpu
