// `p expr` computes what the kernel would: by Triton's rules, written out by hand, and as the interpreter does.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>

#include "interp/cpu/launch.h"
#include "interp/cpu/run.h"
#include "interp/debug/expression.h"
#include "interp/tl.h"
#include "interp/trace/recorder.h"

using namespace tl::debug;
using tl::DType;

namespace {

Array whole(DType dtype, std::int64_t value) { return whole_number(dtype, value); }
Array real(DType dtype, double value) { return {dtype, false, {}, {{.real = value}}}; }

std::optional<Operand> numbers(const std::string& name) {
  if (name == "i") return whole(DType::int32, 2147483647);
  if (name == "j") return whole(DType::int64, 9007199254740993);  // 2^53 + 1
  if (name == "u") return whole(DType::uint8, 250);
  if (name == "w") return whole(DType::uint32, 4294967295);
  if (name == "m") return whole(DType::int1, 1);
  if (name == "h") return real(DType::float16, 2048);
  if (name == "b") return real(DType::bfloat16, 256);
  if (name == "f") return real(DType::float32, 16777216);
  return std::nullopt;
}
std::string result(const char* text) { return text_of(evaluate(text, numbers)); }
std::string dtype(const char* text) { return name_of(evaluate(text, numbers).dtype); }

}  // namespace

TEST_CASE("debugger's arithmetic: integers wrap at their width") {
  CHECK(result("i + 1") == "-2147483648");
  CHECK(result("i * i") == "1");
  CHECK(result("u + 10") == "4");
  CHECK(result("-u") == "6");
  CHECK(result("w + 1") == "0");
  CHECK(result("m + m") == "False");  // of one bit
  CHECK(result("~u") == "5");
  CHECK(result("i << 1") == "-2");
  CHECK(result("-i >> 40") == "-1");
  CHECK(result("w >> 31") == "1");
}

TEST_CASE("debugger's arithmetic: int64 is exact, with no double in between") {
  CHECK(result("j") == "9007199254740993");
  CHECK(result("9007199254740993") == "9007199254740993");
  CHECK(result("j + j") == "18014398509481986");
  CHECK(result("j * j") == "18014398509481985");  // 2^106 is gone
  CHECK(result("j == 9007199254740992") == "False");
  CHECK(result("j % 2") == "1");
  CHECK(result("max(j)") == "9007199254740993");
}

TEST_CASE("debugger's arithmetic: dtypes promote as Triton's do, and literals are weak") {
  CHECK(dtype("u + i") == "i32");
  CHECK(dtype("u + w") == "u32");
  CHECK(dtype("i + w") == "u32");
  CHECK(result("i + w") == "2147483646");
  CHECK(dtype("j + w") == "i64");
  CHECK(dtype("h + b") == "f16");
  CHECK(dtype("b + i") == "f32");
  CHECK(dtype("h + 0.1") == "f16");
  CHECK(dtype("i + 0.5") == "f32");
  CHECK(dtype("u + 1") == "u8");
  CHECK(dtype("i < 0.5") == "i1");
  CHECK_THROWS_WITH_AS(evaluate("u + 300", numbers), "'u + 300', position 3: the literal 300 does not fit u8",
                       tl::Error);
}

TEST_CASE("debugger's arithmetic: division and modulo go toward zero, by 0 as on a GPU, never of two signs") {
  CHECK(result("(i - i - 7) / 2") == "-3");
  CHECK(result("(i - i - 7) % 3") == "-1");
  CHECK(result("i / (i - i)") == "-1");
  CHECK(result("u / (u - u)") == "255");
  CHECK(result("i % (i - i)") == "2147483647");
  CHECK_THROWS_WITH_AS(evaluate("i / w", numbers), "'i / w', position 3: i32 / u32: signed and unsigned do not divide",
                       tl::Error);
}

TEST_CASE("debugger's arithmetic: floats round to their dtype, to nearest even") {
  CHECK(result("h + 1") == "2048");  // between 2048 and 2050
  CHECK(result("h + 3") == "2052");  // between 2050 and 2052
  CHECK(result("b + 1") == "256");
  CHECK(result("f + 1 == f") == "True");
  CHECK(result("h * 100") == "inf");
  CHECK(result("h.to(tl.float32) + 1") == "2049");
}

TEST_CASE("debugger's arithmetic: casts wrap, saturate and round as the kernel's") {
  CHECK(result("i.to(tl.uint8)") == "255");
  CHECK(result("w.to(tl.int32)") == "-1");
  CHECK(result("(-1).to(tl.uint32)") == "4294967295");
  CHECK(result("h.to(u.dtype)") == "255");
  CHECK(result("(0.1).to(tl.float16).to(tl.float32) == 0.1") == "False");
  CHECK(result("(-2.9).to(i32)") == "-2");
  CHECK_THROWS_AS(evaluate("i.to(tl.int7)", numbers), tl::Error);
}

// ---- beside the interpreter

namespace tl::kernels {

template <class Expression>
struct expression_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr) const {
    auto offs = tl.arange(0, 32_c);
    auto x = tl.load(x_ptr + offs);
    auto y = tl.load(y_ptr + offs);
    Expression{}(tl, x, y);
  }
};

}  // namespace tl::kernels

namespace {

struct Case {
  const char* text;
  tl::Launch (*launch)(const tl::Tensor& x, const tl::Tensor& y);
};

template <class Expression>
Case case_of(const char* text, Expression) {
  return {text, [](const tl::Tensor& x, const tl::Tensor& y) {
            return tl::make_launch<tl::kernels::expression_kernel<Expression>>(
                "", tl::Grid{1}, {}, tl::TensorArgument{x}, tl::TensorArgument{y});
          }};
}

#define CASE(expression) \
  case_of(#expression, []([[maybe_unused]] auto& tl, auto& x, [[maybe_unused]] auto& y) { return expression; })

std::vector<Case> cases() {
  return {CASE(x + y),
          CASE(x - y),
          CASE(x * y),
          CASE(x / y),
          CASE(x % y),
          CASE(x & y),
          CASE(x | y),
          CASE(x ^ y),
          CASE(x << y),
          CASE(x >> y),
          CASE(x < y),
          CASE(x <= y),
          CASE(x > y),
          CASE(x >= y),
          CASE(x == y),
          CASE(x != y),
          CASE(x + 3),
          CASE(100 - x),
          CASE(x * 0.1),
          CASE(0.3 / x),
          CASE(x / 7),
          CASE(x % 5),
          CASE(x << 3),
          CASE(x > 2),
          CASE(-x),
          CASE(~x),
          CASE(!x),
          CASE((x + y) * x - y * 2),
          CASE(x.to(y.dtype) * 1),
          CASE((x < y) & (y != 0)),
          CASE(x.to(tl.int32) + y),
          CASE(x.to(tl.float16) * y),
          CASE(x.to(tl.int64) * 1000003 % 97)};
}

// Any bits; every other element a small number.
tl::Tensor random_tensor(const char* name, DType dtype, std::mt19937_64& random) {
  const tl::Tensor t = tl::make_tensor(name, dtype, {32});
  const int size = tl::size_in_bytes(dtype);
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t bits = dtype == DType::int1 ? random() % 2 : random();
    std::memcpy(t.data() + i * size, &bits, static_cast<std::size_t>(size));
    if (i % 2) tl::set(t, i, dtype == DType::int1 ? i % 4 / 2 : static_cast<double>(random() % 12));
  }
  return t;
}

// What the interpreter's last op made; "" where it refused.
std::string by_interpreter(const Case& c, const tl::Tensor& x, const tl::Tensor& y, Array& result) {
  tl::trace::Recorder recorder;
  tl::cpu::RunOptions options;
  options.order = tl::cpu::Order::sequential;
  options.observer = &recorder;
  if (!tl::cpu::run(c.launch(x, y), options).faults.empty()) return "refused";
  const tl::trace::RecordedTrace trace = recorder.take();
  const tl::trace::RecordedProgram& p = trace.programs[0];
  result = array_of(p.values[static_cast<std::size_t>(p.results(p.steps.back())[0])]);
  return "";
}

std::string by_debugger(const Case& c, const tl::Tensor& x, const tl::Tensor& y, Array& result) {
  const auto named = [&](const std::string& name) -> std::optional<Operand> {
    if (name != "x" && name != "y") return std::nullopt;
    const tl::Tensor& t = name == "x" ? x : y;
    Array a{t.dtype, false, {32}, {}};
    for (int i = 0; i < 32; ++i) a.data.push_back(number_of(t.dtype, t.data() + i * tl::size_in_bytes(t.dtype)));
    return a;
  };
  try {
    result = evaluate(c.text, named);
  } catch (const tl::Error&) {
    return "refused";
  }
  return "";
}

bool is_same(Number a, Number b, DType dtype) {
  if (tl::is_integer(dtype)) return a.whole == b.whole;
  return a.real == b.real ? std::signbit(a.real) == std::signbit(b.real) : std::isnan(a.real) && std::isnan(b.real);
}

}  // namespace

TEST_CASE("debugger's arithmetic: random values of all dtypes give what the interpreter computes") {
  std::mt19937_64 random(18);
  for (const Case& c : cases())
    for (int a = 0; a < tl::dtype_count; ++a)
      for (int b = 0; b < tl::dtype_count; ++b) {
        const tl::Tensor x = random_tensor("x", static_cast<DType>(a), random),
                         y = random_tensor("y", static_cast<DType>(b), random);
        const std::string what = fmt::format("{} of x {} and y {}", c.text, tl::name_of(x.dtype), tl::name_of(y.dtype));
        CAPTURE(what);
        Array expected, got;
        REQUIRE(by_debugger(c, x, y, got) == by_interpreter(c, x, y, expected));
        REQUIRE(got.dtype == expected.dtype);
        REQUIRE(got.data.size() == expected.data.size());
        for (std::size_t i = 0; i < got.data.size(); ++i) {
          const std::string texts = text_of(got.data[i], got.dtype) + ", " + text_of(expected.data[i], got.dtype);
          REQUIRE_MESSAGE(is_same(got.data[i], expected.data[i], got.dtype), texts);
        }
      }
}
