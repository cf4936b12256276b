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

}  // namespace tl::test
