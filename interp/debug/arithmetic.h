// Element by element, with broadcasting: + - * / % & | ^ comparisons and && ||, integers as C++ has them.
#pragma once

#include <string_view>

#include "interp/debug/array.h"

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
    visit(index);
    std::size_t d = spans.size();
    while (d > 0 && ++index[d - 1] == spans[d - 1].first + spans[d - 1].count) --d, index[d] = spans[d].first;
    if (d == 0) return true;
  }
}

// Throws Error where the shapes do not fit, and for a whole division by 0.
Array combine(std::string_view sign, const Array& a, const Array& b);

}  // namespace tl::debug
