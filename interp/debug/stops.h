// Ops of a recording that a debugger stops at, recognized by the op alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "interp/trace/recorded.h"

namespace tl::debug {

inline bool stores_something(const trace::RecordedAccess& a) { return a.writes() && a.active > 0; }
inline bool has_empty_mask(const trace::RecordedAccess& a) { return a.active == 0 && a.lanes() > 0; }

// The first op that makes a NaN out of none.
inline bool makes_nan(const trace::RecordedProgram& p, const trace::Step& step) {
  const auto has_nan = [&](std::int32_t index) {
    const trace::RecordedValue& v = p.values[index];
    if (!v.is_kept() || !is_float(v.dtype)) return false;
    const std::int64_t elems = v.form == trace::Form::splat ? 1 : v.shape.product();
    for (std::int64_t i = 0; i < elems; ++i)
      if (std::isnan(trace::element_as_double(v, i))) return true;
    return false;
  };
  const auto operands = p.operands(step), results = p.results(step);
  return std::any_of(results.begin(), results.end(), has_nan) &&
         std::none_of(operands.begin(), operands.end(), has_nan);
}

}  // namespace tl::debug
