// tl.dot_scaled: narrow floats and their scales, widened to bf16 or fp16 and multiplied.
#include <fmt/format.h>

#include <string_view>

#include "interp/cpu/absent.h"
#include "interp/cpu/language.h"
#include "interp/cpu/reduction.h"
#include "interp/cpu/scaled_product.h"
#include "interp/lang/dot_scaled.h"

namespace tl::cpu {

namespace {

struct Side {
  const char* name;
  const Value& x;
  std::string_view format;
  const Block* scale;
  int along_k;

  std::int64_t k() const { return x.dims[along_k] * (format == "e2m1" ? 2 : 1); }

  void check(const Where& w) const {
    const Notation notation = notation_of(w);
    const auto quoted = [&](const char* name) { return notation.constant(fmt::format("\"{}\"", name)); };
    if (format != "e2m1" && format != "e4m3" && format != "e5m2" && format != "bf16" && format != "fp16")
      fail(w, FaultKind::shape, fmt::format("there is no format \"{}\"", format), "",
           fmt::format("{}, {}, {}, {} or {}", quoted("e2m1"), quoted("e4m3"), quoted("e5m2"), quoted("bf16"),
                       quoted("fp16")));
    const DType t = x.dtype;
    const bool fits = format == "e2m1"   ? t == DType::uint8
                      : format == "e4m3" ? t == DType::uint8 || t == DType::float8e4nv
                      : format == "e5m2" ? t == DType::uint8 || t == DType::float8e5
                      : format == "bf16" ? t == DType::bfloat16
                                         : t == DType::float16;
    if (!fits)
      fail(w, FaultKind::shape, fmt::format("{} is {}, and its format {}", name, name_of(t), format), "",
           format == "bf16"   ? "cast it with .to(tl.bfloat16)"
           : format == "fp16" ? "cast it with .to(tl.float16)"
                              : "load it as uint8, or as the fp8 of that format");
    if (x.rank != 2)
      fail(w, FaultKind::shape, "both sides must be matrices", "", "give each two axes, as in " + notation.column());
    if (!scale) return;
    const Value& s = *scale->data();
    const bool is_fp8 = s.dtype == DType::float8e4nv;
    const int values = is_fp8 ? 16 : 32;  // that share a scale
    if ((s.dtype != DType::uint8 && !is_fp8) || s.rank != 2 || s.dims[0] != x.dims[1 - along_k] ||
        s.dims[1] * values != k())
      fail(w, FaultKind::shape,
           fmt::format("the scales of {} must be {}({}, {})", name, is_fp8 ? "f8e4nv" : "u8", x.dims[1 - along_k],
                       k() / values),
           fmt::format("they are {}{}", name_of(s.dtype), text_of_shape(s.dims, s.rank)),
           "one of a row or column, u8 for 32 values along k or f8e4nv for 16");
  }
};

}  // namespace

Block Context::dot_scaled(const Block& a, ScaleOperand a_scale, TextConstant a_format, const Block& b,
                          ScaleOperand b_scale, TextConstant b_format, const Block& acc, Location location) {
  const Where w{state_, Op::dot_scaled, location};
  const Side left{"a", *a.data(), a_format.value, a_scale.block, 1};
  const Side right{"b", *b.data(), b_format.value, b_scale.block, 0};
  left.check(w);
  right.check(w);
  const Block made = [&] {
    const Quiet quiet(state_);
    Context& tl = *this;
    const bool is_fp16 = left.format == "fp16" || right.format == "fp16";
    const ElementType type{is_fp16 ? DType::float16 : DType::bfloat16};
    Block x = scaled::widened_a(tl, a, a_format, type), y = scaled::widened_b(tl, b, b_format, type);
    const ScaledOperand sides[] = {{x, left.format, left.scale}, {y, right.format, right.scale}};
    const auto step = scaled_step(state_, sides[0], sides[1]);
    if (left.scale) x = scaled::scaled_a(tl, x, *left.scale);
    if (right.scale) y = scaled::scaled_b(tl, y, *right.scale);
    const Block product = dot(x, y, acc, location);  // checks the accumulator and says what is undefined
    return step && !is_absent(*product.data()) ? scaled_product(w, *step, sides[0], sides[1], acc, product) : product;
  }();
  return Block(finish(w, {a.data(), b.data(), acc.data()}, Ref::share(made.data())).release());
}
Block Context::dot_scaled(const Block& a, ScaleOperand a_scale, TextConstant a_format, const Block& b,
                          ScaleOperand b_scale, TextConstant b_format, Location location) {
  const Block acc = [&] {
    const Quiet quiet(state_);
    return zeros(shape(a.shape[Constant(0)], b.shape[Constant(1)]), float32);
  }();
  return dot_scaled(a, a_scale, a_format, b, b_scale, b_format, acc, location);
}

}  // namespace tl::cpu
