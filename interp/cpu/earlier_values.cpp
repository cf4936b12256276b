#include "interp/cpu/earlier_values.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "interp/cpu/state.h"

namespace tl::cpu {

namespace {

// One of several lanes as what an `if` makes of it.
bool is_true(const Value& lanes, std::int64_t i) {
  const int bytes = size_in_bytes(lanes.dtype);
  const std::byte* at = flat(lanes) + i * bytes;
  if (lanes.dtype == DType::float32 || lanes.dtype == DType::float64) {
    float f;
    double d;
    std::memcpy(bytes == 4 ? static_cast<void*>(&f) : &d, at, static_cast<std::size_t>(bytes));
    return (bytes == 4 ? f : d) != 0;
  }
  return std::any_of(at, at + bytes, [](std::byte b) { return b != std::byte{0}; });
}

}  // namespace

void EarlierValues::read(State& s, Value& value, std::size_t reading, std::span<const std::int64_t> earlier) {
  if (earlier.empty()) return;
  const auto n = static_cast<std::int64_t>(earlier.size());
  Ref lanes = make_dense(s, value.dtype, 1, &n);
  const int bytes = size_in_bytes(value.dtype);
  for (std::size_t i = 0; i < earlier.size(); ++i)
    std::memcpy(lanes->buffer->bytes() + i * static_cast<std::size_t>(bytes), &earlier[i],
                static_cast<std::size_t>(bytes));
  if (!value.id) value.id = ++s.last_id;
  made_[value.id] = {{reading, std::move(lanes)}};
  s.look_at_every_op();
}

const EarlierValues::Made* EarlierValues::made_of(const Value* v) const {
  if (!v || !v->id) return nullptr;
  const auto found = made_.find(v->id);
  return found == made_.end() ? nullptr : &found->second;
}

// The result for each earlier value of one reading, all else as it was.
Ref EarlierValues::recomputed(const Where& w, std::size_t reading, std::span<const Value* const> operands,
                              const Value& result, std::span<const trace::LiteralOperand> literals) const {
  if (result.count != 1 || result.is_pointer) return {};
  std::vector<TypedOperand> in;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (const Made* made = made_of(operands[i]); made && made->contains(reading)) {
      const Ref& lanes = made->at(reading);
      if (!lanes) return {};
      in.push_back({lanes});
    } else if (operands[i]) {
      if (operands[i]->count != 1) return {};
      in.push_back({Ref::share(operands[i])});
    } else {
      const auto l = std::ranges::find(literals, i, [](const auto& o) { return o.position; });
      if (l == literals.end()) return {};
      in.push_back({{}, true, Literal(l->value)});
    }
  }
  switch (family_of(w.op)) {
    case OpFamily::hint: return in.size() == 1 && !result.id ? in[0].data : Ref();
    case OpFamily::cast: return w.op == Op::cast ? cast(w, *in[0].data, result.dtype) : Ref();
    case OpFamily::select:
      return in.size() == 3 ? select(w, *cast(w, *in[0].data, DType::int1), *as_value(w, in[1], result.dtype),
                                     *as_value(w, in[2], result.dtype))
                            : Ref();
    case OpFamily::arithmetic:
    case OpFamily::bitwise:
    case OpFamily::comparison:
    case OpFamily::logical:
      if (in.size() == 1 && in[0].data) return unary(w, *in[0].data);
      return in.size() == 2 ? binary(w, in[0], in[1]) : Ref();
    default: return {};
  }
}

void EarlierValues::op(const Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                       std::span<const trace::LiteralOperand> literals) {
  if (family_of(w.op) == OpFamily::memory) return;  // what is loaded is another value
  Made all;
  for (const Value* v : operands)
    if (const Made* made = made_of(v))
      for (const auto& [reading, lanes] : *made) all.try_emplace(reading);
  if (all.empty()) return;
  const bool tracks_undefined = std::exchange(w.state.tracks_undefined, false);
  for (const Value* result : results) {
    if (made_of(result)) continue;  // an operand itself
    Made made = all;
    if (results.size() == 1 && !w.state.quiet)
      for (auto& [reading, lanes] : made) lanes = recomputed(w, reading, operands, *result, literals);
    Value& value = const_cast<Value&>(*result);
    if (!value.id) value.id = ++w.state.last_id;
    made_[value.id] = std::move(made);
  }
  w.state.tracks_undefined = tracks_undefined;
}

EarlierValues::Otherwise EarlierValues::decided_by(const Value& v, bool is_condition) const {
  Otherwise all;
  const Made* made = made_of(&v);
  if (!made) return all;
  std::optional<bool> goes;
  if (is_condition) goes = is_float(v.dtype) ? double_of(v) != 0 : int_of(v) != 0;
  for (const auto& [reading, lanes] : *made) {
    std::uint64_t& bits = all[reading];
    bits = ~std::uint64_t{0};
    if (!lanes || !goes || (is_float(lanes->dtype) && size_in_bytes(lanes->dtype) < 4)) continue;
    for (std::int64_t i = 0; i < lanes->count; ++i)
      if (is_true(*lanes, i) == *goes) bits &= ~(std::uint64_t{1} << i);
  }
  return all;
}

}  // namespace tl::cpu
