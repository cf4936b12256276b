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
#include "viz/scene/code_case.h"
#include "viz/scene/film_case.h"
#include "viz/scene/scene_case.h"
#include "viz/scene/tuning_case.h"

namespace tl::viz {

struct RecordRequest {
  std::string kernel;
  std::vector<std::string> settings;  // name=value
  std::uint64_t seed = 0;
  bool wants_all = false;  // record every program, however long it takes
  friend bool operator==(const RecordRequest&, const RecordRequest&) = default;
};

// Programs of one launch whose values the reader wants to see.
struct ProgramsRequest {
  int launch = 0;
  std::vector<ProgramId> programs = {};
};

struct RunAnswer {
  RecordRequest request;
  std::optional<Error> error;  // no recording: why
  trace::RecordedTrace trace;
  double wall_ms = 0;
  bool was_stopped = false;          // by the reader
  bool is_partial = false;           // recording every program would take long: programs are recorded as one goes there
  bool has_values = true;            // else they follow
  std::optional<int> added_to = {};  // the trace holds a few programs of this launch, for the request's recording
};
struct ModelAnswer {
  std::shared_ptr<const ModelRun> run;
  std::shared_ptr<const film::Film> film;
  std::string message;  // why there is none
};
struct CodeAnswer {
  std::shared_ptr<const CodeRun> code;
  std::string message;  // why there is none
};
struct TuningAnswer {
  std::shared_ptr<const TuningRun> tuning;
  std::string message;  // why there is none
};
struct OutcomesAnswer {
  Outcomes outcomes;
  std::string message;
};

class Runner {
 public:
  explicit Runner(std::function<void()> wake);
  void ask(RecordRequest request);  // the recording, and the model if it was not asked for the same
  void ask_programs(const RecordRequest& request, ProgramsRequest programs);  // of that recording, with their values
  void ask_model(const RecordRequest& request);                               // alone: another GPU
  void ask_model(std::shared_ptr<debug::Debugger> recorded);  // of a recording from elsewhere, which is only read
  void ask_launch(int number);                                // of the model's request: the chip plays that one
  void ask_outcomes(const RecordRequest& request);  // once the recording is there: a kernel that fails has none
  void ask_beside(const RecordRequest& request);    // the film of another case, to play beside the model's
  void ask_code(const RecordRequest& request);      // as CUDA's toolkit compiles it
  void ask_tuning(const RecordRequest& request);    // its configs, ranked by the model
  void stop();                                      // the recording and what runs beside it
  void forget();                                    // everything: a recording from elsewhere is open
  bool is_busy() const { return recording_.is_busy(); }
  bool is_stopping() const { return recording_.is_stopping(); }
  // All answers are taken, too.
  bool is_done() const {
    return recording_.is_done() && model_.is_done() && beside_.is_done() && outcomes_.is_done() && code_.is_done() &&
           tuning_.is_done();
  }
  double busy_seconds() const { return recording_.busy_seconds(); }
  std::optional<RunAnswer> take() { return recording_.take(); }
  std::optional<ModelAnswer> take_model() { return model_.take(); }
  std::optional<ModelAnswer> take_beside() { return beside_.take(); }
  std::optional<OutcomesAnswer> take_outcomes() { return outcomes_.take(); }
  std::optional<CodeAnswer> take_code() { return code_.take(); }
  std::optional<TuningAnswer> take_tuning() { return tuning_.take(); }
  void set_gpu(std::string gpu) { gpu_ = std::move(gpu); }  // of the model, from the next request on
  const std::string& gpu() const { return gpu_; }

 private:
  struct Job {
    RecordRequest request;
    std::optional<ProgramsRequest> programs;  // none: the recording itself
    std::string gpu;                          // whose layout persistent kernels take
  };
  struct ModelRequest {
    RecordRequest request;
    std::string gpu;
    std::shared_ptr<debug::Debugger> recorded = {};  // instead of the request
    int launch = 0;                                  // that the chip plays
  };
  std::string gpu_ = "h200";
  std::optional<RecordRequest> modelled_;  // what the model was asked for last
  int launch_ = 0;                         // of it
  Latest<Job, RunAnswer> recording_;
  Latest<ModelRequest, ModelAnswer> model_, beside_;
  Latest<RecordRequest, OutcomesAnswer> outcomes_;
  Latest<ModelRequest, CodeAnswer> code_;
  Latest<ModelRequest, TuningAnswer> tuning_;
};

// The recording of one request, every program of it, in this thread.
RunAnswer answer_to(const RecordRequest& request, const std::atomic<bool>& stop);

}  // namespace tl::viz
