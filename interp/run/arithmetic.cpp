#include "interp/run/arithmetic.h"

#include <algorithm>

#include "interp/cuda/host/known_resources.h"
#include "interp/machine/device.h"

namespace tl::run {

namespace {
constexpr const char* plain = "fp32";
}

Arithmetic::Arithmetic(const std::string& name) : name_(name) {
  if (name == plain) return;
  static const machine::Device usual = machine::find_device("h200");
  const auto named = [&] {
    try {
      return machine::find_device(name);
    } catch (const Error& e) {
      throw Error(std::string("--arith: ") + e.what(),
                  "chip, an H200's sums; fp32, plain ones; or a device's: " + machine::device_list());
    }
  };
  const machine::Device device = name == "chip" ? usual : named();
  cores_ = device.tensor_cores;
  has_wgmma_ = device.cc_major == 9;
}

namespace {

// Of other inputs both instructions add alike.
bool may_differ(const Argument& argument) {
  const auto* t = std::get_if<TensorArgument>(&argument);
  const auto* d = std::get_if<DescriptorArgument>(&argument);
  if (!t && !d) return false;
  const DType dtype = (t ? t->tensor : d->tensor).dtype;
  return is_fp8(dtype) || dtype == DType::float32;
}

}  // namespace

rules::DotArithmetic Arithmetic::of(const Launch& launch) const {
  if (name_ == plain) return {};
  rules::DotArithmetic dots{rules::matrix_of(true, has_wgmma_, launch.options.num_warps), cores_};
  if (dots.matrix != rules::Matrix::wgmma || std::ranges::none_of(launch.arguments, may_differ)) return dots;
  if (const auto known = cuda::known_resources(launch, {}); known && !known->has_roles)
    dots.matrix = rules::Matrix::mma_sync;
  return dots;
}

}  // namespace tl::run
