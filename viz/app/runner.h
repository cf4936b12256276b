// Records kernels beside the window's thread: a slider that moves asks again, the last answer wins, a stop button ends what does not end.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interp/lang/error.h"
#include "interp/trace/recorded.h"
#include "kernels/problems/problem.h"
#include "viz/cli/scene_case.h"

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
  const problems::Problem* problem = nullptr;
  problems::Settings settings;
  double wall_ms = 0;
};

// What takes longer, or may fail without harm to the recording: the machine model's schedule, the reference, recorded GPU runs.
struct BesideAnswer {
  std::shared_ptr<const machine::Schedule> schedule, other_order;
  Outcomes outcomes;
  std::string told;  // why there is no schedule
};

class Runner {
 public:
  explicit Runner(std::function<void()> wake);  // called from the other thread when an answer is there
  ~Runner();
  void ask(RunRequest request);  // ends a run that is under way
  void stop();
  bool is_busy() const { return is_busy_; }
  bool is_done() const;  // with what stands beside the recording as well, and all of it taken
  double busy_seconds() const;
  std::optional<RunAnswer> take();
  std::optional<BesideAnswer> take_beside();  // comes after the answer: outcomes first, then the same with the schedule
  void set_gpu(std::string gpu);              // of the model, from the next run on

 private:
  void work();
  void post(BesideAnswer answer);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::optional<RunRequest> request_;
  std::optional<RunAnswer> answer_;
  std::optional<BesideAnswer> beside_;
  std::string gpu_ = "h200";
  std::atomic<bool> stop_ = false, is_busy_ = false, is_beside_busy_ = false;
  bool wants_end_ = false;
  double since_ = 0;
  std::thread thread_;
};

// The recording of one request, in this thread.
RunAnswer answer_to(const RunRequest& request, const std::atomic<bool>& stop);
BesideAnswer outcomes_beside(const RunRequest& request);
void add_model(BesideAnswer& answer, const RunRequest& request, const std::string& gpu);

}  // namespace tl::viz
