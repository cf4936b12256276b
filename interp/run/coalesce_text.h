// A kernel's requests as a terminal shows them: a table of its lines, and the requests of one line drawn.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "interp/report/terminal.h"
#include "interp/run/coalesce_case.h"

namespace tl::run {

// Throws Error where no load or store stands on `line`; 0 is no line.
void require_line(const KernelOptions& kernel, const std::vector<CoalescedLaunch>& launches, int line);

// `line`: the one to draw; 0: the one that wastes most, and in JSON all.
std::string coalesce_text(const KernelOptions& kernel, const machine::Device& device,
                          const std::vector<CoalescedLaunch>& launches, int line, report::Paint paint, int columns);
nlohmann::ordered_json coalesce_json(const KernelOptions& kernel, const machine::Device& device,
                                     const std::vector<CoalescedLaunch>& launches, int line);

}  // namespace tl::run
