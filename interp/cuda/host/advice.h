// What a refusal of CUDA's compiler means and how to mend it, in the words that the interpreter has for the same.
#pragma once

#include <string>

namespace tl::cuda {

struct Advice {
  std::string fact, fix;
};

// `message`: one error in plain words (words.h); `line`: the line of the kernel that led to it.
Advice advice_on(const std::string& message, const std::string& line);

// What the executor states in a static_assert: the fact and, after a colon, what to do. `figures` are added to the
// fact, as in ", in f32[8] + i32[16]".
Advice stated(const std::string& assertion, const std::string& figures);

}  // namespace tl::cuda
