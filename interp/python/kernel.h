// A kernel's file as Python launches it: on NumPy's memory, and on tensors that lie on the GPU.
#pragma once

#include <string>
#include <vector>

#include "interp/case/user_kernel.h"
#include "interp/cuda/host/resident_kernel.h"
#include "interp/python/launches.h"

namespace tl::python {

class Kernel {
 public:
  explicit Kernel(const std::string& name);
  const cases::UserKernel& user() const { return user_; }
  const std::string& name() const { return user_.functor().name; }
  const std::vector<std::string>& parameters() const { return parameters_; }  // x of x_ptr
  run::KnownArithmetic& arithmetic() { return arithmetic_; }

  // For the interpreter. Throws Error, CompileError.
  Launch launch(const LaunchRequest& request);
  // On the GPU, on the caller's stream; returns notes on how it was compiled.
  std::vector<std::string> start(LaunchRequest request, std::uintptr_t stream);

 private:
  cases::UserKernel user_;
  std::filesystem::path folder_;
  std::vector<std::string> parameters_;
  run::KnownArithmetic arithmetic_;
  cuda::ResidentKernel resident_;
};

}  // namespace tl::python
