// tilescope debug KERNEL | FILE, and tilescope tour: record, then browse, forwards and backwards.
#pragma once

#include <CLI/CLI.hpp>

namespace tl::cli {

void add_debug_command(CLI::App& program, int& exit_code);
void add_tour_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
