#include "lessons/page/triton_kernel.h"

#include "interp/lang/text.h"
#include "interp/sources/sources.h"
#include "viz/page/state.h"

namespace tl::lessons {

TritonKernel::TritonKernel(const std::string& name, const std::string& text) : text_(text) {
  const auto program = std::make_shared<triton::Program>(page::file, text);
  kernel_ = std::make_unique<triton::Kernel>(program, program->kernel(name));
  sources::keep(page::file, text);
}

Launch TritonKernel::launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const {
  return kernel_->launch(grid, options, std::move(arguments));
}

std::string triton_starter(const Lesson& lesson) {
  std::string text;
  bool is_def = false;
  for (const std::string& line : lines_of(lesson.text("triton.py"))) {
    const bool begins = line.starts_with("def " + lesson.kernel + "(");
    if (begins) text += "\n\n@triton.jit\n";
    is_def |= begins;
    if (is_def || line.starts_with("import triton")) text += line + "\n";
    if (is_def && line.ends_with(":")) return text + "    pass  # write the kernel here\n";
  }
  return "";
}

}  // namespace tl::lessons
