#include "interp/machine/access/type_tracker.h"

#include <algorithm>

#include "interp/machine/access/cuda_access.h"
#include "interp/trace/read_as.h"

namespace tl::machine {

std::int64_t first_lane(const trace::Value& v) {
  const std::byte* p = v.data();
  switch (v.dtype) {
    case DType::int32: return trace::read_as<std::int32_t>(p);
    case DType::uint32: return trace::read_as<std::uint32_t>(p);
    case DType::int64:
    case DType::uint64: return trace::read_as<std::int64_t>(p);
    case DType::int16:
    case DType::uint16: return trace::read_as<std::uint16_t>(p);
    default: return static_cast<std::int64_t>(*p);
  }
}

Sizes sizes_of(std::span<const std::int64_t> shape) {
  Sizes sizes;
  for (const std::int64_t n : shape) sizes.add(static_cast<int>(n));
  return sizes;
}

void TypeTracker::launch_begins(const trace::LaunchInfo& launch) {
  tensors_.clear();
  for (const trace::TensorInfo& t : launch.tensors) tensors_.push_back(t.dtype);
  std::ranges::copy_n(launch.grid, 2, grid_);
}

trace::Keep TypeTracker::program_begins(ProgramId id) {
  types_.clear();
  declared_.clear();
  awaited_.clear();
  const std::int64_t number = id.x + grid_[0] * (id.y + grid_[1] * id.z);
  return std::ranges::binary_search(programs_, number) ? trace::Keep::values : trace::Keep::nothing;
}

void TypeTracker::assigned(const void* variable, trace::ValueId id) {
  const auto value = types_.find(id);
  if (value == types_.end()) {  // an argument of the kernel: its first use tells its type
    awaited_.emplace(id, variable);
    return;
  }
  const auto [declared, is_new] = declared_.try_emplace(variable, value->second);
  if (is_new) return;
  gives_up_ |= !can_hold(declared->second, value->second, config_);
  value->second = declared->second;
}

void TypeTracker::forgotten(const void* variable) {
  declared_.erase(variable);
  std::erase_if(awaited_, [&](const auto& entry) { return entry.second == variable; });
}

CudaType TypeTracker::argument_type(const trace::Value& v) const {
  const int limit = rules::most_divisible(config_.formulas), known = rules::least(16, limit);
  if (v.tensor >= 0) return pointer_type(dtype_of_tensor(v.tensor), known);
  if (v.dtype != DType::int32 && v.dtype != DType::int64) return scalar_type(v.dtype, 1);
  const std::int64_t value = first_lane(v);
  if (value == 1 && config_.formulas) return unit_type(v.dtype);
  return scalar_type(v.dtype, rules::least(rules::known_divisibility(value, config_.least_divisor), limit));
}

CudaType TypeTracker::type_of(const trace::Value& v) const {
  const auto it = types_.find(v.id);
  return it != types_.end() ? it->second : argument_type(v);
}

CudaType TypeTracker::argument(const trace::OpEvent& e, unsigned char position) const {
  std::size_t operand = position;
  for (const trace::LiteralOperand& l : e.literals) {
    if (l.position == position) return literal_type(l.value, l.is_constant, config_);
    if (l.position < position) --operand;
  }
  // An operand that is neither a value nor an integer is a real number in the text.
  return operand < e.operands.size() ? type_of(e.operands[operand]) : scalar_type(DType::float32, 1);
}

void TypeTracker::op(const trace::OpEvent& e) {
  for (const trace::Value& v : e.operands)
    if (const auto [type, is_new] = types_.try_emplace(v.id); is_new) {
      type->second = argument_type(v);
      for (auto [it, end] = awaited_.equal_range(v.id); it != end; ++it)
        declared_.try_emplace(it->second, type->second);
    }
  if (e.results.empty()) return;
  const CudaType type = result_type(e);
  for (const trace::Value& v : e.results) {
    CudaType own = type;
    own.dtype = v.tensor >= 0 ? type.dtype : v.dtype;
    types_[v.id] = own;
  }
}

}  // namespace tl::machine
