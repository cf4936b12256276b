// C = A B by persistent programs, one an SM, through descriptors (TMA on CUDA).
#include "kernels/persistent_matmul.h"

#include <algorithm>

#include "kernels/problems/chip.h"
#include "kernels/problems/matmul_case.h"

namespace tl::problems {
namespace {

// Beside the stages lie half a block of C on its way out, and the barriers.
int stages_that_fit(const MatmulCase& c) {
  const std::int64_t stage = (c.bm + c.bn) * c.bk * size_in_bytes(c.a.dtype),
                     half = c.bm * c.bn / 2 * size_in_bytes(c.c.dtype);
  return static_cast<int>(std::clamp<std::int64_t>((chip().shared_bytes - half - 1024) / stage, 1, 4));
}

Launch launch(const MatmulCase& c, const Settings& s) {
  if (c.bn < 2) throw Error("bn=1 cannot be stored in two halves", "choose bn=2 or more");
  const auto tile = [](std::int64_t rows, std::int64_t cols) {
    return std::vector<int>{static_cast<int>(rows), static_cast<int>(cols)};
  };
  const std::int64_t programs = programs_or(s, chip().sms, c.blocks_m() * c.blocks_n());
  LaunchOptions options = c.options;
  if (options.num_stages == 0) options.num_stages = stages_that_fit(c);
  return make_launch<kernels::persistent_matmul_kernel>(
      "kernels/persistent_matmul.h", {programs}, options, DescriptorArgument{c.a, tile(c.bm, c.bk)},
      DescriptorArgument{c.b, c.b_is_nk ? tile(c.bn, c.bk) : tile(c.bk, c.bn)},
      DescriptorArgument{c.c, tile(c.bm, c.bn / 2)}, integer(c.m), integer(c.n), integer(c.k), constant(c.bm),
      constant(c.bn), constant(c.bk), constant(c.group_size), flag(c.b_is_nk));
}

}  // namespace

Problem persistent_matmul() {
  std::vector<Setting> settings =
      matmul_settings({.m = 512, .n = 512, .k = 512, .bm = 128, .bn = 128, .bk = 64, .warps = 8, .stages = 0});
  settings.push_back(programs_setting());
  settings.push_back({"b",
                      "nk",
                      Setting::Kind::text,
                      "how B is stored: nk, n x k as a linear layer's weight; kn, k x n",
                      0,
                      0,
                      false,
                      {"nk", "kn"}});
  Problem problem{"persistent_matmul",
                  "C = A B by persistent programs: descriptors, an epilogue in two halves",
                  "kernels/persistent_matmul.h",
                  settings,
                  [](const Settings& s, std::uint64_t seed) {
                    return make_matmul(s, seed, Precision::tf32, s.text("b") == "nk",
                                       [&](const MatmulCase& c) { return launch(c, s); });
                  },
                  {},
                  [](const Settings& s) { return fast_tiles(s, Precision::tf32); }};
  problem.beyond_l2 = products_beyond_l2();
  return tuned(std::move(problem), matmul_tuning(true));
}

}  // namespace tl::problems
