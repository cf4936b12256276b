// A function of a Python file as a launch.
#pragma once

#include "interp/lang/launch.h"
#include "interp/triton/program.h"

namespace tl::triton {

// What a parameter is given: an argument by its number, a constant that is none (a function), or a tuple of such.
struct Given {
  std::variant<std::size_t, Value, std::vector<Given>> is;
  std::vector<const char*> names = {};  // of a named tuple's elements
};

// Specialized at the constants among the arguments, which stand in the order of the parameters; none_tensor is None.
// Nothing is compiled. Throws CompileError; Error: too few or too many arguments. `given` says what each parameter is
// given of the arguments; where it is empty, one each.
Launch launch_of(std::shared_ptr<Program>, const Definition&, Grid, LaunchOptions, std::vector<Argument>,
                 std::vector<Given> given = {});

}  // namespace tl::triton
