// What tl.dot computes on the interpreter: the sums of a chip's tensor cores, or plain ones.
#pragma once

#include <memory>
#include <string>

#include "interp/cpu/run.h"

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
  // the order of its threads; as many programs at once as it holds.
  void apply(cpu::RunOptions&, const Launch&) const;

  struct Found {
    rules::DotArithmetic dots;
    std::shared_ptr<const cpu::SumOrders> sums;
    bool by_data = false;  // a launch that differs in data alone may add otherwise
  };
  Found find(const Launch&, const std::atomic<bool>* stop = nullptr) const;

 private:
  std::string name_;
  std::shared_ptr<const machine::Device> device_;  // null: plain sums
};

}  // namespace tl::run
