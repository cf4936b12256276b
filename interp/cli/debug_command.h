// tilescope debug KERNEL | FILE: record, then browse, forwards and backwards.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tl::cli {

// A recording rather than a kernel: no kernel's name has a dot or a slash in it.
bool is_trace_file(const std::string& target);
// For `tilescope COMMAND TARGET`, where TARGET is a file: throws Error for a kernel's text, and for settings, which a
// recording has none of.
void require_recording(const std::string& command, const std::string& target, const std::vector<std::string>& settings);

void add_debug_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
