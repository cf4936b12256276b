// A function of a Python file as a launch.
#pragma once

#include "interp/lang/launch.h"
#include "interp/triton/program.h"

namespace tl::triton {

// Specialized at the constants among the arguments, which stand in the order of the parameters; none_tensor is None.
// Nothing is compiled. Throws CompileError; Error: too few or too many arguments.
Launch launch_of(std::shared_ptr<Program>, const Definition&, Grid, LaunchOptions, std::vector<Argument>);

}  // namespace tl::triton
