// What a lesson is: its texts lie in lessons/NN_topic/, its check.cpp makes one of these. The runner knows no lesson by
// name.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/build/finding.h"
#include "kernels/problems/problem.h"
#include "lessons/runner/observed.h"

namespace tl::lessons {

using build::Finding;

// The learner's kernel: makes launches of it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // The arguments in the order of the functor's parameters.
  virtual Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options = {}) const = 0;
};

// One run of the kernel whose outcome is known. Small and legible ones first: the first that fails is what the learner
// reads.
struct Trial {
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // n 97, bs 16
  problems::Instance instance = {};
  // Checks what the numbers do not show: bytes moved, lanes masked, loads per element. Called when the numbers are
  // right.
  std::function<std::optional<Finding>(const Observed&)> expect = {};
  std::map<std::string, std::int64_t> allowed_loads =
      {};                  // of an input: how often an element must be loaded, if more than once
  std::int64_t share = 0;  // elements of the first output that one program stores at most; 0: not asked
  bool on_gpu = false;     // there as well, where there is one: each takes a compilation

  std::string text() const;  // n=97 bs=16
  std::int64_t size(const std::string& name) const;
};

// How a trial went wrong, for a lesson that knows the usual mistakes.
struct Failure {
  const Trial& trial;
  const Observed& observed;
  const std::vector<Fault>& faults;
  std::optional<problems::Mismatch> first;  // the first wrong element
};

// A question whose answer is counted in a run and not written down anywhere.
struct Answer {
  std::string value;     // 2
  std::string evidence;  // the run that shows it: lines
};
struct Prediction {
  std::vector<std::string> choices;                         // typed or clicked; empty: a number is typed
  std::function<Answer()> answer;                           // runs the kernel in question
  std::function<std::string(const std::string&)> on_wrong;  // what a wrong guess suggests; may be empty
};

// The drawing that a lesson is about: a kernel of the program's own, recorded, and the panel that shows the idea.
struct Picture {
  std::string kernel;
  std::vector<std::string> settings;
  std::string panel;         // as `tilescope export --panel` names it
  std::string program = {};  // in focus: '=4,=7'; "": the first

  std::string text() const;  // copy_wrong_offsets n=6 block=2 --panel offsets
};

struct Lesson {
  std::string folder;      // 01_copy; its number and name follow from it
  std::string title;       // Copy: every program needs offsets of its own
  std::string kernel;      // the functor of kernel.h: copy_kernel
  std::string parameters;  // of the functor after tl: t tensor, d descriptor, i int, f float, c constant
  Picture picture;
  std::string changes_starter =
      {};  // why the solution changes lines of the starter instead of adding some; "": it only adds
  Prediction prediction;
  std::function<std::vector<Trial>(const Kernel&)> trials;
  std::function<std::optional<Finding>(const Failure&)> diagnose;
  std::string note_when_passed = {};  // said once the check passed

  int number() const { return std::stoi(folder); }
  std::string name() const { return folder.substr(folder.find('_') + 1); }
  std::string text(
      const std::string& file) const;  // of its folder: README.md, kernel.h, solution.h, hints.md, triton.py
  build::Wanted wanted() const;        // of a learner's text
};

const std::vector<Lesson>& all();                  // by number
const Lesson* lesson_after(const Lesson& lesson);  // null: it is the last
// By number, name or folder: 1, copy, 01_copy. Throws Error that names the nearest.
const Lesson& find(std::string_view asked);

}  // namespace tl::lessons
