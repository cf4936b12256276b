#include "viz/app/runner.h"

#include <chrono>

#include "interp/cli/kernel_case.h"
#include "interp/cli/record.h"
#include "viz/cli/scene_case.h"

namespace tl::viz {

namespace {

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

RunAnswer answer_to(const RunRequest& request, const std::atomic<bool>& stop) {
  RunAnswer answer;
  answer.request = request;
  const double began = seconds_now();
  try {
    const cli::Case c = cli::make_case({.kernel = request.kernel, .settings = request.settings, .seed = request.seed});
    answer.problem = c.problem;
    answer.settings = c.settings;
    // A window shows what some programs computed; of the others their accesses suffice.
    cli::RecordingOptions recording;
    recording.programs = 64;
    recording.stop = &stop;
    recording.shows_progress = false;
    answer.trace = cli::record(c, recording);
    if (answer.trace.programs.empty()) answer.error = Error("the run was stopped before its first program had begun", "run it again, or choose smaller sizes");
  } catch (const Error& e) {
    answer.error = e;
  } catch (const std::exception& e) {
    answer.error = Error(e.what(), "");
  }
  answer.wall_ms = 1000 * (seconds_now() - began);
  return answer;
}

BesideAnswer outcomes_beside(const RunRequest& request) {
  BesideAnswer answer;
  try {
    cli::Case c = cli::make_case({.kernel = request.kernel, .settings = request.settings, .seed = request.seed});
    answer.outcomes = outcomes_of(c);
  } catch (const std::exception& e) {
    answer.told = e.what();
  }
  return answer;
}

void add_model(BesideAnswer& answer, const RunRequest& request, const std::string& gpu) {
  try {
    const cli::Case c = cli::make_case({.kernel = request.kernel, .settings = request.settings, .seed = request.seed});
    ModelRun model = model_of(c, gpu, 0);
    answer.schedule = std::make_shared<machine::Schedule>(std::move(model.own));
    if (model.other_order) answer.other_order = std::make_shared<machine::Schedule>(std::move(*model.other_order));
  } catch (const std::exception& e) {
    answer.told = e.what();
  }
}

Runner::Runner(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { work(); }) {}

Runner::~Runner() {
  {
    const std::lock_guard lock(mutex_);
    wants_end_ = true;
    stop_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void Runner::ask(RunRequest request) {
  {
    const std::lock_guard lock(mutex_);
    request_ = std::move(request);
    stop_ = true;  // of what runs now; its answer is not wanted any more
    is_busy_ = true;
    since_ = seconds_now();
  }
  asked_.notify_one();
}

void Runner::stop() { stop_ = true; }

bool Runner::is_done() const {
  const std::lock_guard lock(mutex_);
  return !is_busy_ && !is_beside_busy_ && !answer_ && !beside_;
}

double Runner::busy_seconds() const {
  const std::lock_guard lock(mutex_);
  return is_busy_ ? seconds_now() - since_ : 0;
}

std::optional<RunAnswer> Runner::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

std::optional<BesideAnswer> Runner::take_beside() {
  const std::lock_guard lock(mutex_);
  return std::exchange(beside_, std::nullopt);
}

void Runner::set_gpu(std::string gpu) {
  const std::lock_guard lock(mutex_);
  gpu_ = std::move(gpu);
}

void Runner::work() {
  while (true) {
    RunRequest request;
    std::string gpu;
    {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [&] { return request_ || wants_end_; });
      if (wants_end_) return;
      request = *std::exchange(request_, std::nullopt);
      stop_ = false;
      gpu = gpu_;
      beside_.reset();
    }
    RunAnswer answer = answer_to(request, stop_);
    const bool is_shown = !answer.error;
    {
      const std::lock_guard lock(mutex_);
      if (request_) continue;  // a later wish came in between
      answer_ = std::move(answer);
      is_beside_busy_ = is_shown;  // first: whoever asks between must not take both for done
      is_busy_ = false;
    }
    wake_();
    if (!is_shown) continue;  // a kernel that fails has no outcomes
    BesideAnswer more = outcomes_beside(request);  // soon there; the model may have to compile first
    post(more);
    add_model(more, request, gpu);
    post(std::move(more));
    is_beside_busy_ = false;
  }
}

void Runner::post(BesideAnswer answer) {
  {
    const std::lock_guard lock(mutex_);
    if (request_ || wants_end_) return;  // a later wish came in between
    beside_ = std::move(answer);
  }
  wake_();
}

}  // namespace tl::viz
