// Whether tests that need a GPU run; those that cannot say why.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "interp/cuda/host/device.h"

namespace tl::test {

inline bool no_gpu() {
  std::string why_not;
  if (cuda::available(&why_not)) return false;
  MESSAGE("skipped: " << why_not);
  return true;
}

}  // namespace tl::test
