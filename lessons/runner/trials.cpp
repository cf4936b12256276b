// Runs a lesson's trials: the chosen ones, and then some that nobody chose.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <set>

#include "interp/text/lexer.h"
#include "lessons/runner/best.h"
#include "lessons/runner/check.h"
#include "lessons/runner/findings.h"
#include "lessons/runner/judgement.h"
#include "lessons/runner/parting.h"
#include "lessons/runner/random_trials.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace {

// Where the kernel's run on the values that a finding is about parts from the solution's.
Finding with_parting(Finding f, const Trial& mine, const Trial& best, const std::string& text) {
  for (std::size_t i = 0; i < mine.instance.inputs.size(); ++i)
    std::ranges::copy(bytes_of(mine.instance.inputs[i]), best.instance.inputs[i].data());
  const Observed is = observed_run(mine), should = observed_run(best);
  return with_parting(std::move(f), is, should, text);
}

constexpr int judged_by_chance = 3;  // trials of any sizes whose traffic and work are judged as well

// The numbers of a kernel's text that neither the starter nor the solution has.
std::vector<double> own_numbers(const Lesson& lesson, const Kernel& kernel) {
  const auto numbers_of = [](const std::string& text) {
    std::set<double> numbers;
    for (const text::Token& t : text::lex(text))
      if (t.kind == text::TokenKind::number) numbers.insert(std::strtod(std::string(t.text).c_str(), nullptr));
    return numbers;
  };
  std::set<double> own = numbers_of(kernel.text());
  for (const std::string& given : {lesson.starter(kernel.language()), lesson.solution(kernel.language())})
    for (const double number : numbers_of(given)) own.erase(number);
  return {own.begin(), own.end()};
}

constexpr double most_elements = 1024;  // of a size that the kernel's text names
constexpr int most_by_text = 12, most_programs = 256;

class ByChance {
 public:
  ByChance(const Lesson& lesson, const Kernel& kernel, const Kernel& solution,
           const std::function<void(const std::string&)>& begins, std::uint64_t seed, Judgement& all, Report& report)
      : lesson_(lesson),
        kernel_(kernel),
        solution_(solution),
        begins_(begins),
        seed_(seed),
        all_(all),
        report_(report),
        own_(own_numbers(lesson, kernel)) {}

  // What passes the chosen trials, on sizes, strides, scalars and values that nobody chose.
  void run() {
    for (int round = 0; round < rounds_by_chance && !report_.finding; ++round) try_one(round, round, -1, 0);
    int round = rounds_by_chance;
    for (const double number : own_)
      for (const double size : {number, number + 1})  // n == 100, n > 100
        for (int which = 0; which < std::max(sizes_, 1) && round < rounds_by_chance + most_by_text; ++which)
          if (!report_.finding && size >= 2 && size <= most_elements && size == std::round(size))
            try_one(round++, which, which, static_cast<std::int64_t>(size));
  }

 private:
  // `values`: which kind of them; `which` size is `size`, -1: none.
  void try_one(int round, int values, int which, std::int64_t size) {
    const std::uint64_t number = seed_ * rounds_by_chance + static_cast<std::uint64_t>(round);
    Chance mine(number, own_), its(number, own_);
    mine.set_size(which, size);
    its.set_size(which, size);
    const Trial best = lesson_.by_chance(solution_, its);
    sizes_ = its.sizes();
    if (which >= 0 && programs_of(best) > most_programs) return;
    Trial trial = lesson_.by_chance(kernel_, mine);
    begins_(trial.text());
    trial.note = {};  // of chosen sizes
    // References of large sizes take long: there the solution's run is one.
    if (which >= 0 ? !takes_any_values(best.instance) : round < judged_by_chance)
      report_.finding = judge(lesson_, kernel_, trial, &best, all_);
    report_.has_right_numbers = report_.finding && all_.has_right_numbers;
    if (!report_.finding)
      if (auto found = random_failure(lesson_, trial, best, values, mine))
        report_.finding = with_parting(std::move(*found), trial, best, kernel_.text());
    if (report_.finding) report_.during = fmt::format("{}, by chance (--seed {})", trial.text(), seed_);
  }
  static std::int64_t programs_of(const Trial& trial) {
    std::int64_t programs = 0;
    for (const Launch& launch : trial.instance.launches) programs += launch.grid.programs();
    return programs;
  }

  const Lesson& lesson_;
  const Kernel &kernel_, &solution_;
  const std::function<void(const std::string&)>& begins_;
  std::uint64_t seed_;
  Judgement& all_;
  Report& report_;
  const std::vector<double> own_;
  int sizes_ = 0;
};

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
    report.finding = judge(lesson, kernel, trials[i], i < best.size() ? &best[i] : nullptr, all);
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
  if (!report.finding && solution) ByChance(lesson, kernel, *solution, begins, seed, all, report).run();
  if (!report.finding) {
    report.score = std::move(all.score);
    report.notes = std::move(all.notes);
    note_waste(report.score, report.notes);
  }
  report.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tl::lessons
