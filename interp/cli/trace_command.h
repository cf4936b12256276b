// tilescope trace KERNEL -o FILE: records a run for later.
#pragma once

namespace CLI {
class App;
}

namespace tl::cli {

void add_trace_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
