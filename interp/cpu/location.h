// Where in a kernel's text an op stands: a trailing default argument of every op, and of the conversion that an infix
// operand goes through.
#pragma once

#include "interp/lang/site.h"

#ifndef __clang__
#include <source_location>
#endif

namespace tl::cpu {

#ifdef __clang__
// clang 14 knows no source_location; its builtins, written in a default argument, give the caller's place.
struct Location {
  const char* file = "";
  int line = 0, column = 0;
  Site site() const { return {file, line, column}; }
};
#define TL_LOCATION \
  ::tl::cpu::Location { __builtin_FILE(), __builtin_LINE(), __builtin_COLUMN() }
#else
// One pointer to what the compiler recorded. Converts implicitly: g++ gives the caller's place only when the default
// argument is the bare call.
struct Location {
  std::source_location location;
  constexpr Location(std::source_location l = {}) : location(l) {}
  Site site() const {
    return {location.file_name(), static_cast<int>(location.line()), static_cast<int>(location.column())};
  }
};
#define TL_LOCATION std::source_location::current()
#endif

// An operand that remembers where it was written: infix operators take one of these, since they can have no default
// arguments.
template <class T>
struct At {
  const T& value;
  Location location;
  At(const T& value, Location location = TL_LOCATION) : value(value), location(location) {}
};

}  // namespace tl::cpu
