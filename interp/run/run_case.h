// A case run once and compared with its reference; on a mismatch, why.
#pragma once

#include <cstdio>

#include "interp/run/explanation.h"

namespace tl::run {

struct RunRequest {
  Device device = Device::cpu;
  cpu::RunOptions cpu;  // order, seed, threads, checks
  Arithmetic arithmetic = Arithmetic();
  bool asks_checks = false;          // the user says which: no others are done
  bool generic = false;              // cuda: nothing newer than sm_80
  std::optional<std::string> print;  // a line for each program that this condition holds for
  std::FILE* print_to = stdout;
};

// What a repeat did not reach in time, and what it would have checked.
struct Unchecked {
  std::vector<std::string> checks;
  std::int64_t programs = 0;  // 0: orders of programs
  int orders = 0;
};

struct Outcome {
  Execution execution;
  std::optional<problems::Verdict> verdict;  // none after a fault
  std::optional<Explanation> why;
  std::optional<Fault> wrapped;  // the op on integers behind an access out of bounds
  std::string finished;          // a remark of the problem, after the last launch
  std::vector<Unwritten> unwritten;
  std::vector<std::string> checked;  // the checks that were done, in this run or in a repeat
  std::vector<Unchecked> unchecked;
  std::vector<Fault> found;  // by the repeat
  bool ok() const {
    return execution.ok() && verdict && verdict->ok && found.empty() && !(is_judged_alone && !unwritten.empty());
  }
  bool is_judged_alone = false;  // there is no reference: outputs must be written
};

// Ends early after Ctrl-C.
Outcome run_case(const Case& c, const RunRequest& request);
// Looks closer: a run that was wrong is repeated and explained, one that was right is repeated with the checks that it
// went without, for as long as it took itself. Outputs then hold what the repeat left.
void look_closer(Outcome& outcome, const Case& c, const RunRequest& request);

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
