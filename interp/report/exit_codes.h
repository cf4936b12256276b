// What the program's exit codes mean: right; a failed run, a mismatch or an output that cannot be written; wrong use;
// Ctrl-C.
#pragma once

namespace tl::report {

inline constexpr int exit_ok = 0, exit_failed = 1, exit_wrong_use = 2,
                     exit_interrupted = 130;  // 128 + SIGINT, as shells count

}  // namespace tl::report
