// The check `triton`: what Triton refuses in a Python text, found as it runs on the interpreter.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "interp/lang/launch.h"
#include "interp/report/terminal.h"

namespace tl::run {

// Whether a list of --check asks for it; where there is no list, whether a GPU is at hand, on which Triton would run.
bool wants_triton(const std::vector<std::string>& checks);
// Before the run. Throws Error for a list that names it, where a launch is of no Python text.
void watch_for_triton(std::span<const Launch>, const std::vector<std::string>& checks);
// After it, each with its line, a caret and the fix.
std::vector<std::string> triton_notes(std::span<const Launch>, report::Paint);

}  // namespace tl::run
