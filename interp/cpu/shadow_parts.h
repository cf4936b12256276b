// What the checks of a Shadow share: the words of their faults, and the histories of an access's elements.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/checks.h"

namespace tl::cpu {

inline constexpr const char* one_memory = "both tensors lie in one memory: pass a copy, or an output of its own";

inline std::string text_of_program(const Where& w, std::int32_t number) {
  const Grid& g = w.state.launch.launch.grid;
  return "program " + text_of(ProgramId{number % g.x, number / g.x % g.y, number / (g.x * g.y)}, g);
}

inline Fault fault_at(const Where& w, FaultKind kind, const Lanes& l, std::int64_t lane, std::int64_t element) {
  Fault f = make_fault(w, kind, "", "", "");
  f.lane = lane;
  f.element = element;
  f.tensor = l.memory->name;
  return f;
}

inline std::int32_t number_of(const State& s) {
  const Grid& g = s.launch.launch.grid;
  const ProgramId& p = s.program;
  return static_cast<std::int32_t>(p.x + g.x * (p.y + g.y * p.z));
}

template <class Visit>
void Shadow::for_each_history(const Lanes& l, Visit visit) const {
  const Place& at = place_of(l);
  const auto visit_run = [&](std::int64_t lane, std::int64_t element, std::int64_t stride, std::int64_t length) {
    at.memory->histories.for_each(at(element), stride, length,
                                  [&](History& h, std::int64_t i) { visit(h, lane + i, element + i * stride); });
  };
  if (l.is_tile) return for_each_active_run(l, visit_run);
  // Most lists are made of runs, too.
  const auto is_active = [&](std::int64_t lane) { return !l.mask || l.mask[lane]; };
  for (std::int64_t lane = 0, end = 0; lane < l.count; lane = std::max(end, lane + 1)) {
    if (!is_active(lane)) continue;
    for (end = lane + 1; end < l.count && is_active(end) && l.offsets[end] == l.offsets[end - 1] + 1;) ++end;
    visit_run(lane, l.base + l.offsets[lane], 1, end - lane);
  }
}

}  // namespace tl::cpu
