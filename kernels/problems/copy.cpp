// The lecture's copies: the right one and its two wrong ones. x = 1, 2, 3, ...; z starts as zeros, as in the lecture,
// where a kernel is wrong.
#include "kernels/copy.h"

#include "interp/lang/stop_scope.h"
#include "kernels/copy_wrong_offsets.h"
#include "kernels/copy_wrong_stride.h"
#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"

namespace tl::problems {
namespace {

template <class Kernel>
Problem copy_problem(const std::string& name, const std::string& summary, bool wrong) {
  const std::string source = "kernels/" + name + ".h";
  const auto make = [=](const Settings& s, std::uint64_t) {
    const std::int64_t n = s.integer("n"), block = s.integer("block");
    const Tensor x = make_tensor("x", DType::int32, {n}), z = make_tensor("z", DType::int32, {n});
    if (x.holds_data)
      in_chunks(n, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) x.as<std::int32_t>()[i] = static_cast<std::int32_t>(i + 1);
      });
    Instance instance;
    instance.inputs = {x};
    instance.outputs = {z};
    instance.launches = {make_launch<Kernel>(source, {cdiv(n, block)}, {}, TensorArgument{x}, TensorArgument{z},
                                             integer(n), constant(block))};
    instance.tolerances = {{0, 0}};
    if (wrong) instance.reset = [z] { fill(z, 0); };
    instance.reference_at = reference_by_element([x](std::int64_t i) { return get(x, i); });
    instance.bytes = 2.0 * 4 * static_cast<double>(n);
    const Tensor peer_z = clone(z);
    instance.cpu_peer = {
        "plain loop", [=](int threads) { peers::copy(x.as<std::int32_t>(), peer_z.as<std::int32_t>(), n, threads); }};
    instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
    instance.wrong_on_purpose = wrong;
    return complete(std::move(instance));
  };
  return {name,
          summary,
          source,
          {{"n", "6", Setting::Kind::integer, "elements", 1, 1 << 30},
           {"block", "2", Setting::Kind::integer, "elements a program copies; a power of two", 1, 1 << 20, true}},
          make,
          {"block=1024"}};
}

}  // namespace

Problem copy() {
  return copy_problem<kernels::copy_kernel>("copy", "copies a vector: the lecture's first kernel", false);
}
Problem copy_wrong_offsets() {
  return copy_problem<kernels::copy_wrong_offsets_kernel>(
      "copy_wrong_offsets", "wrong on purpose: every program copies the first block", true);
}
Problem copy_wrong_stride() {
  return copy_problem<kernels::copy_wrong_stride_kernel>("copy_wrong_stride",
                                                         "wrong on purpose: programs are n elements apart", true);
}

}  // namespace tl::problems
