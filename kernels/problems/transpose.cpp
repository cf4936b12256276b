// y = x transposed
#include "kernels/transpose.h"

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/problems/chip.h"

namespace tl::problems {
namespace {

Instance make_transpose(const Settings& s, std::uint64_t seed) {
  const std::int64_t m = s.integer("m"), n = s.integer("n"), block_m = s.integer("block_m"),
                     block_n = s.integer("block_n");
  const Tensor x = uniform_tensor("x", DType::float32, {m, n}, seed, 0), y = make_tensor("y", DType::float32, {n, m});
  Instance instance;
  instance.inputs = {x};
  instance.outputs = {y};
  instance.launches = {make_launch<kernels::transpose_kernel>(
      "kernels/transpose.h", {cdiv(m, block_m), cdiv(n, block_n)}, {}, TensorArgument{x}, TensorArgument{y}, integer(m),
      integer(n), constant(block_m), constant(block_n))};
  instance.tolerances = {{0, 0}};
  instance.reference_at = reference_by_element([=](std::int64_t i) { return get(x, i % m * n + i / m); });
  instance.bytes = 2.0 * 4 * static_cast<double>(m * n);
  const Tensor peer_y = clone(y);
  instance.cpu_peer = {"plain loop in tiles",
                       [=](int threads) { peers::transpose(x.as<float>(), peer_y.as<float>(), m, n, threads); }};
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

// Lines of 256 bytes on both sides, where the matrix is large enough to give every SM some.
std::vector<NamedValue> fast_blocks(const Settings& s) {
  if (cdiv(s.integer("m"), 64) * cdiv(s.integer("n"), 64) < 4 * chip().sms) return {};
  return {{"block_m", "64"}, {"block_n", "64"}, {"warps", "8"}};
}

}  // namespace

Problem transpose() {
  return tuned({"transpose",
                "transposes a matrix",
                "kernels/transpose.h",
                {{"m", "200", Setting::Kind::integer, "rows of x", 1, 1 << 20},
                 {"n", "300", Setting::Kind::integer, "columns of x", 1, 1 << 20},
                 {"block_m", "32", Setting::Kind::integer, "rows a program; a power of two", 1, 1024, true},
                 {"block_n", "32", Setting::Kind::integer, "columns a program; a power of two", 1, 1024, true}},
                make_transpose,
                {},
                fast_blocks},
               tuned_by("pointwise(block_n=n, block_m=m)"));
}

}  // namespace tl::problems
