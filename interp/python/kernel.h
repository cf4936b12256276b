// A kernel's file as Python launches it: on NumPy's memory, on tensors of the GPU, recorded or modelled.
#pragma once

#include <string>
#include <vector>

#include "interp/case/user_kernel.h"
#include "interp/cpu/run.h"
#include "interp/cuda/host/resident_kernel.h"
#include "interp/lang/launch.h"
#include "interp/trace/recorded.h"
#include "kernels/problems/problem.h"

namespace tl::python {

// A tensor on the caller's memory; data on the GPU cannot be read here.
Tensor tensor_at(std::string name, std::uintptr_t address, const std::string& dtype, std::vector<std::int64_t> shape,
                 std::vector<std::int64_t> strides, bool is_on_gpu);

struct LaunchRequest {
  Grid grid;
  LaunchOptions options;
  std::vector<Argument> arguments;  // one a parameter
};

class Kernel {
 public:
  explicit Kernel(const std::string& name) : user_(name) {}
  const cases::UserKernel& user() const { return user_; }

  // On the interpreter, in place. Throws FaultError, Error, CompileError.
  void run(const LaunchRequest& request, const std::vector<std::string>& checks);
  // On the GPU, on the caller's stream; returns notes on how it was compiled.
  std::vector<std::string> start(const LaunchRequest& request, std::uintptr_t stream);
  trace::RecordedTrace record(const LaunchRequest& request, const std::string& programs, std::int64_t budget_mb);

  struct Scheduled {
    std::string figures;  // JSON
    std::string drawing;  // SVG
  };
  Scheduled schedule(const LaunchRequest& request, const std::string& gpu);

 private:
  void read_own_text() const;
  Launch launch(const LaunchRequest& request);
  problems::Problem problem_of(const Launch& launch) const;

  cases::UserKernel user_;
  cuda::ResidentKernel resident_;
};

}  // namespace tl::python
