// --print: a line for each program that a condition holds for, with its variables as they stood at its end.
#pragma once

#include <cstdio>
#include <string>

#include "interp/run/execute.h"

namespace tl::run {

// pid = 1 | offs = [2 3], mask = [True True], x = [3 4]
// Runs program after program, in `options.order` (sequential unless chosen), and writes each one's line to `to` at its
// end.
// Throws Error for a condition that cannot be parsed.
Execution run_and_print(const problems::Instance& instance, cpu::RunOptions options, const Arithmetic&,
                        const std::string& condition, std::FILE* to = stdout);

}  // namespace tl::run
