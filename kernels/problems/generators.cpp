// The figures are those of torch/_inductor/runtime/triton_heuristics.py (PyTorch 2.6).
#include "kernels/problems/generators.h"

#include <algorithm>
#include <numeric>

#include "interp/lang/error.h"
#include "kernels/problems/build.h"

namespace tl::problems {
namespace {

constexpr std::int64_t most_block[] = {2048, 1024, 1024};             // of x, y, z
constexpr std::int64_t most_programs[] = {2147483647, 65535, 65535};  // of a grid's axes
constexpr std::int64_t most_reduced = 2048, most_reduced_of_many = 1024;
constexpr int most_warps = 8, most_warps_of_reduction = 16;

using Blocks = std::vector<std::int64_t>;

std::int64_t elems(const Blocks& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{1}, std::multiplies<>{});
}

std::int64_t warps_from(std::int64_t wanted, std::int64_t fewest, std::int64_t most) {
  return next_power_of_2(std::min(std::max(wanted, fewest), most));
}

Config config_of(const std::vector<Axis>& axes, const Blocks& blocks, std::int64_t warps) {
  Config config;
  for (std::size_t i = 0; i < blocks.size(); ++i) config.emplace_back(axes[i].block, std::to_string(blocks[i]));
  config.emplace_back("warps", std::to_string(warps));
  return config;
}

Blocks sizes_of(const std::vector<Axis>& axes) {
  Blocks sizes;
  for (const Axis& axis : axes) sizes.push_back(axis.size);
  return sizes;
}

// How many elements a block should have: fewer where there are fewer in all.
std::int64_t target_of(const std::vector<Axis>& axes, const Blocks& wanted) {
  return elems(sizes_of(axes)) < elems(wanted) ? elems(wanted) / 8 : elems(wanted);
}

// Blocks no longer than their axes; where that leaves too few elements, or more programs than a grid has, longer ones.
Config pointwise_config(const std::vector<Axis>& axes, const Blocks& wanted, std::int64_t elems_per_warp,
                        const PointwiseOptions& options) {
  const std::int64_t target = target_of(axes, wanted);
  Blocks blocks = wanted;
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = std::min(blocks[i], axes[i].size);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    while (blocks[i] < std::min(axes[i].size, most_block[i]) &&
           (blocks[i] * most_programs[i] < axes[i].size || elems(blocks) < target))
      blocks[i] *= 2;
  std::int64_t warps = warps_from(elems(blocks) / elems_per_warp, 1, most_warps);
  if (elems(blocks) >= 128) warps = std::max<std::int64_t>(warps, 4);
  blocks[0] *= cdiv(std::max(elems(blocks), options.min_elem_per_thread * 32 * warps), elems(blocks));
  return config_of(axes, blocks, warps);
}

// warps 0: by the block's elements.
Config reduction_config(const Axis& x, const Axis& r, const Blocks& wanted, bool many_values, std::int64_t warps = 0) {
  const std::vector<Axis> axes{x, r};
  const std::int64_t target = target_of(axes, wanted);
  Blocks blocks{std::min(wanted[0], x.size), std::min(wanted[1], r.size)};
  for (std::size_t i = 0; i < blocks.size(); ++i)
    while (blocks[i] < axes[i].size && elems(blocks) < target) blocks[i] *= 2;
  return config_of(axes, blocks,
                   warps_from(warps ? warps : elems(blocks) / 128, 2, most_warps_of_reduction / (many_values ? 2 : 1)));
}

// For sums so short that several of them make a block.
std::int64_t rows_of_short_sums(std::int64_t r_size) { return r_size <= 256 ? 2 * (256 / r_size) : 1; }

Axis rounded(const Axis& axis) { return {axis.block, next_power_of_2(axis.size)}; }  // as a size hint is

}  // namespace

std::vector<Config> pointwise(const std::vector<Axis>& given, const PointwiseOptions& options) {
  std::vector<Axis> axes;
  for (const Axis& axis : given) axes.push_back(rounded(axis));
  const std::int64_t block = std::clamp<std::int64_t>(elems(sizes_of(axes)) / 128, 256, 1024);
  std::vector<Config> configs;
  const auto add = [&](const Blocks& wanted, std::int64_t elems_per_warp = 256) {
    configs.push_back(pointwise_config(axes, wanted, elems_per_warp, options));
  };
  if (axes.size() == 1) {
    add({block});
    add({block / 2}, 64);
    if (options.one_element_per_thread) add({block / 4}, 32);
  } else if (axes.size() == 2) {
    add({32, 32});
    if (options.square_tiles) return configs;
    for (const Blocks& wanted : {Blocks{64, 64}, {256, 16}, {16, 256}, {block, 1}, {1, block}}) add(wanted);
    if (options.one_element_per_thread)
      for (const Blocks& wanted : {Blocks{block / 4, 1}, {1, block / 4}}) add(wanted, 32);
  } else if (axes.size() == 3) {
    for (const Blocks& wanted :
         {Blocks{16, 16, 16}, {64, 8, 8}, {8, 64, 8}, {8, 8, 64}, {block, 1, 1}, {1, block, 1}, {1, 1, block}})
      add(wanted);
    if (options.one_element_per_thread)
      for (const Blocks& wanted : {Blocks{block / 4, 1, 1}, {1, block / 4, 1}, {1, 1, block / 4}}) add(wanted, 32);
  } else {
    throw Error("pointwise(...) has " + std::to_string(axes.size()) + " axes", "one to three: pointwise(BLOCK=n)");
  }
  return without_duplicates(configs);
}

std::vector<Config> reduction(const Axis& given_x, const Axis& given_r, const ReductionOptions& options) {
  const Axis x = rounded(given_x), r = rounded(given_r);
  const bool many = options.many_values && x.size >= 1024;
  const std::int64_t most = many ? most_reduced_of_many : most_reduced;
  const auto config = [&](std::int64_t bx, std::int64_t br, std::int64_t warps = 0) {
    return reduction_config(x, r, {bx, br}, many, warps);
  };
  const Config contiguous = config(1, 256 <= r.size && r.size < most ? r.size : most), outer = config(64, 8),
               tiny = config(rows_of_short_sums(r.size), std::min(r.size, most));
  switch (options.hint) {
    case ReductionHint::inner: return {contiguous};
    case ReductionHint::outer: return {outer};
    case ReductionHint::tiny_outer: return {tiny};
    case ReductionHint::none: break;
  }
  // Some sums are so long-winded that half of `outer` is better.
  return without_duplicates({contiguous, outer, tiny, config(64, 64), config(8, 512), config(64, 4, 8)});
}

std::vector<Config> persistent_reduction(const Axis& given, std::int64_t r_size, const ReductionOptions& options) {
  const Axis x = rounded(given), r{"", next_power_of_2(r_size)};
  std::vector<Config> configs;
  const auto add = [&](std::int64_t rows, bool many_values) {
    Config config = reduction_config(x, r, {rows, r.size}, many_values);
    std::erase_if(config, [](const NamedValue& v) { return v.first.empty(); });  // all of r: no choice
    configs.push_back(std::move(config));
  };
  if (options.hint == ReductionHint::tiny_outer) add(rows_of_short_sums(r.size), false);
  else
    for (const std::int64_t rows : {1, 8, 32, 128})
      if (rows == 1 || (r.size * rows <= 4096 && rows <= x.size)) add(rows, true);
  if (options.hint == ReductionHint::inner && r.size >= 256) configs.resize(1);
  if (options.hint == ReductionHint::outer) configs = {configs.back()};
  return without_duplicates(configs);
}

std::vector<Config> template_config(int warps, int stages) {
  return {{{"warps", std::to_string(warps)}, {"stages", std::to_string(stages)}}};
}

}  // namespace tl::problems
