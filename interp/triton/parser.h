// Reads a Python file into a tree: kernels, helpers and what stands around them.
#pragma once

#include <memory>

#include "interp/triton/tree.h"

namespace tl::triton {

// Statements at the left margin that are no syntax of ours are skipped, up to the next line there: a notebook's
// commands, Python that is newer than this reader. Throws CompileError for a function with a `jit` decorator that
// Python would refuse, for Python 2, and for what the lexer refuses.
std::unique_ptr<Tree> parse(Source source);

}  // namespace tl::triton
