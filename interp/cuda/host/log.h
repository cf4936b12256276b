// Reads the compiler's log: ptxas's resources, and errors as a learner wants them.
#pragma once

#include <string>
#include <vector>

#include "interp/cuda/host/advice.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/sources.h"
#include "interp/lang/error.h"
#include "interp/rules/build.h"

namespace tl::cuda {

// `ptx` gives what the log lacks: the threads of a program and the dynamic shared memory it reports (see
// device/entry.h).
Resources read_resources(const std::string& log, const std::string& ptx);

// The tiles that device/dot/wgmma_dot.h refuses as they lie.
std::vector<rules::StoredTile> tiles_to_turn(const std::string& log);

// One fact about a line of the kernel's text, with that line and a caret.
CompileError refusal(const std::string& file, int line, const std::string& text, std::size_t column,
                     const Advice& advice);

// The first error, in the language's words, at the line of the kernel's own text that led to it, with that line and a
// caret; what is wrong in further lines in one line each.
CompileError compile_error(const std::string& log, const std::string& kernel_file, const Sources& sources);

}  // namespace tl::cuda
