// A kernel of anybody's file as a problem: its text, its case, its compiled functor.
#pragma once

#include <string>
#include <vector>

#include "kernels/problems/problem.h"

namespace tl::cases {

// relu.h; relu.h:relu_kernel where a file has several. Reads the text; compiles it where a launch is first made. Throws
// Error: no such file, no kernel in it, several, a case that is damaged. CompileError comes from the problem's `make`.
problems::Problem problem_of_file(const std::string& name);
// The same of Python that lies in no file. `file`: as places name it; `kernel`: which of several, or "".
problems::Problem problem_of_text(const std::string& file, const std::string& text, const std::string& kernel);

// Built-in kernels with a case at their head that none of `others` is a problem of.
std::vector<problems::Problem> problems_of_texts(const std::vector<problems::Problem>& others);

}  // namespace tl::cases
