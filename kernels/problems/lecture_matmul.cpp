// C = A B as the lecture writes it, on its 2-D grid.
#include "kernels/lecture_matmul.h"

#include "kernels/problems/matmul_case.h"

namespace tl::problems {

Problem lecture_matmul() {
  const auto launch = [](const MatmulCase& c) {
    return c.launch_by_pointers<kernels::lecture_matmul_kernel>("kernels/lecture_matmul.h",
                                                                {c.blocks_m(), c.blocks_n()}, c.bm, c.bn, c.bk);
  };
  return tuned(
      {"lecture_matmul",
       "C = A B as the lecture writes it, loads masked",
       "kernels/lecture_matmul.h",
       matmul_settings({.m = 64, .n = 64, .k = 64, .bm = 16, .bn = 16, .bk = 16}),
       [launch](const Settings& s, std::uint64_t seed) { return make_matmul(s, seed, Precision::ieee, false, launch); },
       {},
       [](const Settings& s) { return fast_tiles(s, Precision::ieee); }},
      matmul_tuning());
}

}  // namespace tl::problems
