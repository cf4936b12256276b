// A kernel of anybody's file, C++ or Triton's Python: its text, its functor, and launches of it.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "interp/case/signature.h"
#include "interp/hostcc/loaded_kernel.h"

namespace tl::triton {
class Kernel;
class Program;
}  // namespace tl::triton

namespace tl::cases {

class UserKernel {
 public:
  // relu.h, softmax.py; relu.h:relu_kernel where a file has several. Reads the text. Throws Error: no such file, no
  // kernel in it, several; CompileError for a text that is not finished.
  explicit UserKernel(const std::string& name);
  // Python that lies in no file. `file`: as places name it; `kernel`: which of several, or "".
  UserKernel(const std::string& file, std::string text, const std::string& kernel);
  ~UserKernel();

  const std::filesystem::path& file() const { return file_; }
  const std::string& text() const { return text_; }
  const Functor& functor() const { return functor_; }
  bool is_python() const { return program_ != nullptr; }
  std::vector<Word> words_of_text() const;                    // of defaults and configs, in a .py
  std::vector<std::filesystem::path> imported_files() const;  // of a .py: its helpers' files

  // `kinds`: of the arguments, as Parameter::kind has them; `loop`: the plain loop that is wanted beside it, or "".
  // Compiled once for these, whoever asks; `stop` ends the compiler. Throws Error, CompileError.
  const hostcc::LoadedKernel& compiled(const std::string& kinds, const std::string& loop = "",
                                       const std::atomic<bool>* stop = nullptr);
  // Python is walked, and needs no compiler.
  Launch launch(const std::string& kinds, Grid grid, std::vector<Argument> arguments, LaunchOptions options,
                const std::atomic<bool>* stop = nullptr, const std::string& loop = "");

 private:
  std::filesystem::path file_;
  std::string text_;
  std::shared_ptr<triton::Program> program_;  // of Python; else null
  Functor functor_;
  std::mutex mutex_;
  std::map<std::string, hostcc::LoadedKernel> loaded_;  // by kinds and loop
  std::unique_ptr<triton::Kernel> python_;              // made when it is first launched
};

}  // namespace tl::cases
