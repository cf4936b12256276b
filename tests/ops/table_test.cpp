// Every op in every dtype, on each device there is. Expected values by formulas in double, rounded once to the dtype
// that Triton's rules give.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "interp/cpu/launch.h"
#include "tests/ops/every_device.h"
#include "tests/ops/table_kernels.h"

namespace tl::test::table_test {
namespace {

constexpr const char* source = "tests/ops/table_kernels.h";
constexpr int lanes = 16, elems = 48;
constexpr DType every[] = {DType::int1,     DType::int32,    DType::int64,   DType::uint8,   DType::uint32,
                           DType::float16,  DType::bfloat16, DType::float32, DType::float64, DType::float8e4nv,
                           DType::float8e5, DType::int8,     DType::int16,   DType::uint16,  DType::uint64};

bool is_unsigned(DType t) {
  return t == DType::int1 || t == DType::uint8 || t == DType::uint16 || t == DType::uint32 || t == DType::uint64;
}

// `value` as this dtype holds it; ints wrap.
double held(DType t, double value) {
  if (t == DType::int1) return value != 0;
  if (t == DType::uint8) return static_cast<std::uint8_t>(static_cast<std::int64_t>(value));
  if (t == DType::uint16) return static_cast<std::uint16_t>(static_cast<std::int64_t>(value));
  if (t == DType::uint64) return static_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  if (t == DType::uint32) return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  if (is_integer(t)) return value;
  const Tensor one = make_tensor("one", t, {1});
  set(one, 0, value);
  return get(one, 0);
}

// What Triton's ops give.
using enum DType;
DType same_dtype(DType t) { return t; }
DType boolean(DType) { return int1; }
DType with_int(DType t) { return t == int1 ? int32 : t; }
DType with_real(DType t) { return is_integer(t) ? float32 : t; }
DType sum_of(DType t) { return t == int1 || t == uint8 || t == uint16 ? uint32 : t == int8 || t == int16 ? int32 : t; }
DType cumsum_of(DType t) { return t == bfloat16 ? float32 : sum_of(t); }
DType extreme_of(DType t) { return size_in_bytes(t) >= 4 ? t : is_integer(t) ? int32 : float32; }
DType index(DType) { return int32; }
DType with_bool(DType t) { return t == bfloat16 || is_fp8(t) ? float32 : t; }
DType with_fp8e4nv(DType t) { return is_integer(t) ? float32 : t == float8e5 ? float16 : t; }
template <DType to>
DType always(DType) {
  return to;
}

using Lanes = const double*;
struct Row {
  const char* name;
  DType (*gives)(DType);
  double (*of)(int lane, Lanes x, Lanes y);  // of one lane
  bool rounded = false;                      // an elementary function: to an ulp or two
};
#define TL_LANE(...)                      \
  [](int i, Lanes x, Lanes y) -> double { \
    (void)i, (void)x, (void)y;            \
    return __VA_ARGS__;                   \
  }
const Row rows[] = {
    {"add", same_dtype, TL_LANE(x[i] + y[i])},
    {"subtract", same_dtype, TL_LANE(y[i] - x[i])},
    {"multiply", same_dtype, TL_LANE(x[i] * y[i])},
    {"negative", same_dtype, TL_LANE(-x[i])},
    {"logical_not", boolean, TL_LANE(x[i] == 0)},
    {"less", boolean, TL_LANE(x[i] < y[i])},
    {"equal", boolean, TL_LANE(x[i] == y[i])},
    {"literal", with_int, TL_LANE(x[i] + 1)},
    {"real_literal", with_real, TL_LANE(x[i] / 2)},
    {"where", same_dtype, TL_LANE(std::fmin(x[i], y[i]))},
    {"where_literal", with_int, TL_LANE(x[i] < y[i] ? x[i] : 0)},
    {"minimum", same_dtype, TL_LANE(std::fmin(x[i], y[i]))},
    {"maximum", same_dtype, TL_LANE(std::fmax(x[i], y[i]))},
    {"abs", same_dtype, TL_LANE(std::fabs(x[i]))},
    {"exp", with_real, TL_LANE(std::exp(x[i])), true},
    {"exp2", with_real, TL_LANE(std::exp2(x[i])), true},
    {"log", with_real, TL_LANE(std::log(y[i])), true},
    {"log2", with_real, TL_LANE(std::log2(y[i])), true},
    {"sqrt", with_real, TL_LANE(std::sqrt(y[i])), true},
    {"rsqrt", with_real, TL_LANE(1 / std::sqrt(y[i])), true},
    {"sin", with_real, TL_LANE(std::sin(x[i])), true},
    {"cos", with_real, TL_LANE(std::cos(x[i])), true},
    {"sigmoid", with_real, TL_LANE(1 / (1 + std::exp(-x[i]))), true},
    {"erf", with_real, TL_LANE(std::erf(x[i])), true},
    {"floor", with_real, TL_LANE(x[i])},
    {"ceil", with_real, TL_LANE(x[i])},
    {"exp_of_scalar", with_real, TL_LANE(std::exp(x[1])), true},
    {"exp_of_mask", always<float32>, TL_LANE(std::exp(i < 5)), true},
    {"sum", sum_of, TL_LANE(std::accumulate(x, x + lanes, 0.0))},
    {"max", extreme_of, TL_LANE(*std::max_element(x, x + lanes))},
    {"min", extreme_of, TL_LANE(*std::min_element(x, x + lanes))},
    {"argmax", index, TL_LANE(std::max_element(x, x + lanes) - x)},
    {"argmin", index, TL_LANE(std::min_element(x, x + lanes) - x)},
    {"reduce", same_dtype, TL_LANE(*std::max_element(x, x + lanes))},
    {"cumsum", cumsum_of, TL_LANE(std::accumulate(x, x + i + 1, 0.0))},
    {"zeros", same_dtype, TL_LANE(0)},
    {"full", same_dtype, TL_LANE(x[1])},
    {"full_of_real", same_dtype, TL_LANE(1.5)},
    {"expand_dims", extreme_of, TL_LANE(y[i])},
    {"none_slice", extreme_of, TL_LANE(y[i])},
    {"reshape", same_dtype, TL_LANE(x[i])},
    {"permute", same_dtype, TL_LANE(x[i % 4 * 4 + i / 4])},
    {"trans", same_dtype, TL_LANE(x[i % 4 * 4 + i / 4])},
    {"join", extreme_of, TL_LANE(std::fmax(x[i], y[i]))},
    {"convert_layout", same_dtype, TL_LANE(x[i])},
    {"other_block", same_dtype, TL_LANE(i < 5 ? x[i] : y[i])},
    {"other_literal", same_dtype, TL_LANE(i < 5 ? x[i] : 1)},
    {"other_real", same_dtype, TL_LANE(i < 5 ? x[i] : 1.5)},
    {"block_pointer", same_dtype, TL_LANE(i + 2 < 40 ? x[i + 2] : 0)},
    {"with_bool", with_bool, TL_LANE(x[i] + 1)},
    {"with_fp8e4nv", with_fp8e4nv, TL_LANE(x[i] + 1)},
    {"to_bool", boolean, TL_LANE(x[i])},
    {"to_int32", always<int32>, TL_LANE(x[i])},
    {"to_int64", always<int64>, TL_LANE(x[i])},
    {"to_uint8", always<uint8>, TL_LANE(y[i])},
    {"to_uint32", always<uint32>, TL_LANE(y[i])},
    {"to_fp16", always<float16>, TL_LANE(x[i])},
    {"to_bf16", always<bfloat16>, TL_LANE(x[i])},
    {"to_fp32", always<float32>, TL_LANE(x[i])},
    {"to_fp8e4nv", always<float8e4nv>, TL_LANE(x[i])},
    {"to_fp8e5", always<float8e5>, TL_LANE(x[i])},
};
#undef TL_LANE

// Bits of bools wrap in another way than their values do.
double bool_row(const Row& row, double value) {
  const bool wraps =
      !std::strcmp(row.name, "add") || !std::strcmp(row.name, "subtract") || !std::strcmp(row.name, "with_bool");
  return wraps ? static_cast<std::int64_t>(std::fabs(value)) % 2 : value;
}

// Half an ulp of the result, and that of the elementary function.
double ulp(DType t) {
  switch (t) {
    case float16: return std::ldexp(1, -10);
    case bfloat16: return std::ldexp(1, -7);
    case float8e4nv: return std::ldexp(1, -3);
    case float8e5: return std::ldexp(1, -2);
    default: return 4e-7;
  }
}

struct Inputs {
  Tensor x, y;
  std::vector<double> xs, ys;
};
Inputs inputs(DType t) {
  Inputs in{.x = tensor_of("x", t, {elems},
                           [&](auto i) {
                             const auto size = t == int1 ? i * 7 % 3 == 1 : (i * 7 + 3) % 5;
                             return is_unsigned(t) || i % 3 ? size : -size;
                           }),
            .y = tensor_of("y", t, {elems}, [&](auto i) { return t == int1 ? 1 : (i * 3 + 1) % 4 + 1; }),
            .xs = {},
            .ys = {}};
  for (int i = 0; i < elems; ++i) {
    in.xs.push_back(get(in.x, i));
    in.ys.push_back(get(in.y, i));
  }
  return in;
}

template <class K>
std::string refused(const Device& device, DType x, DType y) {
  const Tensor out = poisoned("out", float64, {lanes});
  return refusal(device, make_launch<K>(source, {}, LaunchOptions{}, TensorArgument{out}, TensorArgument{inputs(x).x},
                                        TensorArgument{inputs(y).y}, ConstantArgument{lanes}));
}

std::string refused_dot(const Device& device, DType a, DType b, DType acc) {
  const auto matrix = [](const char* name, DType t) {
    return TensorArgument{tensor_of(name, t, {16, 16}, [](auto i) { return i % 3; })};
  };
  return refusal(device, make_launch<accumulating_dot_kernel>(source, {}, LaunchOptions{}, matrix("out", acc),
                                                              matrix("a", a), matrix("b", b), matrix("acc", acc)));
}

}  // namespace

TEST_CASE("every op in every dtype: the values, in the dtype that Triton's rules give") {
  const char* const names[] = {
#define TL_NAME(NAME, ...) #NAME,
      TL_ROWS_OF_ANY_DTYPE(TL_NAME)
#undef TL_NAME
  };
  REQUIRE(std::size(names) == std::size(rows));
  const int n = 40;
  for (const Device& device : devices())
    for (DType t : every) {
      if (device.compiles && t != int1 && t != float8e4nv && t != int8 && t != uint64) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(t));
      const Inputs in = inputs(t);
      const Tensor out = poisoned("out", float64, {static_cast<std::int64_t>(std::size(rows)), lanes}),
                   stored = poisoned("stored", t, {3, lanes});
      run(device, make_launch<any_dtype_kernel>(source, {}, LaunchOptions{}, TensorArgument{out},
                                                TensorArgument{stored}, TensorArgument{in.x}, TensorArgument{in.y},
                                                IntArgument{n}, ConstantArgument{lanes}));
      for (std::size_t r = 0; r < std::size(rows); ++r) {
        REQUIRE(std::string(names[r]) == rows[r].name);
        for (int i = 0; i < lanes; ++i) {
          const DType gives = rows[r].gives(t);
          const double value = rows[r].of(i, in.xs.data(), in.ys.data());
          const double expected = held(gives, gives == int1       ? bool_row(rows[r], value)
                                              : is_integer(gives) ? std::trunc(value)
                                                                  : value);
          const double got = get(out, static_cast<std::int64_t>(r) * lanes + i);
          const double allowed = rows[r].rounded ? ulp(gives) * std::fmax(std::fabs(expected), 1e-3) : 0;
          CHECK_MESSAGE(std::fabs(got - expected) <= allowed,
                        rows[r].name << " of " << name_of(t) << ", lane " << i << ": " << got << ", not " << expected);
        }
      }
      for (int i = 0; i < lanes; ++i) {
        CHECK(get(stored, i) == in.xs[static_cast<std::size_t>(i < lanes / 2 ? 2 * i + 1 : 2 * i - lanes)]);
        CHECK(get(stored, lanes + i) == (is_integer(t) ? 1 : 1.5));
        double largest = in.xs[static_cast<std::size_t>(i)];
        for (int j = i; j < n; j += lanes) largest = std::fmax(largest, in.ys[static_cast<std::size_t>(j)]);
        CHECK(get(stored, 2 * lanes + i) == largest);
      }
    }
}

TEST_CASE("what a dtype has no meaning for is refused on every device, in words that mend it") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const auto says = [](const std::string& words, const char* text) {
      CHECK_MESSAGE(words.find(text) != std::string::npos, words);
    };
    says(refused<divided_kernel>(device, int1, int1), "cast first with .to");
    says(refused<remainder_kernel>(device, int1, int1), "cast first with .to");
    says(refused<shifted_kernel>(device, int1, int1), "cast first with .to");
    says(refused<both_bits_kernel>(device, float32, float32), "integers");
    CHECK(refused<inverse_kernel>(device, float16, float16) != "");
    says(refused<mixed_signs_kernel>(device, uint32, int32), "signed and unsigned do not divide");
    says(refused<mixed_signs_kernel>(device, int1, int32), "signed and unsigned do not divide");
    says(refused<mixed_ceiling_kernel>(device, uint32, int32), "signed and unsigned do not divide");
    says(refused<ceiling_kernel>(device, float32, float32), "tl.ceil(a / b)");
    says(refused<high_word_kernel>(device, uint8, uint8), "32- and 64-bit integers");
    says(refused<fused_kernel>(device, int32, int32), "fma");
    says(refused<drawn_kernel>(device, float32, float32), "integers");
    says(refused<drawn_normal_kernel>(device, float16, float16), "integers");
    says(refused<multiple_kernel>(device, float32, float32), "multiples");
    says(refused_dot(device, int32, int32, float32), "floats");
    says(refused_dot(device, float16, bfloat16, float32), "floats of one dtype");
    says(refused_dot(device, bfloat16, bfloat16, float16), "accumulator");
    says(refused_dot(device, float64, float64, float32), "accumulator");
  }
}

}  // namespace tl::test::table_test
