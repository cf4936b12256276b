// tilescope debug KERNEL | FILE: record, then browse, forwards and backwards.
#pragma once

#include <string>

namespace CLI { class App; }

namespace tl::cli {

// A recording rather than a kernel: no kernel's name has a dot or a slash in it.
bool is_trace_file(const std::string& target);

void add_debug_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
