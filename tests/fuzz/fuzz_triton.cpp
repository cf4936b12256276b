// Whatever a Python file holds, it is read or refused.
#include "interp/triton/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tl::triton::parse(tl::triton::make_source("a.py", std::string(reinterpret_cast<const char*>(data), size)));
  } catch (const tl::CompileError&) {
  }
  return 0;
}
