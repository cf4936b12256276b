// Finds literals that do not fit the integers they join. Their values are no part of a type, so each has a check in the
// code, which the optimizer removes where the literal fits; the checks that are left report themselves
// (rules/report.h), and the line numbers in the PTX tell where they are.
#pragma once

#include <string>
#include <vector>

#include "interp/cuda/host/sources.h"

namespace tl::cuda {

// Throws CompileError, in the interpreter's words, for a literal. Where it is a C++ number known only when the kernel
// runs, the check stays and a note says so.
void check_literals(const std::string& ptx, const Sources& sources, std::vector<std::string>& notes);

}  // namespace tl::cuda
