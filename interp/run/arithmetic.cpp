#include "interp/run/arithmetic.h"

#include <algorithm>

#include "interp/cpu/facts.h"
#include "interp/machine/access/sum_orders.h"
#include "interp/machine/device.h"
#include "interp/machine/limits/occupancy.h"
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

// For other inputs both instructions add alike.
bool may_differ(const Argument& argument) {
  const Tensor* t = tensor_of(argument);
  return t && (is_fp8(t->dtype) || t->dtype == DType::float32);
}

// What a launch's first program computes that may be added in several ways.
struct Added : trace::Observer {
  void op(const trace::OpEvent& e) override {
    sums |= e.op == trace::Op::sum || e.op == trace::Op::softmax;
    dots |= e.op == trace::Op::dot || e.op == trace::Op::dot_scaled;
  }
  bool sums = false, dots = false;
};

std::shared_ptr<const cpu::SumOrders> sums_of(const Launch& launch, const machine::CudaConfig& config) {
  machine::SumObserver observer(config);
  watch_apart(launch, observer, 1);
  auto orders = std::make_shared<cpu::SumOrders>();
  for (const auto& [at, passes] : observer.sums())
    if (!passes.empty()) orders->add(at.file, at.line, at.column, passes);
  return orders;
}

std::shared_ptr<const machine::Device> usual_device() {
  static const auto usual = std::make_shared<const machine::Device>(machine::find_device("h200"));
  return usual;
}

// By their threads; registers and shared memory, which are the compiler's, may leave room for fewer.
std::int64_t programs_at_once(const Launch& launch, const machine::Device& d) {
  return d.sms * std::max<std::int64_t>(machine::occupancy_of({.threads = 32 * launch.options.num_warps}, d).ctas, 1);
}

}  // namespace

Arithmetic::Arithmetic(const std::string& name) : name_(name) {
  if (name == plain) return;
  const auto named = [&] {
    try {
      return std::make_shared<const machine::Device>(machine::find_device(name));
    } catch (const Error& e) {
      throw Error(std::string("--arith: ") + e.what(),
                  "chip, an H200's sums; fp32, plain ones; or a device's: " + machine::device_list());
    }
  };
  device_ = name == "chip" ? usual_device() : named();
}

std::string Arithmetic::arch() const { return device_ ? target_of(*device_, false).arch : ""; }

Arithmetic::Found Arithmetic::find(const Launch& launch, const std::atomic<bool>* stop) const {
  Found found;
  if (!device_) return found;
  found.dots = {rules::matrix_of(rules::Dots::any, device_->cc_major == 9, launch.options.num_warps),
                device_->tensor_cores};
  try {
    constexpr std::int64_t op_limit = 2'000'000;  // a loop may have no end, which the run itself will tell
    Added added;
    found.by_data = watch_apart(launch, added, 1, stop, op_limit);
    const bool may_take_mma = added.dots && found.dots.matrix == rules::Matrix::wgmma &&
                              std::ranges::any_of(launch.arguments, may_differ) &&
                              cpu::facts_of(launch).dots == rules::Dots::any;
    if (!added.sums && !may_take_mma) return found;
    const machine::CudaConfig config = cuda_config_of(launch, *device_);
    if (may_take_mma && config.matrix == rules::Matrix::mma_sync) found.dots.matrix = rules::Matrix::mma_sync;
    if (added.sums) found.sums = sums_of(launch, config);
  } catch (const std::exception&) {  // a fault, which the run will tell of; data that decides and is not there
    found.by_data = true;
  }
  return found;
}

void Arithmetic::apply(cpu::RunOptions& options, const Launch& launch) const {
  const Found found = find(launch, options.stop);
  options.dots = found.dots;
  options.sums = found.sums;
  options.programs_at_once = programs_at_once(launch, device_ ? *device_ : *usual_device());
}

}  // namespace tl::run
