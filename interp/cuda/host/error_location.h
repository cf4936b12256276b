// Where in the learner's text an error of the compiler belongs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/cuda/host/sources.h"

namespace tl::cuda {

// `kernels/k.h(12): error #20: identifier "x" is undefined`
struct ErrorHead {
  std::string file;
  int line = 0;
  std::string message;
};
std::optional<ErrorHead> error_head(const std::string& line);

struct ErrorLocation {
  std::string file;
  int line = 0;        // 0: the learner's text has no part in it
  std::string called;  // the op that was called there, to put the caret under; "" when unknown
  std::string frame;   // the compiler's line about it
  std::string one_of;  // " (in line 15 or 17)" where the compiler leaves open which; else ""
};
// The innermost frame of an error's backtrace that lies in the learner's text.
ErrorLocation learners_location(const std::vector<std::string>& block, const std::string& error_file,
                                const Sources& sources);

bool is_learners(const std::string& file, const Sources& sources);
std::string source_line(const Sources& sources, const std::string& file, int line);  // "": no such line

}  // namespace tl::cuda
