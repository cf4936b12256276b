// What Triton's language has and this one does not (yet), and what to write instead.
#include <algorithm>
#include <string_view>

#include "interp/text/habits.h"

namespace tl {

namespace {

struct Other {
  const char* names;    // separated by spaces
  const char* instead;  // "": there is nothing
};

constexpr const char* floats =
    "the floats are tl.float16, tl.bfloat16, tl.float32, tl.float64, tl.float8e4nv, tl.float8e5";
constexpr const char* declared = "auto declares every value; a dtype is x.dtype or tl.float32";

// Of triton.language, as its documentation and its __all__ list them.
constexpr Other of_triton[] = {
    {"int8 int16 uint16 uint64", "the integers are tl.int1, tl.int32, tl.int64, tl.uint8, tl.uint32"},
    {"float8e4b15 float8e4b8 float8e5b16", floats},
    {"dtype tensor block_type pointer_type function_type constexpr_type pi32_t void const str_to_ty", declared},
    {"constexpr", "a parameter of the kernel: constexpr_ auto BLOCK; a number in the text: 2_c"},
    {"to_tensor", "literals and constants join values as they are"},
    {"slice", "x(_, None) is Triton's x[:, None]"},
    {"add", "a + b"},
    {"sub", "a - b"},
    {"mul", "a * b"},
    {"cat", "of two blocks of n: tl.reshape(tl.trans(tl.join(a, b)), tl.shape(2_c * n))"},
    {"interleave", "of two blocks of n: tl.reshape(tl.join(a, b), tl.shape(2_c * n))"},
    {"zeros_like", "tl.zeros(tl.shape(BLOCK), x.dtype)"},
    {"broadcast", "operators broadcast by themselves; one block: tl.broadcast_to(x, tl.shape(BM, BN))"},
    {"ravel view squeeze", "tl.reshape(x, tl.shape(BM * BN))"},
    {"unsqueeze", "tl.expand_dims(x, 0_c), or x(None, _)"},
    {"flip", "load by offsets that run backwards: n - 1 - offs"},
    {"gather", "load by the indices: tl.load(x_ptr + indices)"},
    {"sort topk bitonic_merge", ""},
    {"histogram", "count in memory: tl.atomic_add(counts_ptr + x, 1, {.mask = mask})"},
    {"dot_scaled", "scale the blocks, then tl.dot(a, b, acc)"},
    {"make_tensor_descriptor tensor_descriptor", "a parameter of the kernel: descriptor auto desc"},
    {"load_tensor_descriptor", "desc.load({i, j})"},
    {"store_tensor_descriptor", "desc.store({i, j}, x)"},
    {"fdiv div_rn", "a / b, which rounds to nearest"},
    {"sqrt_rn", "tl.sqrt(x), which rounds to nearest"},
    {"softmax", "auto e = tl.exp(x - tl.max(x, 0)); then e / tl.sum(e, 0)"},
    {"xor_sum", "tl.reduce(x, 0, [](auto a, auto b) { return a ^ b; })"},
    {"reduce_or", "tl.reduce(x, 0, [](auto a, auto b) { return a | b; })"},
    {"associative_scan", "tl.cumsum(x, 0) is the scan there is"},
    {"cumprod", "of what is positive: tl.exp(tl.cumsum(tl.log(x), 0))"},
    {"map_elementwise inline_asm_elementwise", "compose it of operators and ops, which work lane by lane"},
    {"atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor",
     "tl.atomic_add is the one there is"},
    {"rand4x", "tl.rand(seed, offs), of four ranges of offsets"},
    {"randn4x", "tl.randn(seed, offs), of four ranges of offsets"},
    {"randint4x", "tl.randint(seed, offs), of four ranges of offsets"},
    {"philox philox_impl", "tl.randint(seed, offs) gives Philox's bits"},
    {"uint_to_uniform_float", "tl.rand(seed, offs) gives floats in [0, 1)"},
    {"pair_uniform_to_normal", "tl.randn(seed, offs) gives normal numbers"},
    {"static_range", "tl.static_for(4_c, [&](auto i) { ... })"},
    {"condition", "while (x < n), of a scalar"},
    {"static_assert", "tl.device_assert(x > 0, \"x is positive\")"},
    {"static_print device_print", "tl.print_if(\"x = {}\", \"=0\", x)"},
    {"debug_barrier", "leave it out: a program's ops follow one another"},
    {"max_constancy max_contiguous", "x = tl.multiple_of(x, 16_c) is the hint there is"},
    {"math libdevice extra", "the functions are ops of tl itself: tl.exp(x), tl.sin(x)"},
    {"target_info PropagateNan TRITON_MAX_TENSOR_NUMEL", ""},
};

// Of triton.language.extra.libdevice, and what NumPy's users look for.
constexpr Other of_libraries[] = {
    {"tanh", "2 * tl.sigmoid(2 * x) - 1"},
    {"tan", "tl.sin(x) / tl.cos(x)"},
    {"sinh", "(tl.exp(x) - tl.exp(-x)) / 2"},
    {"cosh", "(tl.exp(x) + tl.exp(-x)) / 2"},
    {"pow power", "x * x, or of positive x tl.exp2(y * tl.log2(x))"},
    {"exp10", "tl.exp2(3.32192809 * x)"},
    {"log10", "0.30103 * tl.log2(x)"},
    {"log1p", "tl.log(1 + x)"},
    {"expm1", "tl.exp(x) - 1"},
    {"erfc", "1 - tl.erf(x)"},
    {"hypot", "tl.sqrt(x * x + y * y)"},
    {"cbrt", "of positive x: tl.exp2(tl.log2(x) / 3)"},
    {"round rint nearbyint llrint llround", "tl.floor(x + 0.5), which rounds halves up"},
    {"trunc", "tl.where(x < 0, tl.ceil(x), tl.floor(x))"},
    {"fmod remainder", "x % y, whose sign is that of x"},
    {"mod", "x % y, whose sign is that of x"},
    {"rcp_rn rcp64h reciprocal", "1 / x"},
    {"rsqrt_rn", "tl.rsqrt(x)"},
    {"fma_rn", "tl.fma(a, b, c)"},
    {"mulhi", "tl.umulhi(a, b), of unsigned integers"},
    {"isnan", "x != x"},
    {"isinf", "tl.abs(x) == tl.inf"},
    {"isfinited finitef isfinite", "tl.abs(x) < tl.inf"},
    {"signbit sign", "x < 0"},
    {"fdim", "tl.maximum(x - y, 0)"},
    {"saturatef", "tl.clamp(x, 0.0, 1.0)"},
    {"clip", "tl.clamp(x, lo, hi)"},
    {"relu", "tl.maximum(x, 0)"},
    {"mean", "tl.sum(x, 0) / n"},
    {"prod", "tl.reduce(x, 0, [](auto a, auto b) { return a * b; })"},
    {"any", "tl.max(x, 0) of a mask"},
    {"all", "tl.min(x, 0) of a mask"},
    {"concatenate concat", "of two blocks of n: tl.reshape(tl.trans(tl.join(a, b)), tl.shape(2_c * n))"},
    {"stack", "tl.join(a, b)"},
    {"fast_expf", "tl.exp(x)"},
    {"fast_logf", "tl.log(x)"},
    {"fast_log2f", "tl.log2(x)"},
    {"fast_sinf", "tl.sin(x)"},
    {"fast_cosf", "tl.cos(x)"},
    {"fast_dividef", "x / y"},
    {"acos acosh asin asinh atan atan2 atanh brev byte_perm clz copysign cospi cyl_bessel_i0 cyl_bessel_i1 erfcinv "
     "erfcx "
     "erfinv fast_exp10f fast_log10f fast_powf fast_tanf ffs hadd ilogb j0 j1 jn ldexp lgamma logb mul24 nextafter "
     "norm3d norm4d normcdf normcdfinv popc rcbrt rhadd rhypot rnorm3d rnorm4d sad scalbn sinpi tgamma y0 y1 yn",
     ""},
    {"add_rd add_rn add_ru add_rz sub_rd sub_rn sub_ru sub_rz mul_rd mul_rn mul_ru mul_rz div_rd div_ru div_rz fma_rd "
     "fma_ru fma_rz rcp_rd rcp_ru rcp_rz sqrt_rd sqrt_ru sqrt_rz",
     "operators and tl.sqrt round to nearest"},
};

bool is_among(std::string_view names, std::string_view name) {
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    if (names.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

// int_as_float, float2int_rn, ll2double_rz: what libdevice calls its casts.
bool is_cast(std::string_view name) {
  for (const char* way : {"_as_", "2int", "2uint", "2float", "2double", "2ll", "2ull", "2loint", "2hiint"})
    if (const std::size_t at = name.find(way); at != name.npos && at > 0)
      for (const char* from : {"int", "uint", "float", "double", "ll", "ull", "longlong", "hiloint"})
        if (name.substr(0, at) == from) return true;
  return false;
}

}  // namespace

std::optional<Habit> op_of_others(const std::string& name) {
  const auto answer = [&](std::string instead) {
    return Habit{"tl." + name + " is not in this language (yet)",
                 instead.empty() ? "interp/LANGUAGE.md lists the ops there are" : std::move(instead)};
  };
  for (const Other& other : of_triton)
    if (is_among(other.names, name)) return answer(other.instead);
  for (const Other& other : of_libraries)
    if (is_among(other.names, name)) return answer(other.instead);
  if (is_cast(name)) return answer("a cast is written x.to(tl.float32)");
  return std::nullopt;
}

}  // namespace tl
