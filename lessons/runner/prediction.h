// A guess before a run, and what the run says to it.
#pragma once

#include <string>

#include "interp/report/terminal.h"
#include "lessons/runner/lesson.h"

namespace tl::lessons {

// What a prediction meets: the run's evidence, and whether the guess was right. In the language of `lesson`; null: in
// English.
std::string prediction_text(const Prediction& prediction, const Answer& answer, const std::string& guess,
                            report::Paint paint, const Lesson* lesson = nullptr);
// Whether somebody may mean it as an answer: a number, in digits or in a word, or one of the choices.
bool is_answer(const Prediction& prediction, const std::string& guess);
bool is_right(const Answer& answer, const std::string& guess);

}  // namespace tl::lessons
