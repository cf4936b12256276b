// Expected layout: NumPy's str of the same arrays.
#include "interp/report/tensor_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

using tl::DType;
using tl::Tensor;
using namespace tl::report;

namespace {

Tensor tensor(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Tensor t = tl::make_tensor("out", dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) tl::set(t, static_cast<std::int64_t>(i), values[i]);
  return t;
}

}  // namespace

TEST_CASE("a vector stands in one line, whole floats without a point") {
  CHECK(tensor_text(tensor(DType::float32, {6}, {1, 2, 0, 0, 0, 0})) == "[1 2 0 0 0 0]");
  CHECK(tensor_text(tensor(DType::int1, {2}, {1, 0})) == "[True False]");
  CHECK(tensor_text(tensor(DType::float32, {3}, {0.1, NAN, -INFINITY})) == "[0.1 nan -inf]");
  CHECK(tensor_text(tensor(DType::float16, {1}, {1. / 3})) == "[0.3333]");
  CHECK(tensor_text(tensor(DType::int32, {}, {7})) == "7");
  CHECK(tensor_text(tensor(DType::int32, {0}, {})) == "[]");
}

TEST_CASE("rows of a matrix stand below each other, columns aligned; matrices are a blank line apart") {
  CHECK(tensor_text(tensor(DType::int32, {2, 2}, {0, 10, 5, 3})) == "[[ 0 10]\n [ 5  3]]");
  CHECK(tensor_text(tensor(DType::int32, {2, 1, 1}, {1, 2})) == "[[[1]]\n\n [[2]]]");
}

TEST_CASE("a long axis is cut in the middle") {
  std::vector<double> v(100);
  for (int i = 0; i < 100; ++i) v[static_cast<std::size_t>(i)] = i;
  CHECK(tensor_text(tensor(DType::int32, {100}, v), 16, 2) == "[0 1 ... 98 99]");
}

TEST_CASE("padding between rows is not shown") {
  Tensor t = tl::make_tensor("out", DType::int32, {2, 2}, {3, 1});
  for (int i = 0; i < 5; ++i) tl::set(t, i, i);
  CHECK(tensor_text(t) == "[[0 1]\n [3 4]]");
  CHECK(tensor_json(t).dump() == "[[0,1],[3,4]]");
}

TEST_CASE("JSON nests by shape, keeps 64 bits and short floats, and names what JSON cannot say") {
  CHECK(tensor_json(tensor(DType::float32, {2, 2}, {0.1, 2, NAN, INFINITY})).dump() == R"([[0.1,2],["nan","inf"]])");
  CHECK(tensor_json(tensor(DType::int1, {2}, {1, 0})).dump() == "[true,false]");
  Tensor big = tl::make_tensor("out", DType::int64, {1});
  big.as<std::int64_t>()[0] = 9007199254740993;  // 2^53 + 1: no double holds it
  CHECK(tensor_json(big).dump() == "[9007199254740993]");
  CHECK(tensor_text(big) == "[9007199254740993]");
}

TEST_CASE("a cell is named by its coordinates") {
  CHECK(cell_text(tensor(DType::int32, {6}, {}), 4) == "out[4]");
  CHECK(cell_text(tensor(DType::int32, {2, 3}, {}), 4) == "out[1, 1]");
  CHECK(type_text(tensor(DType::float16, {2, 3}, {})) == "f16[2, 3]");
}
