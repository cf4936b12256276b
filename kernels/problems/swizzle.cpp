// The lecture's picture of swizzle2d: where each number lands shows the order of programs. z starts as -1, meaning
// empty.
#include "kernels/swizzle.h"

#include "kernels/problems/build.h"
#include "kernels/reference/swizzle.h"

namespace tl::problems {
namespace {

Instance make_swizzle(const Settings& s, std::uint64_t) {
  const std::int64_t m = s.integer("blocks_m"), n = s.integer("blocks_n"), group_size = s.integer("group_size");
  const Tensor x = make_tensor("x", DType::int32, {m, n}), z = make_tensor("z", DType::int32, {m, n});
  for (std::int64_t i = 0; i < m * n && x.holds_data; ++i) x.as<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  Instance instance;
  instance.inputs = {x};
  instance.outputs = {z};
  instance.launches = {make_launch<kernels::swizzle_kernel>(
      "kernels/swizzle.h", {m, n}, {.num_warps = 1}, TensorArgument{x}, TensorArgument{z}, constant(group_size))};
  instance.tolerances = {{0, 0}};
  instance.reset = [z] { fill(z, -1); };
  instance.reference_at = [=](std::size_t, std::span<const std::int64_t> offsets) {
    const std::vector<std::int64_t> order = reference::grouped_order(m, n, group_size);
    std::vector<double> moved(order.size()), expected;
    for (std::size_t step = 0; step < order.size(); ++step)
      moved[static_cast<std::size_t>(order[step])] = get(x, static_cast<std::int64_t>(step));
    for (std::int64_t i : offsets) expected.push_back(moved[static_cast<std::size_t>(i)]);
    return expected;
  };
  instance.bytes = 2.0 * 4 * static_cast<double>(m * n);
  return complete(std::move(instance));
}

}  // namespace

Problem swizzle() {
  return {"swizzle",
          "shows the order in which swizzle2d sends programs over a matrix of blocks",
          "kernels/swizzle.h",
          {{"blocks_m", "5", Setting::Kind::integer, "rows of blocks", 1, 4096},
           {"blocks_n", "4", Setting::Kind::integer, "columns of blocks", 1, 4096},
           {"group_size", "3", Setting::Kind::integer, "rows of blocks a group", 1, 4096}},
          make_swizzle};
}

}  // namespace tl::problems
