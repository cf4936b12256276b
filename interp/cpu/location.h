// Where in a kernel's text an op stands: a trailing default argument of every op, and of the conversion that an infix
// operand goes through.
#pragma once

#include "interp/lang/site.h"

#ifndef __clang__
#include <bit>
#include <source_location>
#endif

namespace tl::cpu {

// A place in a text that was not compiled. It lives as long as the launch: whoever notes an op keeps a pointer to it.
struct Place {
  const char *file, *function;
  unsigned line, column;
};

#ifdef __clang__
// clang 14 knows no source_location; its builtins, written in a default argument, give the caller's place.
struct Location {
  const char* file = "";
  int line = 0, column = 0;
  Site site() const { return {file, line, column}; }
};
inline Location location_of(const Place& p) { return {p.file, static_cast<int>(p.line), static_cast<int>(p.column)}; }
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
// libstdc++'s source_location is one pointer to what a Place holds; a test reads one back.
inline Location location_of(const Place& p) {
  static_assert(sizeof(std::source_location) == sizeof(&p));
  return std::bit_cast<std::source_location>(&p);
}
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
