// The texts that a kernel is compiled from: the files it includes, as the program holds them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interp/lang/launch.h"

namespace tl::cuda {

// Path as it is included (kernels/add.h) to text.
using Sources = std::map<std::string, std::string>;

// `roots` and every project file they include, directly or not. As interp/sources gives them.
// Throws Error for a root that does not exist.
Sources gather_sources(const std::vector<std::string>& roots);

// What a launch's kernel is compiled from: its C++, whatever it is written in, and the texts that this includes.
struct KernelSource {
  std::string functor, file;
  Sources texts;
};
// `with`: others that are wanted. Throws Error, CompileError.
KernelSource source_of(const Launch&, std::vector<std::string> with = {});

}  // namespace tl::cuda
