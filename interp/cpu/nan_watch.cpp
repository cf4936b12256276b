// Looks for NaNs in what ops give, and follows them.
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

// The first lane that is NaN; -1: none.
std::int64_t nan_lane(const Value& d) {
  if (d.is_pointer || !is_float(d.dtype) || d.form == Form::absent) return -1;
  if (d.form == Form::splat) return std::isnan(double_of(d)) ? 0 : -1;
  const std::byte* p = flat(d);
  switch (d.dtype) {
    case DType::float32: return first_of<float>(p, d.count, [](float x) { return x != x; });
    case DType::float64: return first_of<double>(p, d.count, [](double x) { return x != x; });
    case DType::float16: return first_of<std::uint16_t>(p, d.count, [](auto x) { return (x & 0x7fff) > 0x7c00; });
    case DType::bfloat16: return first_of<std::uint16_t>(p, d.count, [](auto x) { return (x & 0x7fff) > 0x7f80; });
    case DType::float8e4nv: return first_of<std::uint8_t>(p, d.count, [](auto x) { return (x & 0x7f) == 0x7f; });
    default: return first_of<std::uint8_t>(p, d.count, [](auto x) { return (x & 0x7f) > 0x7c; });
  }
}

double lane_value(const Value& d, std::int64_t lane) {
  return trace::decode_element(d.dtype, flat(d) + lane * size_in_bytes(d.dtype));
}

// What made the NaN: `lane 2 is the first, made of 0 and 0`.
std::string nan_text(const Value& made, std::int64_t lane, std::span<const Value* const> operands) {
  std::string text;
  for (const Value* o : operands) {
    if (!o || o->is_pointer || (o->count != 1 && o->count != made.count)) return "its operands hold none";
    text += fmt::format("{}{}", text.empty() ? "" : " and ", lane_value(*o, o->count == 1 ? 0 : lane));
  }
  return made.count == 1 ? "made of " + text : fmt::format("lane {} is the first, made of {}", lane, text);
}

// Does a lane that touches memory hold one?
bool writes_nan(const Value& d, const trace::Access& access) {
  if (nan_lane(d) < 0) return false;
  if (d.count != access.lanes()) return access.active_lanes() > 0;
  bool found = false;
  for_each_active_lane(access,
                       [&](std::int64_t lane, std::int64_t) { found = found || std::isnan(lane_value(d, lane)); });
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
    if (!std::isfinite(lane_value(from, i))) lanes[static_cast<std::size_t>(i)] = true, first = i;
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

void NanWatch::op(const Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                  const trace::Access* access) {
  if (has_reported_) return;
  if (access && access->writes())
    for (const Value* d : operands)
      if (d && !origin_.empty() && origin_.contains(d) &&
          (lanes_.contains(d) ? writes_lane(*d, *access) : writes_nan(*d, *access)))
        report_once(w, origin_.at(d));
  for (const Value* made : results) {
    if (!made) continue;
    const std::int64_t lane = nan_lane(*made);
    const Fault* origin = nullptr;
    if (lane >= 0 && family_of(w.op) != OpFamily::memory) {
      const bool any = std::ranges::any_of(operands, [](const Value* d) { return d && nan_lane(*d) >= 0; });
      if (any) origin = origin_of(operands);
      else {
        const Site at = w.location.site();
        const auto [it, is_new] = made_.try_emplace({at.line, at.column});
        if (is_new)
          it->second = make_fault(
              w, FaultKind::nan,
              fmt::format("the first NaN of program {}", text_of(w.state.program, w.state.launch.launch.grid)),
              nan_text(*made, lane, operands),
              "look for 0 / 0, inf - inf or the root or logarithm of a negative number");
        origin = &it->second;
      }
    } else if (made->count == 1 &&
               (is_comparison(w.op) || family_of(w.op) == OpFamily::bitwise || family_of(w.op) == OpFamily::logical)) {
      // x == x asks for NaN itself
      if (w.op != Op::eq && w.op != Op::ne && w.op != Op::isnan && w.op != Op::isfinite) origin = origin_of(operands);
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
