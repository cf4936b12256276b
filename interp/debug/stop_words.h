// The words of a stop, `12 if any(offs > 100) pid >0,=1`, and the events that `catch` knows.
#pragma once

#include <string>

#include "interp/debug/session.h"

namespace tl::debug {

struct StopWords {
  std::string location, condition;
  PidCondition pid;
};
// Cuts ` if EXPR` and ` pid COND` off the end of a location. Throws Error for a condition that cannot be one.
StopWords parse_stop(const std::string& text);

// catch oob, nan ...; throws Error that lists them.
Breakpoint caught(const std::string& what);

}  // namespace tl::debug
