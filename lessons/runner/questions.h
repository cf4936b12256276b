// A lesson's further questions: questions.md of its folder. Each is answered by a run, none by what is written there:
//
//     ## Before
//     How many lanes does program 2 mask off, when it loads x?
//     Count: masked loads of add n=10 block=4
//     - 4: Those are all of its lanes; two find an element.
//
// The section says when it is asked: Before mending, After it, Explain, Break it, Vary, Quiz. The lines with - are
// likely wrong guesses, and what is said to them. What a question asks for is one of
//
//     Count: FIGURE of KERNEL name=value ...     a kernel of the program's own; FIGURE: loads, stores, masked loads,
//                                                masked stores, atomics, programs, multiplications in dots, sectors,
//                                                bytes of DRAM; or stores to z[1], loads from x[3]
//     Count: FIGURE of trial 2                   the lesson's solution, at that trial of the check
//     Model: FIGURE of KERNEL name=value ...     what the model of an H200 says; FIGURE: limit, waves, programs an SM,
//                                                idle SMs. A limit is chosen among the right one and the guesses
//     Clock: FIGURE of KERNEL name=value ...     program 0 on a clock where a load takes 3 units and a dot 1
//                                                (gantt.h); FIGURE: units, waiting dots. `with 2 slots of`: warps of
//                                                their own ask for the blocks, into so many slots
//     Count: FIGURE of mine                      the reader's kernel, at the trial that its score is of
//     First to fail: NAME                        of wrong.txt: by number, the trial at which the check sends it back
//     Reason: NAME                               of wrong.txt, or `starter`: of what a program's variables held, the
//                                                first that is not what it is in the solution's run
//     Kernel: KERNEL name=value ...              which one it is whose accesses are shown
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lessons/runner/check.h"

namespace tl::lessons {

// Likely wrong guesses, and what is said to each.
using Replies = std::vector<std::pair<std::string, std::string>>;
std::function<std::string(const std::string& guess)> on_wrong(Replies replies);

struct Question {
  std::string section;  // Before, After, Explain, Break it, Vary, Quiz
  std::string text;     // markdown
  std::string figure;   // of the reader's kernel: loads; "": it asks for something else
  Prediction prediction;
  Replies replies = {};
  // For a question about a run that takes a compilation: completes it with the run's figures. Null: it is complete.
  std::function<Question()> whole = {};

  bool is_before() const { return section == "Before"; }
};

// Throws Error for one that cannot be asked. `options`: of the checks that answers need.
std::vector<Question> questions_of(const Lesson& lesson, const CheckOptions& options = {});
std::vector<Question> questions_in(const std::string& markdown, const Lesson& lesson, const CheckOptions& options = {});

// Break it; First a small one, for those before mending.
std::string heading_of(const Question& question);

// What a kernel that passed answers to a question about a figure of it. Throws Error: it has no such figure.
Answer answer_of(const Question& question, const Report& report);

}  // namespace tl::lessons
