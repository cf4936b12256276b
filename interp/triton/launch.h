// A function of a Python file as launches.
#pragma once

#include <memory>
#include <mutex>

#include "interp/lang/launch.h"
#include "interp/triton/program.h"

namespace tl::triton {

// What a parameter is given: an argument by its number, a constant that is none (a function), or a tuple of such.
struct Given {
  std::variant<std::size_t, Value, std::vector<Given>> is;
  std::vector<const char*> names = {};  // of a named tuple's elements
};

class Specialized;

// Its routines are made once for each set of constants, whoever launches.
class Kernel {
 public:
  Kernel(std::shared_ptr<Program> program, const Definition& definition)
      : program_(std::move(program)), definition_(definition) {}

  // Specialized at the constants among the arguments, which stand in the order of the parameters; none_tensor is None.
  // Nothing is compiled. `given` says what each parameter is given of the arguments; where it is empty, one each.
  // Throws CompileError; Error: too few or too many arguments.
  Launch launch(Grid, LaunchOptions, std::vector<Argument>, std::vector<Given> given = {});

 private:
  std::shared_ptr<Program> program_;
  Definition definition_;
  std::mutex mutex_;
  std::shared_ptr<Specialized> specialized_;  // a launch keeps what it was made of
};

// A kernel that is launched once.
Launch launch_of(std::shared_ptr<Program>, const Definition&, Grid, LaunchOptions, std::vector<Argument>,
                 std::vector<Given> given = {});

}  // namespace tl::triton
