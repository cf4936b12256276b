// Whether tests that need a GPU, or CUDA's compiler, run; those that cannot say why.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"

namespace tl::test {

inline bool no_gpu() {
  std::string why_not;
  if (cuda::available(&why_not)) return false;
  MESSAGE("skipped: " << why_not);
  return true;
}

inline bool no_toolkit() {
  std::string why_not;
  if (cuda::toolkit_available(&why_not)) return false;
  MESSAGE("skipped: " << why_not);
  return true;
}

// Of kernels that only CUDA's compiler reads: what an interpreter would find.
inline const rules::KernelFacts no_dots{.dots = rules::Dots::none, .prints = false, .one_role = {}};
inline const rules::KernelFacts with_dots{.dots = rules::Dots::any, .prints = false, .one_role = {}};
inline rules::KernelFacts has_no_dots(const Launch&) { return no_dots; }
inline rules::KernelFacts has_dots(const Launch&) { return with_dots; }

}  // namespace tl::test
