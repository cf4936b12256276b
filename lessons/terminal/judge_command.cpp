// tilescope judge: whether a kernel does what a lesson's or a puzzle's solution does, for people and for programs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <random>

#include "interp/cli/part.h"
#include "interp/report/exit_codes.h"
#include "lessons/runner/judge.h"

namespace tl::lessons {

namespace {

struct JudgeCommand {
  std::string like;
  JudgeOptions options;
  std::optional<std::uint64_t> seed;
  int checks = 3;
  bool is_json = false, wants_starter = false;
};

int judge(JudgeCommand c) {
  const Lesson& lesson = find(c.like);
  if (c.wants_starter) {
    fmt::print("{}", lesson.starter(Language::python));
    return report::exit_ok;
  }
  const std::uint64_t first = c.seed ? *c.seed : std::random_device()() % 1'000'000;
  for (int i = 0; i < c.checks; ++i) c.options.seeds.push_back(first + static_cast<std::uint64_t>(i));
  const Verdict v = judge_kernel(lesson, c.options);
  if (c.is_json) fmt::print("{}\n", verdict_json(lesson, c.options, v));
  else {
    fmt::print("{}: {}, beside {} ({} of {} checks, seed {})\n", c.options.file.string(), name_of(v.ruling),
               lesson.name(), v.checks, c.checks, v.seed);
    if (const auto& f = v.report.finding)
      fmt::print("  {}{}\n  at {}\n", f->line > 0 ? fmt::format("line {}: ", f->line) : "", f->headline,
                 v.report.during);
    for (const Score::Figure& f : v.report.score.figures)
      fmt::print("  {} {} (best known {})\n", f.mine, f.name, f.best);
  }
  return v.ruling == Ruling::right ? report::exit_ok : report::exit_failed;
}

void add_judge_command(CLI::App& program, int& exit_code) {
  auto c = std::make_shared<JudgeCommand>();
  CLI::App* command =
      program.add_subcommand("judge", "is this kernel right, on any sizes and values, and not wasteful?");
  command->add_option("kernel", c->options.file, "a file in Triton's Python, or in C++")->type_name("FILE");
  command->add_option("--like", c->like, "the lesson or puzzle whose solution it must equal: softmax, p11")
      ->type_name("LESSON")
      ->required();
  command->add_flag("--json", c->is_json, "the verdict as an object");
  command->add_option("--checks", c->checks, "how often, each time on other sizes and values")
      ->check(CLI::Range(1, 100).description(""))
      ->capture_default_str();
  command->add_option("--seed", c->seed, "of the first check; else another one each time")->type_name("N");
  command->add_option("--most-work", c->options.most_work, "times what the solution moves and multiplies")
      ->check(CLI::Range(1.0, 1000.0).description(""))
      ->capture_default_str();
  command->add_flag("--gpu", c->options.gpu, "on the GPU as well, where there is one");
  command->add_flag("--starter", c->wants_starter,
                    "print the kernel's head and its comment instead: what is asked for");
  command->footer(
      "Exit code: 0 right; 1 wrong, wasteful, or it does not compile; 2 nothing could be judged.\n\n"
      "Examples:\n"
      "  tilescope judge --like softmax --starter          what is asked for\n"
      "  tilescope judge kernel.py --like softmax --json\n"
      "  tilescope judge kernel.py --like p11 --checks 10 --most-work 1.2");
  command->callback([c, command, &exit_code] {
    if (c->options.file.empty() && !c->wants_starter) throw CLI::RequiredError(command->get_name() + ": FILE");
    exit_code = judge(*c);
  });
}

const cli::Part judge_part(30, "tilescope judge kernel.py --like softmax",
                           "right on any sizes and values, and not wasteful?", add_judge_command);

}  // namespace

}  // namespace tl::lessons
