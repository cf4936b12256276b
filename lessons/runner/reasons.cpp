#include "lessons/runner/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "interp/debug/program_view.h"
#include "interp/debug/show.h"
#include "interp/lang/error.h"
#include "interp/lang/unfinished.h"
#include "interp/report/fault_text.h"
#include "interp/report/table.h"
#include "interp/trace/file.h"
#include "lessons/runner/files.h"

namespace tl::lessons {

namespace {

// An assignment to a variable of a program.
struct Assignment {
  std::uint32_t step;
  std::string name, elements;  // as they are printed, long axes abbreviated
  const trace::RecordedValue* value;
};

bool is_same(const trace::RecordedValue& a, const trace::RecordedValue& b) {
  if (!a.is_kept() || !b.is_kept()) return true;  // unknown
  if (a.dtype != b.dtype || a.tensor != b.tensor || a.shape != b.shape) return false;
  for (std::int64_t lane = 0; lane < a.shape.product(); ++lane) {
    const double x = trace::element_as_double(a, lane), y = trace::element_as_double(b, lane);
    if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

std::vector<Assignment> assignments_of(const trace::RecordedTrace& trace, std::size_t program,
                                       const debug::Sources& sources) {
  const debug::ProgramView view(trace, program, sources);
  const auto& launch = trace.launches[static_cast<std::size_t>(view.program().launch)];
  std::vector<Assignment> all;
  for (const debug::Variable& v : view.variables())
    for (const auto& [step, value] : v.values)
      if (v.frame == 0 && !v.is_parameter) {
        const trace::RecordedValue& given = view.program().values[static_cast<std::size_t>(value)];
        all.push_back({step, v.name, debug::elements_text(given, launch), &given});
      }
  std::ranges::stable_sort(all, {}, &Assignment::step);
  return all;
}

// The assignments of `mine` whose k-th value of a variable differs from the k-th in `right`, in the order of time.
std::vector<const Assignment*> others(const std::vector<Assignment>& mine, const std::vector<Assignment>& right) {
  std::map<std::string, std::vector<const trace::RecordedValue*>> theirs;
  for (const Assignment& g : right) theirs[g.name].push_back(g.value);
  std::map<std::string, std::size_t> times;
  std::vector<const Assignment*> found;
  for (const Assignment& g : mine)
    if (const std::size_t k = times[g.name]++; k < theirs[g.name].size() && !is_same(*theirs[g.name][k], *g.value))
      found.push_back(&g);
  return found;
}

// Each variable once, with its last value.
std::vector<Assignment> last_assignments(const std::vector<Assignment>& all) {
  std::vector<Assignment> last;
  for (const Assignment& g : all)
    if (const auto it = std::ranges::find(last, g.name, &Assignment::name); it == last.end()) last.push_back(g);
    else it->elements = g.elements;
  return last;
}

Reason make_reason(const std::vector<Assignment>& mine, const std::vector<Assignment>& right,
                   const std::vector<const Assignment*>& wrong, const std::string& where) {
  Reason reason{.shown = where + "\n\n", .variables = {}, .answer = {wrong.front()->name, ""}};
  report::Table beside{.header = {"", "here", "in the solution"}, .left = {0, 1, 2}}, alone{.left = {0, 1}};
  const std::vector<Assignment> theirs = last_assignments(right);
  for (const Assignment& g : last_assignments(mine)) {
    reason.variables.push_back(g.name);
    const auto it = std::ranges::find(theirs, g.name, &Assignment::name);
    beside.rows.push_back({g.name, g.elements, it == theirs.end() ? "-" : it->elements});
    alone.rows.push_back({g.name, g.elements});
    const bool is_wrong = std::ranges::find(wrong, g.name, &Assignment::name) != wrong.end();
    if (it != theirs.end() && g.name != reason.answer.value)
      reason.answer.others[g.name] =
          is_wrong ? fmt::format("Not what it should be either; but {} was so before.", reason.answer.value)
                   : "That is what it is in the solution's run, too.";
  }
  reason.shown += alone.text(4);
  reason.answer.evidence = beside.text(0);
  return reason;
}

}  // namespace

Reason reason_of(const Lesson& lesson, const std::string& kernel, CheckOptions options) {
  const TemporaryFolder folder;
  options.gpu = false;
  const auto with = [&](const std::string& text, const char* stem) {
    options.file = folder.path() / file_in(language(), stem);
    write_file(options.file, text);
  };
  const auto recorded = [&](int trial) {
    const auto kept = folder.path() / "kernel.tltrace";
    record_kernel(lesson, options, trial, kept);
    return trace::load(kept.string());
  };
  with(kernel, "kernel");
  const Report report = check(lesson, options);
  if (report.ok()) throw Error("the kernel passes", "it should not: please report this");
  const auto trial = static_cast<int>(report.passed.size());
  const trace::RecordedTrace mine = recorded(trial);
  with(lesson.solution(language()), "solution");
  const trace::RecordedTrace right = recorded(trial);
  const debug::Sources my_sources(mine), right_sources(right);
  for (std::size_t p = 0; p < std::min(mine.programs.size(), right.programs.size()); ++p) {
    const auto here = assignments_of(mine, p, my_sources), there = assignments_of(right, p, right_sources);
    if (const auto wrong = others(here, there); !wrong.empty())
      return make_reason(here, there, wrong,
                         fmt::format("Program {} of {}:", report::program_text(mine.programs[p].id), report.during));
  }
  throw Error("no variable of the kernel differs from the solution's", "choose a kernel with the solution's names");
}

}  // namespace tl::lessons
