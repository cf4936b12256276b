// C = A B on a 1-D grid, programs row by row of blocks.
#include "kernels/matmul.h"

#include "kernels/problems/matmul_case.h"

namespace tl::problems {

Problem matmul() {
  const auto launch = [](const MatmulCase& c) {
    return c.launch_by_pointers<kernels::matmul_kernel>("kernels/matmul.h", {c.blocks_m() * c.blocks_n()}, c.bm, c.bn,
                                                        c.bk);
  };
  return tuned(
      {"matmul",
       "C = A B, programs in row-major order; f32 is multiplied exactly (ieee)",
       "kernels/matmul.h",
       matmul_settings(),
       [launch](const Settings& s, std::uint64_t seed) { return make_matmul(s, seed, Precision::ieee, false, launch); },
       {},
       [](const Settings& s) { return fast_tiles(s, Precision::ieee); }},
      matmul_tuning());
}

}  // namespace tl::problems
