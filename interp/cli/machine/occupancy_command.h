// tilescope occupancy and tilescope roofline: how many programs an SM holds and why no more; what limits a launch's
// time.
#pragma once

namespace CLI {
class App;
}

namespace tl::cli {

void add_occupancy_command(CLI::App& program, int& exit_code);
void add_roofline_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
