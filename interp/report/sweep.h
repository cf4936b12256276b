// A setting that takes many values: n=256:12672:+128, n=1024:65536:x2, block=64,128,256; m=n=k=64:2048:x2 for several
// at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl::report {

struct Sweep {
  std::string name;
  std::vector<std::int64_t> values;
  bool is_geometric = false;           // x2: the plot's axis is logarithmic
  std::vector<std::string> also = {};  // further settings that take the same values
};

// Throws Error that shows how to write one.
Sweep parse_sweep(const std::string& text);

}  // namespace tl::report
