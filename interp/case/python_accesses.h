// Through which of its parameters a function of Triton's Python loads and stores, helpers followed.
#pragma once

#include <set>
#include <string_view>

namespace tl::triton {
class Program;
struct Definition;
struct Node;
}  // namespace tl::triton

namespace tl::cases {

struct Accesses {
  std::set<std::string_view> loaded, stored;  // names of parameters
};
Accesses accesses_of(triton::Program& program, const triton::Definition& kernel);

// f(..), helpers.f(..), as `in` calls it; null: it is no function of a text.
const triton::Definition* helper_called(triton::Program& program, const triton::Definition& in,
                                        const triton::Node& callee);

}  // namespace tl::cases
