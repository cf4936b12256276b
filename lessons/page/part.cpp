// The lessons, as a part of the page.
#include "lessons/page/answers.h"

namespace tl::lessons {

[[maybe_unused]] static const bool is_there =
    page::answer_by("lessons", lessons_of_page) && page::answer_by("lesson", lesson_of_page) &&
    page::answer_by("check", check_of_page) && page::answer_by("guess", guess_of_page) &&
    page::answer_by("hint", hint_of_page);

}  // namespace tl::lessons
