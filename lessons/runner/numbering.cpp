#include "lessons/runner/numbering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::lessons {

using trace::RecordedProgram;
using trace::RecordedTrace;
using trace::RecordedValue;
using trace::Step;

namespace {

const std::string& tensor_name(const RecordedTrace& trace, const RecordedProgram& p, int tensor) {
  return trace.launches[static_cast<std::size_t>(p.launch)].tensors[static_cast<std::size_t>(tensor)].name;
}

bool is_commutative(trace::Op op) {
  using trace::Op;
  return op == Op::add || op == Op::mul || op == Op::bit_and || op == Op::bit_or;
}

// The lanes of a step's result that a mask kept from memory, or that are made of such.
std::vector<bool> voids_of(const RecordedProgram& p, const Step& step, std::size_t lanes,
                           const std::vector<std::vector<bool>>& voids) {
  std::vector<bool> is_void(lanes);
  const trace::RecordedAccess* access = step.access < 0 ? nullptr : &p.accesses[static_cast<std::size_t>(step.access)];
  for (std::size_t i = 0; access && access->lanes() == std::ssize(is_void) && i < lanes; ++i)
    is_void[i] = !access->is_active(static_cast<std::int64_t>(i));
  for (const std::int32_t operand : p.operands(step))
    if (const auto& its = voids[static_cast<std::size_t>(operand)]; its.size() == lanes)
      for (std::size_t i = 0; i < lanes; ++i) is_void[i] = is_void[i] || its[i];
  return is_void;
}

std::size_t steps_of(const RecordedProgram& p) { return std::min(p.steps.size(), most_steps); }

}  // namespace

std::string access_text(const RecordedTrace& trace, const RecordedProgram& p, const trace::RecordedAccess& a) {
  std::string text = fmt::format("{} {}", trace::text_of(a.kind), tensor_name(trace, p, a.tensor));
  trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e) { text += fmt::format(" {}", e); });
  return text;
}

Numbering::Contents Numbering::contents_of(const RecordedTrace& trace, const RecordedProgram& p) const {
  Contents all(p.values.size());
  std::vector<std::vector<bool>> voids(p.values.size());
  const auto read = [&](std::int32_t v, const std::vector<bool>& is_void) {
    const RecordedValue& value = p.values[static_cast<std::size_t>(v)];
    if (!value.is_kept()) return;
    Content& c = all[static_cast<std::size_t>(v)];
    const std::int64_t lanes = value.shape.product();
    c.of = fmt::format("{} {}",
                       value.tensor >= 0       ? tensor_name(trace, p, value.tensor)
                       : is_float(value.dtype) ? "float"
                                               : "whole",
                       lanes);
    for (std::int64_t i = 0; i < lanes; ++i)
      c.lanes.push_back(value.tensor >= 0 ? static_cast<double>(element_as_int(value, i))
                                          : element_as_double(value, i));
    c.is_void = is_void;
  };
  std::vector<bool> is_made(p.values.size());
  for (std::size_t s = 0; s < steps_of(p); ++s)
    for (const std::int32_t v : p.results(p.steps[s])) {
      const auto lanes = static_cast<std::size_t>(p.values[static_cast<std::size_t>(v)].shape.product());
      std::vector<bool> is_void(lanes);
      if (!all_lanes_) is_void = voids_of(p, p.steps[s], lanes, voids);
      if (std::ranges::find(is_void, true) != is_void.end()) voids[static_cast<std::size_t>(v)] = is_void;
      read(v, is_void);
      is_made[static_cast<std::size_t>(v)] = true;
    }
  for (std::size_t v = 0; v < p.values.size() && v < most_steps; ++v)  // arguments
    if (!is_made[v])
      read(static_cast<std::int32_t>(v), std::vector<bool>(static_cast<std::size_t>(p.values[v].shape.product())));
  return all;
}

// In other orders sums round otherwise; what is left where large numbers cancel is small beside them.
bool Numbering::is_same(const Content& a, const Content& b) {
  const bool is_exact = !a.of.starts_with("float ");
  double largest = 0;
  for (std::size_t i = 0; i < a.lanes.size() && !is_exact; ++i)
    if (std::isfinite(a.lanes[i])) largest = std::max(largest, std::abs(a.lanes[i]));
  for (std::size_t i = 0; i < a.lanes.size(); ++i) {
    const double x = a.lanes[i], y = b.lanes[i];
    if (a.is_void[i] || b.is_void[i] || x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (is_exact || std::isinf(x) || std::isinf(y) || !(std::abs(x - y) <= 1e-5 * std::abs(x) + 1e-7 * largest))
      return false;
  }
  return true;
}

int Numbering::find(const Content& content) const {
  if (const auto it = by_kind_.find(content.of); it != by_kind_.end())
    for (const int number : it->second)
      if (is_same(content, numbers_[static_cast<std::size_t>(number)])) return number;
  return unknown;
}

Numbering::Made Numbering::made_of(const RecordedTrace& trace, const RecordedProgram& p, const Step& step,
                                   std::vector<int> operands) {
  if (is_commutative(step.op)) std::ranges::sort(operands);
  std::string op = trace::text_of(step.op);
  if (step.access >= 0) op += access_text(trace, p, p.accesses[static_cast<std::size_t>(step.access)]);
  return {std::move(op), std::move(operands)};
}

Numbering::Numbering(const RecordedTrace& trace, const RecordedProgram& p, bool all_lanes) : all_lanes_(all_lanes) {
  Contents contents = contents_of(trace, p);
  std::vector<int> number(p.values.size(), unknown);
  for (std::size_t v = 0; v < contents.size(); ++v) {
    if (contents[v].of.empty()) continue;
    if ((number[v] = find(contents[v])) != unknown) continue;
    number[v] = static_cast<int>(numbers_.size());
    by_kind_[contents[v].of].push_back(number[v]);
    numbers_.push_back(std::move(contents[v]));
  }
  for (std::size_t s = 0; s < steps_of(p); ++s) {
    std::vector<int> operands;
    for (const std::int32_t o : p.operands(p.steps[s])) operands.push_back(number[static_cast<std::size_t>(o)]);
    std::set<int>& results = made_[made_of(trace, p, p.steps[s], std::move(operands))];
    for (const std::int32_t r : p.results(p.steps[s])) results.insert(number[static_cast<std::size_t>(r)]);
  }
}

std::vector<Numbering::Known> Numbering::known(const RecordedTrace& trace, const RecordedProgram& p) const {
  const Contents contents = contents_of(trace, p);
  std::vector<Known> all(p.values.size());
  std::vector<bool> is_made(p.values.size());
  for (std::size_t s = 0; s < steps_of(p); ++s)
    for (const std::int32_t r : p.results(p.steps[s])) is_made[static_cast<std::size_t>(r)] = true;
  for (std::size_t v = 0; v < contents.size(); ++v)
    if (!is_made[v] && !contents[v].of.empty()) all[v] = {find(contents[v]), true};
  for (std::size_t s = 0; s < steps_of(p); ++s) {
    std::vector<int> operands;
    bool is_made_alike = true;
    for (const std::int32_t o : p.operands(p.steps[s])) {
      operands.push_back(all[static_cast<std::size_t>(o)].number);
      is_made_alike &= operands.back() != unknown;
    }
    const auto made = made_.find(made_of(trace, p, p.steps[s], std::move(operands)));
    for (const std::int32_t r : p.results(p.steps[s])) {
      Known& k = all[static_cast<std::size_t>(r)];
      const Content& c = contents[static_cast<std::size_t>(r)];
      if (c.of.empty()) {  // not kept: nobody can tell
        k = {unknown, false};
        continue;
      }
      if (is_made_alike && made != made_.end())
        for (const int number : made->second)
          if (numbers_[static_cast<std::size_t>(number)].of == c.of &&
              is_same(c, numbers_[static_cast<std::size_t>(number)]))
            k = {number, true};
      // Small whole numbers are alike by chance.
      const bool is_telling =
          c.lanes.size() > 1 && std::ranges::any_of(c.lanes, [&](double v) { return v != c.lanes[0]; });
      if (k.number == unknown && (is_telling || c.of.starts_with("float "))) k = {find(c), false};
    }
  }
  return all;
}

}  // namespace tl::lessons
