// tilescope schedule KERNEL: who runs where and when, what L2 keeps, what DRAM moves: the machine model's answer.
#pragma once

namespace CLI {
class App;
}

namespace tl::cli {

void add_schedule_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
