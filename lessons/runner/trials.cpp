// Runs a lesson's trials: the chosen ones, and then some that nobody chose.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/check.h"
#include "lessons/runner/findings.h"
#include "lessons/runner/judgement.h"
#include "lessons/runner/random_trials.h"
#include "lessons/runner/unlike.h"

namespace tl::lessons {

namespace {

// Where, on the values that a finding is about, the first numbers are made that the solution's run has nowhere.
Finding at_unlike_line(Finding f, const Trial& mine, const Trial& best) {
  for (std::size_t i = 0; i < mine.instance.inputs.size(); ++i)
    std::ranges::copy(bytes_of(mine.instance.inputs[i]), best.instance.inputs[i].data());
  const Observed is = observed_run(mine), should = observed_run(best);
  for (const trace::RecordedProgram& p : is.trace().programs)
    if (const auto unlike = first_unlike(is, should, p.id); unlike && f.line == 0) {
      f.detail = fmt::format("the first numbers that the solution's run has nowhere are {}, made in line {}\n",
                             unlike->numbers, unlike->site.line) +
                 f.detail;
      f = at(f, unlike->site);
    }
  return f;
}

constexpr int judged_by_chance = 3;  // trials of any sizes whose traffic and work are judged as well

// What passes the chosen trials, on sizes, strides, scalars and values that nobody chose.
void try_by_chance(const Lesson& lesson, const Kernel& kernel, const Kernel& solution,
                   const std::function<void(const std::string&)>& begins, std::uint64_t seed, Judgement& all,
                   Report& report) {
  for (int round = 0; round < rounds_by_chance && !report.finding; ++round) {
    const std::uint64_t number = seed * rounds_by_chance + static_cast<std::uint64_t>(round);
    Chance mine(number), its(number);
    Trial trial = lesson.by_chance(kernel, mine);
    const Trial best = lesson.by_chance(solution, its);
    begins(trial.text());
    trial.note = {};  // of chosen sizes
    if (round < judged_by_chance) report.finding = judge(lesson, trial, &best, all);
    report.has_right_numbers = report.finding && all.has_right_numbers;
    if (!report.finding)
      if (auto found = random_failure(lesson, trial, best, round, mine))
        report.finding = at_unlike_line(std::move(*found), trial, best);
    if (report.finding) report.during = fmt::format("{}, by chance (--seed {})", trial.text(), seed);
  }
}

}  // namespace

Report run_trials(const Lesson& lesson, const Kernel& kernel, const std::function<void(const std::string&)>& begins,
                  std::uint64_t seed) {
  Report report;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Trial> trials = lesson.trials(kernel);
  report.trials = static_cast<int>(trials.size());
  const auto solution = solution_of(lesson);
  const std::vector<Trial> best = solution ? lesson.trials(*solution) : std::vector<Trial>();
  Judgement all;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    begins(trials[i].text());
    report.finding = judge(lesson, trials[i], i < best.size() ? &best[i] : nullptr, all);
    if (report.finding) {
      report.during = trials[i].text();
      break;
    }
    report.passed.push_back(trials[i].text());
  }
  report.has_right_numbers = report.finding && all.has_right_numbers;
  if (!report.finding) {
    report.finding = all.accesses.idle();
    report.has_right_numbers = report.finding.has_value();
  }
  if (!report.finding && solution) try_by_chance(lesson, kernel, *solution, begins, seed, all, report);
  if (!report.finding) {
    report.score = std::move(all.score);
    report.notes = std::move(all.notes);
    note_waste(report.score, report.notes);
  }
  report.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tl::lessons
