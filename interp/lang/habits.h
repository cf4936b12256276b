// What trips those who come from Python or from another keyboard: known by the line where a compiler stumbles, in every
// compiler's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tl {

struct Habit {
  std::string headline, fix;
};

// By a compiler's message and the line that it names.
std::optional<Habit> habit_in(const std::string& message, const std::string& line);

// Where `a // b` begins a comment instead of dividing; npos where it does not. A compiler stumbles over what follows.
std::size_t floor_division_in(const std::string& line);
Habit floor_division();

// The ops of tl, as interp/LANGUAGE.md lists them.
const std::vector<std::string>& op_names();
// The op that a name which is none may mean: load for laod, float32 for fp32; "" where none is near.
std::string op_meant_by(const std::string& name);
// What to write for an op that stands without its tl.; "" where it is none.
std::string op_without_tl(const std::string& name);
// How an op is called: "it takes a block and the axis that it reduces: tl.sum(x, 0)"; "" where there is nothing to add
// to its name.
std::string usage_of(const std::string& op);

}  // namespace tl
