// A launch's arguments as a text's values.
#pragma once

#include "interp/cpu/context.h"
#include "interp/lang/launch.h"
#include "interp/triton/values.h"

namespace tl::triton {

// For a constant or None; unknown: a program binds it.
Value constant_of(const Argument&);
// For what constant_of() does not know. `tensors_before`: tensors and descriptors among the arguments before it.
Value bound(cpu::Context&, const Argument&, int tensors_before);

}  // namespace tl::triton
