// Cross entropy of each row: loss[i] = log(sum over j of exp(x[i, j])) - x[i, target[i]]
// Yours: a case, and the kernel: rows of any length, BLOCK columns a step, each element of x loaded once.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct cross_entropy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto target_ptr, ptr auto loss_ptr, int_ auto row_stride,
                  int_ auto n_cols, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
  }
};

}  // namespace tl::kernels
