// A kernel that is a function of Python's, with what its names stand for in the process that launches it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "interp/python/launches.h"
#include "interp/triton/launch.h"

namespace tl::python {

struct FunctionText {
  std::string name, file;
  std::string text;    // at its place in the file: lines before it are empty, what it is nested in is `if True:`
  std::string source;  // of all the file, which messages quote
};

class PythonKernel {
 public:
  // The first function is the kernel, the others are what it calls. Throws CompileError.
  explicit PythonKernel(std::vector<FunctionText> functions);

  triton::Program& program() { return *program_; }
  // What a name is that the function reads, and by which it calls another one.
  void set_name(std::size_t function, const std::string& name, triton::Value value);
  triton::Value function(std::size_t number);
  // A name whose value kernels cannot read, and what that is: a list.
  void set_unusable(std::size_t function, const std::string& name, std::string what);
  // A module of the script's, of those of its members that the kernel names.
  triton::Value module_of(const std::string& name, std::map<std::string, triton::Value, std::less<>> members,
                          std::map<std::string, std::string, std::less<>> unusable);

  const std::string& name() const { return texts_[0].name; }
  const std::vector<std::string>& parameters();
  run::KnownArithmetic& arithmetic() { return arithmetic_; }
  Launch launch(const LaunchRequest& request);

 private:
  const triton::Definition& definition(std::size_t number);

  std::shared_ptr<triton::Program> program_;
  std::vector<FunctionText> texts_;
  std::vector<triton::Module*> modules_;  // one of each function
  std::vector<std::string> parameters_;
  std::once_flag is_read_;
  std::unique_ptr<triton::Kernel> kernel_;  // from the first launch on: names are set by then
  run::KnownArithmetic arithmetic_;
};

}  // namespace tl::python
