// What a constant cannot do.
#include "interp/cpu/constant.h"

#include "interp/lang/error.h"

namespace tl::cpu {

namespace {

[[noreturn]] void fail(std::string headline, const char* fix) {
  Fault f;
  f.kind = FaultKind::shape;
  f.headline = std::move(headline);
  f.fix = fix;
  throw FaultError(std::move(f));
}

}  // namespace

void fail_constant_division() {
  fail("a constant is divided by 0", "look at the kernel's block sizes: one of them is 0");
}

void fail_wide_constant(long long value) {
  fail("the constant " + std::to_string(value) + " becomes an int, which does not hold it",
       "choose between constants by tl.static_if, which keeps them");
}

}  // namespace tl::cpu
