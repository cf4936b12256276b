// The kernels that are kept with a lesson or puzzle to try its check on: wrong ones, each with words of the message
// that it must meet, and right ones that are written unusually. A whole kernel is a file in wrong/ or right/; what
// differs from the solution in a few lines stands in wrong.txt and right.txt, in Python wrong.py.txt and right.py.txt:
//
//     # no_mask
//     Says: out of bounds
//     - auto x = tl.load(x_ptr + offs, {.mask = mask});
//     + auto x = tl.load(x_ptr + offs);
//
// A change ends where the next one begins, or at an empty line.
#pragma once

#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct Variant {
  std::string name;  // no_mask
  std::string says;  // of a wrong one
  std::string text;  // the kernel
};

// `kind`: wrong or right.
std::vector<Variant> variants(const Lesson& lesson, const std::string& kind, Language l = Language::cpp);
// The variants of such a text. Throws Error for lines that are not in the solution exactly once.
std::vector<Variant> variants_in(const std::string& text, const std::string& solution);

}  // namespace tl::lessons
