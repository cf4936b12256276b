// Follows a program's ops and says what each value is as a type on CUDA.
#pragma once

#include <unordered_map>

#include "interp/machine/access/cuda_type.h"

namespace tl::machine {

class TypeTracker {
 public:
  explicit TypeTracker(const CudaConfig& config) : config_(config) {}

  void begin_launch(std::vector<DType> tensors) { tensors_ = std::move(tensors); }
  void begin_program();
  void op(const trace::OpEvent& event);
  void assigned(const void* variable, trace::ValueId id);
  void forgotten(const void* variable) { declared_.erase(variable); }

  // Of an operand, an argument of the kernel included: an int that is a multiple of 16, a tensor at an address that is
  // one.
  CudaType type_of(const trace::Value& value) const;
  const CudaConfig& config() const { return config_; }

 private:
  CudaType literal_at(const trace::OpEvent& event, unsigned char position) const;
  CudaType result_type(const trace::OpEvent& event) const;
  CudaType loaded(const trace::OpEvent& event) const;

  CudaConfig config_;
  std::vector<DType> tensors_;  // of the launch
  std::unordered_map<trace::ValueId, CudaType> types_;
  std::unordered_map<const void*, CudaType> declared_;  // a variable keeps the type it was declared with
};

Sizes sizes_of(std::span<const std::int64_t> shape);

}  // namespace tl::machine
