// Whether formulas can hold together, asked of z3 where tilescope was built with it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tl::prove {

bool has_solver();

enum class Answer { no, yes, unknown };
struct Solution {
  Answer answer = Answer::unknown;
  std::map<std::string, std::int64_t> values;  // of the symbols, where they can
};
// A text in SMT-LIB: declarations and assertions. Steps of z3's own, so that a busy machine answers as an idle one.
Solution solve(const std::string& text, unsigned most_steps = 3'000'000);

}  // namespace tl::prove
