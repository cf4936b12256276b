// The language that a learner writes kernels in: Triton's Python or C++.
#pragma once

#include <string>
#include <string_view>

namespace tl::lessons {

enum class Language : unsigned char { cpp, python };

std::string_view name_of(Language);  // c++, python
// Throws Error for another name.
Language language_called(const std::string& name);
Language language_of(const std::string& file);  // of kernel.py: Python
// kernel.py, solution.h
std::string file_in(Language, const std::string& stem);

// A text for learners of one language. For a code block and the one that follows it in the other language it keeps one,
// ```cpp or ```python; of `x(_, None)` (in Python `x[:, None]`) it keeps one of the two.
std::string in_language(const std::string& markdown, Language);
std::string in_notation(std::string text, Language);  // the second of these alone

}  // namespace tl::lessons
