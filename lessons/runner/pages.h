// Lessons and reports as text, with a terminal's colours: terminal and window show the same.
#pragma once

#include <string>

#include "interp/report/terminal.h"
#include "lessons/runner/prediction.h"
#include "lessons/runner/progress.h"
#include "lessons/runner/report.h"

namespace tl::lessons {

// Markdown as a terminal shows it: headings bold, code set off, comments and image lines left out. `columns`: where
// prose wraps; 0: it does not.
std::string markdown_text(const std::string& markdown, report::Paint paint, int columns = 0);

// The verdict of a check: what passed, or the first thing wrong with its line, its evidence and a direction.
std::string report_text(const Lesson& lesson, const Report& report, const std::filesystem::path& file,
                        report::Paint paint);

// Hint `number`, from 1.
std::string hint_text(const Lesson& lesson, int number, report::Paint paint, int columns = 0);

std::string state_text(const LessonProgress& progress);  // passed, begun, -
// The table of all() or puzzles().
std::string list_text(const Progress& progress, const std::vector<Lesson>& list, report::Paint paint);
std::string heading_text(const Lesson& lesson);  // Lesson 3 of 8. Grey: ...
std::string progress_text(const Progress& progress);
std::string notes_text(const Progress& progress, report::Paint paint);

// The solution, its new lines marked, and the why.
std::string solution_text(const Lesson& lesson, report::Paint paint, int columns = 0);

}  // namespace tl::lessons
