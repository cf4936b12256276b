// A learner's kernel in Triton's Python: it is walked, so that no compiler and no process of its own is needed.
#pragma once

#include <memory>
#include <string>

#include "interp/triton/launch.h"
#include "lessons/runner/lesson.h"

namespace tl::lessons {

class TritonKernel : public Kernel {
 public:
  // `name`: of the function. Throws CompileError; Error: the text has no such kernel.
  TritonKernel(const std::string& name, const std::string& text);
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options = {}) const override;
  std::string text() const override { return text_; }

 private:
  std::string text_;
  std::unique_ptr<triton::Kernel> kernel_;
};

// What a learner begins with: the solution in Triton without its kernel's body. "": the lesson has none.
std::string triton_starter(const Lesson& lesson);

}  // namespace tl::lessons
