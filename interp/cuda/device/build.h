// The build that this text is compiled for. The host gives NVRTC another text in its place (build_text in
// host/expression.h).
#pragma once

#include "interp/rules/build.h"

namespace tl::cuda {

inline constexpr rules::Build build = {};

}  // namespace tl::cuda
