// Work that changes no number, found by the trace of every program: rounds of a loop that masks away all they do, dots
// and arithmetic beyond the solution's.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// The first load or store whose lanes are all masked off, and how many there are, of programs that go to that tensor
// more often than those of the solution. A program that loads as often, and finds nothing to load, wastes nothing.
std::optional<Finding> empty_accesses(const Observed& mine, const Observed* best);
// Rounds beyond those that the busiest program needs.
std::optional<Finding> idle_rounds(const Observed& mine);
// Multiplications in dots, and lanes that ops compute, against the solution's run of the same trial.
std::optional<Finding> needless_work(const Observed& mine, const Observed& best);

// Where a kernel that is right computes one and a half times the lanes that the solution does.
std::optional<std::string> needless_lanes(const Observed& mine, const Observed& best);
// Where a kernel that is right computes in f64, and the solution does nowhere.
std::optional<std::string> needless_f64(const Observed& mine, const Observed& best);

// Places that load or store, over all trials: one that never touches an element has no use.
class Accesses {
 public:
  void add(const Observed& observed);
  std::optional<Finding> idle() const;

 private:
  struct Access {
    Site site;
    std::string file, tensor;
    bool writes = false, is_used = false;
  };
  std::map<std::tuple<std::string, int, int, std::string>, Access> accesses_;
};

}  // namespace tl::lessons
