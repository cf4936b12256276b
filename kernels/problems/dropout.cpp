// Dropout from a seed, with and without its mask stored. Right only bit for bit: the same x is kept, divided once.
#include "kernels/dropout.h"

#include "kernels/dropout_with_mask.h"
#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/reference/philox.h"

namespace tl::problems {
namespace {

Instance make_dropout(const Settings& s, std::uint64_t inputs_seed, bool with_mask) {
  const std::int64_t n = s.integer("n"), block = s.integer("block"), seed = s.integer("seed");
  const float p = static_cast<float>(s.real("p"));
  const Tensor x = uniform_tensor("x", DType::float32, {n}, inputs_seed, 0);
  const Tensor keep = make_tensor("keep", DType::uint8, {with_mask ? n : 1}),
               output = make_tensor("output", DType::float32, {n});
  Instance instance;
  instance.inputs = {x};
  if (with_mask) {
    instance.outputs = {keep, output};
    instance.launches = {make_launch<kernels::dropout_with_mask_kernel>(
        "kernels/dropout_with_mask.h", {cdiv(n, block)}, {}, TensorArgument{x}, TensorArgument{keep},
        TensorArgument{output}, integer(n), FloatArgument{p}, integer(seed), constant(block))};
  } else {
    instance.outputs = {output};
    instance.launches = {make_launch<kernels::dropout_kernel>("kernels/dropout.h", {cdiv(n, block)}, {},
                                                              TensorArgument{x}, TensorArgument{output}, integer(n),
                                                              FloatArgument{p}, integer(seed), constant(block))};
  }
  // 1 - p is rounded, then the quotient; a GPU's approximate division adds 2 ulp.
  const Tolerance value = {0, 4 * 0x1p-23};
  instance.tolerances = with_mask ? std::vector<Tolerance>{{0, 0}, value} : std::vector<Tolerance>{value};
  instance.reference_at = [=](std::size_t out, std::span<const std::int64_t> offsets) {
    std::vector<double> expected;
    for (std::int64_t i : offsets) {
      const bool kept = reference::rand(static_cast<std::uint64_t>(seed), static_cast<std::uint32_t>(i)) > p;
      expected.push_back(with_mask && out == 0 ? kept : kept ? get(x, i) / (1 - static_cast<double>(p)) : 0.0);
    }
    return expected;
  };
  instance.flops = static_cast<double>(n);
  instance.bytes = (with_mask ? 9.0 : 8.0) * static_cast<double>(n);
  instance.cpu_peer = {"plain loop", [=, peer_keep = clone(keep), peer_output = clone(output)](int threads) {
                         peers::dropout(x.as<float>(), with_mask ? peer_keep.as<std::uint8_t>() : nullptr,
                                        peer_output.as<float>(), n, p, static_cast<std::uint64_t>(seed), threads);
                       }};
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

Problem dropout_problem(const std::string& name, const std::string& summary, bool with_mask) {
  return tuned({name,
                summary,
                "kernels/" + name + ".h",
                {{"n", "100000", Setting::Kind::integer, "elements", 1, 1 << 30},
                 {"block", "1024", Setting::Kind::integer, "elements a program; a power of two", 1, 1 << 20, true},
                 {"p", "0.5", Setting::Kind::real, "probability of dropping an element", 0, 0.999},
                 {"seed", "123", Setting::Kind::integer, "of the random numbers in the kernel", 0, 2147483647}},
                [with_mask](const Settings& s, std::uint64_t seed) { return make_dropout(s, seed, with_mask); }},
               tuned_by(pointwise_blocks));
}

}  // namespace

Problem dropout() {
  return dropout_problem("dropout", "drops elements at random, the mask recomputed from a seed", false);
}
Problem dropout_with_mask() {
  return dropout_problem("dropout_with_mask", "drops elements at random and stores which it kept", true);
}

}  // namespace tl::problems
