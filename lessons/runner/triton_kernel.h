// A learner's kernel in Triton's Python: it is walked, so that no compiler is needed.
#pragma once

#include <memory>
#include <string>

#include "interp/triton/launch.h"
#include "lessons/runner/lesson.h"

namespace tl::lessons {

class TritonKernel : public Kernel {
 public:
  // `name`: of the function; `file`: as places name it. Throws CompileError; Error: the text has no such kernel.
  TritonKernel(const std::string& name, const std::string& text, const std::string& file);
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options = {}) const override;
  std::string text() const override { return text_; }
  Language language() const override { return Language::python; }

 private:
  std::string text_;
  std::unique_ptr<triton::Kernel> kernel_;
};

}  // namespace tl::lessons
