// The lessons' window, where it was built: it registers itself, so that no arrow runs from the terminal to it.
#pragma once

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// Opens on a lesson; returns the exit code. Throws Error where the display cannot be opened.
using WindowFace = int (*)(const Lesson& lesson);
WindowFace& window_face();  // null: the program was built without

}  // namespace tl::lessons
