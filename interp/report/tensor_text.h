// Tensors as text, as NumPy prints them, and as JSON, nested by shape.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interp/lang/tensor.h"

namespace tl::report {

// One element: 3, 0.25, True, nan; as many digits as its dtype carries. `offset` is linear, in elements.
std::string element_text(const Tensor& t, std::int64_t offset);

// [1 2 0 0 0 0], or rows below each other, columns aligned; an axis longer than `whole` is cut in the middle.
std::string tensor_text(const Tensor& t, std::int64_t whole = 16, std::int64_t edge = 4);

// out[3], c[1, 2]: the coordinates of a linear offset of a row-major tensor.
std::string cell_text(const Tensor& t, std::int64_t offset);

// "f16[512, 512]"
std::string type_text(const Tensor& t);

// Nested arrays. JSON has no NaN and no infinity: they are the strings "nan", "inf", "-inf".
nlohmann::ordered_json tensor_json(const Tensor& t);
nlohmann::ordered_json number_json(double value);

}  // namespace tl::report
