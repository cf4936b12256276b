// Says why an output of a run is wrong: the run is repeated, and watched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/report/terminal.h"
#include "interp/run/execute.h"

namespace tl::run {

struct Explanation {
  std::vector<Fault> faults;        // what the checks found, if anything
  bool ran_to_end = false;          // every program did
  bool interpreter_agrees = false;  // program after program, with the reference
  bool was_on_gpu = true;           // the run that is explained
  std::string sentence;             // who wrote the first wrong element, or that nobody did
  std::optional<Fault> cause;       // among the values that the element is made of
  std::string elsewhere;            // other elements that nobody wrote
  std::optional<Site> site;         // of that write
  ProgramId program;
  std::int64_t lane = -1;
};
// How the run went that is explained: the repeat has its order of programs (in parallel: one after the other), its
// arithmetic, its values.
struct RunAsIs {
  bool was_on_gpu = true;
  cpu::RunOptions cpu = {};
  Arithmetic arithmetic = Arithmetic();
};
// Repeats the run on the interpreter, program after program, every check on, watching the first wrong element.
// The instance's outputs hold what that run gave.
Explanation explain(const problems::Instance& instance, const problems::Mismatch& first, const RunAsIs& as = {});
// The integer op that wrapped in a program that ended out of bounds, if there is one.
std::optional<Fault> wrap_before(const problems::Instance& instance, const RunAsIs& as, ProgramId program);
// What can hardly be meant in a run without faults that nobody has a reference for: of its first program and its last.
std::optional<Fault> suspicion_of(const problems::Instance& instance, const RunAsIs& as);
// Atomics put the programs in order, and another order may go other ways: runs three, until the deadline. The races
// that they find, each with the order that it needs; or, where the results are right in order, that they are not in
// another.
struct OtherOrders {
  std::vector<Fault> faults;
  int left = 3;  // that no time was for
};
OtherOrders races_in_other_orders(const problems::Instance& instance, const RunAsIs& as, bool is_right = true);

// The elements of an output that nobody wrote: they hold what was there before.
struct Unwritten {
  problems::Mismatch first;  // of an output
  std::int64_t count = 0;
};
std::vector<Unwritten> unwritten_of(const problems::Instance& instance);
std::string explanation_text(const Explanation& explanation, report::Paint paint);
nlohmann::ordered_json explanation_json(const Explanation& explanation);

// out[2] is 0, the reference says 3 (4 of 6 elements differ)
std::string mismatch_text(const problems::Instance& instance, const problems::Verdict& verdict,
                          const std::vector<Tensor>& outputs);

}  // namespace tl::run
