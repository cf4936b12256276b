// One line a program: its named variables at its end, in the order of their first assignment.
#pragma once

#include <string>

#include "interp/debug/program_view.h"

namespace tl::debug {

// `pid = 1 | offs = [2 3], mask = [True True], x = [3 4]`; a tuple on grids of two and three axes.
std::string program_line(const trace::RecordedTrace& trace, std::size_t program, const Sources& sources);

// What the variables held at the program's end, as the line and JSON have them.
struct NamedValue {
  std::string name;
  const trace::RecordedValue* value;
};
std::vector<NamedValue> named_values(const trace::RecordedTrace& trace, std::size_t program, const Sources& sources);

}  // namespace tl::debug
