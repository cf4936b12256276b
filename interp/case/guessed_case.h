// A first case for a kernel of Triton's Python that has none: sizes small enough to be seen, tensors and
// strides as the kernel's own sums of pointers ask for.
#pragma once

#include <map>
#include <string>

#include "interp/case/signature.h"

namespace tl::triton {
class Program;
struct Definition;
}  // namespace tl::triton

namespace tl::cases {

class FileCase;

struct GuessedCase {
  std::map<std::string, std::string> words;  // by their canonical names: x_row_stride=n_cols
  std::map<std::string, std::string> asked;  // what the text does not tell: word, what to fill in
};
GuessedCase guessed_case(triton::Program& program, const triton::Definition& kernel, const FileCase& of);

}  // namespace tl::cases
