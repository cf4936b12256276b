// A block or a tensor that is opened an axis at a time: acc, then acc[3], then acc[3, 5].
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interp/debug/expression.h"
#include "interp/trace/recorded.h"

namespace tl::dap {

using Index = std::vector<std::int64_t>;

struct Elements {
  std::string name;   // as expressions have it; "": none means this
  std::string whole;  // all of it, in short
  std::string type;   // f32
  std::vector<std::int64_t> shape;
  std::function<std::string(const Index& index)> text = {};  // of one element
  std::string tensor = {};                                   // whose cells these are; "": no memory
};

Elements elements_of(std::string name, const trace::RecordedValue& value, const trace::RecordedLaunch& launch);
Elements elements_of(std::string name, debug::Array array);
Elements elements_of(std::string name, debug::TensorView tensor);

// f32[64]: the type after the first indices.
std::string type_behind(const Elements& elements, const Index& index);
// An element, or the first and last ones of a row; "" of more axes.
std::string text_behind(const Elements& elements, const Index& index);
// acc[3, 5]; (a + b)[3]
std::string name_behind(const std::string& name, const Index& index);

}  // namespace tl::dap
