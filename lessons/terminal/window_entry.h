// The entry point of the lessons' window, which registers itself where it was built, so that the terminal need not
// include it.
#pragma once

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// Opens the window on a lesson; returns the exit code. Throws Error where the display cannot be opened.
using WindowEntry = int (*)(const Lesson& lesson);
WindowEntry& window_entry();  // null: the program was built without

}  // namespace tl::lessons
