// A compiler's first error in the words of the language: the line of the kernel, what is meant, and what to do.
#pragma once

#include <string>

#include "interp/hostcc/finding.h"

namespace tl::hostcc {

// `log`: what g++ or clang++ said, in English. `file` and `text`: the kernel. `errors`: how many there are in
// all.
Finding first_error(const std::string& log, const std::string& file, const std::string& text, const Wanted& wanted,
                    int& errors);

// Line `number` (from 1) of a text, without its end.
std::string line_of(const std::string& text, int number);

}  // namespace tl::hostcc
