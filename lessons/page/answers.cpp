#include "lessons/page/answers.h"

#include <algorithm>

#include "interp/lang/error.h"
#include "lessons/page/triton_kernel.h"
#include "lessons/runner/check.h"
#include "lessons/runner/readme.h"
#include "lessons/runner/report.h"

namespace tl::lessons {

using page::Json;

namespace {

// Their texts in Triton are excerpts, or the check asks for what only C++ says: loads ahead by hand, configs, `like=`.
constexpr const char* in_cpp_alone[] = {"06_grouped", "17_pipelining", "19_autotune", "20_profiler"};

bool is_of_page(const Lesson& lesson) {
  return std::ranges::find(in_cpp_alone, lesson.folder) == std::end(in_cpp_alone) && !triton_starter(lesson).empty();
}

const Lesson& lesson_in(const Json& q) {
  const Lesson& lesson = find(q.at("lesson").get<std::string>());
  if (!is_of_page(lesson))
    throw Error(lesson.title + ": this lesson is in C++ alone so far", "`tilescope learn` has it");
  return lesson;
}

Json finding_json(const Finding& f) {
  return {{"headline", f.headline}, {"detail", f.detail}, {"fix", f.fix}, {"line", f.line}, {"column", f.column}};
}

// The kernel on one trial's tensors, for the pictures and the steps.
std::unique_ptr<page::Run> run_of(const Lesson& lesson, const Trial& trial) {
  auto made = std::make_unique<page::Run>();
  made->problem.name = lesson.kernel;
  made->problem.source = page::file;
  made->problem.make = [instance = trial.instance](const problems::Settings&, std::uint64_t) { return instance; };
  made->a_case.problem = &made->problem;
  made->a_case.instance = trial.instance;
  made->a_case.instance.reset();
  return made;
}

}  // namespace

Json lessons_of_page(page::State&, const Json&) {
  Json all_of_page = Json::array();
  for (const Lesson& lesson : all())
    if (is_of_page(lesson))
      all_of_page.push_back({{"lesson", lesson.folder}, {"number", lesson.number()}, {"title", lesson.title}});
  return all_of_page;
}

Json lesson_of_page(page::State&, const Json& q) {
  const Lesson& lesson = lesson_in(q);
  const Readme readme = read_readme(lesson.text("README.md"));
  Json sections = Json::array();
  for (const Section& s : readme.sections) sections.push_back({{"heading", s.heading}, {"text", s.text}});
  return {{"lesson", lesson.folder},
          {"title", lesson.title},
          {"sections", sections},
          {"starter", triton_starter(lesson)},
          {"solution", lesson.text("triton.py")},
          {"hints", read_hints(lesson.text("hints.md")).hints.size()},
          {"panel", lesson.picture.panel}};
}

Json check_of_page(page::State& state, const Json& q) {
  const Lesson& lesson = lesson_in(q);
  const TritonKernel kernel(lesson.kernel, q.at("text"));
  const Report report = run_trials(lesson, kernel, [](const std::string&) {});
  Json out = {{"ok", report.ok()}, {"trials", report.trials}, {"passed", report.passed}, {"during", report.during}};
  if (report.finding) out["finding"] = finding_json(*report.finding);
  out["figures"] = Json::array();
  for (const Score::Figure& f : report.score.figures)
    out["figures"].push_back({{"name", f.name}, {"mine", f.mine}, {"best", f.best}});
  out["notes"] = report.notes;
  if (report.ok()) out["note"] = lesson.note_when_passed;
  const std::vector<Trial> trials = lesson.trials(kernel);
  const Trial& shown = trials[report.ok() ? 0 : std::min(report.passed.size(), trials.size() - 1)];
  out["shown"] = shown.text();
  out["run"] = page::record(state, run_of(lesson, shown), q);
  return out;
}

Json hint_of_page(page::State&, const Json& q) {
  const Hints hints = read_hints(lesson_in(q).text("hints.md"));
  const std::size_t number = q.at("number");
  if (number < 1 || number > hints.hints.size())
    throw Error("there are " + std::to_string(hints.hints.size()) + " hints", "count them from 1");
  return {{"text", hints.hints[number - 1]}, {"why", hints.why}};
}

}  // namespace tl::lessons
