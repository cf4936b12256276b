// In a page, a lesson's solution is one in Triton, walked: what a learner's kernel is measured by.
#include <map>

#include "lessons/runner/best.h"
#include "lessons/runner/triton_kernel.h"

namespace tl::lessons {

Launch launch_of_solution(const std::string& folder, Grid grid, const std::vector<Argument>& arguments,
                          LaunchOptions options) {
  static std::map<std::string, std::unique_ptr<TritonKernel>> known;
  try {
    auto& kernel = known[folder];
    if (!kernel)
      kernel =
          std::make_unique<TritonKernel>(find(folder).kernel, find(folder).solution(Language::python), "solution.py");
    return kernel->launch(grid, arguments, options);
  } catch (const std::exception&) {
    return {};  // it has none, or an excerpt
  }
}

}  // namespace tl::lessons
