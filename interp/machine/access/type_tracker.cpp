#include "interp/machine/access/type_tracker.h"

#include <algorithm>
#include <cstring>

#include "interp/machine/access/cuda_access.h"

namespace tl::machine {

using Form = CudaType::Form;
using trace::Op;

namespace {

std::int64_t first_lane(const trace::Value& v) {
  const std::byte* p = v.data();
  switch (v.dtype) {
    case DType::int32: {
      std::int32_t x;
      std::memcpy(&x, p, 4);
      return x;
    }
    case DType::uint32: {
      std::uint32_t x;
      std::memcpy(&x, p, 4);
      return x;
    }
    case DType::int64: {
      std::int64_t x;
      std::memcpy(&x, p, 8);
      return x;
    }
    default: return static_cast<std::int64_t>(*p);
  }
}

bool is_elementwise(Op op) {
  const OpFamily family = family_of(op);
  return info_of(op).operands == 2 &&
         (family == OpFamily::arithmetic || family == OpFamily::bitwise || family == OpFamily::comparison);
}

// The axis that a reduction took away: the first whose loss gives the result's shape, from the last on.
int lost_axis(const Sizes& from, const Sizes& to) {
  for (int axis = static_cast<int>(from.size()) - 1; axis >= 0; --axis) {
    Sizes rest = from;
    rest.erase(rest.begin() + axis);
    if (rest == to) return axis;
  }
  return static_cast<int>(from.size()) - 1;
}

// The order of axes that makes `from` into `to`; of equal sizes the earlier first.
Sizes order_of(const Sizes& from, const Sizes& to, bool reversed) {
  Sizes order;
  if (reversed) return row_major(static_cast<int>(from.size()));
  std::vector<bool> taken(from.size());
  for (const int n : to)
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!taken[i] && from[i] == n) {
        taken[i] = true;
        order.push_back(static_cast<int>(i));
        break;
      }
  return order;
}

}  // namespace

Sizes sizes_of(std::span<const std::int64_t> shape) { return {shape.begin(), shape.end()}; }

void TypeTracker::begin_program() {
  types_.clear();
  declared_.clear();
}

void TypeTracker::assigned(const void* variable, trace::ValueId id) {
  const auto value = types_.find(id);
  if (value == types_.end()) return;
  const auto [declared, is_new] = declared_.try_emplace(variable, value->second);
  if (!is_new && declared->second.form == value->second.form) value->second = declared->second;
  else if (!is_new) declared->second = value->second;
}

CudaType TypeTracker::type_of(const trace::Value& v) const {
  if (const auto it = types_.find(v.id); it != types_.end()) return it->second;
  // An argument of the kernel.
  if (v.tensor >= 0) return pointer_type(tensors_.at(static_cast<std::size_t>(v.tensor)), 16);
  if (v.dtype != DType::int32 && v.dtype != DType::int64) return scalar_type(v.dtype, 1);
  const std::int64_t value = first_lane(v);
  if (value == 1) return literal_type(1, true);
  return scalar_type(v.dtype, value % 16 == 0 ? 16 : 1);
}

CudaType TypeTracker::literal_at(const trace::OpEvent& e, unsigned char position) const {
  for (const trace::LiteralOperand& l : e.literals)
    if (l.position == position) return literal_type(l.value, l.is_constant);
  return scalar_type(DType::float32, 1);
}

CudaType TypeTracker::loaded(const trace::OpEvent& e) const {
  const trace::Value& result = e.results[0];
  const Sizes shape = sizes_of(result.shape);
  const bool through_pointer = !e.operands.empty() && e.operands[0].tensor >= 0;
  const CudaType pointer = through_pointer ? type_of(e.operands[0]) : CudaType{};
  const bool by_pointers = pointer.is_address() && sizes_of(e.operands[0].shape) == shape;
  if (shape.empty()) return scalar_type(result.dtype, 1);
  if (by_pointers && pointer.form == Form::gather) return block_type(result.dtype, shape, pointer.layout);
  const bool staged = e.op == Op::tile && !config_.tensor_maps;
  if ((staged || !through_pointer) && shape.size() == 2) {
    CudaType tile = block_type(result.dtype, shape, {});
    tile.form = Form::tile;
    if (by_pointers)
      for (std::size_t i = 0; i < 2; ++i)
        tile.transposed =
            pointer.coefficients[0] == Coefficient{false, 1} && !(pointer.coefficients[1] == Coefficient{false, 1});
    return tile;
  }
  if (staged || !by_pointers) return block_type(result.dtype, shape, default_layout(config_, shape));
  return block_type(result.dtype, shape, access_layout(pointer, config_));
}

CudaType TypeTracker::result_type(const trace::OpEvent& e) const {
  const trace::Value& result = e.results[0];
  const DType dtype = result.dtype;
  const Sizes shape = sizes_of(result.shape);
  const auto operand = [&](std::size_t i) {
    return i < e.operands.size() ? type_of(e.operands[i]) : scalar_type(dtype, 1);
  };
  switch (e.op) {
    case Op::program_id:
    case Op::num_programs: return scalar_type(dtype, 1);
    case Op::arange: {
      CudaType t;
      t.form = Form::index;
      t.dtype = dtype;
      t.shape = shape;
      t.coefficients = {{false, shape[0] == 1 ? 0 : 1}};
      t.divisibility = divisibility_of(first_lane(result));
      return t;
    }
    case Op::range: {
      int divides = most_divisible;
      for (const trace::LiteralOperand& l : e.literals) {
        int d = l.is_constant || l.value == 0 ? divisibility_of(l.value) : 1;
        if (l.id) d = types_.contains(l.id) ? types_.at(l.id).divisibility : l.value % 16 == 0 ? 16 : 1;
        divides = std::min(divides, d);
      }
      return scalar_type(dtype, divides);
    }
    case Op::slice:
    case Op::expand_dims: {
      const CudaType from = operand(0);
      return from.form == Form::tile ? block_type(dtype, shape, layout_of(from, config_)) : with_axes(from, shape);
    }
    case Op::broadcast_to: return stretched(operand(0), shape, config_);
    case Op::cast: return cast_type(operand(0), dtype, config_);
    case Op::multiple_of: {
      CudaType t = operand(0);
      const int by = e.literals.empty() ? 1 : divisibility_of(e.literals[0].value);
      if (t.form == Form::pointer)
        t.divisibility = std::max(t.divisibility, divisibility_of_product(by, size_in_bytes(t.dtype)));
      else if (t.form == Form::scalar) t.divisibility = std::max(t.divisibility, by);
      return t;
    }
    case Op::neg: return binary_type(Op::sub, literal_type(0, true), operand(0), dtype, shape, config_);
    case Op::logical_not:
    case Op::bit_not: {
      CudaType t = operand(0);
      if (t.form == Form::index && e.op == Op::logical_not)
        return binary_type(Op::eq, t, literal_type(0, true), dtype, shape, config_);
      if (t.is_mask()) {
        t.form = Form::condition;
        t.aligned.clear();
        return t;
      }
      return block_type(dtype, shape, layout_of(t, config_));
    }
    case Op::cdiv: {
      const CudaType a = e.literals.empty() || e.literals[0].position != 0 ? operand(0) : literal_at(e, 0);
      CudaType b =
          !e.literals.empty() && e.literals.back().position == 1 ? literal_at(e, 1) : operand(e.operands.size() - 1);
      CudaType less = scalar_type(dtype, b.is_static ? divisibility_of(b.value - 1) : 1);
      less.is_static = b.is_static, less.value = b.value - 1;
      const CudaType sum = binary_type(Op::add, a, less, dtype, shape, config_);
      return binary_type(Op::div, sum, b, dtype, shape, config_);
    }
    case Op::permute:
    case Op::trans: {
      CudaType from = operand(0);
      const Sizes order = order_of(from.shape, shape, e.op == Op::trans || from.shape.size() == 2);
      if (from.form == Form::tile) {
        from.transposed = !from.transposed;
        from.shape = shape;
        return from;
      }
      return block_type(dtype, shape, permuted(layout_of(from, config_), from.shape, order));
    }
    case Op::split: {
      const CudaType from = operand(0);
      ThreadLayout l = layout_of(from, config_);
      if (!l.registers.has(1)) l = paired(from.shape, config_.num_warps);
      return block_type(dtype, shape, halved(l));
    }
    case Op::join: {
      const CudaType both = binary_type(Op::where, operand(0), operand(1), dtype, operand(0).shape, config_);
      return block_type(dtype, shape, doubled(layout_of(both, config_)));
    }
    case Op::cumsum: {
      const int axis = static_cast<int>(shape.size()) - 1,
                per_thread = std::max(1, size_of(shape) / (32 * config_.num_warps));
      return block_type(
          dtype, shape,
          blocked(shape, first_order(static_cast<int>(shape.size()), axis), per_thread, config_.num_warps));
    }
    case Op::dot: return block_type(dtype, shape, accumulator_layout(config_, shape));
    case Op::zeros:
    case Op::full:
    case Op::convert_layout: return block_type(dtype, shape, default_layout(config_, shape));
    case Op::load:
    case Op::tile: return loaded(e);
    case Op::atomic_add: {
      const CudaType p = operand(0);
      if (p.form == Form::pointer) return scalar_type(dtype, 1);
      return block_type(dtype, shape, p.form == Form::gather ? p.layout : access_layout(p, config_));
    }
    case Op::where: {  // mask, a, b
      const CudaType mask = operand(0), a = operand(1), b = operand(2);
      const CudaType &x = a.form == Form::scalar ? b : a, &y = b.form == Form::scalar ? a : b;
      const bool values_have_shape = a.shape == shape || b.shape == shape;
      const CudaType meet = values_have_shape
                                ? binary_type(Op::where, x, y, dtype, shape, config_)
                                : binary_type(Op::where, mask, a.form == Form::block ? a : b, dtype, shape, config_);
      return block_type(dtype, shape, layout_of(meet, config_));
    }
    default: break;
  }
  if (is_elementwise(e.op)) {
    const bool left = !e.literals.empty() && e.literals[0].position == 0,
               right = !e.literals.empty() && e.literals.back().position == 1;
    // An operand that is neither a value nor an integer is a real number in the text.
    const CudaType a = left ? literal_at(e, 0) : operand(0);
    const CudaType b = right                   ? literal_at(e, 1)
                       : left                  ? operand(0)
                       : e.operands.size() > 1 ? operand(1)
                                               : scalar_type(DType::float32, 1);
    if (!e.operands.empty() && e.operands[0].tensor >= 0)
      return moved_pointer(a, b, e.op == Op::sub ? -1 : 1, shape, config_);
    return binary_type(e.op, a, b, dtype, shape, config_);
  }
  if (family_of(e.op) == OpFamily::reduction) {
    const CudaType from = operand(0);
    if (shape.empty()) return scalar_type(dtype, 1);
    return block_type(dtype, shape, sliced(layout_of(from, config_), from.shape, lost_axis(from.shape, shape)));
  }
  // Math and whatever else works lane by lane: the layout of its first block.
  for (const trace::Value& v : e.operands)
    if (const CudaType t = type_of(v); t.shape == shape && !t.is_address())
      return block_type(dtype, shape, layout_of(t, config_));
  return block_type(dtype, shape, default_layout(config_, shape));
}

void TypeTracker::op(const trace::OpEvent& e) {
  if (e.results.empty()) return;
  const CudaType type = result_type(e);
  for (const trace::Value& v : e.results) {
    CudaType own = type;
    own.dtype = v.tensor >= 0 ? type.dtype : v.dtype;
    types_[v.id] = own;
  }
}

}  // namespace tl::machine
