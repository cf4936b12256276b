// What a compiler stumbles over is told by the code of a line, and every name of Triton's has an answer.
#include "interp/text/habits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

using namespace tl;

namespace {

// triton.language.__all__ of Triton 3.5, with what its documentation lists beside it.
constexpr const char* triton_language =
    "PropagateNan TRITON_MAX_TENSOR_NUMEL abs add advance arange argmax argmin associative_scan assume atomic_add "
    "atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor bfloat16 bitonic_merge block_type "
    "broadcast broadcast_to cast cat cdiv ceil clamp condition const constexpr constexpr_type cos cumprod cumsum "
    "debug_barrier device_assert device_print div_rn dot dot_scaled dtype erf exp exp2 expand_dims extra fdiv flip "
    "float16 float32 float64 float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16 floor fma full function_type "
    "gather "
    "histogram inline_asm_elementwise int1 int16 int32 int64 int8 interleave join load load_tensor_descriptor log log2 "
    "make_block_ptr make_tensor_descriptor map_elementwise math max max_constancy max_contiguous maximum min minimum "
    "mul "
    "multiple_of num_programs pair_uniform_to_normal permute philox philox_impl pi32_t pointer_type program_id rand "
    "rand4x randint randint4x randn randn4x range ravel reduce reduce_or reshape rsqrt sigmoid sin slice softmax sort "
    "split sqrt sqrt_rn squeeze static_assert static_print static_range store store_tensor_descriptor str_to_ty sub "
    "sum "
    "swizzle2d target_info tensor tensor_descriptor to_tensor topk trans tuple uint16 uint32 uint64 uint8 "
    "uint_to_uniform_float umulhi unsqueeze view void where xor_sum zeros zeros_like";

// triton.language.extra.libdevice.
constexpr const char* libdevice =
    "clz popc byte_perm mulhi mul24 brev sad abs floor rcp64h rsqrt ceil trunc exp2 saturatef fma_rn fma_rz fma_rd "
    "fma_ru fast_dividef div_rn div_rz div_rd div_ru rcp_rn rcp_rz rcp_rd rcp_ru sqrt_rn sqrt_rz sqrt_rd sqrt_ru sqrt "
    "add_rn add_rz add_rd add_ru mul_rn mul_rz mul_rd mul_ru double2float_rn double2int_rz double2uint_ru "
    "int2double_rn "
    "uint2double_rn float2int_rd float2uint_rn int2float_ru uint2float_rz hiloint2double double2loint double2hiint "
    "float2ll_rn float2ull_rz double2ll_rd double2ull_ru ll2float_rn ull2float_rz ll2double_rd ull2double_ru "
    "int_as_float float_as_int uint_as_float float_as_uint longlong_as_double double_as_longlong fast_sinf fast_cosf "
    "fast_log2f fast_logf fast_expf fast_tanf fast_exp10f fast_log10f fast_powf hadd rhadd sub_rn sub_rz sub_rd sub_ru "
    "rsqrt_rn ffs rint llrint nearbyint isnan signbit copysign finitef isinf nextafter sin cos sinpi cospi tan log2 "
    "exp "
    "exp10 cosh sinh tanh atan2 atan asin acos log log10 log1p acosh asinh atanh expm1 hypot rhypot norm3d rnorm3d "
    "norm4d rnorm4d cbrt rcbrt j0 j1 y0 y1 yn jn cyl_bessel_i0 cyl_bessel_i1 erf erfinv erfc erfcx erfcinv normcdfinv "
    "normcdf lgamma ldexp scalbn fmod remainder fma pow tgamma round llround fdim ilogb logb isfinited";

std::vector<std::string> words_of(const char* list) {
  std::istringstream in(list);
  return {std::istream_iterator<std::string>(in), {}};
}
bool is_in_language(const std::string& name) { return std::ranges::find(op_names(), name) != op_names().end(); }

}  // namespace

TEST_CASE("names: each of Triton's is in the language, or answered as one that is not in it yet") {
  for (const char* list : {triton_language, libdevice})
    for (const std::string& name : words_of(list)) {
      const bool is_missing = op_of_others(name).has_value();
      CHECK_MESSAGE(is_in_language(name) != is_missing, name);
      if (is_missing) CHECK(missing_op(name).headline == "tl." + name + " is not in this language (yet)");
    }
}

TEST_CASE("names: what is written instead names ops that there are") {
  const std::regex op(R"re(tl\.(\w+))re");
  for (const char* list : {triton_language, libdevice, "mean prod any all relu sign clip stack concat"})
    for (const std::string& name : words_of(list))
      if (const auto missing = op_of_others(name))
        for (std::sregex_iterator it(missing->fix.begin(), missing->fix.end(), op), end; it != end; ++it)
          CHECK_MESSAGE(is_in_language((*it)[1]), name << ": " << missing->fix);
}

TEST_CASE("names: the language's page has every one") {
  std::ifstream in(SOURCE_DIR "/interp/LANGUAGE.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const std::string& name : op_names())
    CHECK_MESSAGE(std::regex_search(page, std::regex("\\b" + name + "\\b")), name);
}

TEST_CASE("names: the page for those who come from Triton has every one of triton.language, each once") {
  std::ifstream in(SOURCE_DIR "/interp/TRITON.md");
  std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto same_begin = page.find("## Names that are the same"), other_begin = page.find("## Names that are spelled"),
             none_begin = page.find("## Names that there are not"), end = page.find("## What behaves");
  REQUIRE(same_begin < other_begin);
  REQUIRE(none_begin < end);
  const std::string list = page.substr(same_begin, page.find("What their arguments", same_begin) - same_begin);
  // The names of a table stand in its first column.
  std::set<std::string> others;
  std::istringstream rows(page.substr(other_begin, end - other_begin));
  for (std::string row; std::getline(rows, row);)
    if (row.starts_with("| ")) {
      std::string names = row.substr(2, row.find(" |", 2) - 2);
      std::ranges::replace(names, ',', ' ');
      for (const std::string& name : words_of(names.c_str())) others.insert(name);
    }
  std::set<std::string> same;
  for (const std::string& name : words_of(list.c_str())) same.insert(name);
  for (const std::string& name : words_of(triton_language)) {
    CHECK_MESSAGE(same.contains(name) == is_in_language(name), name);
    CHECK_MESSAGE(others.contains(name) != is_in_language(name), name);
  }
}

TEST_CASE("habits: a comparison with a plain number is no constant, and a cast has one way to round") {
  const auto check =
      habit_in("cannot convert 'bool' to 'tl::cpu::Constant'", "  tl.static_check(K % BK == 0, \"whole\");");
  REQUIRE(check);
  CHECK(check->fix == "write the number as one: K % BLOCK == 0_c");
  CHECK(!habit_in("cannot convert 'bool' to 'tl::cpu::Constant'", "  tl.static_check(K % BK == 0_c, \"whole\");"));
  const auto cast = habit_in("no matching function for call to 'to'", "  auto y = x.to(y_ptr.dtype, \"rtne\");");
  REQUIRE(cast);
  CHECK(cast->headline == "a cast rounds to nearest even, and has no other way");
}

TEST_CASE("names: a slip is told by the nearest op, a name of nobody's by the page") {
  CHECK(missing_op("laod").fix == "did you mean tl.load?");
  CHECK(missing_op("fp32").fix == "did you mean tl.float32?");
  CHECK(missing_op("erfinv").fix == "interp/LANGUAGE.md lists the ops there are");
  CHECK(missing_op("inline_asm_elementwise").fix.find("PTX") != std::string::npos);
  CHECK(missing_op("frobnicate").fix == "interp/LANGUAGE.md lists the ops there are");
}

TEST_CASE("names: without tl. an op is one, a function of others only where it is called") {
  CHECK(op_without_tl("exp", "auto y = exp(x);")->fix == "it is an op of tl: tl.exp");
  CHECK(op_without_tl("concat", "auto y = concat (x);")->headline == "tl.concat is not in this language (yet)");
  CHECK(op_without_tl("round", "auto y = round (x);")->fix == "it is an op of tl: tl.round");
  CHECK_FALSE(op_without_tl("mean", "auto y = mean( tl, x);"));  // a helper
  CHECK_FALSE(op_without_tl("stack", "auto y = stack + 1;  // stack(x)"));
  CHECK_FALSE(op_without_tl("mine", "mine(x)"));
}

TEST_CASE("habits: what stands in a comment or between quotes is no code") {
  const auto trips = [](const std::string& line) { return habit_in("", line).has_value(); };
  CHECK(trips("auto y = x ** 2;"));
  CHECK(trips("for (i in tl.range(0, n)) {"));
  CHECK_FALSE(trips("auto y = x;  // x ** 2, True"));
  CHECK_FALSE(trips("auto y = x /* a[:, None] */ + 1;"));
  CHECK_FALSE(trips("tl.print_if(\"x @ y, mask: {}\", \"=0\", m);"));
  CHECK_FALSE(trips("auto y = x + 1'000;"));
  CHECK(habit_in("", "auto y = \"//\" + x\uff1b")->fix.find("it looks like ;") == 0);
}

TEST_CASE("habits: // divides nothing after a value, and is a comment after a statement or within quotes") {
  CHECK(floor_division_in("auto i = pid // bs + 1;") == 13);
  CHECK(floor_division_in("auto i = 1'000 // bs;  // rows") == 15);
  for (const char* line : {"auto i = pid;  // the row; counted", "tl.print_if(\"a // b;\", \"=0\");", "// x; y;",
                           "auto i = pid // the row"})
    CHECK_MESSAGE(floor_division_in(line) == std::string::npos, line);
}

TEST_CASE("habits: names that C++ keeps for itself are told after tl. as well") {
  CHECK(habit_in("expected unqualified-id", "tl.static_assert(n > 2);")->headline ==
        "tl.static_assert is not in this language (yet)");
  CHECK(habit_in("expected unqualified-id", "x.to(tl.float)")->fix == "did you mean tl.float32?");
}

TEST_CASE("habits: the words of options are told, whatever compiler stumbles over them") {
  CHECK(wrong_word("eviction_policy", "soon")->headline == "an eviction policy is \"evict_first\" or \"evict_last\"");
  CHECK(wrong_word("sem", "seq_cst")->fix.find("acq_rel") != std::string::npos);
  CHECK_FALSE(wrong_word("cache_modifier", ".cg"));
  CHECK_FALSE(wrong_word("mask", "anything"));
  CHECK(habit_in("call to consteval function 'tl::AtomicScope::AtomicScope'", "x")->headline ==
        "a scope is \"gpu\", \"cta\" or \"sys\"");
}

TEST_CASE("habits: an option that load and store do not have, wherever else a point stands") {
  CHECK(foreign_option("load", "tl.load(p, {.msk = m})")->headline == "tl.load has no option .msk");
  CHECK(foreign_option("store", "tl.store(p, x, {.mask = m, .other = 0})")->fix ==
        "its options are .mask, .boundary_check, .cache_modifier and .eviction_policy");
  CHECK(foreign_option("load", "tl.load(p, {.volatile = true})")->fix.find(".is_volatile") != std::string::npos);
  CHECK(foreign_option("atomic_cas", "tl.atomic_cas(p, 0, 1, {.order = 2})")->fix.find(".sem") != std::string::npos);
  CHECK_FALSE(foreign_option("load", "tl.load(p, {.mask = m});  // not {.msk = m}"));
  CHECK_FALSE(foreign_option("sum", "tl.sum(x, {.axis = 0})"));
}
