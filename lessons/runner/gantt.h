// A program's loads and dots on a clock of their own: ops are issued one after the other, a load's data is there some
// units later, and an op that needs it waits. What a pipeline of loads buys, told from the trace.
#pragma once

#include <string>
#include <vector>

#include "interp/trace/recorded.h"

namespace tl::lessons {

struct Bar {
  bool is_dot = false;
  std::string name;  // load a, load b, dot
  std::int64_t begin = 0, end = 0;
  std::int64_t waited = 0;  // before it, for its operands
};
struct Clock {
  std::int64_t load = 3, dot = 1;  // units; other ops take none
  // Above 0: warps of their own ask for blocks, into a ring of so many slots; a dot that is done frees its blocks'.
  std::int64_t slots = 0;
};

// In the order in which they were issued.
std::vector<Bar> bars_of(const trace::RecordedTrace& trace, const trace::RecordedProgram& program, const Clock& clock);
std::int64_t end_of(const std::vector<Bar>& bars);
// A line a bar, at most so many: load a |###   |
std::string gantt_text(const std::vector<Bar>& bars, std::size_t most = 12);

}  // namespace tl::lessons
