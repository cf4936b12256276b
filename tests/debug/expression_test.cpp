// Expected values: arithmetic by hand.
#include "interp/debug/expression.h"

#include <doctest/doctest.h>

using namespace tl::debug;

namespace {

std::optional<Operand> names(const std::string& name) {
  if (name == "x") return Array{tl::DType::int32, false, {4}, {{1}, {2}, {3}, {4}}};
  if (name == "m") {
    Array m{tl::DType::float32, false, {2, 3}, {}};
    for (const double v : {0., 1., 2., 10., 11., 12.}) m.data.push_back({.real = v});
    return m;
  }
  if (name == "out")
    return TensorView{"out", tl::DType::float32, {3, 4}, {8, 1}, [](std::int64_t e) {
                        return Number{.real = static_cast<double>(e)};
                      }};
  return std::nullopt;
}
std::string value(const char* text) { return text_of(evaluate(text, names)); }
std::string error(const char* text) {
  try {
    evaluate(text, names);
  } catch (const tl::Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("expressions: precedence, whole division toward zero, comparisons lane by lane") {
  CHECK(value("1 + 2 * 3") == "7");
  CHECK(value("-7 / 2") == "-3");
  CHECK(value("7.0 / 2") == "3.5");
  CHECK(value("x * 2 > 5 && x != 4") == "[False False True False]");
  CHECK(value("x & 1") == "[1 0 1 0]");
  CHECK(value("1 << 40") == "1099511627776");
  CHECK(value("-5 >> 1") == "-3");
  CHECK(value("(1 << x) > 5 & x < 4") == "[False False True False]");
  CHECK(value("~x") == "[-2 -3 -4 -5]");
  CHECK(value("~(x > 2)") == "[True True False False]");
}

TEST_CASE("expressions: subscripts, slices and negative ones") {
  CHECK(value("x[1]") == "2");
  CHECK(value("x[-1]") == "4");
  CHECK(value("x[1:3]") == "[2 3]");
  CHECK(value("m[1, 0:2]") == "[10 11]");
  CHECK(value("m[:, 2]") == "[2 12]");
  CHECK(value("m[0] + m[1]") == "[10 12 14]");
}

TEST_CASE("expressions: a tensor is read through its strides") {
  CHECK(value("out[2, 3]") == "19");
  CHECK(value("out[1]") == "[8 9 10 11]");
  CHECK(parse_cells("out[0:2, 3]", names).elements == std::vector<std::int64_t>{3, 11});
}

TEST_CASE("expressions: any, all, max, min, sum") {
  CHECK(value("any(x > 3)") == "True");
  CHECK(value("all(x > 3)") == "False");
  CHECK(value("max(m) - min(x) + sum(x[0:2])") == "14");
}

TEST_CASE("expressions: of two values the larger or smaller, lane by lane; a choice by a mask") {
  CHECK(value("maximum(x, 3)") == "[3 3 3 4]");
  CHECK(value("max(x, x[::-1])") == "[4 3 3 4]");
  CHECK(value("minimum(x, m[0, 2])") == "[1 2 2 2]");
  CHECK(value("where(x > 2, x, 0)") == "[0 0 3 4]");
  CHECK(value("where(m > 5, 100.0, m[:, 1:2])") == "[[1 1 1] [100 100 100]]");
  CHECK(value("cdiv(x, 2)") == "[1 1 2 2]");
  CHECK(value("next_power_of_2(x + 1)") == "[2 4 4 8]");
}

TEST_CASE("expressions: mathematics of floats, as tl.exp or exp; an integer becomes f32, as in a kernel") {
  CHECK(value("exp(0 * m[0])") == "[1 1 1]");
  CHECK(value("tl.sqrt(m[1] * m[1])") == "[10 11 12]");
  CHECK(value("sqrt(16)") == "4");
  CHECK(value("exp(x - x)") == "[1 1 1 1]");
  CHECK(evaluate("exp(x)", names).dtype == tl::DType::float32);
}

TEST_CASE("expressions: sums along an axis, axes of one, products") {
  CHECK(value("sum(m, 1)") == "[3 33]");
  CHECK(value("sum(m, 0)") == "[10 12 14]");
  CHECK(value("sum(m, 1)[:, None]") == "[[3] [33]]");
  CHECK(value("amax(m, 1)") == "[2 12]");
  CHECK(value("amin(m, 0)") == "[0 1 2]");
  CHECK(value("amax(m)") == "12");
  CHECK(value("m - m[:, 0][:, None]") == "[[0 1 2] [0 1 2]]");
  CHECK(value("dot(m[:, 0:2], m)") == "[[10 11 12] [110 131 152]]");
  CHECK(value("m[:, 0:2] @ m") == "[[10 11 12] [110 131 152]]");
  CHECK(value("1 + m @ m.T * 2") == "[[11 71] [71 731]]");
  CHECK(value("m[None] @ m.T[None]") == "[[[5 35] [35 365]]]");
  CHECK(value("(m[:, 0:2] @ m[:, 0:2])[1]") == "[110 131]");  // a square
  CHECK(error("m @ m").find("m x k and k x n, not 2 x 3 and 2 x 3") != std::string::npos);
  CHECK(error("sum(m, 2)").find("no axis 2 of 2") != std::string::npos);
  CHECK(error("max(x, 1, True, 2)").find("4 values for 3 parameters") != std::string::npos);
}

TEST_CASE("expressions: functions are methods, too, and take their parameters by name") {
  CHECK(value("m.sum(1)") == "[3 33]");
  CHECK(value("sum(m, axis=-1)") == "[3 33]");
  CHECK(value("m.max(axis=0, keepdims=True)") == "[[10 11 12]]");
  CHECK(value("tl.sum(m, 1, tl.keep_dims)") == "[[3] [33]]");
  CHECK(value("max(m, 1)") == "[2 12]");
  CHECK(value("sum(m, (0, 1))") == "36");
  CHECK(value("mean(m, 1)") == "[1 11]");
  CHECK(value("(m - m.mean(1)[:, None]).abs().sum()") == "4");
  CHECK(value("m.T.T.shape") == "[2 3]");
  CHECK(value("x.shape[0] * 2") == "8");
  CHECK(error("sum(m, axes=1)").find("no parameter is called axes") != std::string::npos);
}

TEST_CASE("expressions: powers, whole quotients, ranges, slices with a step, indices") {
  CHECK(value("x ** 2") == "[1 4 9 16]");
  CHECK(value("-x ** 2") == "[-1 -4 -9 -16]");
  CHECK(value("2 ** 3 ** 2") == "512");
  CHECK(value("2 ** -1") == "0.5");
  CHECK(value("x // 2") == "[0 1 1 2]");
  CHECK(value("arange(0, 3) + x[1:]") == "[2 4 6]");
  CHECK(value("x[::-1]") == "[4 3 2 1]");
  CHECK(value("x[::2]") == "[1 3]");
  CHECK(value("m[..., 0]") == "[0 10]");
  CHECK(value("x[x - 1][arange(2)]") == "[1 2]");
  CHECK(value("out[1:, ::3]") == "[[8 11] [16 19]]");
}

TEST_CASE("expressions: lists, blocks of indices beside numbers and slices, a choice") {
  CHECK(value("[1, 2] + x[:2]") == "[2 4]");
  CHECK(value("m[[0, 1], 2]") == "[2 12]");
  CHECK(value("m[:, [2, 0]]") == "[[2 0] [12 10]]");
  CHECK(value("m[[[1], [0]], [0, 1]]") == "[[10 11] [0 1]]");
  CHECK(value("out[[0, -1], 1:3]") == "[[1 2] [17 18]]");
  CHECK(value("x[:, np.newaxis].shape") == "[4 1]");
  CHECK(value("x[0] if x.ndim == 1 else m[0]") == "1");
  CHECK(error("m[[0, 2]]").find("2 is outside 0 .. 1 of axis 0") != std::string::npos);
  CHECK(error("x[x > 2]").find("a mask takes as many elements as hold") != std::string::npos);
}

TEST_CASE("expressions: NumPy's functions that move lanes, or that others are made of") {
  CHECK(value("np.concatenate([x, x[:1]])") == "[1 2 3 4 1]");
  CHECK(value("stack([x, x], axis=1)[:2]") == "[[1 1] [2 2]]");
  CHECK(value("pad(x[:2], (1, 2))") == "[0 1 2 0 0]");
  CHECK(value("roll(x, 1)") == "[4 1 2 3]");
  CHECK(value("repeat(x[:2], 2)") == "[1 1 2 2]");
  CHECK(value("take(m, [2, 0], axis=1)") == "[[2 0] [12 10]]");
  CHECK(value("argsort([3, 1, 2])") == "[1 2 0]");
  CHECK(value("einsum('ij,kj->ik', m, m)") == "[[5 35] [35 365]]");
  CHECK(value("np.linalg.norm([3.0, 4.0])") == "5");
  CHECK(value("moveaxis(m, 0, 1).shape") == "[3 2]");
  CHECK(value("count_nonzero(m, axis=0)") == "[1 2 2]");
  CHECK(text_of(evaluate("round([0.125, 2.675], 2)", names, Rules::numpy)) == "[0.12 2.68]");
  CHECK(text_of(evaluate("var([1, 2, 3], ddof=1)", names, Rules::numpy)) == "1");
  CHECK(error("roll(x, 1, 0, 2)").find("roll does not take 4 values") != std::string::npos);
  CHECK(error("concatenate([m, x])").find("4 beside 2 x 3") != std::string::npos);
  CHECK(error("x + relu(m[:, :2] @ m)").find("position 1") == std::string::npos);
  CHECK(error("1 + take(x, [9])").find("position 5: 9 is outside 0 .. 3 of axis 0") != std::string::npos);
}

TEST_CASE("expressions: as a kernel's text in C++ writes them") {
  CHECK(value("x(_, None) + m(None, _, _)[0, 0, 0]") == "[[1] [2] [3] [4]]");
  CHECK(value("m - tl.max(m, 1_c)(_, None)") == "[[-2 -1 0] [-2 -1 0]]");
  CHECK(value("x & 1 == 1") == "[1 0 1 0]");  // 1 == 1 first
  CHECK(value("tl.where(x > 2_c, x.to(tl.float32), 0.5f)") == "[0.5 0.5 3 4]");
}

TEST_CASE("expressions: by NumPy's rules floats are double, and whole numbers divide to floats or downwards") {
  const auto numpy = [](const char* text) { return text_of(evaluate(text, names, Rules::numpy)); };
  CHECK(numpy("x / 2") == "[0.5 1 1.5 2]");
  CHECK(numpy("(x - 4) // 2") == "[-2 -1 -1 0]");
  CHECK(numpy("(x - 4) % 3") == "[0 1 2 0]");
  CHECK(numpy("x & 1 == 1") == "[True False True False]");  // & first
  CHECK(numpy("1 / 3") == "0.33333");
  CHECK(numpy("m.T @ m") == "[[100 110 120] [110 122 134] [120 134 148]]");
  CHECK(numpy("max(x, 0)") == "4");
  CHECK(text_of(evaluate("max(x, 3)", names, Rules::numpy, Pairs::numbers)) == "[3 3 3 4]");
  CHECK(numpy("m.var(1)") == "[0.66667 0.66667]");
}

TEST_CASE("expressions: a condition is one value, never several that are joined in silence") {
  CHECK(is_true(evaluate("x[1] > 1", names)));
  CHECK_FALSE(is_true(evaluate("all(x > 1)", names)));
  CHECK(is_true(evaluate("x[1:2] > 1", names)));
  CHECK_THROWS_WITH_AS(is_true(evaluate("x > 1", names)), "a condition is one value, and this has 4", tl::Error);
}

TEST_CASE("expressions: errors name the position") {
  CHECK(error("x +").find("position 4") != std::string::npos);
  CHECK(error("y").find("no variable or tensor is called y") != std::string::npos);
  CHECK(error("x[9]").find("outside 0 .. 3") != std::string::npos);
  CHECK(error("x[1, 2]").find("2 subscripts for 1 axis") != std::string::npos);
  CHECK(error("x + m[0]").find("shapes do not broadcast (the left side is (4,), the right side (3,))") !=
        std::string::npos);
  CHECK(error("1 / 0").find("division by 0") != std::string::npos);
  CHECK(error("x[3:1]").find("takes nothing: axis 0 has the elements 0 .. 3") != std::string::npos);
  CHECK(error("x(3)").find("no function is called x") != std::string::npos);
  CHECK(error(std::string(1000, '(').c_str()).find("nested too deeply") != std::string::npos);
}
