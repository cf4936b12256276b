// tilescope export KERNEL --panel NAME -o FILE: one drawing of a run, to a file or as text.
#pragma once

namespace CLI {
class App;
}

namespace tl::viz {

void add_export_command(CLI::App& program, int& exit_code);

}  // namespace tl::viz
