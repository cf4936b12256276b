// A kernel's file of C++ as Python launches it: on NumPy's memory, and on tensors that lie on the GPU.
#pragma once

#include <string>
#include <vector>

#include "interp/case/user_kernel.h"
#include "interp/cuda/host/resident_kernel.h"
#include "interp/python/launches.h"

namespace tl::python {

class Kernel {
 public:
  explicit Kernel(const std::string& name) : user_(name) {}
  const cases::UserKernel& user() const { return user_; }

  // For the interpreter. Throws Error, CompileError.
  NamedLaunch launch(const LaunchRequest& request);
  // On the GPU, on the caller's stream; returns notes on how it was compiled.
  std::vector<std::string> start(const LaunchRequest& request, std::uintptr_t stream);

 private:
  void read_own_text() const;

  cases::UserKernel user_;
  cuda::ResidentKernel resident_;
};

}  // namespace tl::python
