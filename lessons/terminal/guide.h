// A lesson with a person at the terminal: page by page, the prediction typed, then checks, hints and the rest at a
// prompt.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "interp/report/terminal.h"
#include "lessons/runner/check.h"
#include "lessons/runner/progress.h"

namespace tl::lessons {

// Without a terminal to type at, the whole lesson is printed. Returns the exit code.
int guide(const Lesson& lesson);

// The single steps, each a command as well; they print and keep the progress. Return the exit code.
// What comes next is a command in a shell, a letter in the guide.
enum class Interface : unsigned char { shell, guide };
// `passes` is called where the kernel does, before its score is told.
int do_check(
    const Lesson& lesson, const CheckOptions& options, Interface interface = Interface::shell,
    const std::function<void(const Report&)>& passes = [](const Report&) {});
int do_hint(const Lesson& lesson, Interface interface = Interface::shell);
int do_solution(const Lesson& lesson);
int do_predict(const Lesson& lesson, const std::string& guess);
// The lesson's further questions: all of them, or number `number`, from 1, with the guess beside what a run says.
int do_ask(const Lesson& lesson, int number, const std::string& guess);
int do_edit(const Lesson& lesson);
// In the window of `tilescope view`, or as text, with the command that makes a file of it.
int do_picture(const Lesson& lesson, bool in_terminal);
// Times a puzzle's kernel, or the kernel that a lesson's picture is of.
int do_bench(const Lesson& lesson);
int do_debug(const Lesson& lesson, int trial);
// Checks now, and again whenever the file is saved, until Ctrl-C. Without a terminal it checks once.
int do_watch(const Lesson& lesson, const CheckOptions& options);
// Asks first, unless `is_confirmed`.
int do_reset(const Lesson& lesson, bool is_confirmed);
// Another command of this program, at the same terminal: what stands behind "tilescope".
int run_self(const std::vector<std::string>& words);

}  // namespace tl::lessons
