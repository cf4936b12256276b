// The list of problems: a line of names here, a file of each beside this one.
#include <algorithm>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "kernels/problems/own_kernel.h"

namespace tl::problems {

// clang-format off
#define TL_PROBLEMS(X)                                                                                                 \
  X(copy) X(copy_wrong_offsets) X(copy_wrong_stride) X(add) X(grey) X(swizzle) X(matmul) X(grouped_matmul)             \
  X(lecture_matmul) X(lecture_grouped_matmul) X(matmul_unmasked) X(block_pointer_matmul) X(transposed_matmul)          \
  X(persistent_matmul) X(unfused_softmax) X(softmax) X(layernorm) X(dropout) X(dropout_with_mask) X(attention)         \
  X(transpose) X(sum)
// clang-format on

#define TL_DECLARE(name) Problem name();
TL_PROBLEMS(TL_DECLARE)
#undef TL_DECLARE

const std::vector<Problem>& all() {
#define TL_MAKE(name) name(),
  static const std::vector<Problem> problems{TL_PROBLEMS(TL_MAKE)};
#undef TL_MAKE
  return problems;
}

const Problem& find(std::string_view wanted) {
  const auto it = std::ranges::find(all(), wanted, &Problem::name);
  if (it != all().end()) return *it;
  const std::string name(wanted);
  std::vector<std::string> names;
  for (const Problem& p : all()) names.push_back(p.name);
  if (name.ends_with(".h"))
    throw Error("\"" + name + "\" is a file; a kernel goes by its name", instead_of_file(name, "run"));
  const std::string guess = nearest(name, names);
  throw Error("there is no kernel \"" + name + "\"",
              guess.empty() ? "`tilescope list` names them all" : "did you mean " + guess + "?");
}

}  // namespace tl::problems
