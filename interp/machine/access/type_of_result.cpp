// What each op makes of its operands' types.
#include "interp/machine/access/type_tracker.h"

#include <initializer_list>
#include <optional>

#include "interp/machine/access/cuda_access.h"

namespace tl::machine {

using rules::Form;
using rules::Operator;
using trace::Op;

namespace {

std::optional<Operator> operator_of(Op op) {
  switch (op) {
    case Op::add: return Operator::add;
    case Op::sub: return Operator::subtract;
    case Op::mul: return Operator::multiply;
    case Op::div: return Operator::divide;
    case Op::mod: return Operator::remainder;
    case Op::minimum: return Operator::minimum;
    case Op::maximum: return Operator::maximum;
    case Op::bit_and: return Operator::bit_and;
    case Op::bit_or: return Operator::bit_or;
    case Op::bit_xor: return Operator::bit_xor;
    case Op::shl: return Operator::shift_left;
    case Op::shr: return Operator::shift_right;
    case Op::lt: return Operator::less;
    case Op::le: return Operator::less_equal;
    case Op::gt: return Operator::greater;
    case Op::ge: return Operator::greater_equal;
    case Op::eq: return Operator::equal;
    case Op::ne: return Operator::not_equal;
    default: return std::nullopt;
  }
}

std::int64_t literal_of(const trace::OpEvent& e, std::int64_t otherwise) {
  return e.literals.empty() ? otherwise : e.literals[0].value;
}

CudaType arange_type(const trace::Value& result, const CudaConfig& config) {
  const auto first = static_cast<int>(first_lane(result)), end = first + static_cast<int>(result.shape[0]);
  const CudaType index = index_type(result.dtype, rules::arange(first, end, rules::most_divisible(config.formulas)));
  return config.formulas ? index : in_registers(index, config);
}

CudaType negative_type(const CudaType& t, DType dtype, const Sizes& shape, const CudaConfig& config) {
  if (rules::is_integer_function(t.form) || t.form == Form::scalar)
    return binary_type(Operator::subtract, literal_type(0, true, config), t, dtype, shape, config);
  return block_type(dtype, shape, layout_of(t, config));
}

CudaType half_type(const CudaType& from, DType dtype, const Sizes& shape, const CudaConfig& config) {
  const ThreadLayout l = layout_of(from, config);
  return block_type(dtype, shape,
                    rules::halved(l.registers.has(1) ? l : rules::paired(from.shape(), config.num_warps)));
}

}  // namespace

CudaType TypeTracker::loaded(const trace::OpEvent& e) const {
  const trace::Value& result = e.results[0];
  const Sizes shape = sizes_of(result.shape);
  const bool through_pointer = !e.operands.empty() && e.operands[0].tensor >= 0;
  const CudaType pointer = through_pointer ? type_of(e.operands[0]) : CudaType{};
  const bool by_pointers = pointer.is_address() && sizes_of(e.operands[0].shape) == shape;
  if (shape.empty()) return scalar_type(result.dtype, 1);
  if (by_pointers && pointer.form == Form::gather) return block_type(result.dtype, shape, pointer.layout);
  if (by_pointers && config_.lookups && shape.rank == 1 &&
      (result.dtype == DType::int32 || result.dtype == DType::int64))
    return looked_up_type(pointer, result.dtype);
  const bool staged = goes_through_ring(e, config_);
  if ((staged || !through_pointer) && shape.rank == 2) {
    CudaType tile = block_type(result.dtype, shape, {});
    tile.form = Form::tile;
    tile.transposed = by_pointers && access_of(pointer, config_).axis == 0;
    return tile;
  }
  if (!by_pointers) return block_type(result.dtype, shape, rules::default_layout(config_, shape));
  return block_type(result.dtype, shape, access_layout(pointer, config_));
}

CudaType TypeTracker::joined(const trace::OpEvent& e) const {
  CudaType a = argument(e, 0), b = argument(e, 1);
  const auto filled = [&](const CudaType& t, const CudaType& like) {
    const Sizes shape = like.shape().empty() ? Sizes(1) : like.shape();
    return t.form == Form::scalar ? block_type(t.dtype, shape, rules::default_layout(config_, shape))
                                  : in_registers(t, config_);
  };
  a = filled(a, b);
  b = filled(b, a);
  Sizes halves = sizes_of(e.results[0].shape.first(e.results[0].shape.size() - 1));
  if (halves.empty()) halves = Sizes(1);
  const CudaType both = binary_type(Operator::bit_or, a, b, a.dtype, halves, config_);
  return block_type(e.results[0].dtype, sizes_of(e.results[0].shape), rules::doubled(both.layout));
}

CudaType TypeTracker::permuted(const trace::OpEvent& e, const Sizes& order) const {
  CudaType from = argument(e, 0);
  const Sizes shape = sizes_of(e.results[0].shape);
  if (from.form == Form::tile && order == Sizes(1, 0)) {
    from.transposed = !from.transposed;
    from.index.shape = shape;
    return from;
  }
  return block_type(from.dtype, shape, rules::permuted(layout_of(from, config_), from.shape(), order));
}

// tl.multiple_of(x, 1_c) promises nothing, so that a variable declared from it may take any value.
CudaType TypeTracker::promised(const trace::OpEvent& e) const {
  const CudaType from = type_of(e.operands[0]);
  const std::int64_t by = literal_of(e, 1);
  const int limit = rules::most_divisible(config_.formulas), bytes = size_in_bytes(from.dtype);
  const int divides = by == 1 ? 1 : rules::most(from.divisibility(), rules::divisibility_of(by, limit));
  if (from.form == Form::scalar) return scalar_type(from.dtype, divides);
  if (from.form == Form::formula && by != 1)
    return hinted_type(from, rules::Hint::multiple_of, rules::divisibility_of(by, limit));
  if (from.form != Form::pointer) return from;
  return pointer_type(from.dtype,
                      by == 1 ? bytes
                              : rules::most(from.divisibility(), rules::divisibility_of_product(
                                                                     rules::divisibility_of(by, limit), bytes, limit)));
}

CudaType TypeTracker::ranged(const trace::OpEvent& e) const {
  const int limit = rules::most_divisible(config_.formulas);
  int divides = limit;
  for (const trace::LiteralOperand& l : e.literals) {
    int d = l.is_constant || l.value == 0 ? rules::divisibility_of(l.value, limit) : 1;
    if (l.id)
      d = types_.contains(l.id) ? types_.at(l.id).divisibility()
                                : rules::known_divisibility(l.value, config_.least_divisor);
    divides = rules::least(divides, d);
  }
  return scalar_type(e.results[0].dtype, divides);
}

// The high word of an unsigned product, taken lane by lane.
CudaType TypeTracker::high_product(const trace::OpEvent& e) const {
  const Sizes shape = sizes_of(e.results[0].shape);
  const DType dtype = e.results[0].dtype;
  CudaType a = argument(e, 0), b = argument(e, 1);
  if (dtype == DType::int64)
    return block_type(dtype, shape, layout_of(binary_type(Operator::add, a, b, dtype, shape, config_), config_));
  for (CudaType* t : {&a, &b})
    if (t->form != Form::scalar) *t = block_type(DType::int64, t->shape(), layout_of(*t, config_));
  return block_type(dtype, shape,
                    layout_of(binary_type(Operator::multiply, a, b, DType::int64, shape, config_), config_));
}

CudaType TypeTracker::combined(const trace::OpEvent& e, std::initializer_list<Operator> ops) const {
  CudaType t = argument(e, 0);
  unsigned char position = 0;
  Sizes shape = t.shape();
  for (const Operator op : ops) {
    const CudaType by = argument(e, ++position);
    shape = rules::broadcast(shape, by.shape());
    t = binary_type(op, t, by, e.results[0].dtype, shape, config_);
  }
  return t;
}

CudaType TypeTracker::divided_up(const trace::OpEvent& e) const {  // (a + (b - 1)) / b
  const trace::Value& result = e.results[0];
  const Sizes shape = sizes_of(result.shape);
  const CudaType b = argument(e, 1);
  const CudaType less =
      b.is_literal ? literal_type(b.value - 1, b.is_constant, config_)
                   : binary_type(Operator::subtract, b, literal_type(1, true, config_), b.dtype, b.shape(), config_);
  const CudaType sum = binary_type(Operator::add, argument(e, 0), less, result.dtype, shape, config_);
  return binary_type(Operator::divide, sum, b, result.dtype, shape, config_);
}

std::optional<ThreadLayout> TypeTracker::layout_of_result(const trace::OpEvent& e) const {
  const Sizes shape = sizes_of(e.results[0].shape);
  const auto of_first = [&] { return layout_of(argument(e, 0), config_); };
  switch (e.op) {
    case Op::reshape: return of_first();
    case Op::cumsum:
    case Op::cumprod:
    case Op::associative_scan:
      return rules::scan_layout(shape, static_cast<int>(literal_of(e, shape.rank - 1)), config_.num_warps);
    case Op::dot:
    case Op::dot_scaled:
      if (shape.rank == 2) return rules::accumulator_layout(config_, shape[0], shape[1]);
      return rules::default_layout(config_, shape);
    case Op::cat:
    case Op::interleave:
    case Op::flip:
    case Op::gather:
    case Op::sort:
    case Op::topk:
    case Op::histogram:
    case Op::zeros:
    case Op::full:
    case Op::convert_layout: return rules::default_layout(config_, shape);
    case Op::sum:
    case Op::max:
    case Op::min:
    case Op::argmax:
    case Op::argmin:
    case Op::max_with_index:
    case Op::min_with_index:
    case Op::xor_sum:
    case Op::reduce: return rules::sliced(of_first(), argument(e, 0).shape(), static_cast<int>(literal_of(e, 0)));
    default: return std::nullopt;
  }
}

CudaType TypeTracker::lane_by_lane(const trace::OpEvent& e) const {
  const DType dtype = e.results[0].dtype;
  const Sizes shape = sizes_of(e.results[0].shape);
  if (const auto op = operator_of(e.op)) {
    const CudaType a = argument(e, 0), b = argument(e, 1);
    if (a.is_address()) return moved_pointer(a, b, *op == Operator::subtract ? -1 : 1, shape, config_);
    return binary_type(*op, a, b, dtype, shape, config_);
  }
  for (const trace::Value& v : e.operands)  // the layout of its first block
    if (const CudaType t = type_of(v); t.shape() == shape && !t.is_address())
      return block_type(dtype, shape, layout_of(t, config_));
  return block_type(dtype, shape, rules::default_layout(config_, shape));
}

CudaType TypeTracker::result_type(const trace::OpEvent& e) const {
  const trace::Value& result = e.results[0];
  const DType dtype = result.dtype;
  const Sizes shape = sizes_of(result.shape);
  if (const auto layout = layout_of_result(e)) return block_type(dtype, shape, *layout);
  const auto first = [&] { return argument(e, 0); };
  switch (e.op) {
    case Op::program_id:
    case Op::num_programs: return scalar_type(dtype, 1);
    case Op::arange: return arange_type(result, config_);
    case Op::range: return ranged(e);
    case Op::slice:
    case Op::expand_dims: return with_axes(first(), shape, config_);
    case Op::broadcast_to: return stretched(first(), shape, config_);
    case Op::cast:
      if (result.tensor >= 0) return pointer_type(dtype, size_in_bytes(dtype));  // of an address
      return cast_type(first(), dtype, config_);
    case Op::multiple_of: return promised(e);
    case Op::max_contiguous:
    case Op::max_constancy:
      return hinted_type(first(), e.op == Op::max_contiguous ? rules::Hint::max_contiguous : rules::Hint::max_constancy,
                         rules::divisibility_of(literal_of(e, 1), rules::most_divisible(config_.formulas)));
    case Op::neg: return negative_type(first(), dtype, shape, config_);
    case Op::bit_not:
      if (const CudaType t = first(); !rules::is_mask(t.form)) return block_type(dtype, shape, layout_of(t, config_));
      [[fallthrough]];
    case Op::logical_not: return negated_type(first(), config_);
    case Op::cdiv: return divided_up(e);
    case Op::clamp: return combined(e, {Operator::maximum, Operator::minimum});
    case Op::fma: return block_type(dtype, shape, layout_of(combined(e, {Operator::multiply, Operator::add}), config_));
    case Op::umulhi: return high_product(e);
    case Op::permute: {
      Sizes order = shape;
      for (const trace::LiteralOperand& l : e.literals) order.at[l.position - 1] = static_cast<int>(l.value);
      return permuted(e, order);
    }
    case Op::trans: return permuted(e, rules::transposing(shape.rank));
    case Op::split: return half_type(first(), dtype, shape, config_);
    case Op::join: return joined(e);
    case Op::load: return loaded(e);
    case Op::atomic_add:
    case Op::atomic_max:
    case Op::atomic_min:
    case Op::atomic_and:
    case Op::atomic_or:
    case Op::atomic_xor:
    case Op::atomic_xchg:
    case Op::atomic_cas: {
      const CudaType p = first();
      if (p.form == Form::pointer) return scalar_type(dtype, 1);
      return block_type(dtype, shape, p.form == Form::gather ? p.layout : access_layout(p, config_));
    }
    case Op::where: return where_type(argument(e, 0), argument(e, 1), argument(e, 2), dtype, shape, config_);
    default: return lane_by_lane(e);
  }
}

}  // namespace tl::machine
