// One trial of a lesson on a kernel: poisoned outputs, sentinels around them, every check on, several orders; and what
// is wrong, or what it took.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lessons/runner/lesson.h"
#include "lessons/runner/parting.h"
#include "lessons/runner/report.h"
#include "lessons/runner/waste.h"

namespace tl::lessons {

// What a kernel's trials come to.
struct Judgement {
  bool has_right_numbers = false;  // in the trial at hand
  std::optional<Cell> wrong = {};  // the first element that is wrong in it
  Accesses accesses = {};
  Score score = {};
  std::vector<std::string> notes = {};
};

// `best_trial`: the same of the solution; null: there is nothing to measure by. A trial without a reference is judged
// by its traffic and its work alone.
std::optional<Finding> judge(const Lesson& lesson, const Trial& trial, const Trial* best_trial, Judgement& all);

Observed observed_run(const Trial& trial, const PidCondition& values = {});

// What takes a right kernel more than one and a half times the work of the best known, and where.
void note_waste(const Score& score, std::vector<std::string>& notes);

}  // namespace tl::lessons
