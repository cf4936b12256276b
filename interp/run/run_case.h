// A case run once and compared with its reference; on a mismatch, why.
#pragma once

#include <cstdio>

#include "interp/run/execute.h"

namespace tl::run {

struct RunRequest {
  Device device = Device::cpu;
  cpu::RunOptions cpu;  // order, seed, threads, checks
  Arithmetic arithmetic = Arithmetic();
  bool generic = false;              // cuda: nothing newer than sm_80
  std::optional<std::string> print;  // a line for each program that this condition holds for
  std::FILE* print_to = stdout;
};

struct Outcome {
  Execution execution;
  std::optional<problems::Verdict> verdict;  // none after a fault
  std::optional<Explanation> why;
  std::string finished;  // a remark of the problem, after the last launch
  bool ok() const { return execution.ok() && verdict && verdict->ok; }
};

// Ends early after Ctrl-C.
Outcome run_case(const Case& c, const RunRequest& request);
// Repeats a run that was wrong, and says why; outputs then hold what the repeat left.
void add_explanation(Outcome& outcome, const Case& c, Device device);

// The tensor of that name. Throws Error that lists the names.
const Tensor& shown_tensor(const problems::Instance& instance, const std::string& name);
std::string shown_text(const problems::Instance& instance, const std::string& name);
// Every output, and the tensor of that name; null for one that is long.
nlohmann::ordered_json outputs_json(const problems::Instance& instance, const std::string& name);

// `tensor`, `outputs`: what shown_text and outputs_json said before the explanation ran the case again.
std::string outcome_text(const Case& c, Device device, const Outcome& outcome, const std::string& tensor,
                         report::Paint paint);
nlohmann::ordered_json outcome_json(const Case& c, Device device, const Outcome& outcome,
                                    const nlohmann::ordered_json& outputs);

}  // namespace tl::run
