// Something that this machine lacks: a GPU, a toolkit, a profiler.
#pragma once

#include "interp/lang/error.h"

namespace tl {

// A failed run (exit code 1), not wrong use: elsewhere the same words work.
class Unavailable : public Error {
 public:
  using Error::Error;
  explicit Unavailable(const Error& why) : Error(why) {}
};

}  // namespace tl
