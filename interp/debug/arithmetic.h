// Element by element, with broadcasting, as a kernel computes: Triton's promotion, integers that wrap, floats rounded
// to their dtype.
#pragma once

#include <string_view>

#include "interp/debug/array.h"
#include "interp/lang/stop_scope.h"

namespace tl::debug {

// Coordinates along one axis.
struct Span {
  std::int64_t first = 0, count = 0;
};

// Every index of a box, the last axis running fastest. false, with nothing visited: more than four million.
template <class Visit>
bool for_each_index(const std::vector<Span>& spans, Visit visit) {
  double count = 1;
  for (const Span& s : spans) count *= static_cast<double>(s.count);
  if (count > (1 << 22)) return false;
  if (count == 0) return true;
  std::vector<std::int64_t> index;
  for (const Span& s : spans) index.push_back(s.first);
  while (true) {
    end_if_stopped();
    visit(index);
    std::size_t d = spans.size();
    while (d > 0 && ++index[d - 1] == spans[d - 1].first + spans[d - 1].count) --d, index[d] = spans[d].first;
    if (d == 0) return true;
  }
}

// Floats round to nearest even once, ints wrap, floats to ints saturate.
Number cast(Number value, DType from, DType to);
Array cast(Array a, DType to);

// `sign`: + - * / % & | ^ << >> == != < <= > >= && || max min. Throws Error where shapes or dtypes do not fit.
Array combine(std::string_view sign, const Array& a, const Array& b);
Array negative(Array a);
Array complement(Array a);
Array is_zero(Array a);

Array absolute(Array a);
Array where(const Array& condition, const Array& a, const Array& b);
// exp exp2 log log2 sqrt rsqrt sin cos tanh erf sigmoid floor ceil of floats; whole literals count as floats.
Array mathematics(std::string_view function, Array a);
Array next_power_of_2(Array a);
// Over all elements, of which there is at least one. `function`: any, all, max, min, sum.
Array reduce(std::string_view function, const Array& a);

}  // namespace tl::debug
