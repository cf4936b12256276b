// Whether a kernel multiplies matrices, by its text: then its blocks take the layout of the product from the start.
#pragma once

#include <string>

#include "interp/cuda/host/sources.h"
#include "interp/rules/config.h"

namespace tl::cuda {

// What the functor's text multiplies by .dot(, or that of something it names in these sources (interp/ aside), however
// many helpers deep. `kernel` is its full name. A functor that no source defines, a macro's for example, is taken to
// multiply anything where any source multiplies.
rules::Dots dots_of_text(const Sources& sources, const std::string& kernel);

}  // namespace tl::cuda
