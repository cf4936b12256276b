// What the threads beside the window bring: recordings, programs of them, the model, comparisons.
#include <algorithm>
#include <cstdio>

#include "viz/app/app.h"
#include "viz/model/film/side_by_side.h"
#include "viz/scene/default_moment.h"
#include "viz/scene/story.h"

namespace tl::viz {

namespace {

const Fault* first_fault(const trace::RecordedTrace& trace) {
  for (const trace::RecordedProgram& p : trace.programs)
    if (!p.faults.empty()) return &p.faults.front().fault;
  return nullptr;
}

}  // namespace

void App::shows(trace::RecordedTrace trace, const std::string& title) {
  const bool is_first = !workspace_.debugger;
  std::vector<std::string> to_repeat;  // breakpoints outlive a change of settings
  if (!is_first)
    for (const debug::Breakpoint& b : workspace_.debugger->session().breakpoints())
      if (b.kind == debug::BreakKind::line)
        to_repeat.push_back("b " + std::to_string(b.line) + (b.condition.empty() ? "" : " if " + b.condition));
  workspace_.debugger = std::make_shared<debug::Debugger>(std::move(trace));
  ++workspace_.generation;
  workspace_.findings = std::make_shared<Findings>(workspace_.debugger->session().trace());
  workspace_.outcomes.clear();
  workspace_.selection = {};
  for (const std::string& line : to_repeat) workspace_.debugger->execute(line);
  status_ = title;
  for (const auto& source : workspace_.debugger->session().trace().sources)
    if (const std::string advice = window_.need_glyphs_of(source.text); !advice.empty()) status_ = advice;
}

// Of the moment at which it opens.
void App::greet() { workspace_.console.push_back({"", workspace_.debugger->greeting()}); }

void App::take_answer() {
  if (auto answer = runner_.take_model();
      answer && (request_ || schedules_recording_)) {  // else a recording was opened meanwhile
    if (answer->run || !answer->film) workspace_.model = answer->run;
    if (workspace_.baseline && answer->film && film::is_same_case(*workspace_.baseline, *answer->film))
      workspace_.baseline = answer->film;  // the kernel was compiled meanwhile
    workspace_.film = answer->film;
    if (!answer->film && !answer->message.empty()) workspace_.no_film = answer->message;
    if (!answer->message.empty()) status_ = answer->message;
    frames_to_draw_ = 3;
  }
  if (auto answer = runner_.take_beside(); answer && request_) {
    if (answer->film) workspace_.baseline = answer->film;
    if (!answer->message.empty()) status_ = answer->message;
    frames_to_draw_ = 3;
  }
  if (auto answer = runner_.take_code(); answer && request_) {
    workspace_.code = answer->code;
    workspace_.no_code = answer->message;
    ++workspace_.answers;
    // What is kept is what is open: it was compiled meanwhile.
    if (workspace_.baseline && workspace_.baseline == workspace_.film) workspace_.code_baseline = workspace_.code;
    frames_to_draw_ = 3;
  }
  if (auto answer = runner_.take_tuning(); answer && request_) {
    workspace_.tuning = answer->tuning;
    workspace_.no_tuning = answer->message;
    ++workspace_.answers;
    mark_open_config();
    frames_to_draw_ = 3;
  }
  if (auto answer = runner_.take_outcomes(); answer && request_) {
    workspace_.outcomes = std::move(answer->outcomes.all);
    ++workspace_.answers;
    workspace_.output = answer->outcomes.output;
    workspace_.no_gpu = answer->outcomes.no_gpu;
    workspace_.output_shape = answer->outcomes.shape;
    if (!answer->message.empty()) status_ = answer->message;
    frames_to_draw_ = 3;
  }
  auto answer = runner_.take();
  if (!answer || !request_) return;
  if (!(answer->request == *request_)) return;  // sliders went on meanwhile
  has_answer_ = false;
  frames_to_draw_ = 3;
  error_ = answer->error;
  failing_.reset();
  workspace_.fault_line = 0;
  if (error_) {
    wanted_.programs.clear();
    return;
  }
  if (answer->added_to && shown_ == answer->request) return take_programs(std::move(*answer));
  const Fault* const fault = first_fault(answer->trace);
  if (fault && fault->kind != FaultKind::stopped) {
    workspace_.fault_line = fault->site.line;
    workspace_.fault_text = fault->headline + (fault->detail.empty() ? "" : "\n" + fault->detail);
    // A setting made the run fail: the last good recording stays, and a button shows the failing run.
    if (workspace_.debugger && !workspace_.has_failed && workspace_.kernel == answer->request.kernel) {
      const std::string file = fault->site.file ? fault->site.file : "";
      error_ = Error(file.substr(file.rfind('/') + 1) + ":" + std::to_string(fault->site.line) + ": " +
                         fault->headline + (fault->detail.empty() ? "" : ": " + fault->detail),
                     fault->fix);
      failing_ = std::move(answer);
      return;
    }
  }
  show_answer(std::move(*answer));
}

// At once, as a config is clicked: its run comes later.
void App::mark_open_config() {
  if (!workspace_.tuning) return;
  TuningRun marked = *workspace_.tuning;
  marked.open(values_);
  workspace_.tuning = std::make_shared<TuningRun>(std::move(marked));
}

void App::take_programs(RunAnswer answer) {
  debug::Session& session = workspace_.debugger->session();
  workspace_.debugger->session().add(std::move(answer.trace), *answer.added_to);
  std::erase_if(wanted_.programs, [&](const ProgramId& id) {
    const auto at = session.find_program(id, wanted_.launch);
    return at && session.trace().programs[*at].keep == trace::Keep::values;
  });
  ++workspace_.generation;
  workspace_.findings = std::make_shared<Findings>(session.trace());
  char took[80];
  std::snprintf(took, sizeof took, ": %zu of %lld programs recorded, the last in %.0f ms; one goes to any other",
                session.trace().programs.size(), static_cast<long long>(programs_of(session.launch())), answer.wall_ms);
  if (answer.is_partial) status_ = answer.request.kernel + took;
  const auto there = heading_for_ ? session.find_program(*heading_for_) : std::nullopt;
  if (!there) return;
  heading_for_.reset();
  if (*there == session.now().program) return;
  const auto steps = static_cast<std::uint32_t>(session.trace().programs[*there].steps.size());
  session.go(
      {*there, std::min(heading_step_ >= 0 ? static_cast<std::uint32_t>(heading_step_) : session.now().step, steps)});
}

bool App::fetch(ProgramId program) {
  if (!request_ || shown_ != request_) return false;
  const int launch = workspace_.debugger->session().program().launch;
  if (wanted_.launch != launch) wanted_ = {launch, {}};
  heading_for_ = program;
  heading_step_ = -1;
  const auto is_same = [&](const ProgramId& id) { return id == program; };
  if (std::ranges::any_of(wanted_.programs, is_same)) return true;
  wanted_.programs.push_back(program);
  runner_.ask_programs(*request_, wanted_);
  return true;
}

void App::show_failing() {
  if (!failing_) return;
  error_.reset();
  show_answer(std::move(*std::exchange(failing_, std::nullopt)));
}

// A kernel opens where there is something to be seen, in the picture that shows it.
void App::tell_story() {
  debug::Session& session = workspace_.debugger->session();
  const Story story = story_of(session, workspace_.findings);
  for (auto& [name, layout] : layouts_) layout.suggest(panel(story.panel)->name());
  const bool is_free = std::ranges::none_of(layout().panes(), &Pane::is_chosen);
  if (story.panel == "order" && preferences_.preset == "Debug" && is_free) {  // beside the chip, where an order matters
    use_preset("Schedule");
    before_story_ = "Debug";
  }
  debug::Moment moment = story.moment;
  for (const Pane& pane : layout().panes())  // of the picture that the reader asked for
    for (const Panel& p : panels())
      if (pane.is_chosen && panel(p.name) == panel(pane.tabs[pane.active]))
        moment = default_moment(session, p.name, "");
  session.go(moment);
  if (story.chosen.has_cells()) workspace_.selection.pinned = story.chosen;
}

void App::show_answer(RunAnswer given) {
  RunAnswer* const answer = &given;
  const Fault* const fault = first_fault(answer->trace);
  const bool was_stopped = answer->was_stopped;
  workspace_.has_failed = fault && fault->kind != FaultKind::stopped;
  workspace_.kernel = answer->request.kernel;
  frames_to_draw_ = 3;
  const bool is_other = !shown_ || shown_->kernel != answer->request.kernel;  // else the console has its greeting
  shown_ = answer->request;
  char took[96];
  std::snprintf(took, sizeof took,
                was_stopped ? ": stopped after %.1f s; what was recorded by then is shown" : ": recorded in %.0f ms",
                was_stopped ? answer->wall_ms / 1000 : answer->wall_ms);
  std::string title = answer->request.kernel + took;
  if (answer->is_partial)
    title = answer->request.kernel +
            ": all its programs would take long to record, so each is as one goes there; "
            "\"Run every program\" (Ctrl+Shift+R) does";
  shows(std::move(answer->trace), title);
  if (is_other) {
    tell_story();
    greet();
  }
  if (is_other && answer->is_partial) workspace_.console.push_back({"", title + "\n"});
  workspace_.debugger->fetch_by([this](ProgramId id) { return fetch(id); });
  workspace_.wants_outcomes = false;
  workspace_.has_asked_outcomes = was_stopped;
  workspace_.wants_code = workspace_.has_asked_code = false;
  workspace_.wants_tuning = workspace_.has_asked_tuning = false;
}

}  // namespace tl::viz
