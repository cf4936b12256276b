// Looks for NaNs and infinities in what ops give, and follows them.
#include "interp/cpu/nan_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/cpu/state.h"
#include "interp/trace/recorded.h"

namespace tl::cpu {

namespace {

template <class T, class F>
std::int64_t first_of(const std::byte* data, std::int64_t n, F is_nan) {
  const T* p = reinterpret_cast<const T*>(data);
  constexpr std::int64_t chunk = 64;  // a loop without an exit is a vector's
  for (std::int64_t i = 0; i < n; i += chunk) {
    bool any = false;
    const std::int64_t end = std::min(n, i + chunk);
    for (std::int64_t j = i; j < end; ++j) any |= is_nan(p[j]);
    if (any)
      for (std::int64_t j = i; j < end; ++j)
        if (is_nan(p[j])) return j;
  }
  return -1;
}

// The first lanes that are NaN, and that are infinite; -1: none.
struct Odd {
  std::int64_t nan = -1, infinite = -1;
};
template <class T>
Odd odd_of(const Value& d, T magnitude, T infinity) {
  const std::byte* p = flat(d);
  const std::int64_t first = first_of<T>(p, d.count, [=](T x) { return (x & magnitude) >= infinity; });
  if (first < 0) return {};
  return {first_of<T>(p, d.count, [=](T x) { return (x & magnitude) > infinity; }),
          first_of<T>(p, d.count, [=](T x) { return (x & magnitude) == infinity; })};
}

Odd odd_lanes(const Value& d) {
  if (d.is_pointer || !is_float(d.dtype) || d.form == Form::absent) return {};
  if (d.form == Form::splat) {
    const double v = double_of(d);
    return {std::isnan(v) ? 0 : -1, std::isinf(v) ? 0 : -1};
  }
  switch (d.dtype) {
    case DType::float32: return odd_of<std::uint32_t>(d, 0x7fffffff, 0x7f800000);
    case DType::float64: return odd_of<std::uint64_t>(d, ~std::uint64_t{0} >> 1, std::uint64_t{0x7ff} << 52);
    case DType::float16: return odd_of<std::uint16_t>(d, 0x7fff, 0x7c00);
    case DType::bfloat16: return odd_of<std::uint16_t>(d, 0x7fff, 0x7f80);
    case DType::float8e4nv: return {odd_of<std::uint8_t>(d, 0x7f, 0x7f).infinite, -1};  // it has no infinity
    default: return odd_of<std::uint8_t>(d, 0x7f, 0x7c);
  }
}
}  // namespace

std::int64_t nan_lane(const Value& d) { return odd_lanes(d).nan; }

namespace {

bool is_odd(const Value& d) {
  const Odd odd = odd_lanes(d);
  return odd.nan >= 0 || odd.infinite >= 0;
}

double lane_value(const Value& d, std::int64_t lane) {
  return trace::decode_element(d.dtype, flat(d) + lane * size_in_bytes(d.dtype));
}

// What made it: `lane 2 is the first, made of 0 and 0`.
std::string nan_text(const Value& made, std::int64_t lane, std::span<const Value* const> operands) {
  std::string text;
  for (const Value* o : operands) {
    if (!o || o->is_pointer || (o->count != 1 && o->count != made.count)) return "its operands hold none";
    text += fmt::format("{}{}", text.empty() ? "" : " and ", lane_value(*o, o->count == 1 ? 0 : lane));
  }
  return made.count == 1 ? "made of " + text : fmt::format("lane {} is the first, made of {}", lane, text);
}

// Does a lane that touches memory hold one of both?
bool writes_odd(const Value& d, const trace::Access& access) {
  if (!is_odd(d)) return false;
  if (d.count != access.lanes()) return access.active_lanes() > 0;
  bool found = false;
  for_each_active_lane(access,
                       [&](std::int64_t lane, std::int64_t) { found = found || !std::isfinite(lane_value(d, lane)); });
  return found;
}

}  // namespace

// Whether the first integer that was made of a NaN is stored.
bool NanWatch::writes_lane(const Value& d, const trace::Access& access) const {
  const auto it = lanes_.find(&d);
  if (it == lanes_.end() || it->second.size() != static_cast<std::size_t>(access.lanes())) return false;
  bool found = false;
  for_each_active_lane(access,
                       [&](std::int64_t lane, std::int64_t) { found |= it->second[static_cast<std::size_t>(lane)]; });
  return found;
}

void NanWatch::begin_program() {
  lanes_.clear();
  origin_.clear();
  made_.clear();
  has_reported_ = false;
}

const Fault* NanWatch::origin_of(std::span<const Value* const> operands) const {
  if (origin_.empty()) return nullptr;
  for (const Value* d : operands)
    if (const auto it = d ? origin_.find(d) : origin_.end(); it != origin_.end()) return it->second;
  return nullptr;
}

void NanWatch::report_once(const Where& w, const Fault* origin) {
  if (!origin || has_reported_) return;
  has_reported_ = true;
  report(w.state, *origin);
}

// An integer that a NaN or an infinity became holds no number, nor does what is made of it.
const Fault* NanWatch::follow_integer(const Where& w, std::span<const Value* const> operands, const Value& made) {
  lanes_.erase(&made);
  if (operands.size() != 1 || !operands[0] || operands[0]->count != made.count) return nullptr;
  const Value& from = *operands[0];
  if (const auto it = lanes_.find(&from); it != lanes_.end()) {
    lanes_[&made] = std::vector<bool>(it->second);
    return origin_of(operands);
  }
  const bool becomes_integer = !from.is_pointer && is_float(from.dtype) && is_integer(made.dtype) &&
                               made.dtype != DType::int1 && from.form != Form::absent;
  if (!becomes_integer) return nullptr;
  std::vector<bool> lanes(static_cast<std::size_t>(made.count));
  std::int64_t first = -1;
  for (std::int64_t i = made.count; i-- > 0;)
    if (!std::isfinite(lane_value(from, i))) {
      lanes[static_cast<std::size_t>(i)] = true;
      first = i;
    }
  if (first < 0) return nullptr;
  lanes_[&made] = std::move(lanes);
  if (const Fault* known = origin_of(operands)) return known;
  const Site at = w.location.site();
  const auto [it, is_new] = made_.try_emplace({at.line, at.column});
  if (is_new)
    it->second = make_fault(w, FaultKind::nan,
                            fmt::format("a number of program {} that is not finite becomes an integer",
                                        text_of(w.state.program, w.state.launch.launch.grid)),
                            fmt::format("lane {} is {}", first, lane_value(from, first)),
                            "look for a division by 0 or an overflow before it, or clamp first");
  return &it->second;
}

// The op that made a value's NaN or infinity of finite numbers.
const Fault* NanWatch::origin_of_odd(const Where& w, std::span<const Value* const> operands, const Value& made,
                                     std::int64_t nan, std::int64_t infinite) {
  const auto any = [&](auto holds) {
    return std::ranges::any_of(operands, [&](const Value* d) { return d && holds(*d); });
  };
  if (any([](const Value& d) { return nan_lane(d) >= 0; })) return origin_of(operands);
  if (any(is_odd))
    if (const Fault* const infinity = origin_of(operands)) return infinity;
  // Numbers in the text are no values here: `x + float("-inf")` is meant. So is the logarithm of a probability of 0.
  const bool makes_infinity = family_of(w.op) != OpFamily::select && family_of(w.op) != OpFamily::view &&
                              w.op != Op::log && w.op != Op::log2 && !operands.empty() &&
                              std::ranges::all_of(operands, [](const Value* d) { return d; }) && !any(is_odd);
  if (nan < 0 && !makes_infinity) return nullptr;
  const Site at = w.location.site();
  const auto [it, is_new] = made_.try_emplace({at.line, at.column});
  if (is_new)
    it->second = make_fault(w, FaultKind::nan,
                            fmt::format("the first {} of program {}", nan >= 0 ? "NaN" : "infinity",
                                        text_of(w.state.program, w.state.launch.launch.grid)),
                            nan_text(made, nan >= 0 ? nan : infinite, operands),
                            nan >= 0 ? "look for 0 / 0, inf - inf or the root or logarithm of a negative number"
                                     : "look for a divisor or logarithm of 0, or for numbers too large for the dtype");
  return &it->second;
}

void NanWatch::op(const Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                  const trace::Access* access) {
  if (has_reported_) return;
  if (access && access->writes())
    for (const Value* d : operands)
      if (d && !origin_.empty() && origin_.contains(d) &&
          (lanes_.contains(d) ? writes_lane(*d, *access) : writes_odd(*d, *access)))
        report_once(w, origin_.at(d));
  for (const Value* made : results) {
    if (!made) continue;
    const Fault* origin = nullptr;
    if (family_of(w.op) != OpFamily::memory) {
      const Odd odd = odd_lanes(*made);
      if (odd.nan >= 0 || odd.infinite >= 0) origin = origin_of_odd(w, operands, *made, odd.nan, odd.infinite);
      else if (made->count == 1 &&
               (is_comparison(w.op) || family_of(w.op) == OpFamily::bitwise || family_of(w.op) == OpFamily::logical)) {
        // x == x asks for NaN itself
        if (w.op != Op::eq && w.op != Op::ne && w.op != Op::isnan && w.op != Op::isfinite) origin = origin_of(operands);
      }
    }
    if (!origin) origin = follow_integer(w, operands, *made);
    if (origin) origin_[made] = origin;
    else if (!origin_.empty()) origin_.erase(made);
  }
}

void NanWatch::branches(const Where& w, const Value& condition) {
  const Value* const d = &condition;
  if (!origin_.empty()) report_once(w, origin_of({&d, 1}));
}

}  // namespace tl::cpu
