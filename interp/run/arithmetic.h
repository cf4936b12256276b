// What tl.dot computes on the interpreter: the sums of a chip's tensor cores, or plain ones.
#pragma once

#include <string>

#include "interp/cpu/run.h"

namespace tl::run {

class Arithmetic {
 public:
  // chip: an H200's; fp32: plain sums; or a device, by its name or its file. Throws Error for others.
  explicit Arithmetic(const std::string& name = "chip");

  const std::string& name() const { return name_; }
  // For a launch: by the instruction that CUDA takes on that chip, as far as it is known without compiling.
  rules::DotArithmetic of(const Launch&) const;

 private:
  std::string name_;
  TensorCores cores_;
  bool has_wgmma_ = false;
};

}  // namespace tl::run
