// What outputs should be by a plain loop in the kernel's own file: expect=softmax_loop.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "interp/case/expected.h"
#include "interp/lang/plain_loop.h"

namespace tl::cases {

// softmax_loop; "": the case expects formulas or files, or nothing.
std::string loop_in(const Word& expect);

using PlainLoop = void (*)(LoopCase&);

// The loop runs when a value is first asked for. `before`: every tensor as it is before the kernel runs. Throws Error,
// then, for names that are none and indices outside.
ExpectedAt expected_by(PlainLoop loop, const Word& word, const std::vector<Tensor>& outputs,
                       const std::vector<Tensor>& before, const Scope& scope);

}  // namespace tl::cases
