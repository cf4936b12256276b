// A compiled kernel, loaded: its launches call the library's function, on a GPU its text is compiled again.
#pragma once

#include <string>

#include "interp/build/finding.h"
#include "interp/lang/launch.h"

namespace tl::build {

// A function of a compiled library, whose bytes these are; it stays loaded. Throws Error where it cannot be.
void* load_function(const std::string& library, const std::string& name, const char* function);

class LoadedKernel {
 public:
  // `library`: its bytes; `source`: its file as sources/sources.h finds it. Throws Error where they cannot be loaded.
  // They stay loaded: faults point at names inside.
  LoadedKernel(const Wanted& wanted, const std::string& library, std::string source);
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const;

 private:
  using Program = void (*)(cpu::Context&, const void* const*);
  std::string name_, parameters_, source_;
  Program program_ = nullptr;
};

}  // namespace tl::build
