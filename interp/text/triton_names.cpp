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

// Names of triton.language, as its documentation and its __all__ list them.
constexpr Other of_triton[] = {
    {"float8e4b15 float8e4b8 float8e5b16", floats},
    {"dtype tensor block_type function_type constexpr_type pi32_t void const str_to_ty", declared},
    {"constexpr", "a parameter of the kernel: constexpr_ auto BLOCK; a number in the text: 2_c"},
    {"to_tensor", "literals and constants join values as they are"},
    {"slice", "x(_, None) is Triton's x[:, None]"},
    {"add", "a + b"},
    {"sub", "a - b"},
    {"mul", "a * b"},
    {"view squeeze", "tl.reshape(x, tl.shape(BM * BN))"},
    {"unsqueeze", "tl.expand_dims(x, 0_c), or x(None, _)"},
    {"bitonic_merge", "tl.sort(x)"},
    {"tensor_descriptor", "a parameter of the kernel: descriptor auto desc; in it tl.make_tensor_descriptor"},
    {"load_tensor_descriptor", "desc.load({i, j})"},
    {"store_tensor_descriptor", "desc.store({i, j}, x)"},
    {"reduce_or", "tl.reduce(x, 0, [](auto a, auto b) { return a | b; })"},
    {"map_elementwise", "call the helper with blocks: operators and ops work lane by lane"},
    {"inline_asm_elementwise",
     "one text runs on a CPU and on GPUs, and PTX only on these: compose it of operators and ops, which work lane by "
     "lane"},
    {"philox_impl", "tl.philox(seed, c0, c1, c2, c3)"},
    {"uint_to_uniform_float", "tl.rand(seed, offs) gives floats in [0, 1)"},
    {"pair_uniform_to_normal", "tl.randn(seed, offs) gives normal numbers"},
    {"static_range", "tl.static_for(4_c, [&](auto i) { ... })"},
    {"condition", "while (x < n), of a scalar"},
    {"static_assert", "tl.static_check(BLOCK > 2_c, \"a word of C++ cannot name it\")"},
    {"math extra", "the functions are ops of tl itself, tl.exp(x), and libdevice's are tl.libdevice.tanh(x)"},
    {"target_info PropagateNan TRITON_MAX_TENSOR_NUMEL", ""},
};

// Names of triton.language.extra.libdevice, and those that NumPy's users look for.
constexpr Other of_libraries[] = {
    {"power", "tl.pow(x, y)"},
    {"nearbyint llrint", "tl.rint(x), cast to an integer where one is wanted"},
    {"llround", "tl.round(x).to(tl.int64)"},
    {"remainder", "x - y * tl.rint(x / y)"},
    {"mod", "x % y, whose sign is that of x"},
    {"rcp_rn rcp64h reciprocal", "1 / x"},
    {"rsqrt_rn", "tl.rsqrt(x)"},
    {"fma_rn", "tl.fma(a, b, c)"},
    {"mulhi", "tl.umulhi(a, b), of unsigned integers"},
    {"isfinited finitef", "tl.isfinite(x)"},
    {"sign", "tl.where(x == 0, 0, tl.copysign(1, x))"},
    {"saturatef", "tl.clamp(x, 0.0, 1.0)"},
    {"clip", "tl.clamp(x, lo, hi)"},
    {"relu", "tl.maximum(x, 0)"},
    {"mean", "tl.sum(x, 0) / n"},
    {"prod", "tl.reduce(x, 0, [](auto a, auto b) { return a * b; })"},
    {"any", "tl.max(x, 0) of a mask"},
    {"all", "tl.min(x, 0) of a mask"},
    {"concatenate concat", "tl.cat(a, b)"},
    {"stack", "tl.join(a, b)"},
    {"fast_expf", "tl.libdevice.fast_expf(x), or tl.exp(x)"},
    {"fast_logf", "tl.libdevice.fast_logf(x), or tl.log(x)"},
    {"fast_log2f", "tl.libdevice.fast_log2f(x), or tl.log2(x)"},
    {"fast_sinf", "tl.libdevice.fast_sinf(x), or tl.sin(x)"},
    {"fast_cosf", "tl.libdevice.fast_cosf(x), or tl.cos(x)"},
    {"fast_exp10f fast_log10f fast_tanf fast_powf", "tl.libdevice.fast_tanf(x) and its like, or tl.tan(x)"},
    {"fast_dividef", "x / y"},
    {"brev byte_perm clz cospi erfcinv "
     "erfcx "
     "erfinv ffs hadd ilogb jn ldexp logb mul24 "
     "norm3d norm4d normcdf normcdfinv popc rcbrt rhadd rhypot rnorm3d rnorm4d sad scalbn sinpi yn",
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
