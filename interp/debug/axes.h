// What goes along axes: products of matrices, transposes, new axes, sums of rows.
#pragma once

#include <string_view>

#include "interp/debug/array.h"

namespace tl::debug {

// Of the last two axes; those before them are the same on both sides.
Array dot(const Array& a, const Array& b);
// The last two axes exchanged.
Array transposed(const Array& a);
Array with_new_axes(Array a, const std::vector<bool>& is_new);  // by axis of the result
// max, min, sum along one axis, which goes.
Array reduce(std::string_view function, const Array& a, std::int64_t axis);

}  // namespace tl::debug
