// A schedule as a terminal shows it: a table, the order of the programs on their grid, and the SMs over time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interp/report/terminal.h"
#include "interp/run/schedule_case.h"

namespace tl::run {

// `is_residency_given`: the user said how many programs an SM holds.
std::string schedules_text(const ComparedCases& compared, bool is_residency_given, report::Paint paint, int columns);
nlohmann::ordered_json schedules_json(const ComparedCases& compared);

// What a user's device file leaves out, and what it is taken for.
std::string assumed_text(const machine::Device& device);

}  // namespace tl::run
