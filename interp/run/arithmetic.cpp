#include "interp/run/arithmetic.h"

#include <algorithm>

#include "interp/cpu/facts.h"
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

std::shared_ptr<const cpu::SumOrders> sums_of(const Launch& launch, const machine::CudaConfig& config) {
  try {
    machine::SumObserver observer(config);
    constexpr std::int64_t op_limit = 10'000'000;  // a loop may have no end, which the run itself will tell
    watch_apart(launch, observer, 1, nullptr, op_limit);
    auto orders = std::make_shared<cpu::SumOrders>();
    for (const auto& [at, passes] : observer.sums())
      if (!passes.empty()) orders->add(at.file, at.line, at.column, passes);
    return orders;
  } catch (const std::exception&) {  // a fault, which the run will tell of; data that decides
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

rules::DotArithmetic Arithmetic::usual_dots(const Launch& launch) const {
  if (!device_) return {};
  return {rules::matrix_of(rules::Dots::any, device_->cc_major == 9, launch.options.num_warps), device_->tensor_cores};
}

bool Arithmetic::may_take_other_dots(const Launch& launch, const rules::KernelFacts& facts) const {
  return facts.dots == rules::Dots::any && usual_dots(launch).matrix == rules::Matrix::wgmma &&
         std::ranges::any_of(launch.arguments, may_differ);
}

bool Arithmetic::depends_on_launch(const Launch& launch, const rules::KernelFacts& facts) const {
  return device_ && facts.ends && (facts.sums || may_take_other_dots(launch, facts));
}

Arithmetic::Found Arithmetic::find(const Launch& launch, const rules::KernelFacts& facts) const {
  Found found{usual_dots(launch), nullptr};
  if (!depends_on_launch(launch, facts)) return found;
  const machine::CudaConfig config = cuda_config_of(launch, *device_);
  if (may_take_other_dots(launch, facts) && config.matrix == rules::Matrix::mma_sync)
    found.dots.matrix = rules::Matrix::mma_sync;
  if (facts.sums) found.sums = sums_of(launch, config);
  return found;
}

void Arithmetic::apply(cpu::RunOptions& options, const Launch& launch) const {
  const Found found = find(launch, device_ ? cpu::facts_of(launch) : rules::KernelFacts{});
  options.dots = found.dots, options.sums = found.sums;
}

}  // namespace tl::run
