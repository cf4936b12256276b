// Softmax of each row in five launches, as a framework without fusion does it: 8 M N + 4 M elements moved where fused
// takes 2 M N.
#include "kernels/unfused_softmax.h"

#include <algorithm>

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/reference/rows.h"

namespace tl::problems {
namespace {

Instance make_unfused_softmax(const Settings& s, std::uint64_t seed) {
  const std::int64_t rows = s.integer("rows"), cols = s.integer("cols"), block = next_power_of_2(cols);
  constexpr std::int64_t exp_block = 1024;
  const Tensor x = uniform_tensor("x", DType::float32, {rows, cols}, seed, 0);
  const auto matrix = [&](std::string name) { return make_tensor(std::move(name), DType::float32, {rows, cols}); };
  const auto column = [&](std::string name) { return make_tensor(std::move(name), DType::float32, {rows}); };
  const Tensor max = column("max"), z = matrix("z"), numerator = matrix("numerator"),
               denominator = column("denominator"), y = matrix("y");
  const TensorArgument x_{x}, max_{max}, z_{z}, numerator_{numerator}, denominator_{denominator}, y_{y};
  const std::string source = "kernels/unfused_softmax.h";
  const auto n = integer(cols);
  const auto b = constant(block);
  const LaunchOptions options{.num_warps = static_cast<int>(std::clamp<std::int64_t>(block / 1024, 4, 16))};
  Instance instance;
  instance.inputs = {x};
  instance.outputs = {max, z, numerator, denominator, y};
  instance.launches = {
      make_launch<kernels::row_max_kernel>(source, {rows}, options, max_, x_, n, n, b),
      make_launch<kernels::row_subtract_kernel>(source, {rows}, options, z_, x_, max_, n, n, b),
      make_launch<kernels::exp_kernel>(source, {cdiv(rows * cols, exp_block)}, {}, numerator_, z_, integer(rows * cols),
                                       constant(exp_block)),
      make_launch<kernels::row_sum_kernel>(source, {rows}, options, denominator_, numerator_, n, n, b),
      make_launch<kernels::row_divide_kernel>(source, {rows}, options, y_, numerator_, denominator_, n, n, b)};
  // max is exact, x - max rounded once; exp multiplies the absolute error of x - max (at most 2, so 2^-24) into a
  // relative one.
  instance.accumulates = DType::float32;
  instance.tolerances = {{0, 0}, stored_as(DType::float32, {}), {0, 1e-5}, {0, 1e-5}, {0, 1e-5}};
  instance.reference_at = reference_by_row({1, cols, cols, 1, cols}, [=](std::int64_t row) {
    const reference::Softmax r = reference::softmax(x.as<float>() + row * cols, cols);
    return Rows{{r.max}, r.shifted, r.numerator, {r.denominator}, r.y};
  });
  const double mn = static_cast<double>(rows * cols), m = static_cast<double>(rows);
  instance.flops = 5 * mn;
  instance.bytes = 4 * (8 * mn + 4 * m);
  instance.cpu_peer = eigen_peer("Eigen, five passes", [=, scratch = clone(z), peer_y = clone(y)](int threads) {
    peers::unfused_softmax(x.as<float>(), scratch.as<float>(), peer_y.as<float>(), rows, cols, threads);
  });
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

}  // namespace

Problem unfused_softmax() {
  return tuned({"unfused_softmax",
                "softmax of each row in five launches: max, subtract, exp, sum, divide",
                "kernels/unfused_softmax.h",
                {{"rows", "256", Setting::Kind::integer, "rows", 1, 1 << 24},
                 {"cols", "781", Setting::Kind::integer, "columns: one block holds a row", 1, 1 << 15}},
                make_unfused_softmax},
               tuned_by("warps=1,2,4,8,16"));
}

}  // namespace tl::problems
