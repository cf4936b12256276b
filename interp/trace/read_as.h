// A number out of bytes that need not be aligned.
#pragma once

#include <cstddef>
#include <cstring>

namespace tl::trace {

template <class T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace tl::trace
