// What a Python file offers a case: its kernels, their parameters, the configs of @triton.autotune.
#pragma once

#include "interp/case/signature.h"

namespace tl::triton {
class Program;
struct Definition;
}  // namespace tl::triton

namespace tl::cases {

// What a parameter is, the case's words say: x=f32[..] is a tensor; constants alone are known from the text.
Functor functor_of(triton::Program& program, const triton::Definition& kernel);
std::vector<Functor> functors_of(triton::Program& program);  // of its kernels, in the order of the text

// The words that the text itself says: @triton.autotune, @triton.heuristics, parameters' defaults.
std::vector<Word> words_of_text(triton::Program& program, const triton::Definition& kernel, const std::string& file);

}  // namespace tl::cases
