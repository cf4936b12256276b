// Runs a case on one of the executors, and says why an output is wrong.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "interp/report/terminal.h"
#include "interp/run/arithmetic.h"
#include "interp/run/kernel_case.h"

namespace tl::run {

struct Execution {
  std::vector<Fault> faults;
  std::int64_t programs = 0;
  double wall_ms = 0;
  std::optional<Site> ordered_at;  // cpu::RunResult
  double gpu_ms = NAN;             // the kernels alone
  std::vector<std::string> notes;  // a fallback and its reason
  problems::Tf32 tf32 = problems::Tf32::rounded;
  bool ok() const { return faults.empty(); }
  bool was_stopped() const;
};

// The interpreter runs the kernels that were built into the program. With other texts in --sources or TILESCOPE_SOURCES
// it would run code that the user does not see: throws Error then.
void require_built_in_text(const problems::Instance& instance);

// --sources: takes the kernels from `folder` and returns the paths whose text differs. Throws Error where `folder`
// holds neither kernels/NAME.h, as `wanted`, nor any other of the program's texts: else the built-in texts would run
// unnoticed.
std::vector<std::string> use_sources(const std::string& folder, const std::string& wanted);

// Runs all launches of the instance in order, up to the first fault. The caller resets the tensors before.
Execution run_on_cpu(const problems::Instance& instance, cpu::RunOptions options, const Arithmetic& = Arithmetic());
// Throws Error without a GPU.
Execution run_on_cuda(const problems::Instance& instance, bool generic = false);

// The checks named in a list: all, none, uninit, race, undef, hints, nan. Throws Error for others.
cpu::Checks parse_checks(const std::vector<std::string>& names);

// uninit, race, ..: those that are on.
std::vector<std::string> names_of(const cpu::Checks&);

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
// Atomics put the programs in order, and another order may race: runs some, until the deadline. The races that they
// find, each with the order that it needs.
std::vector<Fault> races_in_other_orders(const problems::Instance& instance, const RunAsIs& as);

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
