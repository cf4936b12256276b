// A compiled kernel as the worker loads it: its launches call the library's function, on a GPU its text is compiled
// again.
#pragma once

#include <string>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

class LoadedKernel : public Kernel {
 public:
  // `library`: its bytes. Throws Error where they cannot be loaded. They stay loaded: faults point at names inside.
  LoadedKernel(const Lesson& lesson, const std::string& library, std::string source);
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const override;

 private:
  using Program = void (*)(cpu::Context&, const void* const*);
  std::string name_, parameters_, source_;
  Program program_ = nullptr;
};

}  // namespace tl::lessons
