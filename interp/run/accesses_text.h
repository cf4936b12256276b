// The accesses of a kernel's programs as a terminal shows them, and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "interp/lang/pid_condition.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"

namespace tl::run {

// The programs that `chosen` holds for; in the text the first few if it holds for all. `ms`: how long recording
// took.
std::string accesses_text(const KernelOptions& kernel, const std::vector<trace::AccessRecord>& records, double ms,
                          const PidCondition& chosen, report::Paint paint, int columns);
nlohmann::ordered_json accesses_json(const KernelOptions& kernel, const std::vector<trace::AccessRecord>& records,
                                     double ms, const PidCondition& chosen);

}  // namespace tl::run
