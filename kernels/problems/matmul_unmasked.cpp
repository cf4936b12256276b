// The lecture's loads without masks, on its own 3 x 4 by 4 x 5 example: blocks of 16 stick out and read what is not
// theirs.
#include "kernels/matmul_unmasked.h"

#include "kernels/problems/matmul_case.h"

namespace tl::problems {

Problem matmul_unmasked() {
  const auto launch = [](const MatmulCase& c) {
    return c.launch_by_pointers<kernels::matmul_unmasked_kernel>("kernels/matmul_unmasked.h",
                                                                 {c.blocks_m(), c.blocks_n()}, c.bm, c.bn, c.bk);
  };
  return tuned({"matmul_unmasked", "wrong on purpose: the lecture's loads without masks read outside A and B",
                "kernels/matmul_unmasked.h", matmul_settings({.m = 3, .n = 5, .k = 4, .bm = 16, .bn = 16, .bk = 16}),
                [launch](const Settings& s, std::uint64_t seed) {
                  Instance instance = make_matmul(s, seed, Precision::ieee, false, launch);
                  // right where every block fits
                  instance.wrong_on_purpose = s.integer("m") % s.integer("bm") || s.integer("n") % s.integer("bn") ||
                                              s.integer("k") % s.integer("bk");
                  return instance;
                }},
               matmul_tuning());
}

}  // namespace tl::problems
