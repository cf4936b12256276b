#include "interp/machine/access/cuda_type.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace tl::machine {

using Form = CudaType::Form;
using trace::Op;

namespace {

int rank_of(const Sizes& s) { return static_cast<int>(s.size()); }
std::size_t u(int i) { return static_cast<std::size_t>(i); }

bool is_int_operand(const CudaType& t) {
  return t.form == Form::scalar && (t.dtype == DType::int32 || t.dtype == DType::int64);
}

// Axis i of shape `to` in a smaller shape that broadcasts to it: -1 where it has none, or only one index.
int source_axis(const Sizes& from, const Sizes& to, int i) {
  const int j = i - (rank_of(to) - rank_of(from));
  return j < 0 || from[u(j)] == 1 ? -1 : j;
}

Coefficient coefficient_at(const CudaType& t, const Sizes& to, int i) {
  const int axis = source_axis(t.shape, to, i);
  return axis < 0 ? Coefficient{} : t.coefficients[u(axis)];
}

Coefficient sum_of(Coefficient a, Coefficient b, int sign) {
  if (!a.run_time && !b.run_time) return {false, a.value + sign * b.value};
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  return {true, std::min(a.divisibility(), b.divisibility())};
}

Coefficient scaled(Coefficient a, bool by_static, std::int64_t by, int divisibility) {
  constexpr std::int64_t limit = 1 << 28;
  if (a.is_zero()) return a;
  if (by_static && !a.run_time && std::abs(a.value * by) < limit) return {false, static_cast<int>(a.value * by)};
  return {true, divisibility_of_product(a.divisibility(), divisibility)};
}

CudaType index_type(DType dtype, const Sizes& shape, int divisibility) {
  CudaType t;
  t.form = Form::index;
  t.dtype = dtype;
  t.shape = shape;
  t.divisibility = divisibility;
  t.coefficients.resize(shape.size());
  return t;
}

CudaType mask_type(Form form, const Sizes& shape) {
  CudaType t;
  t.form = form;
  t.dtype = DType::int1;
  t.shape = shape;
  if (form == Form::box) t.aligned.assign(shape.size(), most_divisible);
  return t;
}

CudaType sum_of_indices(const CudaType& a, const CudaType& b, int sign, DType dtype, const Sizes& shape) {
  CudaType t = index_type(dtype, shape, std::min(a.divisibility, b.divisibility));
  for (int i = 0; i < rank_of(shape); ++i)
    t.coefficients[u(i)] = sum_of(coefficient_at(a, shape, i), coefficient_at(b, shape, i), sign);
  return t;
}

// sign * a + scalar
CudaType shifted_index(const CudaType& a, int sign, int scalar_divisibility, DType dtype) {
  CudaType t = index_type(dtype, a.shape, std::min(a.divisibility, scalar_divisibility));
  for (std::size_t i = 0; i < a.coefficients.size(); ++i) t.coefficients[i] = scaled(a.coefficients[i], true, sign, 1);
  return t;
}

CudaType scaled_index(const CudaType& a, const CudaType& by, DType dtype) {
  CudaType t = index_type(dtype, a.shape, divisibility_of_product(a.divisibility, by.divisibility));
  for (std::size_t i = 0; i < a.coefficients.size(); ++i)
    t.coefficients[i] = scaled(a.coefficients[i], by.is_static, by.value, by.divisibility);
  return t;
}

// The one axis an index moves along by steps of 1; -1: it is uniform; -2: none.
int unit_axis(const CudaType& a) {
  int axis = -1;
  for (int i = 0; i < rank_of(a.shape); ++i) {
    const Coefficient c = a.coefficients[u(i)];
    if (c.is_zero()) continue;
    if (axis != -1 || c.run_time || c.value != 1) return -2;
    axis = i;
  }
  return axis;
}

Op mirrored(Op op) {
  switch (op) {
    case Op::lt: return Op::gt;
    case Op::gt: return Op::lt;
    case Op::le: return Op::ge;
    case Op::ge: return Op::le;
    default: return op;
  }
}

// index op bound: along one axis by steps of 1 it is a box.
CudaType compared_index(Op op, const CudaType& a, int bound_divisibility) {
  const int axis = unit_axis(a);
  if (axis == -2 || op == Op::ne) return mask_type(Form::condition, a.shape);
  CudaType box = mask_type(Form::box, a.shape);
  if (axis >= 0) box.aligned[u(axis)] = op == Op::lt || op == Op::ge ? std::min(a.divisibility, bound_divisibility) : 1;
  return box;
}

int divisibility_after(Op op, const CudaType& a, const CudaType& b) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::minimum:
    case Op::maximum:
    case Op::mod: return std::min(a.divisibility, b.divisibility);
    case Op::mul: return divisibility_of_product(a.divisibility, b.divisibility);
    case Op::div:
      return b.is_static && b.value > 0 && (b.value & (b.value - 1)) == 0 && b.value < a.divisibility
                 ? a.divisibility / static_cast<int>(b.value)
                 : 1;
    default: return 1;
  }
}

std::optional<std::int64_t> fold(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return b ? a / b : 0;
    case Op::mod: return b ? a % b : 0;
    default: return std::nullopt;
  }
}

CudaType scalars(Op op, const CudaType& a, const CudaType& b, DType dtype) {
  const bool arithmetic = is_integer(dtype) && !is_comparison(op);
  if (a.is_static && b.is_static && arithmetic)
    if (const auto value = fold(op, a.value, b.value)) return literal_type(*value, true);
  return scalar_type(dtype, arithmetic ? divisibility_after(op, a, b) : 1);
}

// The layout two operands meet in.
ThreadLayout meeting_layout(const CudaType& a, const CudaType& b, const Sizes& shape, const CudaConfig& config) {
  const auto in_registers = [](const CudaType& t) { return t.form == Form::block || t.form == Form::tile; };
  if (in_registers(a) && in_registers(b)) {
    if (a.shape == shape) return layout_of(a, config);
    if (b.shape == shape) return layout_of(b, config);
    return merged(layout_of(a, config), a.shape, layout_of(b, config), b.shape, shape);
  }
  if (in_registers(a) && a.shape == shape) return layout_of(a, config);
  if (in_registers(b) && b.shape == shape) return layout_of(b, config);
  return default_layout(config, shape);
}

}  // namespace

int divisibility_of(std::int64_t value) {
  if (value == 0) return most_divisible;
  const std::int64_t low = value & -value;
  return low > most_divisible ? most_divisible : static_cast<int>(low);
}

int divisibility_of_product(int a, int b) {
  return static_cast<int>(std::min<std::int64_t>(static_cast<std::int64_t>(a) * b, most_divisible));
}

CudaType scalar_type(DType dtype, int divisibility) {
  CudaType t;
  t.form = Form::scalar;
  t.dtype = dtype;
  t.divisibility = divisibility;
  return t;
}

CudaType literal_type(std::int64_t value, bool is_constant) {
  CudaType t = scalar_type(DType::int32, is_constant ? divisibility_of(value) : 1);
  t.is_literal = true;
  t.is_static = is_constant;
  t.value = value;
  return t;
}

CudaType pointer_type(DType dtype, int divisibility_bytes) {
  CudaType t;
  t.form = Form::pointer;
  t.dtype = dtype;
  t.divisibility = divisibility_bytes;
  return t;
}

CudaType block_type(DType dtype, const Sizes& shape, const ThreadLayout& layout) {
  if (shape.empty()) return scalar_type(dtype, 1);
  CudaType t;
  t.form = Form::block;
  t.dtype = dtype;
  t.shape = shape;
  t.layout = layout;
  return t;
}

ThreadLayout layout_of(const CudaType& t, const CudaConfig& config) {
  if (t.form == Form::block || t.form == Form::gather) return t.layout;
  if (t.form == Form::tile) {
    const int first = t.transposed ? 0 : 1;
    return blocked(t.shape, first_order(2, first), 16 / size_in_bytes(t.dtype), config.num_warps);
  }
  return default_layout(config, t.shape);
}

CudaType binary_type(Op op, const CudaType& a, const CudaType& b, DType dtype, const Sizes& shape,
                     const CudaConfig& config) {
  const bool adds = op == Op::add || op == Op::sub;
  const int sign = op == Op::sub ? -1 : 1;
  if (a.form == Form::index && b.form == Form::index && (adds || is_comparison(op))) {
    if (adds) return sum_of_indices(a, b, sign, dtype, shape);
    return compared_index(op, sum_of_indices(a, b, -1, a.dtype, shape), most_divisible);
  }
  if (a.form == Form::index && is_int_operand(b)) {
    if (adds) return shifted_index(a, 1, b.divisibility, dtype);
    if (op == Op::mul) return scaled_index(a, b, dtype);
    if (is_comparison(op)) return compared_index(op, a, b.divisibility);
  }
  if (b.form == Form::index && is_int_operand(a)) {
    if (adds) return shifted_index(b, sign, a.divisibility, dtype);
    if (op == Op::mul) return scaled_index(b, a, dtype);
    if (is_comparison(op)) return compared_index(mirrored(op), b, a.divisibility);
  }
  if (a.form == Form::box && b.form == Form::box && op == Op::bit_and) {
    const CudaType x = stretched(a, shape, config), y = stretched(b, shape, config);
    CudaType box = mask_type(Form::box, shape);
    for (std::size_t i = 0; i < shape.size(); ++i) box.aligned[i] = std::min(x.aligned[i], y.aligned[i]);
    return box;
  }
  if (a.is_mask() && b.is_mask() && (op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor))
    return mask_type(Form::condition, shape);
  if (a.form == Form::scalar && b.form == Form::scalar) return scalars(op, a, b, dtype);
  return block_type(dtype, shape, meeting_layout(a, b, shape, config));
}

CudaType moved_pointer(const CudaType& p, const CudaType& given, int sign, const Sizes& shape,
                       const CudaConfig& config) {
  const int bytes = size_in_bytes(p.dtype);
  CudaType offset = given;
  if (sign < 0 && offset.form == Form::index) offset = shifted_index(offset, -1, most_divisible, offset.dtype);
  const int offset_bytes = divisibility_of_product(offset.divisibility, bytes);
  CudaType t = p;
  t.shape = shape;
  if (p.form != Form::gather && offset.form == Form::scalar) {
    t.divisibility = std::min(p.divisibility, offset_bytes);
  } else if (p.form != Form::gather && offset.form == Form::index) {
    CudaType from = index_type(DType::int64, p.shape, most_divisible);
    if (p.form == Form::pointer_block) from.coefficients = p.coefficients;
    t.form = Form::pointer_block;
    t.divisibility = std::min(p.divisibility, offset_bytes);
    t.coefficients = sum_of_indices(from, offset, 1, DType::int64, shape).coefficients;
  } else {
    CudaType from = index_type(DType::int64, p.shape, 1);
    if (p.form == Form::gather) from = block_type(DType::int64, p.shape, p.layout);
    t.form = Form::gather;
    t.layout = p.form == Form::pointer ? layout_of(offset, config) : meeting_layout(from, offset, shape, config);
    t.divisibility = 1;
  }
  return t;
}

CudaType with_axes(const CudaType& from, const Sizes& shape) {
  CudaType to = from;
  to.shape = shape;
  if (from.shape == shape || (from.coefficients.empty() && from.aligned.empty())) return to;
  to.coefficients.clear();
  to.aligned.clear();
  std::size_t source = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t left = shape.size() - i, wanted = from.shape.size() - source;
    const bool is_new = source >= from.shape.size() || (shape[i] != from.shape[source] && left > wanted);
    if (!from.coefficients.empty()) to.coefficients.push_back(is_new ? Coefficient{} : from.coefficients[source]);
    if (!from.aligned.empty()) to.aligned.push_back(is_new ? most_divisible : from.aligned[source]);
    if (!is_new) ++source;
  }
  return to;
}

CudaType stretched(const CudaType& from, const Sizes& shape, const CudaConfig& config) {
  if (from.shape == shape) return from;
  CudaType to = from;
  to.shape = shape;
  const auto lead = shape.size() - std::min(shape.size(), from.shape.size());
  if (from.form == Form::index) {
    to.coefficients.clear();
    for (int i = 0; i < rank_of(shape); ++i) to.coefficients.push_back(coefficient_at(from, shape, i));
  } else if (from.form == Form::box) {
    to.aligned.assign(shape.size(), most_divisible);
    for (std::size_t i = 0; i < from.shape.size(); ++i)
      if (from.shape[i] == shape[i + lead]) to.aligned[i + lead] = from.aligned[i];
  } else if (from.form != Form::condition) {
    return block_type(from.dtype, shape, default_layout(config, shape));
  }
  return to;
}

CudaType cast_type(const CudaType& from, DType to, const CudaConfig& config) {
  CudaType t = from;
  t.dtype = to;
  switch (from.form) {
    case Form::scalar:
      t.is_static = t.is_literal = false;
      t.divisibility = is_integer(to) && is_integer(from.dtype) && (to == DType::int32 || to == DType::int64)
                           ? from.divisibility
                           : 1;
      return t;
    case Form::index:
      if (to == from.dtype || to == DType::int64) return t;
      [[fallthrough]];
    case Form::box:
    case Form::condition:
    case Form::tile: return block_type(to, from.shape, layout_of(from, config));
    default: return t;
  }
}

}  // namespace tl::machine
