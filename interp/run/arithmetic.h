// What tl.dot computes on the interpreter: the sums of a chip's tensor cores, or plain ones.
#pragma once

#include <memory>
#include <string>

#include "interp/cpu/run.h"
#include "interp/rules/kernel_facts.h"

namespace tl::machine {
struct Device;
}

namespace tl::run {

class Arithmetic {
 public:
  // chip: an H200's; fp32: plain sums; or a device, by its name or its file. Throws Error for others.
  explicit Arithmetic(const std::string& name = "chip");

  const std::string& name() const { return name_; }
  std::string arch() const;  // sm_90a, of the chip that it follows; "": none
  // For a launch: dots by the instruction that CUDA takes on that chip, by cuda_config_of, without compiling; sums in
  // the order of its threads.
  void apply(cpu::RunOptions&, const Launch&) const;

  struct Found {
    rules::DotArithmetic dots;
    std::shared_ptr<const cpu::SumOrders> sums;
  };
  Found find(const Launch&, const rules::KernelFacts&) const;
  // Whether it follows from sizes and numbers, too; else dtypes and warps decide.
  bool depends_on_launch(const Launch&, const rules::KernelFacts&) const;

 private:
  rules::DotArithmetic usual_dots(const Launch&) const;
  bool may_take_other_dots(const Launch&, const rules::KernelFacts&) const;
  std::string name_;
  std::shared_ptr<const machine::Device> device_;  // null: plain sums
};

}  // namespace tl::run
