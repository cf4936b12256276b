// Follows the ops of some programs and derives the type of each value on CUDA: what observers that ask by types, of
// layouts or widths, are made of.
#pragma once

#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interp/machine/access/cuda_type.h"

namespace tl::machine {

class TypeTracker : public trace::Observer {
 public:
  // The programs of these linear ids, ascending.
  explicit TypeTracker(const CudaConfig& config, std::vector<std::int64_t> programs = {0})
      : config_(config), programs_(std::move(programs)) {}

  void launch_begins(const trace::LaunchInfo&) override;
  trace::Keep program_begins(ProgramId) override;
  void op(const trace::OpEvent& event) override;
  void assigned(const void* variable, trace::ValueId id) override;
  void forgotten(const void* variable) override;

  // The type of an operand, also of an argument of the kernel: an int by what it is a multiple of, a tensor at an
  // address that is one of 16.
  CudaType type_of(const trace::Value& value) const;
  const CudaConfig& config() const { return config_; }
  // A variable was assigned a value that the type of its first value cannot hold: CUDA compiles such a kernel without
  // formulas.
  bool gives_up_formulas() const { return gives_up_; }

 protected:
  DType dtype_of_tensor(int tensor) const { return tensors_.at(static_cast<std::size_t>(tensor)); }

 private:
  CudaType argument_type(const trace::Value& value) const;                       // of the kernel
  CudaType argument(const trace::OpEvent& event, unsigned char position) const;  // of the op
  CudaType result_type(const trace::OpEvent& event) const;
  std::optional<ThreadLayout> layout_of_result(const trace::OpEvent& event) const;  // of a block that is no formula
  CudaType lane_by_lane(const trace::OpEvent& event) const;
  CudaType loaded(const trace::OpEvent& event) const;
  CudaType joined(const trace::OpEvent& event) const;
  CudaType permuted(const trace::OpEvent& event, const Sizes& order) const;
  CudaType promised(const trace::OpEvent& event) const;
  CudaType ranged(const trace::OpEvent& event) const;
  CudaType high_product(const trace::OpEvent& event) const;
  CudaType combined(const trace::OpEvent& event, std::initializer_list<rules::Operator> ops) const;
  CudaType divided_up(const trace::OpEvent& event) const;

  CudaConfig config_;
  std::vector<std::int64_t> programs_;
  std::int64_t grid_[2] = {1, 1};
  std::vector<DType> tensors_;  // of the launch
  std::unordered_map<trace::ValueId, CudaType> types_;
  std::unordered_map<const void*, CudaType> declared_;            // a variable keeps the type it was declared with
  std::unordered_multimap<trace::ValueId, const void*> awaited_;  // variables that hold an argument nobody has used yet
  bool gives_up_ = false;
};

Sizes sizes_of(std::span<const std::int64_t> shape);
std::int64_t first_lane(const trace::Value& integers);

}  // namespace tl::machine
