#include "interp/machine/access/cuda_type.h"

namespace tl::machine {

using rules::Form;
using rules::Operator;

namespace {

int limit_of(const CudaConfig& config) { return rules::most_divisible(config.formulas); }

rules::Operand operand_of(const CudaType& t) { return {t.form, t.dtype, t.is_literal, t.operators}; }

template <class... T>
std::uint64_t expression_of(T... parts) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  ((hash = (hash ^ static_cast<std::uint64_t>(parts)) * 0x100000001b3), ...);
  return hash;
}
// For an operand of a condition.
std::uint64_t expression_of_type(const CudaType& t) {
  const bool is_value_of_type = t.form == Form::scalar && t.is_constant;
  std::uint64_t hash =
      expression_of(t.form, t.dtype, t.divisibility(), t.expression, is_value_of_type, is_value_of_type ? t.value : 0);
  for (int i = 0; i < t.shape().rank; ++i) hash = expression_of(hash, t.shape()[i], t.index.coefficient[i]);
  return hash;
}

CudaType condition_type(const Sizes& shape, std::uint64_t expression) {
  CudaType t;
  t.form = Form::condition;
  t.dtype = DType::int1;
  t.index.shape = shape;
  t.expression = expression;
  return t;
}
CudaType box_type(const Sizes& shape, int aligned) {
  CudaType t;
  t.form = Form::box;
  t.dtype = DType::int1;
  t.index.shape = shape;
  for (int& axis : t.aligned) axis = aligned;
  return t;
}

rules::AxisInfo axes_of(const CudaType& t, const Sizes& shape, int limit) {
  if (t.form == Form::index) return rules::axis_info(t.index, limit);
  return t.form == Form::formula ? t.axes : rules::uniform_axis_info(shape, t.divisibility());
}

CudaType formula_type(DType dtype, const rules::AxisInfo& axes, int operators, std::uint64_t expression) {
  CudaType t;
  t.form = Form::formula;
  t.dtype = dtype;
  t.index.shape = axes.shape;
  t.axes = axes;
  t.operators = operators;
  t.expression = expression_of(dtype, expression);
  return t;
}

bool has_expression(const CudaType& t) {
  return t.form == Form::formula || t.form == Form::formula_pointers || t.form == Form::condition;
}

CudaType compared(Operator op, const CudaType& a, int bound_divisibility, const CudaConfig& config) {
  if (a.form == Form::formula) return condition_type(a.shape(), expression_of(op, expression_of_type(a)));
  const rules::Comparison how = rules::compared(op, a.index, bound_divisibility);
  if (!how.is_box) return condition_type(a.shape(), expression_of(op, expression_of_type(a)));
  CudaType box = box_type(a.shape(), limit_of(config));
  if (how.axis != rules::uniform) box.aligned[how.axis] = how.aligned;
  return box;
}

// The layout two operands meet in.
ThreadLayout meeting_layout(const CudaType& a, const CudaType& b, const Sizes& shape, const CudaConfig& config) {
  switch (rules::common_layout(a.form, a.shape(), b.form, b.shape(), shape)) {
    case rules::CommonLayout::left: return a.layout;
    case rules::CommonLayout::right: return b.layout;
    case rules::CommonLayout::merged: return rules::merged(a.layout, a.shape(), b.layout, b.shape(), shape);
    case rules::CommonLayout::standard: break;
  }
  return rules::default_layout(config, shape);
}

}  // namespace

CudaType scalar_type(DType dtype, int divisibility) {
  CudaType t;
  t.dtype = dtype;
  t.index.divisibility = divisibility;
  return t;
}

CudaType literal_type(std::int64_t value, bool is_constant, const CudaConfig& config) {
  CudaType t = scalar_type(DType::int32, is_constant ? rules::divisibility_of(value, limit_of(config)) : 1);
  t.is_literal = true;
  t.is_constant = is_constant;
  t.value = value;
  return t;
}

CudaType unit_type(DType dtype) {
  CudaType t = scalar_type(dtype, 1);
  t.is_constant = true;
  t.value = 1;
  return t;
}

CudaType pointer_type(DType dtype, int divisibility_bytes) {
  CudaType t = scalar_type(dtype, divisibility_bytes);
  t.form = Form::pointer;
  return t;
}

CudaType index_type(DType dtype, const rules::Index& index) {
  CudaType t;
  t.form = Form::index;
  t.dtype = dtype;
  t.index = index;
  return t;
}

CudaType block_type(DType dtype, const Sizes& shape, const ThreadLayout& layout) {
  if (shape.empty()) return scalar_type(dtype, 1);
  CudaType t;
  t.form = Form::block;
  t.dtype = dtype;
  t.index.shape = shape;
  t.layout = layout;
  return t;
}

ThreadLayout layout_of(const CudaType& t, const CudaConfig& config) {
  if (t.form == Form::block || t.form == Form::gather) return t.layout;
  if (t.form == Form::tile)
    return rules::tile_layout(t.shape(), t.transposed, size_in_bytes(t.dtype), config.num_warps);
  return rules::default_layout(config, t.shape());
}

CudaType in_registers(const CudaType& t, const CudaConfig& config) {
  return rules::is_lazy(t.form) || t.form == Form::tile ? block_type(t.dtype, t.shape(), layout_of(t, config)) : t;
}

CudaType binary_type(Operator op, const CudaType& a, const CudaType& b, DType dtype, const Sizes& shape,
                     const CudaConfig& config) {
  if (a.form == Form::tile || b.form == Form::tile)
    return binary_type(op, a.form == Form::tile ? in_registers(a, config) : a,
                       b.form == Form::tile ? in_registers(b, config) : b, dtype, shape, config);
  const int limit = limit_of(config), sign = op == Operator::subtract ? -1 : 1;
  const rules::BinaryPlan plan = rules::binary_plan(op, operand_of(a), operand_of(b), config.affine_only);
  const CudaType &x = plan.left ? a : b, &y = plan.left ? b : a;
  switch (plan.rule) {
    case rules::BinaryRule::widen_left:
      return binary_type(op, cast_type(a, DType::int64, config), b, dtype, shape, config);
    case rules::BinaryRule::widen_right:
      return binary_type(op, a, cast_type(b, DType::int64, config), dtype, shape, config);
    case rules::BinaryRule::sum: return index_type(dtype, rules::sum(a.index, b.index, sign, shape, limit));
    case rules::BinaryRule::compare_lanes:
      return condition_type(shape, expression_of(op, expression_of_type(a), expression_of_type(b)));
    case rules::BinaryRule::shift:
      return index_type(dtype, rules::shifted(x.index, plan.left ? 1 : sign, y.divisibility(), limit));
    case rules::BinaryRule::scale:
      return index_type(dtype,
                        rules::scaled(x.index, rules::factor_of(y.is_constant, y.value, y.divisibility()), limit));
    case rules::BinaryRule::compare: return compared(plan.left ? op : rules::mirrored(op), x, y.divisibility(), config);
    case rules::BinaryRule::formula: {
      const rules::KnownValue known{b.form == Form::scalar && b.is_constant, b.value};
      const rules::AxisInfo axes =
          rules::axis_info_after(op, axes_of(a, shape, limit), axes_of(b, shape, limit), known, shape, limit);
      return formula_type(dtype, axes, 1 + a.operators + b.operators,
                          expression_of(op, expression_of_type(a), expression_of_type(b)));
    }
    case rules::BinaryRule::both: {
      CudaType box = stretched(a, shape, config);
      const CudaType other = stretched(b, shape, config);
      for (int i = 0; i < shape.rank; ++i) box.aligned[i] = rules::least(box.aligned[i], other.aligned[i]);
      return box;
    }
    case rules::BinaryRule::combine:
      return condition_type(shape, expression_of(op, expression_of_type(a), expression_of_type(b)));
    case rules::BinaryRule::scalars: {
      const bool counts = is_integer(dtype) && rules::kind_of(op) != rules::Kind::comparison;
      const int divides =
          a.is_literal && b.is_literal ? 1 : a.divisibility();  // a literal beside one is a plain scalar
      const std::int64_t divisor = b.is_literal && b.is_constant ? b.value : 0;
      return scalar_type(dtype, counts ? rules::divisibility_after(op, divides, b.divisibility(), divisor, limit) : 1);
    }
    case rules::BinaryRule::blocks: break;
  }
  return block_type(dtype, shape, meeting_layout(a, b, shape, config));
}

CudaType negated_type(const CudaType& t, const CudaConfig& config) {
  if (rules::is_integer_function(t.form)) return compared(Operator::equal, t, limit_of(config), config);
  if (rules::is_mask(t.form)) return condition_type(t.shape(), expression_of(expression_of_type(t)));
  return block_type(DType::int1, t.shape(), layout_of(t, config));
}

CudaType where_type(const CudaType& mask, const CudaType& a, const CudaType& b, DType dtype, const Sizes& shape,
                    const CudaConfig& config) {
  const CudaType x = a.form == Form::tile ? in_registers(a, config) : a,
                 y = b.form == Form::tile ? in_registers(b, config) : b;
  if (rules::is_formula_choice(mask.form, operand_of(x), operand_of(y), dtype, config.affine_only)) {
    const int limit = limit_of(config);
    return formula_type(
        dtype, rules::axis_info_of_choice(mask.shape(), axes_of(x, shape, limit), axes_of(y, shape, limit), shape),
        1 + x.operators + y.operators,
        expression_of(expression_of_type(mask), expression_of_type(x), expression_of_type(y)));
  }
  const rules::Pair meet = rules::operands_of_where(x.form, x.shape(), y.form, y.shape(), shape);
  const CudaType* const all[] = {&mask, &x, &y};
  return block_type(dtype, shape, meeting_layout(*all[meet.first], *all[meet.second], shape, config));
}

CudaType looked_up_type(const CudaType& pointers, DType dtype) {
  return formula_type(dtype, rules::unknown_axis_info(pointers.shape()), 1 + pointers.operators,
                      expression_of_type(pointers));
}

CudaType hinted_type(const CudaType& t, rules::Hint hint, int divides) {
  if (t.form != Form::formula) return t;
  return formula_type(t.dtype, rules::hinted(t.axes, hint, divides), t.operators,
                      expression_of(hint, divides, expression_of_type(t)));
}

CudaType moved_pointer(const CudaType& p, const CudaType& given, int sign, const Sizes& shape,
                       const CudaConfig& config) {
  const int limit = limit_of(config);
  CudaType offset = given;
  if (sign < 0 && offset.form == Form::index) offset.index = rules::shifted(offset.index, -1, limit, limit);
  if (sign < 0 && offset.form == Form::formula)
    offset =
        binary_type(Operator::subtract, literal_type(0, true, config), offset, offset.dtype, offset.shape(), config);
  const auto moved_by = [&](int divisibility) {
    return rules::least(p.divisibility(), rules::divisibility_of_product(divisibility, size_in_bytes(p.dtype), limit));
  };
  CudaType t = p;
  if (p.form != Form::gather && offset.form == Form::scalar) {
    t.index.divisibility = moved_by(offset.divisibility());
    return t;
  }
  CudaType sum = offset.form == Form::tile ? in_registers(offset, config) : offset;
  if (p.form == Form::pointer_block) {
    CudaType from = index_type(p.offset, p.index);
    from.index.divisibility = limit;
    sum = binary_type(Operator::add, from, sum, promote(p.offset, sum.dtype), shape, config);
  } else if (p.form == Form::formula_pointers) {
    CudaType from = p;
    from.form = Form::formula;
    from.dtype = p.offset;
    sum = binary_type(Operator::add, from, sum, promote(p.offset, sum.dtype), shape, config);
  } else if (p.form == Form::gather) {
    sum = binary_type(Operator::add, block_type(DType::int64, p.shape(), p.layout), sum, DType::int64, shape, config);
  }
  if (sum.form == Form::index) {
    t.form = Form::pointer_block;
    t.index = sum.index;
    t.index.divisibility = moved_by(sum.divisibility());
    t.offset = sum.dtype;
  } else if (sum.form == Form::formula) {
    t = sum;
    t.form = Form::formula_pointers;
    t.dtype = p.dtype;
    t.offset = sum.dtype;
    t.index.divisibility = p.divisibility();
  } else {
    t = block_type(p.dtype, shape, sum.layout);
    t.form = Form::gather;
  }
  return t;
}

CudaType with_axes(const CudaType& from, const Sizes& shape, const CudaConfig& config) {
  if (from.shape() == shape) return from;
  CudaType to = from.form == Form::tile ? in_registers(from, config) : from;
  // The sizes show which axis is new; among several of size 1 it does not matter.
  Sizes source;
  for (int i = 0, next = 0; i < shape.rank; ++i) {
    const bool is_new =
        next >= from.shape().rank || (shape[i] != from.shape()[next] && shape.rank - i > from.shape().rank - next);
    source.add(is_new ? -1 : next++);
    to.aligned[i] = is_new ? limit_of(config) : from.aligned[source[i]];
  }
  to.index = rules::with_axes(from.index, shape, source);
  to.axes = rules::with_axes(from.axes, shape, source);
  if (has_expression(from)) to.expression = expression_of(expression_of_type(from), shape.rank);
  return to;
}

CudaType stretched(const CudaType& from, const Sizes& shape, const CudaConfig& config) {
  if (from.shape() == shape) return from.form == Form::tile ? in_registers(from, config) : from;
  CudaType to = from;
  to.index = rules::stretched(from.index, shape);
  switch (from.form) {
    case Form::index: return to;
    case Form::box:
      for (int i = 0; i < shape.rank; ++i) {
        const int axis = i - (shape.rank - from.shape().rank);
        to.aligned[i] = axis >= 0 && from.shape()[axis] == shape[i] ? from.aligned[axis] : limit_of(config);
      }
      return to;
    case Form::formula: to.axes = rules::stretched(from.axes, shape); [[fallthrough]];
    case Form::condition: to.expression = expression_of(expression_of_type(from), shape.rank); return to;
    default: return block_type(from.dtype, shape, rules::default_layout(config, shape));
  }
}

CudaType cast_type(const CudaType& from, DType to, const CudaConfig& config) {
  CudaType t = from;
  switch (rules::cast_of(from.form, from.dtype, to, from.index, config.affine_only)) {
    case rules::Cast::same: return t;
    case rules::Cast::widened: t.dtype = to; return t;
    case rules::Cast::formula:
      return formula_type(to, axes_of(from, from.shape(), limit_of(config)), from.operators, expression_of_type(from));
    case rules::Cast::scalar:
      return scalar_type(to, rules::divisibility_after_cast(from.divisibility(), from.dtype, to));
    case rules::Cast::block: break;
  }
  return block_type(to, from.shape(), layout_of(from, config));
}

bool can_hold(const CudaType& declared, const CudaType& value, const CudaConfig& config) {
  switch (declared.form) {
    case Form::scalar:
      return value.form != Form::scalar || declared.divisibility() == 1
                 ? !declared.is_unit() || value.is_unit()
                 : rules::can_hold(declared.divisibility(), value.divisibility());
    case Form::index:
      return value.form == Form::index && rules::can_hold(declared.index, value.index, limit_of(config));
    case Form::box: return value.form == Form::box;
    case Form::formula:
    case Form::condition: return value.form == declared.form && value.expression == declared.expression;
    case Form::formula_pointers:
      return value.form == declared.form && value.expression == declared.expression &&
             rules::can_hold(declared.divisibility(), value.divisibility());
    case Form::pointer:
      return value.form == Form::pointer && rules::can_hold(declared.divisibility(), value.divisibility());
    case Form::pointer_block: {
      rules::Index same = value.index;
      same.divisibility = declared.divisibility();
      return value.form == Form::pointer_block && same == declared.index && value.offset == declared.offset &&
             rules::can_hold(declared.divisibility(), value.divisibility());
    }
    case Form::block:
    case Form::tile:
    case Form::gather: break;
  }
  return true;
}

}  // namespace tl::machine
