// y = (x - mean x) / sqrt(variance x + eps) * w + b, a row a program
#include "kernels/layernorm.h"

#include <algorithm>

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/reference/rows.h"

namespace tl::problems {
namespace {

constexpr float eps = 1e-5f;

Instance make_layernorm(const Settings& s, std::uint64_t seed) {
  const std::int64_t rows = s.integer("rows"), cols = s.integer("cols"), block = next_power_of_2(cols);
  const DType dtype = s.dtype("dtype");
  const Tensor x = uniform_tensor("x", dtype, {rows, cols}, seed, 0), w = uniform_tensor("w", dtype, {cols}, seed, 1),
               b = uniform_tensor("b", dtype, {cols}, seed, 2), y = make_tensor("y", out_or(s, dtype), {rows, cols});
  // The fastest of 1 to 16 on an H200, at 1024 to 8192 columns.
  const int warps =
      warps_or(s, std::clamp<std::int64_t>(std::max(std::min(block / 512, std::int64_t{4}), block / 1024), 1, 16));
  Instance instance;
  instance.inputs = {x, w, b};
  instance.outputs = {y};
  instance.launches = {make_launch<kernels::layernorm_kernel>(
      "kernels/layernorm.h", {rows}, {.num_warps = warps}, TensorArgument{x}, TensorArgument{w}, TensorArgument{b},
      TensorArgument{y}, integer(cols), integer(cols), FloatArgument{eps}, constant(block))};
  // Within f32, (x - mean) rstd is at most sqrt(cols), usually below 2: a few ulp of that, before the store rounds.
  instance.accumulates = DType::float32;
  instance.tolerances = {stored_as(y.dtype, {1e-5, 1e-5})};
  const Widened wide_x(x), wide_w(w), wide_b(b);
  instance.reference_at = reference_by_row({cols}, [=](std::int64_t row) {
    return Rows{reference::layernorm(wide_x.data() + row * cols, wide_w.data(), wide_b.data(), cols, eps)};
  });
  const double elems = static_cast<double>(rows * cols);
  instance.flops = 8 * elems;
  instance.bytes = elems * (size_in_bytes(dtype) + size_in_bytes(y.dtype));
  if (y.dtype == dtype)
    instance.cpu_peer = eigen_peer("Eigen", [=, peer_y = clone(y)](int threads) {
      peers::layernorm(dtype, x.data(), w.data(), b.data(), peer_y.data(), rows, cols, eps, threads);
    });
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

}  // namespace

Problem layernorm() {
  return tuned({"layernorm",
                "layer normalization of each row",
                "kernels/layernorm.h",
                {{"rows", "256", Setting::Kind::integer, "rows", 1, 1 << 24},
                 {"cols", "781", Setting::Kind::integer, "columns: one block holds a row", 1, 1 << 15},
                 {"dtype",
                  "f16",
                  Setting::Kind::dtype,
                  "of x, w, b and y; computed in f32",
                  0,
                  0,
                  false,
                  {"f16", "bf16", "f32"}},
                 out_setting("of y alone; without one, as dtype says"),
                 warps_setting()},
                make_layernorm},
               tuned_by("warps=1,2,4,8,16,32"));
}

}  // namespace tl::problems
