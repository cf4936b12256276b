// Makes a function of a text ready to be walked at given constants, helpers once for each set of theirs.
#pragma once

#include "interp/triton/code.h"
#include "interp/triton/program.h"

namespace tl::triton {

// What the arguments are before a program runs: constants, or unknown.
class Specialized {
 public:
  explicit Specialized(std::shared_ptr<Program> program) : program_(std::move(program)) {}
  // Throws CompileError: a name that there is not, a construct that Triton has not.
  const Routine& routine(const Definition&, const std::vector<Value>& constants, const Callable* makes = nullptr);
  std::size_t count() const { return routines_.size(); }
  Program& program() { return *program_; }
  const cpu::Place* place(const Source&, std::string_view function, Position);

 private:
  std::shared_ptr<Program> program_;
  std::map<std::string, std::unique_ptr<Routine>> routines_;
  std::deque<cpu::Place> places_;
  std::vector<const Definition*> under_way_;  // whose routines are being made
};

// A constant of a file, outside its functions; unknown where it is none.
Value constant_of(Program&, Module&, const Node& expression);

}  // namespace tl::triton
