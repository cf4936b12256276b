// z[0] = sum of x. The inputs are multiples of 1/128 from -1 to 1, so that sums below 2^17 are exact in f32 and the
// order of the atomics does not matter. Those of 2^30 such inputs stay within 19,000 of 0, one standard deviation: 2^17
// is seven.
#include "kernels/sum.h"

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/problems/chip.h"
#include "kernels/problems/shared_inputs.h"

namespace tl::problems {
namespace {

Instance make_sum(const Settings& s, std::uint64_t seed) {
  const std::int64_t n = s.integer("n"), block = s.integer("block");
  const Tensor z = make_tensor("z", DType::float32, {1});
  const Tensor x = shared_input("x", "coarse " + std::to_string(n) + " " + std::to_string(seed), [&] {
    Tensor made = make_tensor("x", DType::float32, {n});
    fill_uniform_coarse(made, seed, 0);
    return made;
  });
  Instance instance;
  instance.inputs = {x};
  instance.outputs = {z};
  instance.launches = {make_launch<kernels::sum_kernel>("kernels/sum.h", {cdiv(n, block)}, {}, TensorArgument{x},
                                                        TensorArgument{z}, integer(n), constant(block))};
  instance.accumulates = DType::float32;
  instance.tolerances = {{0, 0}};
  instance.reset = [z] { fill(z, 0); };  // the kernel adds to it
  instance.reference_at = [=](std::size_t, std::span<const std::int64_t> offsets) {
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) total += static_cast<double>(x.as<float>()[i]);
    return std::vector<double>(offsets.size(), total);
  };
  instance.flops = static_cast<double>(n);
  instance.bytes = 4.0 * static_cast<double>(n);
  instance.cpu_peer = {"plain loop", [=, result = clone(z)](int threads) {
                         result.as<float>()[0] = peers::sum(x.as<float>(), n, threads);
                       }};
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

// Each program ends in an atomic addition to one place: as few as still give every SM some to switch between.
std::vector<NamedValue> fast_block(const Settings& s) {
  std::int64_t block = 8192;
  while (block > 512 && cdiv(s.integer("n"), block) < 4 * chip().sms) block /= 2;
  return {{"block", std::to_string(block)}};
}

}  // namespace

Problem sum() {
  Tuning tuning = tuned_by("block=512,1024,2048,4096,8192 warps=4,8");
  tuning.resets_outputs = true;
  return tuned(
      {"sum",
       "sums a vector: a block a program, then one atomic addition",
       "kernels/sum.h",
       {{"n", "98432", Setting::Kind::integer, "elements", 1, 1 << 30},
        {"block", "1024", Setting::Kind::integer, "elements a program sums; a power of two", 1, 1 << 20, true}},
       make_sum,
       {},
       fast_block},
      tuning);
}

}  // namespace tl::problems
