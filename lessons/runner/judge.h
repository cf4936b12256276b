// A verdict on somebody's kernel, for a program that asks: a lesson's check several times, each time on other sizes and
// values, and what the kernel takes beside the solution.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lessons/runner/report.h"

namespace tl::lessons {

struct JudgeOptions {
  std::filesystem::path file = {};
  std::string program = {};               // as of CheckOptions
  std::vector<std::uint64_t> seeds = {};  // one check each
  double most_work = 1.5;                 // times what the solution takes; more is wasteful
  bool gpu = false;
};

enum class Ruling { right, wasteful, wrong, does_not_compile };
std::string_view name_of(Ruling ruling);

struct Verdict {
  Ruling ruling = Ruling::right;
  std::uint64_t seed = 0;  // of the check that failed; of the last one
  int checks = 0;          // that were made
  Report report;           // of that check
};

// Throws Error where nothing could be judged: no file, no compiler.
Verdict judge_kernel(const Lesson& lesson, const JudgeOptions& options);

std::string verdict_json(const Lesson& lesson, const JudgeOptions& options, const Verdict& verdict);

}  // namespace tl::lessons
