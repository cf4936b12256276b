// z = x + y
#include "kernels/add.h"

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"

namespace tl::problems {
namespace {

Instance make_add(const Settings& s, std::uint64_t seed) {
  const std::int64_t n = s.integer("n"), block = s.integer("block");
  const Tensor x = uniform_tensor("x", DType::float32, {n}, seed, 0),
               y = uniform_tensor("y", DType::float32, {n}, seed, 1);
  const Tensor z = make_tensor("z", DType::float32, {n});
  Instance instance;
  instance.inputs = {x, y};
  instance.outputs = {z};
  instance.launches = {make_launch<kernels::add_kernel>("kernels/add.h", {cdiv(n, block)}, {}, TensorArgument{x},
                                                        TensorArgument{y}, TensorArgument{z}, integer(n),
                                                        constant(block))};
  instance.tolerances = {stored_as(DType::float32, {})};  // one addition, rounded once
  instance.reference_at = reference_by_element([=](std::int64_t i) { return get(x, i) + get(y, i); });
  instance.flops = static_cast<double>(n);
  instance.bytes = 3.0 * 4 * static_cast<double>(n);
  const Tensor peer_z = clone(z);
  instance.cpu_peer = {"plain loop",
                       [=](int threads) { peers::add(x.as<float>(), y.as<float>(), peer_z.as<float>(), n, threads); }};
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

}  // namespace

Problem add() {
  return tuned(
      {"add",
       "adds two vectors",
       "kernels/add.h",
       {{"n", "98432", Setting::Kind::integer, "elements", 1, 1 << 30},
        {"block", "1024", Setting::Kind::integer, "elements a program adds; a power of two", 1, 1 << 20, true}},
       make_add},
      tuned_by(pointwise_blocks));
}

}  // namespace tl::problems
