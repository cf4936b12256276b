// Whatever the text, the parser gives a condition that prints and parses back to itself, or an Error.
#include <cstdlib>

#include "interp/lang/pid_condition.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const tl::PidCondition condition = tl::PidCondition::parse(text);
    const tl::PidCondition again = tl::PidCondition::parse(condition.text());
    for (std::int64_t x : {0, 1, 2, 100})
      for (std::int64_t y : {0, 7})
        if (condition.matches({x, y, 1}) != again.matches({x, y, 1})) std::abort();
  } catch (const tl::Error&) {
  }
  return 0;
}
