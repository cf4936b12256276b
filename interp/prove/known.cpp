#include "interp/prove/known.h"

#include <fmt/format.h>

namespace tl::prove {

using cpu::Value;

std::string lane_name(int axis) { return fmt::format("l{}", axis); }

Known of_constant(const Value& v) {
  Known k;
  if (v.is_pointer || (is_integer(v.dtype) && v.dtype != DType::int1)) {
    if (v.form == cpu::Form::affine) {
      Number n(v.base);
      for (int i = 0; i < v.rank; ++i)
        if (v.dims[i] > 1) n = n + Number(v.strides[i]) * Number::symbol(lane_name(i));
      k.number = n;
    } else if (cpu::is_uniform(v)) {
      k.number = Number(cpu::int_of(v));
    }
  } else if (v.dtype == DType::int1 && v.form == cpu::Form::box) {
    if (v.rank == 0) k.condition = constant(v.base != 0);
    else {
      k.condition = constant(true);
      for (int i = 0; i < v.rank; ++i) {
        const Number lane = v.dims[i] > 1 ? Number::symbol(lane_name(i)) : Number(0);
        k.condition = both(k.condition, both(at_most(v.lo()[i], lane), less(lane, v.hi[i])));
      }
    }
  }
  return k;
}

Known with_axes(Known k, const Value& v, const std::vector<int>& to) {
  std::map<std::string, Number> moved;
  for (int i = 0; i < v.rank; ++i)
    moved.emplace(lane_name(i), v.dims[i] > 1 && to[static_cast<std::size_t>(i)] >= 0
                                    ? Number::symbol(lane_name(to[static_cast<std::size_t>(i)]))
                                    : Number(0));
  if (k.number) k.number = k.number->with(moved);
  if (k.condition) k.condition = with(k.condition, moved);
  return k;
}

Known broadcast_to(Known k, const Value& v, const Value& result) {
  std::vector<int> to;
  for (int i = 0; i < v.rank; ++i) to.push_back(i + result.rank - v.rank);
  return with_axes(std::move(k), v, to);
}

Number range_of(DType t, bool upper) {
  const int bits = 8 * size_in_bytes(t);
  const bool is_signed = t == DType::int32 || t == DType::int16 || t == DType::int8;
  if (is_signed) return upper ? (std::int64_t{1} << (bits - 1)) - 1 : -(std::int64_t{1} << (bits - 1));
  return upper ? (std::int64_t{1} << bits) - 1 : 0;
}

}  // namespace tl::prove
