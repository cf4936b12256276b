// What CUDA's compiler says of a learner's text, by its front end alone and in a process of its own, beside the check.
#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include "lessons/runner/report.h"

namespace tl::lessons {

class CudaReader {
 public:
  struct Words {
    CudaReport report;
    std::optional<Finding> refusal;
  };
  // Begins at once. `program`: whose `learn --worker ... --cuda` reads the text.
  CudaReader(const std::string& program, const Lesson& lesson, const std::filesystem::path& file);
  ~CudaReader();  // stops it, where nobody waits any more
  Words words();  // waits

 private:
  std::atomic<bool> stop_ = false;
  std::future<Words> words_;
};

// The child's part: writes its words to file descriptor 3. Returns the exit code.
int work_cuda(const Lesson& lesson, const std::filesystem::path& file);

}  // namespace tl::lessons
