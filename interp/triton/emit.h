// A function of a Python file in C++: a functor of the language, as the interpreter's compiler and a GPU's take it.
#pragma once

#include <span>
#include <string>

#include "interp/lang/launch.h"
#include "interp/triton/launch.h"
#include "interp/triton/specialize.h"

namespace tl::triton {

// What is written: a function at its constants, and what it is launched with.
struct EmitRequest {
  const Definition& kernel;
  const Routine& routine;
  const std::vector<Argument>& arguments;
  const std::vector<Given>& given;  // one a parameter
};

// Throws CompileError: what the language has not, with its place.
CppText emitted(const EmitRequest&, const CppStyle& = {});

}  // namespace tl::triton
