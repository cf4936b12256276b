// Through which of its parameters a function of Triton's Python loads and stores, helpers followed.
#pragma once

#include <set>
#include <string_view>

namespace tl::triton {
class Program;
struct Definition;
}  // namespace tl::triton

namespace tl::cases {

struct Accesses {
  std::set<std::string_view> loaded, stored;  // names of parameters
};
Accesses accesses_of(triton::Program& program, const triton::Definition& kernel);

}  // namespace tl::cases
