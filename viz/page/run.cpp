// A kernel run with every check, and recorded.
#include <fmt/format.h>

#include <algorithm>

#include "interp/case/file_kernel.h"
#include "interp/report/fault_text.h"
#include "interp/report/tensor_text.h"
#include "interp/run/explanation.h"
#include "interp/run/record.h"
#include "interp/run/truth.h"
#include "interp/triton/refusals.h"
#include "viz/page/state.h"
#include "viz/scene/story.h"

namespace tl::page {

namespace {

constexpr std::size_t most_printed = 1 << 16;  // characters

std::vector<Fault> faults_of(const trace::RecordedTrace& trace) {
  std::vector<Fault> all;
  for (const trace::RecordedProgram& p : trace.programs)
    for (const trace::RecordedFault& f : p.faults) all.push_back(f.fault);
  return all;
}

// The kernel's prints, in the order of the programs.
std::string printed_by(const trace::RecordedTrace& trace) {
  std::string all;
  const auto prints = [](trace::Op op) {
    return op == trace::Op::print_if || op == trace::Op::device_print || op == trace::Op::static_print;
  };
  for (const trace::RecordedProgram& p : trace.programs)
    for (const trace::Step& step : p.steps)
      if (step.text >= 0 && prints(step.op) && all.size() < most_printed) all += p.texts[step.text] + "\n";
  return all;
}

Json remarks_of(const problems::Instance& instance) {
  Json all = Json::array();
  for (const Launch& launch : instance.launches)
    for (const triton::Refusal& r : triton::refusals_of(launch))
      all.push_back({{"line", r.site.line}, {"column", r.site.column}, {"headline", r.fact}, {"fix", r.fix}});
  return all;
}

// A cell that nobody wrote reads "?": as memory was when the last program had ended. A variable of a tensor's name is
// not meant.
Json outputs_of(Run& run) {
  Json all = Json::array();
  for (const Tensor& t : run.a_case.instance.outputs) {
    const debug::Array values = debug::evaluate(t.name, run.debugger->session().tensor_resolver());
    std::string text = debug::text_of(values, {.has_lines = true});
    if (text.starts_with('\n')) text.erase(0, 1);
    all.push_back({{"name", t.name}, {"type", report::type_text(t)}, {"text", text}});
  }
  return all;
}

Json verdict_of(const problems::Instance& instance) {
  if (!instance.reference_at) return {{"ok", true}, {"is_checked", false}, {"text", ""}};
  const problems::Verdict v = problems::check(instance, instance.outputs, problems::affordable_samples(instance));
  if (v.ok) return {{"ok", true}, {"is_checked", true}, {"text", "agrees with what the case expects"}};
  const std::string wrong = run::mismatch_text(instance, v, instance.outputs);
  return {{"ok", false},
          {"is_checked", true},
          {"text", wrong},
          {"why", run::explanation_text(run::explain(instance, *v.first, {.was_on_gpu = false}), report::Paint())}};
}

void go_to_end(debug::Session& session) {
  const auto& programs = session.trace().programs;
  session.go({programs.size() - 1, static_cast<std::uint32_t>(programs.back().steps.size())});
}

// Behind its op, where that was done: what a race stored stands in memory then.
void go_to_first_fault(debug::Session& session) {
  const auto& programs = session.trace().programs;
  for (std::size_t p = 0; p < programs.size(); ++p)
    if (!programs[p].faults.empty())
      return session.go({p, std::min(programs[p].faults.front().step + 1, std::uint32_t(programs[p].steps.size()))});
}

}  // namespace

Json fault_of(const Fault& fault) {
  Json j = report::fault_json(fault);
  if (j["file"] == file) j.erase("file");
  j["text"] = report::fault_text(fault);
  return j;
}

Json run(State& state, const Json& q) {
  state.run.reset();
  auto made = std::make_unique<Run>();
  made->problem = cases::problem_of_text(file, q.at("text"), q.value("kernel", ""));
  run::Case& c = made->a_case;
  c.problem = &made->problem;
  c.settings = problems::parse(*c.problem, q.value("words", std::vector<std::string>()));
  c.instance = run::make_instance(*c.problem, c.settings, q.value("seed", 0));
  return record(state, std::move(made), q);
}

Json record(State& state, std::unique_ptr<Run> made, const Json& q) {
  state.run.reset();
  const run::Case& c = made->a_case;
  for (const Launch& launch : c.instance.launches) triton::note_refusals(launch);
  trace::RecordedTrace trace = run::record(c, {.values = "",
                                               .programs = q.value("programs", 256),
                                               .budget_mb = 192,
                                               .step_limit = q.value("step_limit", 1'000'000),
                                               .shows_progress = false,
                                               .finds_wrong = true});
  Json out = {{"faults", Json::array()}};
  const std::vector<Fault> faults = faults_of(trace);
  for (const Fault& f : faults) out["faults"].push_back(fault_of(f));
  out["remarks"] = remarks_of(c.instance);
  out["notes"] = trace.notes;
  out["printed"] = printed_by(trace);
  out["settings"] = run::settings_text(*c.problem, c.settings);
  for (const trace::RecordedProgram& p : trace.programs)
    out["programs"].push_back(
        {{"id", report::program_text(p.id)}, {"steps", p.steps.size()}, {"values", p.keep == trace::Keep::values}});
  if (trace.programs.empty()) return out;
  made->debugger = std::make_unique<debug::Debugger>(
      std::move(trace),
      debug::DebuggerOptions{.paint = {}, .start = "", .why = run::reasons_of(made->a_case, run::Arithmetic())});
  made->findings = std::make_shared<viz::Findings>(made->debugger->session().trace());
  go_to_end(made->debugger->session());
  out["outputs"] = outputs_of(*made);
  if (faults.empty()) out["verdict"] = verdict_of(c.instance);
  else go_to_first_fault(made->debugger->session());
  state.run = std::move(made);
  const viz::Story story = viz::story_of(state.ran().debugger->session(), state.ran().findings);
  out["story"] = story.panel;
  state.ran().chosen = story.chosen;
  out["at"] = go(state, Json::object());
  return out;
}

}  // namespace tl::page
