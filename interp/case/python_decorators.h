// What @triton.autotune and @triton.heuristics say, as words of a case.
#pragma once

#include <string>
#include <vector>

#include "interp/case/words.h"

namespace tl::triton {
class Program;
struct Module;
struct Node;
struct Definition;
}  // namespace tl::triton

namespace tl::cases {

// The first config's constants, warps and stages, all of them as configs=, config_key= and config_top_k=; of a
// heuristic its expression: EVEN='n % BLOCK == 0'. What only Python can compute is left out. Throws CompileError for a
// name that the kernel has not.
std::vector<Word> words_of_decorators(triton::Program&, const triton::Definition& kernel, const std::string& file);

// BLOCK=64, from a name and a constant expression of the file; "": it is not constant.
std::string word_of(std::string_view name, triton::Program&, triton::Module&, const triton::Node& value);

}  // namespace tl::cases
