#include "lessons/runner/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tl::lessons {

std::vector<Bar> bars_of(const trace::RecordedTrace& trace, const trace::RecordedProgram& p, const Clock& clock) {
  std::vector<Bar> bars;
  std::vector<std::int64_t> ready(p.values.size(), 0);  // when a value is there
  std::int64_t now = 0, asks = 0;                       // of the program; of the warps that ask, where there are any
  std::map<std::string, std::int64_t> asked;            // blocks of a tensor
  std::vector<std::int64_t> dots_done;
  const auto& tensors = trace.launches[static_cast<std::size_t>(p.launch)].tensors;
  for (const trace::Step& s : p.steps) {
    const bool loads = s.access >= 0 && !p.accesses[static_cast<std::size_t>(s.access)].writes(),
               is_ahead = loads && clock.slots > 0, is_dot = s.op == trace::Op::dot;
    std::int64_t needed = 0;
    for (const std::int32_t v : p.operands(s)) needed = std::max(needed, ready[static_cast<std::size_t>(v)]);
    if (loads || is_dot) {
      std::int64_t& clock_of = is_ahead ? asks : now;
      std::int64_t starts = std::max(clock_of, needed);
      std::string name = "dot";
      if (loads) {
        const int tensor = p.accesses[static_cast<std::size_t>(s.access)].tensor;
        name = tensors[static_cast<std::size_t>(tensor)].name;
        const std::int64_t slot = asked[name]++ - clock.slots;
        if (is_ahead && slot >= 0 && slot < std::ssize(dots_done))
          starts = std::max(starts, dots_done[static_cast<std::size_t>(slot)]);
        name = "load " + name;
      }
      needed = starts + (loads ? clock.load : clock.dot);
      bars.push_back({is_dot, name, starts, needed, starts - clock_of});
      if (is_dot) dots_done.push_back(needed);
      clock_of = loads ? starts : needed;  // a load is only asked for
    }
    for (const std::int32_t v : p.results(s)) ready[static_cast<std::size_t>(v)] = needed;
  }
  return bars;
}

std::int64_t end_of(const std::vector<Bar>& bars) {
  std::int64_t end = 0;
  for (const Bar& b : bars) end = std::max(end, b.end);
  return end;
}

std::string gantt_text(const std::vector<Bar>& bars, std::size_t most) {
  std::string text;
  std::size_t wide = 0;
  for (const Bar& b : bars) wide = std::max(wide, b.name.size());
  for (std::size_t i = 0; i < std::min(most, bars.size()); ++i) {
    const Bar& b = bars[i];
    text += fmt::format("{:{}} |{}{}\n", b.name, wide, std::string(static_cast<std::size_t>(b.begin), ' '),
                        std::string(static_cast<std::size_t>(b.end - b.begin), b.is_dot ? '#' : '='));
  }
  if (bars.size() > most) text += "...\n";
  return text;
}

}  // namespace tl::lessons
