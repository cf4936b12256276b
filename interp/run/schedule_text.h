// A schedule as a terminal shows it: a table, the order of the programs on their grid, and the SMs over time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interp/report/terminal.h"
#include "interp/run/schedule_case.h"

namespace tl::run {

std::string schedule_table(const std::vector<const ScheduledCase*>& cases, std::size_t launch,
                           const std::vector<std::string>& names);
// When each block of the output was computed: the program's number in launch order, at the place of the tile it stores.
// "" without tiles. `columns` are the terminal's; the first programs, that distinct loads were counted after, are bold.
std::string order_grid(const ScheduledLaunch& launch, int columns, report::Paint paint);
// A row an SM (some of them), time to the right: a letter a program, idle time as dots.
std::string sm_rows(const machine::Schedule& schedule, int columns);
// Why these counts are what they are, a sentence each.
std::vector<std::string> explanations(const ScheduledLaunch& launch);
nlohmann::ordered_json schedule_json(const ScheduledCase& c);

// What a user's device file leaves out, and what it is taken for.
std::string assumed_text(const machine::Device& device);

}  // namespace tl::run
