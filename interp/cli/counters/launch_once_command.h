// tilescope launch-once: the hidden command that `tilescope counters` runs under ncu.
#pragma once

namespace CLI {
class App;
}

namespace tl::cli {

// Each case of a list once, nothing else on the GPU; a line of JSON each: {"launches": [{grid, threads, registers,
// ...}]} or {"error": ...}.
void add_launch_once_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
