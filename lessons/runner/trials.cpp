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
Finding with_parting(WrongValue wrong, const Trial& mine, const Trial& best) {
  for (std::size_t i = 0; i < mine.instance.inputs.size(); ++i)
    std::ranges::copy(bytes_of(mine.instance.inputs[i]), best.instance.inputs[i].data());
  return with_parting(std::move(wrong.finding), mine, best, observed_run(mine), wrong.cell);
}

constexpr int judged_by_chance = 3;  // trials of any sizes whose traffic and work are judged as well

// The numbers of a text, and what becomes of two of them: 4 * 1024, 1 << 12.
std::set<double> numbers_of(const std::string& text) {
  std::set<double> numbers;
  const std::vector<text::Token> tokens = text::lex(text);
  const auto number = [&](std::size_t i) {
    std::string digits(tokens[i].text);
    std::erase_if(digits, [](char c) { return c == '_' || c == '\''; });
    return std::strtod(digits.c_str(), nullptr);
  };
  const auto is_number = [&](std::size_t i) { return i < tokens.size() && tokens[i].kind == text::TokenKind::number; };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_number(i)) continue;
    numbers.insert(number(i));
    if (is_number(i + 2)) {
      const double a = number(i), b = number(i + 2);
      const std::string_view by = tokens[i + 1].text;
      if (by == "*") numbers.insert(a * b);
      if (by == "+") numbers.insert(a + b);
      if (by == "-") numbers.insert(a - b);
      if (by == "<<") numbers.insert(std::ldexp(a, static_cast<int>(b)));
      if (by == "**") numbers.insert(std::pow(a, b));
    }
  }
  return numbers;
}

// The numbers of a kernel's text that neither the starter nor the solution has, the largest first: chance draws small
// ones by itself.
std::vector<double> own_numbers(const Lesson& lesson, const Kernel& kernel) {
  std::set<double> own = numbers_of(kernel.text());
  for (const std::string& given : {lesson.starter(kernel.language()), lesson.solution(kernel.language())})
    for (const double number : numbers_of(given)) own.erase(number);
  // Numbers beyond 2^27 serve kernels as infinities (-1e30), those below 2^-27 as guards of a quotient (1e-12).
  std::erase_if(own, [](double number) { return !(std::abs(number) < 0x1p27 && std::abs(number) > 0x1p-27); });
  return {own.rbegin(), own.rend()};
}

constexpr double most_of_a_size = 1 << 13;
constexpr std::int64_t most_together = 100;  // of all sizes at once
constexpr int most_rounds = 200, most_numbers = 12;

// What trials at sizes of a kernel's text may take: elements of tensors, and ops of the solution.
struct Work {
  std::int64_t elements = 0, ops = 0;
  bool is_within(const Work& most) const { return elements <= most.elements && ops <= most.ops; }
};
constexpr Work most_of_one{1 << 17, 12'000}, most_of_all{1 << 20, 30'000};

Work work_of(const Trial& trial) {
  Work work;
  for (const Tensor& t : trial.instance.inputs) work.elements += t.elems();
  for (const Tensor& t : trial.instance.outputs) work.elements += t.elems();
  if (!work.is_within(most_of_one)) return work;
  trial.instance.reset();
  work.ops = ops_of(trial.instance);
  return work;
}

// Heights near 0 are drawn anyway.
std::vector<Values> further_values(double own) {
  std::vector<Values> values = values_around(own);
  std::erase_if(values, [](const Values& v) { return v.height != 0 && std::abs(v.height) < 24; });
  return values;
}

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
    for (int round = 0; round < rounds_by_chance; ++round) try_one(round, {}, {values_of_round(round)});
    for (std::size_t i = 0; i < std::min<std::size_t>(own_.size(), most_numbers); ++i)
      for (int again = 0; again < (own_.size() < 4 ? 3 : 1); ++again)  // of another dtype, perhaps
        try_one(rounds_by_chance + again * most_numbers + static_cast<int>(i), {}, further_values(own_[i]));
    int round = rounds_by_chance + 3 * most_numbers;
    for (const double number : std::vector<double>(own_.rbegin(), own_.rend())) {  // large ones may take all there is
      if (number < 2 || number > most_of_a_size || number != std::round(number)) continue;
      const auto size = static_cast<std::int64_t>(number);
      const std::int64_t further = size + 2 + (static_cast<std::int64_t>(seed_) + round) % 8;
      const auto blocks = size > 64 ? Chance::Blocks::largest : Chance::Blocks::any;
      std::vector<Chance::Set> sets;  // of sizes that some blocks make too many elements of, others may do
      if (size <= most_together) sets.push_back({.others = further, .blocks = blocks});  // n > 100
      for (int which = 0; which < std::max(sizes_, 1); ++which) {
        sets.push_back({which, size, 0, blocks});  // n == 100
        sets.push_back({which, further, 0, blocks});
        if (size > 64) sets.push_back({which, further, 0, Chance::Blocks::smallest});
        sets.push_back({which, further * lowest_block_, 0, Chance::Blocks::smallest});  // pid > 100
        if (size <= most_together) sets.push_back({which, further * lowest_block_, further, Chance::Blocks::smallest});
      }
      for (const Chance::Set& set : sets)
        if (round < most_rounds) try_one(round++, set, {Values{}, {.kind = Values::Kind::all_alike}});
    }
  }

 private:
  void try_one(int round, const Chance::Set& set, const std::vector<Values>& values) {
    const bool is_set = set.which >= 0 || set.others > 0;
    if (report_.finding || (is_set && taken_.elements > most_of_all.elements)) return;
    const std::uint64_t number = seed_ * most_rounds + static_cast<std::uint64_t>(round);
    Chance mine(number, own_), its(number, own_);
    mine.set(set);
    its.set(set);
    const Trial best = lesson_.by_chance(solution_, its);
    sizes_ = its.sizes();
    lowest_block_ = its.lowest_block();
    if (is_set && !may_take(work_of(best))) return;
    Trial trial = lesson_.by_chance(kernel_, mine);
    begins_(trial.text());
    trial.note = {};  // of chosen sizes
    // References of large sizes take long: there the solution's run is one.
    if (is_set && takes_any_values(best.instance)) trial.instance.reference = nullptr;
    if (is_set || round < judged_by_chance || !takes_any_values(best.instance))
      report_.finding = judge(lesson_, trial, &best, all_);
    report_.has_right_numbers = report_.finding && all_.has_right_numbers;
    for (const Values& v : values)
      if (!report_.finding)
        if (auto found = random_failure(lesson_, trial, best, v, mine))
          report_.finding =
              lesson_.tells_symptoms ? std::move(found->finding) : with_parting(std::move(*found), trial, best);
    if (report_.finding) report_.during = fmt::format("{}, by chance (--seed {})", trial.text(), seed_);
  }
  bool may_take(const Work& work) {
    const Work all{taken_.elements + work.elements, taken_.ops + work.ops};
    const bool may = work.is_within(most_of_one) && all.is_within(most_of_all);
    taken_ = may ? all : Work{all.elements, taken_.ops};  // the tensors were made
    return may;
  }

  const Lesson& lesson_;
  const Kernel &kernel_, &solution_;
  const std::function<void(const std::string&)>& begins_;
  std::uint64_t seed_;
  Judgement& all_;
  Report& report_;
  const std::vector<double> own_;
  int sizes_ = 0;
  std::int64_t lowest_block_ = 1;
  Work taken_;
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
