// Z = X Y by block pointers.
#include "kernels/block_pointer_matmul.h"

#include "kernels/problems/matmul_case.h"

namespace tl::problems {

Problem block_pointer_matmul() {
  const auto launch = [](const MatmulCase& c) {
    return c.launch_by_pointers<kernels::block_pointer_matmul_kernel>("kernels/block_pointer_matmul.h",
                                                                      {c.blocks_m(), c.blocks_n()}, c.bm, c.bn, c.bk);
  };
  return tuned(
      {"block_pointer_matmul",
       "Z = X Y by block pointers",
       "kernels/block_pointer_matmul.h",
       matmul_settings(),
       [launch](const Settings& s, std::uint64_t seed) { return make_matmul(s, seed, Precision::tf32, false, launch); },
       {},
       [](const Settings& s) { return fast_tiles(s, Precision::tf32, {.copies_b_n_major = true}); }},
      matmul_tuning());
}

}  // namespace tl::problems
