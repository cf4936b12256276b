#include "lessons/runner/triton_kernel.h"

#include "interp/sources/sources.h"

namespace tl::lessons {

TritonKernel::TritonKernel(const std::string& name, const std::string& text, const std::string& file) : text_(text) {
  const auto program = std::make_shared<triton::Program>(file, text);
  kernel_ = std::make_unique<triton::Kernel>(program, program->kernel(name));
  sources::keep(file, text);
}

Launch TritonKernel::launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const {
  return kernel_->launch(grid, options, std::move(arguments));
}

}  // namespace tl::lessons
