// Lesson 19: autotune. Configs and a key, judged by what the machine model says of a series of launches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "interp/case/file_kernel.h"
#include "interp/case/python_decorators.h"
#include "interp/case/words.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/machine/device.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/run/limits_text.h"
#include "interp/tune/predict.h"
#include "kernels/problems/build.h"
#include "lessons/runner/matrices.h"
#include "lessons/runner/products.h"
#include "lessons/runner/report.h"
#include "lessons/runner/texts.h"
#include "lessons/runner/triton_kernel.h"

namespace tl::lessons::autotune {
namespace {

using Shape = std::array<std::int64_t, 3>;  // m, n, k

std::string text_of(const Shape& s) { return fmt::format("m={} n={} k={}", s[0], s[1], s[2]); }

// The words `configs` and `config_key` of a kernel's text.
struct Choice {
  cases::Word configs, key;
};

// Of a Python text the decorators, else the lines of its case.
std::vector<cases::Word> words_in(const Kernel& kernel) {
  const std::string text = kernel.text();
  if (kernel.language() == Language::python) {
    triton::Program program("kernel.py", text);
    return cases::words_of_decorators(program, program.kernel("tuned_kernel"), "kernel.py");
  }
  std::vector<cases::Word> words;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (!trimmed(line).starts_with("// case:")) continue;
    std::ranges::move(cases::words_of(trimmed(line).substr(8), fmt::format("kernel.h:{}: ", number)),
                      std::back_inserter(words));
  }
  return words;
}

Choice choice_in(const Kernel& kernel) {
  Choice choice;
  for (const cases::Word& word : words_in(kernel)) {
    if (word.name == "configs") choice.configs = word;
    if (word.name == "config_key") choice.key = word;
  }
  return choice;
}

std::vector<std::string> key_of(const Choice& choice) {
  std::vector<std::string> names;
  if (!choice.key.value.empty())
    for (const std::string& name : cases::list_of(choice.key)) names.push_back(trimmed(name));
  return names;
}

constexpr const char* solution = "lessons/19_autotune/solution.py";

// The product that configs are ranked for: the solution, which differs from a learner's in its choices alone.
const problems::Problem& product() {
  static const problems::Problem of_solution =
      cases::problem_of_text("solution.py", std::string(lessons::text_of(solution)), "tuned_kernel");
  return of_solution;
}

// What the model says of each config at these sizes, the fastest first; those that no SM holds last.
std::vector<tune::Trial> ranked(const std::string& configs, const Shape& s) {
  std::vector<std::string> settings{fmt::format("m={}", s[0]), fmt::format("n={}", s[1]), fmt::format("k={}", s[2])};
  if (configs.find("stages=") == std::string::npos) settings.emplace_back("stages=4");  // as the case has it
  const tune::Space space = tune::space_of(
      product(), {.kernel = {.kernel = {}, .settings = settings}, .configs = configs, .refuse = "", .key = {}});
  std::vector<tune::Trial> trials;
  for (const problems::Config& config : space.configs)
    trials.push_back({.config = config, .settings = tune::settings_of(space, config)});
  tune::predict(space, machine::find_device("h200"), trials);
  std::ranges::stable_sort(trials, [](const tune::Trial& a, const tune::Trial& b) {
    return a.is_refused() != b.is_refused() ? b.is_refused() : a.model.ms < b.model.ms;
  });
  return trials;
}

std::string table_text(const std::vector<tune::Trial>& trials) {
  report::Table table{.header = {"config", "model", "limited by"}, .left = {0, 2}};
  for (const tune::Trial& t : trials)
    table.rows.push_back({problems::config_text(t.config), t.is_refused() ? "-" : report::time_text(t.model.ms),
                          t.is_refused() ? t.why : run::cause_text(t.model.cause)});
  return table.text(0);
}

// kernel.py:12: bm=64, of a word.
Finding at_word(Finding finding, const cases::Word& word) {
  finding.line = finding_in(word.place + ".", "").line;
  finding.column = 1;
  return finding;
}

bool choice_sets(const Choice& choice, const std::string& name) {
  return choice.configs.value.find(name + "=") != std::string::npos;
}

constexpr std::size_t most_configs = 3;

// Launches one after the other: the first of each key tries all configs, the others take its winner.
std::optional<Finding> judged(const Choice& mine, const Choice& best, const std::vector<Shape>& launches) {
  if (mine.configs.value.empty())
    return Finding{"the file names no configs", "",
                   "`// case: configs='bm=64 bn=64 bk=64 warps=4; bm=128 ...'` (in Python "
                   "`@triton.autotune(configs=[triton.Config({\"bm\": 64, ...}, num_warps=4), ...], key=[...])`)"};
  std::map<std::string, std::pair<Shape, problems::Config>> winners;
  const auto key = key_of(mine);
  for (const Shape& s : launches) {
    const std::vector<tune::Trial> all = ranked(mine.configs.value, s);
    if (all.size() > most_configs)
      return at_word({fmt::format("there are {} configs, and {} are asked of you", all.size(), most_configs),
                      "each is compiled, checked and timed, once for each new value of the key",
                      "which of them win at none of the sizes?"},
                     mine.configs);
    if (all.front().is_refused())
      return at_word({"no config can be taken at " + text_of(s), all.front().why, "smaller tiles, or fewer stages"},
                     mine.configs);
    std::string value;
    for (const std::string& name : key) {
      if (name == "dtype") continue;  // f16 in all of them
      if (name != "m" && name != "n" && name != "k")
        return at_word({fmt::format("the key names {}, and a winner holds for sizes: m, n, k", name), "",
                        choice_sets(mine, name) ? "what a config sets is no part of the key"
                                                : "what follows from the sizes, as strides do here, tells no launches "
                                                  "apart that they do not"},
                       mine.key);
      value += fmt::format("{}={} ", name, s[name == "m" ? 0 : name == "n" ? 1 : 2]);
    }
    const auto [kept, is_new] = winners.emplace(value, std::pair(s, all.front().config));
    const auto taken = std::ranges::find(all, kept->second.second, &tune::Trial::config);
    const double possible = ranked(best.configs.value, s).front().model.ms;
    if (taken->model.ms <= 1.25 * possible) continue;
    const std::string times = fmt::format("{} at {}, where {} would do, by the model",
                                          report::time_text(taken->model.ms), text_of(s), report::time_text(possible));
    if (!is_new)
      return at_word({fmt::format("the winner of {} is taken for {} as well", text_of(kept->second.first), text_of(s)),
                      fmt::format("both have the key {}; {} takes {}", trimmed(value),
                                  problems::config_text(kept->second.second), times),
                      "by what, too, may two launches differ? `config_key='...'` (in Python `key=[...]`)"},
                     mine.key);
    return at_word({fmt::format("none of your configs suits {}", text_of(s)), times + "\n" + table_text(all),
                    "look at what limits it: programs for all SMs, large tiles, long steps along k?"},
                   mine.configs);
  }
  return std::nullopt;
}

Choice best_choice() {
  return choice_in(TritonKernel("tuned_kernel", std::string(lessons::text_of(solution)), "solution.py"));
}

const std::vector<Shape>& launches() {
  static const std::vector<Shape> all{
      {256, 256, 256}, {1024, 1024, 1024}, {256, 256, 8192}, {1024, 64, 1024}, {4096, 256, 256}};
  return all;
}

Trial trial(const Kernel& kernel, const MatrixSizes& z, std::int64_t padding, MatrixValues values,
            bool on_gpu = false) {
  const Matrices x(z, padding, MatrixLayout::rows, values);
  Trial t = x.trial(on_gpu);
  t.instance.launches = {kernel.launch({problems::cdiv(z.m, z.bm) * problems::cdiv(z.n, z.bn)}, x.arguments())};
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  using enum MatrixValues;
  std::vector<Trial> all{
      trial(kernel, {32, 32, 32, 16, 16, 16}, 0, small), trial(kernel, {37, 70, 41, 16, 32, 16}, 8, in_f16, true),
      trial(kernel, {20, 24, 100, 16, 32, 64}, 8, small), trial(kernel, {1, 1, 1, 16, 16, 16}, 7, in_f16)};
  all.front().expect = [&kernel](const Observed&) -> std::optional<Finding> {
    try {
      return judged(choice_in(kernel), best_choice(), launches());
    } catch (const Error& e) {
      Finding f = finding_in(e.what(), e.fix);
      return f.line > 0 ? f : at_word(std::move(f), choice_in(kernel).configs);
    }
  };
  return all;
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const MatrixSizes z{c.size(1, 50), c.size(1, 50), c.size(1, 80), c.block(16, 32), c.block(16, 32), c.block(16, 64)};
  return trial(kernel, z, 8 * c.size(0, 2), c.one_of({MatrixValues::small, MatrixValues::in_f16}));
}

std::optional<Finding> diagnose(const Failure& f) {
  if (auto found = diagnose_addresses(f)) return found;
  return f.first ? diagnose_sums(f) : std::nullopt;
}

constexpr const char* four =
    "bm=16 bn=16 bk=64 warps=1 stages=4; bm=64 bn=64 bk=128 warps=4 stages=4; bm=128 bn=64 bk=64 warps=4 stages=4; "
    "bm=128 bn=256 bk=64 warps=8 stages=3";

// The model's winner among four, by bm: 512 x 512 x 512.
Answer predict() {
  const auto all = ranked(four, {512, 512, 512});
  return {all.front().settings.text("bm"), "m=512 n=512 k=512, by the model of an H200:\n" + table_text(all)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "128") return "Tiles of 128 x 128 or more are fewer than 16: of 132 SMs most have nothing to do.";
  if (guess == "16")
    return "1024 programs fill the chip; but each of their dots is small, and of A and B every element is loaded 32 "
           "times.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "19_autotune",
          .title = "Autotune: configs, and what a winner holds for",
          .kernel = "tuned_kernel",
          .parameters = "tttiiiiiiiiiccc",
          .picture = {"matmul", {"m=512", "n=512", "k=512", "dtype=f16"}, "tuning"},
          .changes_starter = "its starter's two lines of choices give way to others",
          .prediction = {{"16", "64", "128"}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
          .diagnose = diagnose,
          .runs_own_case = true,
          .note_when_passed =
              "Three configs, and each size finds the one that suits it: by the model, until a GPU says "
              "otherwise."};
}

}  // namespace tl::lessons::autotune
