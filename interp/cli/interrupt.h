// Ctrl-C: the first asks the work at hand to end in order, the second ends the program.
#pragma once

#include <atomic>

namespace tl::cli {

// Catches SIGINT from the first call on. The flag is what runs and benchmarks poll.
const std::atomic<bool>& stop_requested();

}  // namespace tl::cli
