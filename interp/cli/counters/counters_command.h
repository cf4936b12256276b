// tilescope counters: what a GPU's hardware counters say of a kernel, by ncu, beside what the machine model says.
#pragma once

namespace CLI {
class App;
}

namespace tl::cli {

void add_counters_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
