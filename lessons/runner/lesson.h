// What a lesson is: its texts lie in lessons/NN_topic/, its check.cpp makes one of these. The runner knows no lesson by
// name. A puzzle is a lesson, too: a loop to write as a kernel, without a prediction; it lies in lessons/puzzles/.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/hostcc/finding.h"
#include "kernels/problems/problem.h"
#include "lessons/runner/chance.h"
#include "lessons/runner/language.h"
#include "lessons/runner/observed.h"

namespace tl::lessons {

using hostcc::Finding;

// The learner's kernel: makes launches of it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // The arguments in the order of the functor's parameters.
  virtual Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options = {}) const = 0;
  virtual std::string text() const { return ""; }  // its file: what a case says of configs
  virtual Language language() const { return Language::cpp; }
};

// What a learner may compute instead: where every element of an output is this, that is what is wrong with it.
struct Slip {
  std::string headline, fix;
  std::function<double(std::int64_t element)> value;  // counted in row-major order
  std::size_t output = 0;
};

// One run of the kernel whose outcome is known. Small and legible ones first: the first that fails is what the learner
// reads.
struct Trial {
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // n 97, bs 16
  problems::Instance instance = {};
  // Checks what the numbers do not show: bytes moved, lanes masked, loads per element. Called when the numbers are
  // right.
  std::function<std::optional<Finding>(const Observed&)> expect = {};
  // For a kernel that passes: what is worth a word.
  std::function<std::optional<std::string>(const Observed&)> note = {};
  std::map<std::string, std::int64_t> allowed_loads =
      {};  // of an input: how often an element must be loaded, if more than once
  std::map<std::string, std::int64_t> allowed_stores = {};  // of an output that programs add to
  std::int64_t share = 0;  // elements of the first output that one program stores at most; 0: not asked
  std::vector<Slip> slips = {};
  std::string when_order_matters =
      "a program may not rely on what another one wrote";  // what is said where the programs' order changes the result
  bool every_access_counts = false;  // no load or store of any program may have all its lanes masked off
  bool on_gpu = false;               // there as well, where there is one: each takes a compilation

  std::string text() const;  // n=97 bs=16
  std::int64_t size(const std::string& name) const;
};

// How a trial went wrong, for a lesson that knows the usual mistakes.
struct Failure {
  const Trial& trial;
  const Observed& observed;
  const std::vector<Fault>& faults;
  std::optional<problems::Mismatch> first;  // the first wrong element

  // A race does not end a run; any other fault does, and what it kept from happening tells nothing.
  bool has_ended() const {
    return std::ranges::all_of(faults, [](const Fault& f) { return f.kind == FaultKind::race; });
  }
};

// A question whose answer is counted in a run and not written down anywhere.
struct Answer {
  std::string value;     // 2
  std::string evidence;  // the run that shows it: lines
  std::map<std::string, std::string> others =
      {};  // guesses that are something else of that run, and what is said to them
};
struct Prediction {
  std::vector<std::string> choices;                         // typed or clicked; empty: a number is typed
  std::function<Answer()> answer;                           // runs the kernel in question
  std::function<std::string(const std::string&)> on_wrong;  // what a wrong guess suggests; may be empty
};

// The drawing that a lesson is about: a kernel of the program's own, recorded, and the panel that shows the idea.
struct Picture {
  std::string kernel;  // "": the learner's own, a puzzle's
  std::vector<std::string> settings;
  std::string panel;         // as `tilescope export --panel` names it
  std::string program = {};  // in focus: '=4,=7'; "": the first
  std::string compare = {};  // on the chip, beside it: group_size=1, or another kernel

  std::string text() const;  // copy_wrong_offsets n=6 block=2 --panel offsets
};

// What an output must hold to, whatever the inputs are: where all elements of the first one are multiplied and added to
// so, the outputs are so many times what they were.
struct Relation {
  std::string law;  // softmax(x + c) = softmax(x)
  double times = 1, plus = 0, outputs = 1;
};

struct Lesson {
  std::string folder;      // 01_copy, puzzles/03_outer; its number and name follow from it
  std::string title;       // Copy: every program needs offsets of its own
  std::string kernel;      // the functor of kernel.h: copy_kernel
  std::string parameters;  // of the functor after tl: t tensor, d descriptor, i int, f float, c constant
  Picture picture;
  std::vector<std::string> timed = {};  // sizes at which a puzzle's kernel is worth timing: n=2^20
  std::string changes_starter =
      {};                      // why the solution changes lines of the starter instead of adding some; "": it only adds
  Prediction prediction = {};  // none of a puzzle
  std::function<std::vector<Trial>(const Kernel&)> trials;
  std::function<Trial(const Kernel&, Chance&)> by_chance;  // of any sizes, strides, dtypes and scalars
  std::vector<Relation> relations = {};
  bool takes_infinities = false;  // the inputs may hold some
  bool is_elementwise = false;    // an output is made of one element of each input: no large one explains its error
  std::function<std::optional<Finding>(const Failure&)> diagnose;
  // exp makes of a rounding in its exponent a relative error of the output. The exponent is as large as: 1, the inputs;
  // 2, a product of two; 0: there is none.
  int exponent_degree = 0;
  double most_work = 0;  // how many times the best known a right kernel may move; 0: it is told, and never refused
  bool tells_symptoms = false;        // and no lines: those are what is to be found
  bool runs_own_case = false;         // the file has a case for `tilescope run`, which must go well, too
  std::string note_when_passed = {};  // said once the check passed

  bool is_puzzle() const { return folder.starts_with("puzzles/"); }
  int number() const { return std::stoi(folder.substr(folder.rfind('/') + 1)); }
  std::string name() const { return folder.substr(folder.find('_') + 1); }
  std::string place() const;                        // lesson 3 of 8, puzzle 3 of 12
  std::string text(const std::string& file) const;  // of its folder: README.md, kernel.h, solution.py, hints.md
  std::string starter(Language l) const { return text(file_in(l, "kernel")); }
  std::string solution(Language l) const { return text(file_in(l, "solution")); }
  // A text to be read: with one notation of kernels, and in the language of TILESCOPE_LANGUAGE, where somebody has
  // written it: README.zh.md.
  std::string page(const std::string& file, Language) const;
  hostcc::Wanted wanted() const;  // of a learner's text
};

const std::vector<Lesson>& all();      // by number, without the puzzles
const std::vector<Lesson>& puzzles();  // by number
const std::vector<Lesson>& list_of(const Lesson& lesson);
const Lesson* lesson_after(const Lesson& lesson);  // null: it is the last
// By number, name or folder: 1, copy, 01_copy; a puzzle also by p1. Throws Error that names the nearest.
const Lesson& find(std::string_view asked);

}  // namespace tl::lessons
