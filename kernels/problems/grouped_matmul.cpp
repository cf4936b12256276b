// C = A B on a 1-D grid, programs in groups of rows of blocks.
#include "kernels/grouped_matmul.h"

#include "kernels/problems/matmul_case.h"

namespace tl::problems {

Problem grouped_matmul() {
  const auto launch = [](const MatmulCase& c) {
    return c.launch_by_pointers<kernels::grouped_matmul_kernel>(
        "kernels/grouped_matmul.h", {c.blocks_m() * c.blocks_n()}, c.bm, c.bn, c.bk, c.group_size);
  };
  return tuned(
      {"grouped_matmul",
       "C = A B, programs in groups that share L2; f32 is multiplied as tf32",
       "kernels/grouped_matmul.h",
       matmul_settings(),
       [launch](const Settings& s, std::uint64_t seed) { return make_matmul(s, seed, Precision::tf32, false, launch); },
       {},
       [](const Settings& s) { return fast_tiles(s, Precision::tf32, {.copies_b_n_major = true}); }},
      matmul_tuning(true));
}

}  // namespace tl::problems
