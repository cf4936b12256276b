// What a constant cannot do.
#include "interp/cpu/constant.h"

#include "interp/lang/error.h"

namespace tl::cpu {

void fail_constant_division() {
  Fault f;
  f.kind = FaultKind::shape;
  f.headline = "a constant is divided by 0";
  f.fix = "look at the kernel's block sizes: one of them is 0";
  throw FaultError(std::move(f));
}

}  // namespace tl::cpu
