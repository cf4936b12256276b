// Runs kernels beside the window's thread: the recording, the machine model and the comparison each in a thread of its
// own, so that a slider's model does not wait for the recording. A stop button ends them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interp/debug/debugger.h"
#include "interp/lang/error.h"
#include "interp/trace/recorded.h"
#include "kernels/problems/problem.h"
#include "viz/app/latest.h"
#include "viz/scene/scene_case.h"

namespace tl::viz {

struct RunRequest {
  std::string kernel;
  std::vector<std::string> settings;  // name=value
  std::uint64_t seed = 0;
};

struct RunAnswer {
  RunRequest request;
  std::optional<Error> error;  // no recording: why
  trace::RecordedTrace trace;
  double wall_ms = 0;
  bool was_stopped = false;  // by the reader
};
struct ModelAnswer {
  std::shared_ptr<const ModelRun> run;
  std::string message;  // why there is none
};
struct OutcomesAnswer {
  Outcomes outcomes;
  std::string message;
};

class Runner {
 public:
  explicit Runner(std::function<void()> wake);
  void ask(RunRequest request);
  void ask_model(const RunRequest& request);                  // alone: another GPU
  void ask_model(std::shared_ptr<debug::Debugger> recorded);  // of a recording from elsewhere, which is only read
  void ask_outcomes(const RunRequest& request);  // once the recording is there: a kernel that fails has none
  void stop();                                   // the recording and what runs beside it
  void forget();                                 // everything: a recording from elsewhere is open
  bool is_busy() const { return recording_.is_busy(); }
  bool is_stopping() const { return recording_.is_stopping(); }
  // All answers are taken, too.
  bool is_done() const { return recording_.is_done() && model_.is_done() && outcomes_.is_done(); }
  double busy_seconds() const { return recording_.busy_seconds(); }
  std::optional<RunAnswer> take() { return recording_.take(); }
  std::optional<ModelAnswer> take_model() { return model_.take(); }
  std::optional<OutcomesAnswer> take_outcomes() { return outcomes_.take(); }
  void set_gpu(std::string gpu) { gpu_ = std::move(gpu); }  // of the model, from the next request on
  const std::string& gpu() const { return gpu_; }

 private:
  struct ModelRequest {
    RunRequest request;
    std::string gpu;
    std::shared_ptr<debug::Debugger> recorded = {};  // instead of the request
  };
  std::string gpu_ = "h200";
  Latest<RunRequest, RunAnswer> recording_;
  Latest<ModelRequest, ModelAnswer> model_;
  Latest<RunRequest, OutcomesAnswer> outcomes_;
};

// The recording of one request, in this thread.
RunAnswer answer_to(const RunRequest& request, const std::atomic<bool>& stop);

}  // namespace tl::viz
