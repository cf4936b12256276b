// What limits a kernel, as a terminal shows it: a table of resources, and the roof drawn.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "interp/report/terminal.h"
#include "interp/run/limits_case.h"

namespace tl::run {

std::string cause_text(const machine::Cause& cause);  // DRAM 97 %; latency (DRAM 12 %)
nlohmann::ordered_json cause_json(const machine::Cause& cause);

std::string occupancies_text(const std::vector<LaunchOccupancy>& launches, const machine::Device& device,
                             report::Paint paint, int columns);
nlohmann::ordered_json occupancies_json(const std::vector<LaunchOccupancy>& launches, const machine::Device& device);

std::string rooflines_text(const KernelOptions& kernel, const std::vector<LaunchRoofline>& launches,
                           const machine::Device& device, report::Paint paint, int columns);
nlohmann::ordered_json rooflines_json(const KernelOptions& kernel, const std::vector<LaunchRoofline>& launches,
                                      const machine::Device& device);

}  // namespace tl::run
