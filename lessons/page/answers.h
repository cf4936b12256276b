// The lessons' questions of a page: {"do": "lessons"}, "lesson", "check", "guess", "hint".
#pragma once

#include "viz/page/state.h"

namespace tl::lessons {

// Those that can be passed in Triton's Python, in their order.
page::Json lessons_of_page(page::State& state, const page::Json& question);
page::Json lesson_of_page(page::State& state, const page::Json& question);
// The report of the trials, and the recording of the one that failed, or of the first.
page::Json check_of_page(page::State& state, const page::Json& question);
// What the run says to a guess, or without one: the page does not run that kernel, predictions.json has its answer.
page::Json guess_of_page(page::State& state, const page::Json& question);
page::Json hint_of_page(page::State& state, const page::Json& question);

}  // namespace tl::lessons
