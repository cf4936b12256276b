#include "viz/app/runner.h"

#include <algorithm>
#include <chrono>

#include "interp/lang/stop_scope.h"
#include "interp/machine/device.h"
#include "interp/run/accesses.h"
#include "interp/run/kernel_case.h"
#include "interp/run/record.h"
#include "interp/run/record_some.h"
#include "interp/run/schedule_case.h"
#include "interp/trace/merge.h"
#include "kernels/problems/chip.h"

namespace tl::viz {

namespace {

class Clock {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

run::KernelOptions kernel_of(const RecordRequest& r) {
  return {.kernel = r.kernel, .settings = r.settings, .seed = r.seed};
}

// The recordings of one case: its tensors are made once, what its addresses say is asked once.
class CaseRecorder {
 public:
  CaseRecorder(RecordRequest request, const std::string& gpu) : request_(std::move(request)), gpu_(gpu) {}
  bool is_of(const RecordRequest& request, const std::string& gpu) const { return request_ == request && gpu_ == gpu; }

  // The window shows values of some programs; of the others it needs the accesses alone.
  RunAnswer all(const std::atomic<bool>& stop) {
    return timed([&](RunAnswer& answer) {
      run::RecordingOptions recording;
      recording.programs = 64;
      recording.stop = &stop;
      recording.shows_progress = false;
      recording.finds_wrong = true;
      if (c_) c_->instance.reset();
      answer.trace = run::record(made(), recording);
      answer.was_stopped = stop;
      if (std::ranges::all_of(answer.trace.programs, [](const auto& p) { return p.steps.empty(); }) && stop)
        answer.error = Stopped();
    });
  }

  // The first program without its values, and the second one, which says in what order they go; where recording all of
  // them would take long.
  std::optional<RunAnswer> first_steps() {
    if (request_.wants_all) return std::nullopt;
    try {
      const auto records = run::record_accesses(kernel_of(request_));
      is_partial_ = records.size() == 1 && run::programs_stand_alone(records.front()) &&
                    run::recording_seconds(records.front()) > most_seconds;
    } catch (const std::exception&) {  // the run itself will say what is wrong
    }
    if (!is_partial_) return std::nullopt;
    RunAnswer answer = timed([&](RunAnswer& a) { a.trace = steps_of(kernel_of(request_), gpu_, "<2,=0,=0"); });
    if (answer.error) return std::nullopt;
    answer.has_values = false;
    return answer;
  }

  RunAnswer some(const ProgramsRequest& wanted, const std::atomic<bool>& stop) {
    RunAnswer answer = timed([&](RunAnswer& a) {
      const bool alone = is_partial_ || stand_alone();
      for (const ProgramId& program : wanted.programs) {
        auto more = run::record_program(made(), wanted.launch, program, alone, &stop);
        if (a.trace.launches.empty()) a.trace = std::move(more);
        else trace::merge(a.trace, std::move(more), 0);
      }
    });
    answer.added_to = wanted.launch;
    return answer;
  }

 private:
  // What a reader waits for without a thought.
  static constexpr double most_seconds = 1;

  const run::Case& made() {
    if (!c_) c_ = run::make_case(kernel_of(request_));
    return *c_;
  }

  bool stand_alone() {
    if (!stands_alone_) {
      const auto records = run::record_accesses(kernel_of(request_));
      stands_alone_ = std::ranges::all_of(records, run::programs_stand_alone);
    }
    return *stands_alone_;
  }

  template <class F>
  RunAnswer timed(const F& record) {
    const Clock clock;
    RunAnswer answer;
    answer.request = request_;
    try {
      record(answer);
    } catch (const Error& e) {
      answer.error = e;
    } catch (const std::exception& e) {
      answer.error = Error(e.what(), "");
    }
    answer.is_partial = is_partial_;
    answer.wall_ms = clock.ms();
    return answer;
  }

  RecordRequest request_;
  std::string gpu_;
  std::optional<run::Case> c_;
  bool is_partial_ = false;
  std::optional<bool> stands_alone_;
};

}  // namespace

RunAnswer answer_to(const RecordRequest& request, const std::atomic<bool>& stop) {
  const StopScope scope(&stop);
  return CaseRecorder(request, "h200").all(stop);
}

namespace {

ModelAnswer model_answer(const RecordRequest& request, const std::string& gpu, Compiling compiling,
                         const std::atomic<bool>& stop) {
  ModelAnswer answer;
  try {
    ModelRun run = model_of(kernel_of(request), gpu, 0, compiling, &stop);
    run.plans = line_plans_of(kernel_of(request), gpu, &stop);
    answer.run = std::make_shared<ModelRun>(std::move(run));
  } catch (const std::exception& e) {
    if (!stop) answer.message = std::string("no schedule of the model: ") + e.what();
  }
  return answer;
}

// The film alone, which is there before anything else.
ModelAnswer film_answer(const RecordRequest& request, const std::string& gpu, int launch, Compiling compiling,
                        const std::atomic<bool>& stop, const std::function<void(ModelAnswer)>& post) {
  ModelAnswer answer;
  try {
    std::function<void(FilmToShow)> show_beginning;  // what was estimated is there in whole, and stays meanwhile
    if (post && compiling == Compiling::later)
      show_beginning = [&](FilmToShow film) { post({nullptr, std::move(film), ""}); };
    answer.film = film_of_case(kernel_of(request), gpu, 0, compiling, &stop, show_beginning, launch);
  } catch (const std::exception&) {  // model_answer says why
  }
  return answer;
}

// make(answer), or why there is none.
template <class Answer, class F>
Answer answered(F make) {
  Answer answer;
  try {
    make(answer);
  } catch (const Error& e) {
    answer.message = std::string(e.what()) + (e.fix.empty() ? "" : "\n\n" + e.fix);
  } catch (const std::exception& e) {
    answer.message = e.what();
  }
  return answer;
}

CodeAnswer code_answer(const RecordRequest& request, const std::string& gpu) {
  return answered<CodeAnswer>(
      [&](CodeAnswer& answer) { answer.code = std::make_shared<CodeRun>(code_of(kernel_of(request), gpu)); });
}

TuningAnswer tuning_answer(TuningRanks& ranks, const RecordRequest& request, const std::string& gpu,
                           const std::atomic<bool>& stop) {
  const StopScope scope(&stop);
  return answered<TuningAnswer>([&](TuningAnswer& answer) {
    answer.tuning = std::make_shared<TuningRun>(ranks.of(kernel_of(request), gpu, stop));
  });
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

OutcomesAnswer outcomes_answer(const RecordRequest& request, const std::atomic<bool>& stop) {
  OutcomesAnswer answer;
  const StopScope scope(&stop);
  try {
    run::Case c = run::make_case(kernel_of(request));
    answer.outcomes = outcomes_of(c, &stop);
  } catch (const std::exception& e) {
    answer.message = e.what();
  }
  return answer;
}

}  // namespace

Runner::Runner(std::function<void()> wake)
    : recording_(
          [recorder = std::shared_ptr<CaseRecorder>()](const Job& job, const std::atomic<bool>& stop,
                                                       const auto& post) mutable {
            const StopScope scope(&stop);
            const problems::LaidOutFor chip(run::chip_of(machine::find_device(job.gpu)));
            if (!recorder || !recorder->is_of(job.request, job.gpu)) {
              recorder.reset();  // its tensors first
              recorder = std::make_shared<CaseRecorder>(job.request, job.gpu);
            }
            if (job.programs) return post(recorder->some(*job.programs, stop));
            auto steps = recorder->first_steps();
            if (!steps) return post(recorder->all(stop));
            post(std::move(*steps));
            if (auto first = recorder->some({0, {{0, 0, 0}}}, stop); !stop || !first.error) post(std::move(first));
          },
          wake),
      model_(
          [](const ModelRequest& asked, const std::atomic<bool>& stop, const auto& post) {
            if (asked.recorded) return post(model_answer(asked.recorded->session().trace(), asked.gpu));
            for (const Compiling compiling : {Compiling::later, Compiling::now}) {
              if (stop) return;
              ModelAnswer film = film_answer(asked.request, asked.gpu, asked.launch, compiling, stop, post);
              if (film.film) post(film);
              ModelAnswer answer = model_answer(asked.request, asked.gpu, compiling, stop);
              answer.film = film.film;
              const bool is_final = answer.run && !answer.run->awaits_compiler;
              post(std::move(answer));
              if (is_final) return;
            }
          },
          wake),
      beside_(
          [](const ModelRequest& asked, const std::atomic<bool>& stop, const auto& post) {
            for (const Compiling compiling : {Compiling::later, Compiling::now}) {
              if (stop) return;
              ModelAnswer answer = film_answer(asked.request, asked.gpu, asked.launch, compiling, stop, {});
              if (!answer.film) answer.message = "no film of it to play beside";
              post(std::move(answer));
            }
          },
          wake),
      outcomes_([](const RecordRequest& request, const std::atomic<bool>& stop,
                   const auto& post) { post(outcomes_answer(request, stop)); },
                wake),
      code_([](const ModelRequest& asked, const std::atomic<bool>&,
               const auto& post) { post(code_answer(asked.request, asked.gpu)); },
            wake),
      tuning_(
          [ranks = TuningRanks()](const ModelRequest& asked, const std::atomic<bool>& stop, const auto& post) mutable {
            post(tuning_answer(ranks, asked.request, asked.gpu, stop));
          },
          wake) {}

void Runner::ask(RecordRequest request) {
  outcomes_.forget();
  if (!modelled_ || !(*modelled_ == request)) ask_model(request);
  recording_.ask({std::move(request), std::nullopt, gpu_});
}

void Runner::ask_programs(const RecordRequest& request, ProgramsRequest programs) {
  recording_.ask({request, std::move(programs), gpu_});
}

void Runner::ask_model(const RecordRequest& request) {
  if (!modelled_ || modelled_->kernel != request.kernel) launch_ = 0;
  modelled_ = request;
  model_.ask({request, gpu_, nullptr, launch_});
}

void Runner::ask_launch(int number) {
  launch_ = number;
  if (modelled_) model_.ask({*modelled_, gpu_, nullptr, launch_});
}

void Runner::ask_model(std::shared_ptr<debug::Debugger> recorded) {
  modelled_.reset();
  model_.ask({{}, gpu_, std::move(recorded)});
}

void Runner::ask_outcomes(const RecordRequest& request) { outcomes_.ask(request); }
void Runner::ask_beside(const RecordRequest& request) { beside_.ask({request, gpu_, nullptr}); }
void Runner::ask_code(const RecordRequest& request) { code_.ask({request, gpu_, nullptr}); }
void Runner::ask_tuning(const RecordRequest& request) { tuning_.ask({request, gpu_, nullptr}); }
void Runner::stop() {
  recording_.stop();
  model_.stop();
  beside_.stop();
  outcomes_.stop();
  code_.stop();
  tuning_.stop();
}

void Runner::forget() {
  modelled_.reset();
  recording_.forget();
  model_.forget();
  beside_.forget();
  outcomes_.forget();
  code_.forget();
  tuning_.forget();
}

}  // namespace tl::viz
