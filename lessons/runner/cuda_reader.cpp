#include "lessons/runner/cuda_reader.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/cuda/host/compile.h"
#include "interp/hostcc/child.h"
#include "interp/lang/error.h"
#include "interp/sources/sources.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

// Launches of a kernel that is text alone: all that a compiler for the GPU needs.
class TextKernel : public Kernel {
 public:
  TextKernel(const Lesson& lesson, std::string source)
      : name_("tl::kernels::" + lesson.kernel), source_(std::move(source)) {}
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const override {
    return {.kernel = name_,
            .source = source_,
            .grid = grid,
            .options = options,
            .arguments = std::move(arguments),
            .on_cpu = {}};
  }

 private:
  std::string name_, source_;
};

Finding refusal_of(const std::string& words, const std::string& fix) {
  Finding f = finding_in(words, fix);
  if (f.line == 0) return {"CUDA's compiler refuses this text", words, fix};
  f.headline = "right on the interpreter, and refused by CUDA's compiler: " + f.headline;
  f.column = 0;
  return f;
}

CudaReader::Words read_words(const std::string& result) {
  CudaReader::Words words;
  const auto j = nlohmann::json::parse(result, nullptr, false);
  if (!j.is_object() || !j.contains("version")) return words;
  words.report = {CudaReport::State::accepts, j["version"]};
  if (!j.contains("refusal")) return words;
  words.report.state = CudaReport::State::refuses;
  words.refusal = refusal_of(j["refusal"], j.value("fix", ""));
  return words;
}

}  // namespace

CudaReader::CudaReader(const std::string& program, const Lesson& lesson, const fs::path& file)
    : words_(std::async(std::launch::async, [this, program, name = lesson.name(), file] {
        const hostcc::ChildLimits limits{.seconds = 30, .cpu_seconds = 30, .stop = &stop_};
        try {
          return read_words(
              hostcc::run_child({program, "learn", "--worker", name, file.string(), "--cuda"}, "", "", limits).result);
        } catch (const Error&) {  // no process: as without a toolkit
          return Words{};
        }
      })) {}

CudaReader::~CudaReader() { stop_ = true; }

CudaReader::Words CudaReader::words() { return words_.get(); }

int work_cuda(const Lesson& lesson, const fs::path& file) {
  if (!cuda::toolkit_available()) return 0;
  nlohmann::json words{{"version", cuda::toolkit_version()}};
  sources::use_sources_from(file.parent_path());
  const auto trials = lesson.trials(TextKernel(lesson, file.filename().string()));
  const auto chosen = std::ranges::find(trials, true, &Trial::on_gpu);
  if (chosen == trials.end()) return 0;
  try {
    cuda::check_text(chosen->instance.launches.front());
  } catch (const CompileError& e) {
    words["refusal"] = e.what();
    words["fix"] = e.fix;
  } catch (const Error&) {  // the toolkit's fault, not the text's
    return 0;
  }
  const std::string text = words.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return ::write(3, text.data(), text.size()) < 0;
}

}  // namespace tl::lessons
