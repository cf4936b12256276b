// A compiled kernel, loaded: its launches call the library's function, on a GPU its text is compiled again.
#pragma once

#include <string>

#include "interp/hostcc/finding.h"
#include "interp/lang/launch.h"
#include "interp/lang/plain_loop.h"

namespace tl::hostcc {

// A compiled library, whose bytes these are; it stays loaded. Throws Error where it cannot be.
void* load_library(const std::string& library, const std::string& name);
void* function_in(void* library, const char* function);

class LoadedKernel {
 public:
  // `library`: its bytes; `source`: its file as sources/sources.h finds it. Throws Error where they cannot be loaded.
  // They stay loaded: faults point at names inside.
  LoadedKernel(const Wanted& wanted, const std::string& library, std::string source);
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const;
  using Loop = void (*)(LoopCase&);
  Loop loop() const { return loop_; }  // null: none was wanted

 private:
  using Program = void (*)(cpu::Context&, const void* const*);
  std::string name_, parameters_, source_;
  Program program_ = nullptr;
  Loop loop_ = nullptr;
};

}  // namespace tl::hostcc
