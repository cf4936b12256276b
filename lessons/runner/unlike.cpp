#include "lessons/runner/unlike.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace tl::lessons {

namespace {

using trace::RecordedProgram;

const RecordedProgram* program_of(const Observed& o, ProgramId id) {
  for (const RecordedProgram& p : o.trace().programs)
    if (p.id == id && p.keep == trace::Keep::values) return &p;
  return nullptr;
}

// Floats of one op. Lanes that a mask kept from memory, and what is made of them, count for nothing.
struct Numbers {
  std::vector<double> of_lanes;
  std::vector<bool> is_void;
};

// In other orders sums round otherwise; what is left where large numbers cancel is small beside them.
bool is_same(const Numbers& a, const Numbers& b) {
  double largest = 0;
  for (const double v : a.of_lanes)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < a.of_lanes.size(); ++i) {
    const double x = a.of_lanes[i], y = b.of_lanes[i];
    if (a.is_void[i] || b.is_void[i] || x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!(std::abs(x - y) <= 1e-4 * std::abs(x) + 1e-6 * largest)) return false;
  }
  return true;
}

using Voids = std::map<std::int32_t, std::vector<bool>>;  // of values that have such lanes

// The lanes of a step's result.
std::vector<bool> voids_of(const RecordedProgram& p, const trace::Step& step, std::size_t lanes, const Voids& voids) {
  std::vector<bool> is_void(lanes);
  const trace::RecordedAccess* access = step.access < 0 ? nullptr : &p.accesses[static_cast<std::size_t>(step.access)];
  for (std::size_t i = 0; access && access->lanes() == std::ssize(is_void) && i < lanes; ++i)
    is_void[i] = !access->is_active(static_cast<std::int64_t>(i));
  for (const std::int32_t operand : p.operands(step))
    if (const auto it = voids.find(operand); it != voids.end() && it->second.size() == lanes)
      for (std::size_t i = 0; i < lanes; ++i) is_void[i] = is_void[i] || it->second[i];
  return is_void;
}

// In the order of time: visit(step, numbers), until it says false.
template <class Visit>
void for_each_numbers(const RecordedProgram& p, Visit visit) {
  Voids voids;
  for (const trace::Step& step : p.steps)
    for (const std::int32_t result : p.results(step)) {
      const trace::RecordedValue& value = p.values[static_cast<std::size_t>(result)];
      if (!value.is_kept() || !is_float(value.dtype)) continue;
      const std::int64_t lanes = value.shape.product();
      Numbers numbers{{}, voids_of(p, step, static_cast<std::size_t>(lanes), voids)};
      for (std::int64_t i = 0; i < lanes; ++i) numbers.of_lanes.push_back(trace::element_as_double(value, i));
      if (std::ranges::find(numbers.is_void, true) != numbers.is_void.end()) voids[result] = numbers.is_void;
      if (!visit(step, numbers)) return;
    }
}

std::string numbers_text(const std::vector<double>& all) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i)
    text += fmt::format("{}{:g}", i ? " " : "", all[i]);
  return all.size() == 1 ? text : fmt::format("[{}{}]", text, all.size() > 4 ? " ..." : "");
}

}  // namespace

std::optional<Unlike> first_unlike(const Observed& mine, const Observed& best, ProgramId program) {
  const RecordedProgram *here = program_of(mine, program), *there = program_of(best, program);
  if (!here || !there) return std::nullopt;
  std::map<std::size_t, std::vector<Numbers>> known;  // by the number of lanes
  for_each_numbers(*there,
                   [&](const trace::Step&, const Numbers& n) { return known[n.of_lanes.size()].push_back(n), true; });
  std::optional<Unlike> found;
  for_each_numbers(*here, [&](const trace::Step& step, const Numbers& n) {
    if (std::ranges::none_of(known[n.of_lanes.size()], [&](const Numbers& other) { return is_same(n, other); }))
      found = Unlike{mine.site(step.site), numbers_text(n.of_lanes)};
    return !found;
  });
  return found;
}

std::optional<Observed::LossyCast> unlike_cast(const Observed& mine, const Observed& best, ProgramId program) {
  const RecordedProgram *here = program_of(mine, program), *there = program_of(best, program);
  if (!here || !there) return std::nullopt;
  const auto kind = [](const RecordedProgram& p, const trace::Step& step) {
    const trace::RecordedValue &from = p.values[static_cast<std::size_t>(p.operands(step)[0])],
                               &to = p.values[static_cast<std::size_t>(p.results(step)[0])];
    return std::tuple{from.dtype, to.dtype, to.shape.product()};
  };
  std::set<std::tuple<DType, DType, std::int64_t>> usual;
  for (const trace::Step& step : there->steps)
    if (step.op == trace::Op::cast) usual.insert(kind(*there, step));
  return mine.lossy_cast(program, [&](const trace::Step& step) { return !usual.contains(kind(*here, step)); });
}

}  // namespace tl::lessons
