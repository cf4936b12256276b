// What each op does with the values of a call, by the position of its parameters in interp/lang/op.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "interp/cpu/call_ops.h"

namespace tl::cpu {

using namespace call_ops;

namespace {

AnyValue where(Call& c) {  // condition x y
  const Block& mask = c.block(0);
  if (c.is<Pointer>(1)) return c.tl.where(mask, c.pointer(1), c.pointer(2), c.place);
  return c.tl.where(mask, c.operand(1), c.operand(2), c.place);
}
// propagate_nan: where a side is NaN, so is the result; else NaN is dropped.
bool propagates(Call& c, std::size_t i) {
  const std::string_view word = c.text(i);
  if (!word.empty() && word != "all" && word != "none")
    c.refuse(i, fmt::format("\"{}\" is not one of its values", word), "\"all\" or \"none\"");
  return word == "all";
}
AnyValue larger(Call& c, bool is_max) {
  if (c[0].is_number()) c.block(0);
  const Block r =
      is_max ? c.tl.maximum(c.operand(0), c.operand(1), c.place) : c.tl.minimum(c.operand(0), c.operand(1), c.place);
  if (!propagates(c, 2) || !is_float(r.dtype.value)) return r;
  const AnyValue both = infix(c.tl, Op::add, c[0], c[1], c.place);
  return c.tl.where(c.tl.isnan(both.as<Block>(), c.place), both.as<Block>(), r, c.place);
}
AnyValue maximum(Call& c) { return larger(c, true); }
AnyValue minimum(Call& c) { return larger(c, false); }
AnyValue clamp(Call& c) {
  const Block x = c.block(0), r = c.tl.clamp(x, c.operand(1), c.operand(2), c.place);
  if (!propagates(c, 3) || !is_float(r.dtype.value)) return r;
  return c.tl.where(c.tl.isnan(x, c.place), x, r, c.place);
}
AnyValue cdiv(Call& c) {
  if (c.is<Constant>(0) && c.is<Block>(1)) return c.tl.cdiv(Literal(c[0].as<Constant>()), c.block(1), c.place);
  if (c.is<Constant>(0) && c.is<Constant>(1)) return c.tl.cdiv(c.constant(0), c.constant(1));
  return c.tl.cdiv(c.block(0), c.operand(1), c.place);
}

AnyValue dot(
    Call& c) {  // input other acc=None input_precision=None allow_tf32=None max_num_imprecise_acc=None out_dtype=None
  const Block a = c.block(0), b = c.block(1);
  static constexpr std::pair<std::string_view, Precision> words[] = {{"tf32", Precision::tf32},
                                                                     {"tf32x3", Precision::tf32x3},
                                                                     {"bf16x3", Precision::bf16x3},
                                                                     {"bf16x6", Precision::bf16x6},
                                                                     {"ieee", Precision::ieee}};
  const bool is_ieee = c.has(4) && !c.flag(4);  // allow_tf32=False
  const std::string_view word = c.has(3) ? c.text(3) : is_ieee ? "ieee" : "tf32";
  const auto* const found = std::ranges::find(words, word, &std::pair<std::string_view, Precision>::first);
  if (found == std::end(words))
    c.refuse(3, fmt::format("\"{}\" is not one of its values", word),
             R"("tf32", "tf32x3", "bf16x3", "bf16x6" or "ieee")");
  const Precision precision = found->second;
  const bool has_precision = precision != Precision::tf32 && a.dtype.value == DType::float32;
  // A sum's dtype follows from that of the inputs; out_dtype chooses among two, where they are f16 or f8.
  const DType out = c.has(6) ? c.dtype(6).value : DType::float32;
  if (out == DType::bfloat16) c.refuse(6, "a sum is never bf16", "cast the result with .to(tl.bfloat16)");
  const bool is_narrow = out == DType::float16 && (a.dtype.value == DType::float16 || is_fp8(a.dtype.value));
  if (c.has(2))
    return has_precision ? c.tl.dot(a, b, c.block(2), precision, c.place) : c.tl.dot(a, b, c.block(2), c.place);
  if (!has_precision) return is_narrow ? c.tl.dot(a, b, c.dtype(6), c.place) : c.tl.dot(a, b, c.place);
  Shape shape(a.shape);
  if (shape.rank > 0 && rank_of(b) > 0) shape.dims[shape.rank - 1] = value_of(b).dims[rank_of(b) - 1];
  return c.tl.dot(a, b, c.tl.zeros(shape, Context::float32, c.place), precision, c.place);
}
AnyValue dot_scaled(
    Call& c) {  // lhs lhs_scale lhs_format rhs rhs_scale rhs_format acc=None fast_math lhs_k_pack rhs_k_pack out_dtype
  for (const std::size_t pack : {8, 9}) c.only(pack, !c.has(pack) || c.flag(pack), "values are packed along k");
  const auto scale = [&](std::size_t i) { return c.has(i) ? ScaleOperand(c.block(i)) : ScaleOperand(NewAxis()); };
  const TextConstant left(c.text(2)), right(c.text(5));
  if (c.has(6)) return c.tl.dot_scaled(c.block(0), scale(1), left, c.block(3), scale(4), right, c.block(6), c.place);
  return c.tl.dot_scaled(c.block(0), scale(1), left, c.block(3), scale(4), right, c.place);
}

// input values: of each axis one number; those of the last axis are checked.
template <class F>
AnyValue hint(Call& c, F f) {
  if (c.is<Tuple>(1) || !c.is<Block>(0)) return c[0];
  return f(c.block(0), c.constant(1));
}
AnyValue multiple_of(Call& c) {
  if (c.is<Pointer>(0) && !c.is<Tuple>(1)) return c.tl.multiple_of(c.pointer(0), c.constant(1), c.place);
  return hint(c, [&](const Block& x, Constant n) { return c.tl.multiple_of(x, n, c.place); });
}
void rounds(Call& c, std::size_t i) { c.only(i, !c.has(i) || c.integer(i) == 10, "Philox has 10 rounds here"); }

AnyValue static_assert_(Call& c) {
  if (!c.is<Constant>(0))
    c.refuse(0, fmt::format("a constant is wanted, and this is {}", text_of_kind(c[0])),
             "tl.device_assert checks values");
  c.tl.static_check(c.constant(0), c.text(1), c.place);
  return None{};
}
AnyValue device_assert(Call& c) {  // cond msg="" mask=None
  if (!c.is<Block>(0)) {
    c.tl.device_assert(Constant(c.flag(0), true), c.text(1), c.place);
    return None{};
  }
  if (!c.has(2)) c.tl.device_assert(c.block(0), c.text(1), c.place);
  else c.tl.device_assert(AtBlock(c.block(0), c.place) | logical_not(c.block(2)), c.text(1), c.place);
  return None{};
}
AnyValue assume(Call& c) {
  if (c.is<Block>(0)) c.tl.assume(c.block(0), c.place);
  else c.tl.assume(Constant(c.flag(0), true), c.place);
  return None{};
}
std::span<const AnyValue> rest(const Call& c, std::size_t i) {
  return c.is<Tuple>(i) ? std::span<const AnyValue>(*c[i].as<Tuple>()) : std::span<const AnyValue>();
}
// The larger of x and -x - 1, as a part of 2^31 or 2^63.
AnyValue uint_to_uniform_float(Call& c) {
  const bool is_wide = size_in_bytes(c.block(0).dtype.value) == 8;
  const Block x = c.block(0).to(is_wide ? ElementType{DType::int64} : ElementType{DType::int32}, Bitcast(), c.place);
  const Block other = AtBlock(-AtBlock(x, c.place), c.place) - Literal(1);
  const Block least = c.tl.where(AtBlock(x, c.place) < Literal(0), other, x, c.place);
  return AtBlock(least.to(Context::float32, c.place), c.place) *
         Literal(is_wide ? 1.0842020432385337e-19 : 4.6566127342e-10);
}

using Run = AnyValue (*)(Call&);
struct Row {
  std::string_view name;
  Run run;
};
#define TL_ONE(NAME) {#NAME, [](Call& c) -> AnyValue { return c.tl.NAME(c.block(0), c.place); }},
#define TL_TWO(NAME)                                        \
  {#NAME, [](Call& c) -> AnyValue {                         \
     if (c[0].is_number() && c[1].is_number()) c.block(0);  \
     return c.tl.NAME(c.operand(0), c.operand(1), c.place); \
   }},
#define TL_INFIX(NAME)                                     \
  {#NAME, [](Call& c) -> AnyValue {                        \
     if (c[0].is_number() && c[1].is_number()) c.block(0); \
     return infix(c.tl, Op::NAME, c[0], c[1], c.place);    \
   }},
#define TL_PREFIX(NAME) {#NAME, [](Call& c) -> AnyValue { return prefix(c.tl, Op::NAME, c.block(0), c.place); }},
#define TL_ATOMIC(NAME)                                                                                    \
  {#NAME, [](Call& c) -> AnyValue {                                                                        \
     return c.tl.NAME(c.pointer(0), c.operand(1),                                                          \
                      {c.option(2), c.word<AtomicSem>(3, sems), c.word<AtomicScope>(4, scopes)}, c.place); \
   }},
#define TL_TILE_ATOMIC(NAME)                                                   \
  {"descriptor_" #NAME, [](Call& c) -> AnyValue {                              \
     c.descriptor(0).NAME(coordinates_of(c.operands(1)), c.block(2), c.place); \
     return None{};                                                            \
   }},
#define TL_RANDOM(NAME)                                   \
  {#NAME, [](Call& c) -> AnyValue {                       \
     rounds(c, 2);                                        \
     return c.tl.NAME(c.operand(0), c.block(1), c.place); \
   }},
#define TL_RANDOM4(NAME)                                            \
  {#NAME, [](Call& c) -> AnyValue {                                 \
     rounds(c, 2);                                                  \
     return tuple_of(c.tl.NAME(c.operand(0), c.block(1), c.place)); \
   }},
#define TL_OWN(NAME) {#NAME, NAME},
#define TL_NOTHING(NAME)
// clang-format off
const Row rows[] = {
    {"program_id", [](Call& c) -> AnyValue { return c.tl.program_id(c.constant(0), c.place); }},
    {"num_programs", [](Call& c) -> AnyValue { return c.tl.num_programs(c.constant(0), c.place); }},
    {"arange", [](Call& c) -> AnyValue { return c.tl.arange(c.constant(0), c.constant(1), c.place); }},
    {"zeros", [](Call& c) -> AnyValue { return c.tl.zeros(c.shape(0), c.dtype(1), c.place); }},
    TL_OWN(full) TL_OWN(cast) TL_OWN(bitcast)
    {"scalar", [](Call& c) -> AnyValue { return c.tl.scalar(c.operand(0), c.dtype(1), c.place); }},
    {"to_tensor", [](Call& c) -> AnyValue { return c.block(0); }},
    TL_ONE(zeros_like)
    {"full_like", [](Call& c) -> AnyValue { return c.tl.full_like(c.block(0), c.operand(1), c.place); }},
    {"broadcast_to", [](Call& c) -> AnyValue { return c.tl.broadcast_to(c.block(0), c.shape(1), c.place); }},
    {"broadcast", [](Call& c) -> AnyValue { return pair(c.tl.broadcast(c.block(0), c.block(1), c.place)); }},
    TL_OWN(expand_dims) {"unsqueeze", expand_dims}, TL_OWN(squeeze) TL_OWN(reshape) {"view", reshape}, TL_OWN(permute) TL_OWN(trans)
    {"item", [](Call& c) -> AnyValue { return c.tl.reshape(c.block(0), Shape(), c.place); }},
    {"split", [](Call& c) -> AnyValue { return pair(c.tl.split(c.block(0), c.place)); }},
    {"join", [](Call& c) -> AnyValue { return c.tl.join(c.block(0), c.block(1), c.place); }},
    TL_ONE(convert_layout) TL_ONE(ravel)
    TL_OWN(cat) TL_OWN(map_elementwise) TL_OWN(interleave) TL_OWN(flip) TL_OWN(gather) TL_OWN(histogram) TL_OWN(sort) TL_OWN(topk)
    TL_INFIX(add) TL_INFIX(sub) TL_INFIX(mul) TL_INFIX(div) TL_INFIX(mod) TL_INFIX(bit_and) TL_INFIX(bit_or) TL_INFIX(bit_xor)
    TL_INFIX(shl) TL_INFIX(shr) TL_INFIX(lt) TL_INFIX(le) TL_INFIX(gt) TL_INFIX(ge) TL_INFIX(eq) TL_INFIX(ne)
    TL_PREFIX(neg) TL_PREFIX(bit_not) TL_PREFIX(logical_not)
    TL_OWN(where) TL_OWN(minimum) TL_OWN(maximum) TL_OWN(clamp) TL_OWN(cdiv)
    TL_ONE(exp) TL_ONE(exp2) TL_ONE(log) TL_ONE(log2) TL_ONE(sqrt) TL_ONE(rsqrt) TL_ONE(sin) TL_ONE(cos) TL_ONE(sigmoid)
    TL_ONE(erf) TL_ONE(floor) TL_ONE(ceil) TL_ONE(abs) TL_ONE(tanh) TL_ONE(log1p) TL_ONE(expm1) TL_ONE(tan) TL_ONE(asin)
    TL_ONE(acos) TL_ONE(atan) TL_ONE(sinh) TL_ONE(cosh) TL_ONE(asinh) TL_ONE(acosh) TL_ONE(atanh) TL_ONE(cbrt) TL_ONE(exp10)
    TL_ONE(log10) TL_ONE(erfc) TL_ONE(lgamma) TL_ONE(tgamma) TL_ONE(round) TL_ONE(rint) TL_ONE(trunc)
    TL_ONE(j0) TL_ONE(j1) TL_ONE(y0) TL_ONE(y1) TL_ONE(cyl_bessel_i0) TL_ONE(cyl_bessel_i1) TL_ONE(isnan)
    TL_ONE(isinf) TL_ONE(isfinite) TL_ONE(signbit) TL_ONE(sqrt_rn)
    TL_TWO(pow) TL_TWO(atan2) TL_TWO(fmod) TL_TWO(copysign) TL_TWO(hypot) TL_TWO(fdim) TL_TWO(nextafter) TL_TWO(div_rn) TL_TWO(fdiv)
    {"fma", [](Call& c) -> AnyValue { return c.tl.fma(c.block(0), c.operand(1), c.operand(2), c.place); }},
    {"umulhi", [](Call& c) -> AnyValue { return c.tl.umulhi(c.block(0), c.operand(1), c.place); }},
    TL_OWN(sum) TL_OWN(max) TL_OWN(min) TL_OWN(argmax) TL_OWN(argmin) TL_OWN(xor_sum) TL_OWN(reduce) TL_OWN(cumsum) TL_OWN(cumprod)
    TL_OWN(associative_scan) TL_OWN(softmax)
    {"max_with_index", [](Call& c) -> AnyValue { return pair(c.tl.max_with_index(c.block(0), c.axis(1, rank_of(c.block(0))), c.place)); }},
    {"min_with_index", [](Call& c) -> AnyValue { return pair(c.tl.min_with_index(c.block(0), c.axis(1, rank_of(c.block(0))), c.place)); }},
    TL_OWN(dot) TL_OWN(dot_scaled) TL_OWN(load) TL_OWN(store)
    TL_ATOMIC(atomic_add) TL_ATOMIC(atomic_max) TL_ATOMIC(atomic_min) TL_ATOMIC(atomic_and) TL_ATOMIC(atomic_or) TL_ATOMIC(atomic_xor)
    TL_ATOMIC(atomic_xchg) TL_OWN(atomic_cas)
    TL_OWN(make_block_ptr) TL_OWN(make_tensor_descriptor) TL_OWN(advance)
    {"load_tensor_descriptor", [](Call& c) -> AnyValue { return c.descriptor(0).load(coordinates_of(c.operands(1)), c.place); }},
    {"store_tensor_descriptor", [](Call& c) -> AnyValue {
      c.descriptor(0).store(coordinates_of(c.operands(1)), c.block(2), c.place);
      return None{}; }},
    {"descriptor_gather", [](Call& c) -> AnyValue { return c.descriptor(0).gather(c.block(1), c.operand(2), c.place); }},
    {"descriptor_scatter", [](Call& c) -> AnyValue { c.descriptor(0).scatter(c.block(1), c.block(2), c.operand(3), c.place); return None{}; }},
    TL_TILE_ATOMIC(atomic_add) TL_TILE_ATOMIC(atomic_max) TL_TILE_ATOMIC(atomic_min) TL_TILE_ATOMIC(atomic_and) TL_TILE_ATOMIC(atomic_or) TL_TILE_ATOMIC(atomic_xor)
    {"swizzle2d", [](Call& c) -> AnyValue { return pair(c.tl.swizzle2d(c.operand(0), c.operand(1), c.operand(2), c.operand(3), c.operand(4), c.place)); }},
    TL_RANDOM(rand) TL_RANDOM(randint) TL_RANDOM(randn) TL_RANDOM4(rand4x) TL_RANDOM4(randint4x) TL_RANDOM4(randn4x)
    {"philox", [](Call& c) -> AnyValue { rounds(c, 5); return tuple_of(c.tl.philox(c.operand(0), c.operand(1), c.operand(2), c.operand(3), c.operand(4), c.place)); }},
    TL_OWN(uint_to_uniform_float) TL_OWN(multiple_of)
    {"max_contiguous", [](Call& c) -> AnyValue { return hint(c, [&](const Block& x, Constant n) { return c.tl.max_contiguous(x, n, c.place); }); }},
    {"max_constancy", [](Call& c) -> AnyValue { return hint(c, [&](const Block& x, Constant n) { return c.tl.max_constancy(x, n, c.place); }); }},
    TL_OWN(assume) {"static_assert", static_assert_}, TL_OWN(device_assert)
    {"debug_barrier", [](Call& c) -> AnyValue { c.tl.debug_barrier(c.place); return None{}; }},
    {"print_if", [](Call& c) -> AnyValue { AtRunTime::print_if(c.tl, c.text(0), c.text(1), rest(c, 2), c.place); return None{}; }},
    {"device_print", [](Call& c) -> AnyValue { AtRunTime::device_print(c.tl, c.text(0), rest(c, 1), c.has(2) && c.flag(2), c.place); return None{}; }},
    {"static_print", [](Call& c) -> AnyValue { AtRunTime::static_print(c.tl, c.text(0), rest(c, 1), c.place); return None{}; }},
    {"breakpoint_if", [](Call& c) -> AnyValue { c.tl.breakpoint_if(c.text(0), c.place); return None{}; }},
    {"pointer_type", [](Call& c) -> AnyValue { return Context::pointer_type(c.dtype(0)); }},
};
// libdevice's own names; those of tl's ops are rows above.
#define TL_LIBRARY_ONE(NAME) {#NAME, [](Call& c) -> AnyValue { return c.tl.libdevice.NAME(c.block(0), c.place); }},
#define TL_LIBRARY_TWO(NAME) {#NAME, [](Call& c) -> AnyValue { return c.tl.libdevice.NAME(c.operand(0), c.operand(1), c.place); }},
const Row library_one[] = {TL_LIBDEVICE(TL_LIBRARY_ONE, TL_NOTHING)};
const Row library_two[] = {TL_LIBDEVICE(TL_NOTHING, TL_LIBRARY_TWO)};
// clang-format on

const std::unordered_map<std::string_view, Function>& functions() {
  static const auto all = [] {
    std::unordered_map<std::string_view, Function> made;
    for (const Row& row : rows) made[row.name] = {row.name, parse_parameters(parameters_of(row.name).value()), row.run};
    for (const Row& row : library_one) made.try_emplace(row.name, Function{row.name, parse_parameters("x"), row.run});
    for (const Row& row : library_two)
      made.try_emplace(row.name, Function{row.name, parse_parameters("x, y"), row.run});
    return made;
  }();
  return all;
}

}  // namespace

const Function* function_called(std::string_view name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : &found->second;
}

const Function* method_called(const AnyValue& self, std::string_view name) {
  if (self.is<DescriptorPtr>()) {
    if (name == "load" || name == "store") return function_called(std::string(name) + "_tensor_descriptor");
    return function_called("descriptor_" + std::string(name));
  }
  if (name == "to") return function_called("cast");
  if (name == "T") return function_called("trans");
  if (name.starts_with("descriptor_")) return nullptr;
  const Function* const f = function_called(name);
  return f && !f->parameters.empty() ? f : nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, f] : functions()) names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace tl::cpu
