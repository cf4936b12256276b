// What a kernel does, as far as a compilation for a GPU depends on it. The executor that runs kernels for addresses
// finds it: interp/cpu/facts.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/rules/config.h"

namespace tl::rules {

struct KernelFacts {
  // Why no warps may load ahead of the others: "k.h:12 may load from \"t\" what was stored there".
  struct Obstacle {
    std::string fact, fix;
  };

  // As they stand here: nothing is known, and everything is possible.
  Dots dots = Dots::any;
  bool prints = true;
  bool breaks = true;  // has a tl.breakpoint_if
  std::optional<Obstacle> one_role = Obstacle{"nothing is known about the kernel", ""};
  bool looks_up = false;                // loads rows of ints, from tensors that it does not store to
  std::vector<std::string> tiles = {};  // tensors of which blocks are loaded that may be copied ahead
  // False: they hold for every launch that is compiled alike, whatever its ints. True: for the ints, sizes and grid of
  // this launch alone.
  bool of_one_launch = false;
};

}  // namespace tl::rules
