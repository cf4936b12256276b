// Advice for a user who names a kernel's file instead of the kernel.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/problems/problem.h"

namespace tl::problems {

// `kernels/add.h` -> "tilescope schedule add" where the program has that kernel.
inline std::string instead_of_file(const std::string& file, const std::string& command) {
  const std::string name = std::filesystem::path(file).stem().string();
  for (const Problem& p : all())
    if (p.name == name) return "tilescope " + command + " " + name;
  return "the program runs kernels that it was built with: put yours into kernels/ with a problem and the two lines "
         "that register it (CONTRIBUTING.md, \"A kernel\"), build, then tilescope " +
         command + " " + name;
}

}  // namespace tl::problems
