// What a failed tl.device_assert on a GPU tells the host: both read this one declaration.
#pragma once

namespace tl::cuda {

struct AssertionRecord {
  static constexpr int longest = 199;
  int failed;
  unsigned program[3];
  int lane;  // row-major position in the block; -1: a scalar
  int line;
  char text[longest + 1], file[longest + 1];  // the last character stays 0
};

// tl::cuda::global_of<tl::cuda::Assertions>, which holds the record's address
inline constexpr const char* assertions_symbol = "_ZN2tl4cuda9global_ofINS0_10AssertionsEEE";

}  // namespace tl::cuda
