// tilescope coalesce KERNEL: sectors per request of every line that touches memory.
#pragma once

namespace CLI {
class App;
}

namespace tl::cli {

void add_coalesce_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
