// A case on the interpreter and the GPU, each beside the reference.
#pragma once

#include "interp/run/bits.h"
#include "interp/run/explanation.h"

namespace tl::run {

// One executor's side of the comparison.
struct Side {
  std::string name;
  Execution execution;
  std::vector<Tensor> outputs;
  std::optional<problems::Verdict> verdict;
  std::optional<Explanation> why;
  bool ok() const { return execution.ok() && verdict && verdict->ok; }
};

struct Comparison {
  std::vector<Side> sides;
  std::string no_gpu;               // why there is none
  std::optional<BitEquality> bits;  // of interpreter and GPU
  bool ok() const;
};

// `only`: that executor alone. Throws Unavailable for the GPU on a machine without one.
Comparison compare_case(Case c, std::optional<Device> only, int threads, const Arithmetic& = Arithmetic());

std::string comparison_text(const Case& c, const Comparison& all, report::Paint paint);
nlohmann::ordered_json comparison_json(const Case& c, const Comparison& all);

}  // namespace tl::run
