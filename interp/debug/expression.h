// The expressions of `p`, `b ... if` and a case's words: names, subscripts, slices, arithmetic, comparisons, casts and
// functions (interp/debug/syntax.h), computed by the ops of a kernel.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "interp/debug/array.h"

namespace tl::debug {

// A tensor in memory: only the elements that a subscript names are read.
struct TensorView {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape, strides;
  std::function<Number(std::int64_t element)> read;
  std::function<bool(std::int64_t element)> is_unset = {};  // nobody has written it; none: all are set
};
using Operand = std::variant<Array, TensorView>;
using Resolve = std::function<std::optional<Operand>(const std::string& name)>;

// kernel: an expression means what it means in a kernel: whole numbers divide toward zero, dtypes are promoted as in
// Triton. numpy: what it means in NumPy, in double where a float takes part.
enum class Rules : unsigned char { kernel, numpy };

// max(x, 1) and min(x, 1) of a block x: along axis 1, as tl.max(x, 1) and sum(x, 1), or of x and 1 the larger. For two
// blocks or two numbers they are the larger in either case.
enum class Pairs : unsigned char { values, numbers };

// What if a sum were not exact: the `which`th sum that an evaluation comes to is off by as much as sums of that
// precision may be. `count` is how many sums it came to.
struct InexactSum {
  double roundoff = 0;  // of the precision, relative
  int which = 0, count = 0;
};

// Throws Error that names the position in the text, and what is wrong there.
Array evaluate(std::string_view text, const Resolve& resolve, Rules = Rules::kernel, Pairs = Pairs::values,
               InexactSum* = nullptr);
// Are all elements (of which there is at least one) not 0?
bool is_true(const Array& array);

// `out[3:7]`, `out[2, :]`: a tensor's name and the cells meant. Throws Error.
struct Cells {
  std::string tensor;
  std::vector<std::int64_t> elements;  // element offsets, in row-major order of the cells
};
Cells parse_cells(std::string_view text, const Resolve& resolve);

}  // namespace tl::debug
