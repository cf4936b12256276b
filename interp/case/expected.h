// What a case says its outputs should be: expect='y = maximum(x, 0)', expect=y=y.npy; several with ; between them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "interp/case/scope.h"
#include "interp/lang/tensor.h"

namespace tl::cases {

// Values of an output's elements, which are counted in row-major order; none of an output that the case says nothing
// of.
using ExpectedAt = std::function<std::vector<double>(std::size_t output, std::span<const std::int64_t> elements)>;

// `before`: every tensor as it is before the kernel runs. Throws Error: a name that is no output's, a file of another
// shape, a text that is no expression; what is wrong with values comes when they are asked for.
ExpectedAt expected_of(const Word& word, const std::vector<Tensor>& outputs, const std::vector<Tensor>& before,
                       const Scope& scope);

// How far the sums of the formulas may be from the truth, where f32 adds them, f64 for an output of its own: each sum
// in turn is made inexact, and what that changes is added up.
ExpectedAt sum_errors_of(const Word& word, const std::vector<Tensor>& outputs, const std::vector<Tensor>& before,
                         const Scope& scope);

}  // namespace tl::cases
