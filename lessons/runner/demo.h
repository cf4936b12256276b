// A kernel of the program's own, run for a prediction: its values, its cells and who wrote them, as text.
#pragma once

#include <string>
#include <vector>

#include "lessons/runner/observed.h"

namespace tl::lessons {

class Demo {
 public:
  // A problem of kernels/problems with its settings: {"n=6", "block=2"}. The kernel may fail.
  Demo(const std::string& kernel, const std::vector<std::string>& settings, std::uint64_t seed = 1);

  const problems::Instance& instance() const { return instance_; }
  const Observed& observed() const { return observed_; }
  const std::vector<Fault>& faults() const { return faults_; }
  double output(const std::string& tensor, std::int64_t element) const;

  // A line a program, its variables as they stood at its end: pid = 1 | offs = [0 1], mask = [True True]
  std::string programs_text(std::int64_t most_programs = 8) const;
  // A table of a vector's cells: what each holds, which programs stored it.
  std::string cells_text(const std::string& tensor) const;

 private:
  problems::Instance instance_;
  std::vector<Fault> faults_;
  Observed observed_;
};

}  // namespace tl::lessons
