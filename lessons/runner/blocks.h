// What goes wrong with one-dimensional offsets and masks: found from where the programs' blocks began, not from the
// kernel's text.
#pragma once

#include <optional>
#include <string>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// A vector of `n` elements cut in blocks of `bs`, one a program: reads `inputs`, writes `output`.
struct Blocks {
  std::vector<std::string> inputs;
  std::string output;
  std::int64_t n = 0, bs = 0;
};
std::optional<Finding> diagnose_blocks(const Failure& failure, const Blocks& blocks);
// A lane beyond the end that takes another element instead. For kernels in which program i takes block i.
std::optional<Finding> wrapped_lane(const Observed& observed, const Blocks& blocks);

// z[0..1], or "nothing".
std::string range_text(const std::string& tensor, const std::vector<std::int64_t>& elements);
// "program 0 stored z[0..1]", a line each, the first few.
std::string stores_text(const Observed& observed, const std::string& tensor, std::int64_t most = 3);
Finding at(Finding finding, const std::optional<Site>& site);

}  // namespace tl::lessons
