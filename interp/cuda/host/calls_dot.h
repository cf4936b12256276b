// Whether a kernel multiplies matrices, by its text: then its blocks take the layout of the product from the start.
#pragma once

#include <string>

#include "interp/cuda/host/sources.h"

namespace tl::cuda {

// Whether the functor's text calls .dot(, or that of something it names in these sources (interp/ aside), however many
// helpers deep. `kernel` is its full name. A functor that no source defines, a macro's for example, is taken to
// multiply where any source does.
bool calls_dot(const Sources& sources, const std::string& kernel);

}  // namespace tl::cuda
