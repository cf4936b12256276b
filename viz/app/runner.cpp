#include "viz/app/runner.h"

#include <algorithm>
#include <chrono>

#include "interp/lang/stop_scope.h"
#include "interp/run/kernel_case.h"
#include "interp/run/record.h"

namespace tl::viz {

RunAnswer answer_to(const RunRequest& request, const std::atomic<bool>& stop) {
  RunAnswer answer;
  answer.request = request;
  const auto began = std::chrono::steady_clock::now();
  const StopScope scope(&stop);
  try {
    const run::Case c = run::make_case({.kernel = request.kernel, .settings = request.settings, .seed = request.seed});
    // The window shows values of some programs; of the others it needs the accesses alone.
    run::RecordingOptions recording;
    recording.programs = 64;
    recording.stop = &stop;
    recording.shows_progress = false;
    answer.trace = run::record(c, recording);
    answer.was_stopped = stop;
    if (std::ranges::all_of(answer.trace.programs, [](const trace::RecordedProgram& p) { return p.steps.empty(); }) &&
        stop)
      answer.error = Stopped();
  } catch (const Error& e) {
    answer.error = e;
  } catch (const std::exception& e) {
    answer.error = Error(e.what(), "");
  }
  answer.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  return answer;
}

namespace {

// At once with estimated registers, then with those of the compiled kernel where a toolkit is there.
ModelAnswer model_answer(const RunRequest& request, const std::string& gpu, bool may_compile,
                         const std::atomic<bool>& stop) {
  ModelAnswer answer;
  try {
    answer.run = std::make_shared<ModelRun>(model_of(
        {.kernel = request.kernel, .settings = request.settings, .seed = request.seed}, gpu, 0, may_compile, &stop));
  } catch (const std::exception& e) {
    if (!stop) answer.message = std::string("no schedule of the model: ") + e.what();
  }
  return answer;
}

ModelAnswer model_answer(const trace::RecordedTrace& recorded, const std::string& gpu) {
  ModelAnswer answer;
  try {
    answer.run = std::make_shared<ModelRun>(model_of(recorded, gpu));
  } catch (const std::exception& e) {
    answer.message = std::string("no schedule of the model: ") + e.what();
  }
  return answer;
}

OutcomesAnswer outcomes_answer(const RunRequest& request, const std::atomic<bool>& stop) {
  OutcomesAnswer answer;
  const StopScope scope(&stop);
  try {
    run::Case c = run::make_case({.kernel = request.kernel, .settings = request.settings, .seed = request.seed});
    answer.outcomes = outcomes_of(c, &stop);
  } catch (const std::exception& e) {
    answer.message = e.what();
  }
  return answer;
}

}  // namespace

Runner::Runner(std::function<void()> wake)
    : recording_([](const RunRequest& request, const std::atomic<bool>& stop,
                    const auto& post) { post(answer_to(request, stop)); },
                 wake),
      model_(
          [](const ModelRequest& asked, const std::atomic<bool>& stop, const auto& post) {
            if (asked.recorded) return post(model_answer(asked.recorded->session().trace(), asked.gpu));
            post(model_answer(asked.request, asked.gpu, false, stop));
            if (!stop) post(model_answer(asked.request, asked.gpu, true, stop));
          },
          wake),
      outcomes_([](const RunRequest& request, const std::atomic<bool>& stop,
                   const auto& post) { post(outcomes_answer(request, stop)); },
                wake) {}

void Runner::ask(RunRequest request) {
  outcomes_.forget();
  ask_model(request);
  recording_.ask(std::move(request));
}

void Runner::ask_model(const RunRequest& request) { model_.ask({request, gpu_, nullptr}); }
void Runner::ask_model(std::shared_ptr<debug::Debugger> recorded) { model_.ask({{}, gpu_, std::move(recorded)}); }
void Runner::ask_outcomes(const RunRequest& request) { outcomes_.ask(request); }
void Runner::stop() {
  recording_.stop();
  model_.stop();
  outcomes_.stop();
}

void Runner::forget() {
  recording_.forget();
  model_.forget();
  outcomes_.forget();
}

}  // namespace tl::viz
