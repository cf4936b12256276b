#include "lessons/page/answers.h"

#include <algorithm>
#include <cstdlib>

#include "interp/lang/error.h"
#include "lessons/runner/check.h"
#include "lessons/runner/readme.h"
#include "lessons/runner/report.h"
#include "lessons/runner/translation.h"
#include "lessons/runner/triton_kernel.h"

namespace tl::lessons {

using page::Json;

namespace {

// TILESCOPE_LANGUAGE, as the page's reader has chosen.
void use_language(const Json& q) {
  const std::string language = q.value("language", "");
  if (language.empty()) unsetenv("TILESCOPE_LANGUAGE");
  else setenv("TILESCOPE_LANGUAGE", language.c_str(), 1);
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

const Lesson& lesson_in(const Json& q) {
  use_language(q);
  return find(q.at("lesson").get<std::string>());
}

Report report_of(const Lesson& lesson, const Kernel& kernel) {
  return translate(lesson, run_trials(lesson, kernel, [](const std::string&) {}, 1));
}

Json lessons_of_page(page::State&, const Json&) {
  Json all_of_page = Json::array();
  for (const auto* list : {&all(), &puzzles()})
    for (const Lesson& lesson : *list)
      all_of_page.push_back({{"lesson", lesson.folder},
                             {"number", lesson.number()},
                             {"title", lesson.title},
                             {"is_puzzle", lesson.is_puzzle()}});
  return all_of_page;
}

Json lesson_of_page(page::State&, const Json& q) {
  const Lesson& lesson = lesson_in(q);
  const Readme readme = read_readme(lesson.page("README.md", Language::python));
  Json sections = Json::array();
  for (const Section& s : readme.sections) sections.push_back({{"heading", s.heading}, {"text", s.text}});
  return {{"lesson", lesson.folder},
          {"title", readme.title},
          {"sections", sections},
          {"languages", lesson.text("README.zh.md").empty() ? Json::array() : Json{"zh"}},
          {"choices", lesson.prediction.choices},
          {"starter", lesson.starter(Language::python)},
          {"solution", lesson.solution(Language::python)},
          {"hints", read_hints(lesson.page("hints.md", Language::python)).hints.size()},
          {"questions", questions_of_page(lesson)},
          {"panel", lesson.picture.panel}};
}

Json check_of_page(page::State& state, const Json& q) {
  const Lesson& lesson = lesson_in(q);
  const TritonKernel kernel(lesson.kernel, q.at("text"), page::file);
  const Report report = report_of(lesson, kernel);
  Json out = {{"ok", report.ok()}, {"trials", report.trials}, {"passed", report.passed}, {"during", report.during}};
  if (report.finding) out["finding"] = finding_json(*report.finding);
  out["figures"] = Json::array();
  for (const Score::Figure& f : report.score.figures)
    out["figures"].push_back({{"name", f.name}, {"mine", f.mine}, {"best", f.best}});
  out["notes"] = report.notes;
  if (report.ok()) out["note"] = translate(lesson, lesson.note_when_passed);
  const std::vector<Trial> trials = lesson.trials(kernel);
  const Trial& shown = trials[report.ok() ? 0 : std::min(report.passed.size(), trials.size() - 1)];
  out["shown"] = shown.text();
  out["run"] = page::record(state, run_of(lesson, shown), q);
  return out;
}

Json hint_of_page(page::State&, const Json& q) {
  const Hints hints = read_hints(lesson_in(q).page("hints.md", Language::python));
  const std::size_t number = q.at("number");
  if (number < 1 || number > hints.hints.size())
    throw Error("there are " + std::to_string(hints.hints.size()) + " hints", "count them from 1");
  return {{"text", hints.hints[number - 1]}, {"why", hints.why}};
}

}  // namespace tl::lessons
