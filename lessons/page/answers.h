// The lessons' questions of a page: {"do": "lessons"}, "lesson", "check", "guess", "hint".
#pragma once

#include "lessons/runner/report.h"
#include "viz/page/state.h"

namespace tl::lessons {

// Those that can be passed in Triton's Python, in their order.
page::Json lessons_of_page(page::State& state, const page::Json& question);
page::Json lesson_of_page(page::State& state, const page::Json& question);
// The report of the trials, and the recording of the one that failed, or of the first.
page::Json check_of_page(page::State& state, const page::Json& question);
page::Json hint_of_page(page::State& state, const page::Json& question);
// The further questions of a lesson, without their answers.
page::Json questions_of_page(const Lesson& lesson);
// What the run says to a guess, or without one, of the prediction or of {"question": 2}.
page::Json guess_of_page(page::State& state, const page::Json& question);

// The lesson that a question is about, its texts from here on in the language that it names.
const Lesson& lesson_in(const page::Json& question);
// What a check says of a text in Triton.
Report report_of(const Lesson& lesson, const Kernel& kernel);

}  // namespace tl::lessons
