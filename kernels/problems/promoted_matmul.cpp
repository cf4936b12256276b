// C = A B^T of fp8, with sums promoted to fp32 every bk of k.
#include "kernels/promoted_matmul.h"

#include <algorithm>

#include "kernels/problems/matmul_case.h"
#include "kernels/problems/tolerance.h"

namespace tl::problems {
namespace {

std::vector<int> tile(std::int64_t rows, std::int64_t cols) { return {static_cast<int>(rows), static_cast<int>(cols)}; }

Instance make_promoted_matmul(const Settings& s, std::uint64_t seed) {
  const bool promoted = s.boolean("promoted");
  std::int64_t k = 0, bk = 0;
  Instance instance = make_matmul(s, seed, Precision::tf32, true, [&](const MatmulCase& c) {
    k = c.k;
    bk = c.bk;
    return make_launch<kernels::promoted_matmul_kernel>(
        "kernels/promoted_matmul.h", {c.blocks_m(), c.blocks_n()}, c.options, DescriptorArgument{c.a, tile(c.bm, c.bk)},
        DescriptorArgument{c.b, tile(c.bn, c.bk)}, DescriptorArgument{c.c, tile(c.bm, c.bn)}, integer(c.k),
        constant(c.bm), constant(c.bn), constant(c.bk), flag(promoted));
  });
  // Errors of the turns have random signs, and add up to that of one times the root of their number.
  if (promoted && is_fp8(s.dtype("dtype")) && bk < k) {
    const double turns = static_cast<double>(k) / static_cast<double>(bk);
    instance.truncated_tolerances = {
        stored_as(instance.outputs[0].dtype, {std::sqrt(turns) * fp8_dot_error(bk) + dot_error(k, false), 0})};
  }
  return instance;
}

// The sum of a turn stands beside that of all turns. bk stays: it says how often sums are promoted.
std::vector<NamedValue> promoted_tiles(const Settings& s) {
  std::vector<NamedValue> tiles = fast_tiles(s, Precision::tf32, {.accumulators = s.boolean("promoted") ? 2 : 1});
  std::erase_if(tiles, [](const NamedValue& v) { return v.first == "bk"; });
  return tiles;
}

}  // namespace

Problem promoted_matmul() {
  std::vector<Setting> settings =
      matmul_settings({.m = 256, .n = 256, .k = 1024, .bm = 64, .bn = 64, .bk = 128, .warps = 4});
  std::ranges::find(settings, "dtype", &Setting::name)->default_value = "f8e4nv";
  settings.push_back({"promoted", "true", Setting::Kind::boolean, "whether fp32 adds up the sums of bk of k"});
  return tuned({"promoted_matmul",
                "C = A B of fp8, its sums promoted to fp32: why, and what it buys",
                "kernels/promoted_matmul.h",
                settings,
                make_promoted_matmul,
                {},
                promoted_tiles},
               matmul_tuning());
}

}  // namespace tl::problems
