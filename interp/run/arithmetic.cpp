#include "interp/run/arithmetic.h"

#include <algorithm>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/sources.h"
#include "interp/machine/access/sum_orders.h"
#include "interp/machine/device.h"
#include "interp/run/accesses.h"
#include "interp/run/cuda_config.h"

namespace tl::run {

namespace {

constexpr const char* plain = "fp32";

// Null of a number.
template <class A>
auto tensor_of(A& argument) -> decltype(&std::get_if<TensorArgument>(&argument)->tensor) {
  if (auto* t = std::get_if<TensorArgument>(&argument)) return &t->tensor;
  if (auto* d = std::get_if<DescriptorArgument>(&argument)) return &d->tensor;
  return nullptr;
}

// Of other inputs both instructions add alike.
bool may_differ(const Argument& argument) {
  const Tensor* t = tensor_of(argument);
  return t && (is_fp8(t->dtype) || t->dtype == DType::float32);
}

// Whether the kernel's text, or what it includes, has sums at all.
bool may_sum(const Launch& launch) {
  return std::ranges::any_of(cuda::gather_sources({launch.source}), [](const auto& file) {
    return !file.first.starts_with("interp/") &&
           (file.second.find(".sum(") != std::string::npos || file.second.find(".softmax(") != std::string::npos);
  });
}

std::shared_ptr<const cpu::SumOrders> sums_of(const Launch& launch, const machine::Device& device) {
  try {
    if (!may_sum(launch)) return nullptr;
    machine::SumObserver observer(cuda_config_of(launch, device));
    watch_apart(launch, observer, 1);
    auto orders = std::make_shared<cpu::SumOrders>();
    for (const auto& [at, passes] : observer.sums())
      if (!passes.empty()) orders->add(at.file, at.line, at.column, passes);
    return orders;
  } catch (const std::exception&) {  // a fault, which the run will tell of; a text that is nowhere; data that decides
    return nullptr;
  }
}

}  // namespace

Arithmetic::Arithmetic(const std::string& name) : name_(name) {
  if (name == plain) return;
  static const auto usual = std::make_shared<const machine::Device>(machine::find_device("h200"));
  const auto named = [&] {
    try {
      return std::make_shared<const machine::Device>(machine::find_device(name));
    } catch (const Error& e) {
      throw Error(std::string("--arith: ") + e.what(),
                  "chip, an H200's sums; fp32, plain ones; or a device's: " + machine::device_list());
    }
  };
  device_ = name == "chip" ? usual : named();
}

std::string Arithmetic::arch() const { return device_ ? target_of(*device_, false).arch : ""; }

rules::DotArithmetic Arithmetic::dots_of(const Launch& launch) const {
  rules::DotArithmetic dots{rules::matrix_of(rules::Dots::any, device_->cc_major == 9, launch.options.num_warps),
                            device_->tensor_cores};
  if (dots.matrix != rules::Matrix::wgmma || std::ranges::none_of(launch.arguments, may_differ)) return dots;
  if (cpu::facts_of(launch).dots != rules::Dots::any) return dots;
  if (cuda_config_of(launch, *device_).matrix == rules::Matrix::mma_sync) dots.matrix = rules::Matrix::mma_sync;
  return dots;
}

void Arithmetic::apply(cpu::RunOptions& options, const Launch& launch) const {
  options.dots = device_ ? dots_of(launch) : rules::DotArithmetic{};
  options.sums = device_ ? sums_of(launch, *device_) : nullptr;
}

}  // namespace tl::run
