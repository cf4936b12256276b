// Z = X Y with Y stored n x k.
#include "kernels/transposed_matmul.h"

#include "kernels/problems/matmul_case.h"

namespace tl::problems {

Problem transposed_matmul() {
  const auto launch = [](const MatmulCase& c) {
    return c.launch_by_pointers<kernels::transposed_matmul_kernel>("kernels/transposed_matmul.h",
                                                                   {c.blocks_m(), c.blocks_n()}, c.bm, c.bn, c.bk);
  };
  return tuned(
      {"transposed_matmul",
       "Z = X Y by block pointers, Y stored transposed and turned back for the dot",
       "kernels/transposed_matmul.h",
       matmul_settings(),
       [launch](const Settings& s, std::uint64_t seed) { return make_matmul(s, seed, Precision::tf32, true, launch); },
       {},
       [](const Settings& s) { return fast_tiles(s, Precision::tf32); }},
      matmul_tuning());
}

}  // namespace tl::problems
