// tilescope banks KERNEL | --tile ROWSxCOLS: wavefronts of shared memory, with no, padded and XOR placement.
#pragma once

namespace CLI {
class App;
}

namespace tl::cli {

void add_banks_command(CLI::App& program, int& exit_code);

}  // namespace tl::cli
